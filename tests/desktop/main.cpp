// SPDX-License-Identifier: GPL-3.0-or-later
// The display, the home folder and the settings are the test's own; one QApplication for all cases.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif
#include "app/desktop/theme.hpp"

#include <QApplication>
#include <QTemporaryDir>

int main(int argc, char** argv) {
    const QTemporaryDir home;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("HOME", home.path().toUtf8());
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"})
        qputenv(name, home.path().toUtf8());
    QApplication application(argc, argv);
    QApplication::setOrganizationName("holdfast");
    QApplication::setApplicationName("holdfast-test");
    QApplication::setFont(QFont("DejaVu Sans", 9));
    holdfast::desktop::apply_theme(application, holdfast::desktop::ThemeChoice::light);
    return Catch::Session().run(argc, argv);
}
