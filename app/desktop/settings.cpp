// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/settings.hpp"

#include <QSettings>

namespace holdfast::desktop::settings {

namespace {

constexpr qsizetype most_recent = 10;
const QString recent_key = "recent projects", theme_key = "theme", geometry_key = "geometry";

QSettings open() {
    return QSettings("holdfast", "holdfast-desktop");
}

} // namespace

void keep_in(const QString& folder) {
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder);
}

QStringList recent_projects() {
    return open().value(recent_key).toStringList().mid(0, most_recent);
}

void remember_project(const QString& folder) {
    QStringList folders = recent_projects();
    folders.removeAll(folder);
    folders.prepend(folder);
    open().setValue(recent_key, folders.mid(0, most_recent));
}

void forget_project(const QString& folder) {
    QStringList folders = recent_projects();
    folders.removeAll(folder);
    open().setValue(recent_key, folders);
}

ThemeChoice theme() {
    const QString stored = open().value(theme_key).toString();
    return stored == "light" ? ThemeChoice::light : stored == "dark" ? ThemeChoice::dark : ThemeChoice::system;
}

void set_theme(ThemeChoice choice) {
    open().setValue(theme_key, choice == ThemeChoice::light  ? "light"
                               : choice == ThemeChoice::dark ? "dark"
                                                             : "system");
}

QByteArray geometry() {
    return open().value(geometry_key).toByteArray();
}

void set_geometry(const QByteArray& geometry) {
    open().setValue(geometry_key, geometry);
}

} // namespace holdfast::desktop::settings
