// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop remembers between two starts.
#pragma once

#include "app/desktop/theme.hpp"

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace holdfast::desktop::settings {

/// Everything that is kept from now on, by Qt's own settings too, is kept in `folder` in place of the person's.
void keep_in(const QString& folder);

/// Folders, the last opened first; at most ten.
QStringList recent_projects();
void remember_project(const QString& folder);
void forget_project(const QString& folder);

ThemeChoice theme();
void set_theme(ThemeChoice choice);

QByteArray geometry();
void set_geometry(const QByteArray& geometry);

} // namespace holdfast::desktop::settings
