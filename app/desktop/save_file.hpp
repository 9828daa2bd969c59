// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/error.hpp"

#include <QString>

#include <string>

class QWidget;

namespace holdfast::desktop {

/// Writes all of `text` or, on an error, leaves the file as it was.
Result<void> write_file(const QString& path, const std::string& text);

/// Asks where, writes, and says in a message box what went wrong; the window goes on meanwhile. `suggested`: a file
/// name.
void save_as(QWidget* parent, const QString& title, const QString& suggested, const std::string& text);

} // namespace holdfast::desktop
