// SPDX-License-Identifier: GPL-3.0-or-later
// One page of a project as a picture: for the documentation and for tests, also without a display.
#pragma once

#include "core/project/error.hpp"

#include <QList>
#include <QSize>
#include <QString>

#include <cstdint>

namespace holdfast::desktop {

class MainWindow;

struct Picture {
    QString file;   ///< PNG
    QString folder; ///< of the project; "" for none
    QString screen = "start";
    QSize size{1280, 800};  ///< in device-independent pixels
    QList<qint64> compared; ///< the trials to compare
    qint64 trial = 0;       ///< the one to review or apply; 0: the first that suits
};

/// "1280x800", at least 1024x700 and at most 8192x8192. Error: kind invalid.
Result<QSize> size_from_text(const QString& text);

/// Opens the project, waits until the page is complete and writes it. What the window reports as an error is the
/// error, even when the page can be drawn. Errors of kind `invalid`: no such page.
Result<void> draw(MainWindow& window, const Picture& picture);

} // namespace holdfast::desktop
