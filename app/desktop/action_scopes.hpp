// SPDX-License-Identifier: GPL-3.0-or-later
// The actions that can be used somewhere, for the palette and the key help.
#pragma once

#include <QList>
#include <QString>

class QAction;

namespace holdfast::desktop {

struct ActionScope {
    QString name; ///< "Everywhere", a screen's title
    QList<QAction*> actions;
};

/// The text without mnemonic marks and dots: "Open…" for "&Open…".
QString caption_of(const QAction* action);
/// The keys as this system writes them: "Ctrl+O"; "" without.
QString keys_of(const QAction* action);
/// Why a disabled action cannot be used now; "" for one that can.
QString why_not(const QAction* action);

} // namespace holdfast::desktop
