// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/places.hpp"
#include "app/desktop/compare_screen.hpp"
#include "app/desktop/main_window.hpp"
#include "app/desktop/screenshot.hpp"
#include "app/desktop/settings.hpp"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>

#include <cstdio>
#include <cstdlib>

using namespace holdfast;

namespace {

constexpr const char* no_display =
    "holdfast-desktop: cannot open a window: there is no display, or it cannot be used.\n"
    "On a machine without one, work with `holdfast --help`, or draw a page with\n"
    "  QT_QPA_PLATFORM=offscreen holdfast-desktop DIR --screenshot FILE.png --screen review\n";

constexpr const char* examples = R"(
Examples:
  holdfast-desktop                       projects opened lately, examples
  holdfast-desktop ~/src/mytool          the project in a folder
  holdfast-desktop ~/src/mytool --screenshot review.png --screen review --trial 3 --theme dark
                                         a page as a picture; needs no display
)";

struct Arguments {
    desktop::Picture picture;
    std::optional<desktop::ThemeChoice> theme;
};

int fail(const Error& error, int code) {
    std::fputs(("holdfast-desktop: " + error.message() + "\n").c_str(), stderr);
    return code;
}

void describe(QCommandLineParser& parser) {
    parser.setApplicationDescription(
        "The desktop of Holdfast: watch studies, review proposals, apply what you approve.");
    parser.addPositionalArgument("DIR", "The project's folder; without it the start page.", "[DIR]");
    parser.addOptions({
        {"screenshot", "Draws one page to FILE (PNG) and ends.", "FILE"},
        {"screen",
         "The page: start, study, trials, queue, review, apply, approved, compare, history, front, calibrate.", "NAME",
         "start"},
        {"size", "Of the window, from 1024x700.", "WxH", "1280x800"},
        {"theme", "light or dark, whatever is set in the View menu.", "THEME"},
        {"trial", "The trial to review or apply.", "N"},
        {"compare", "The trials of the page compare, two to six.", "N,M"},
    });
}

Result<Arguments> arguments_of(const QCommandLineParser& parser) {
    const auto wrong = [](const QString& found) {
        return invalid("read the command line", found.toStdString(), "See holdfast-desktop --help");
    };
    Arguments arguments;
    desktop::Picture& picture = arguments.picture;
    if (parser.positionalArguments().size() > 1)
        return wrong("there is more than one folder");
    if (!parser.positionalArguments().isEmpty())
        picture.folder = QDir(parser.positionalArguments().first()).absolutePath();
    picture.file = parser.value("screenshot");
    if (parser.isSet("screenshot") && picture.file.isEmpty())
        return wrong("--screenshot needs a file");
    picture.screen = parser.value("screen");
    auto size = desktop::size_from_text(parser.value("size"));
    if (!size)
        return tl::unexpected(size.error());
    picture.size = *size;
    if (parser.isSet("theme")) {
        const QString theme = parser.value("theme");
        if (theme != "light" && theme != "dark")
            return wrong("the theme '" + theme + "' is neither light nor dark");
        arguments.theme = theme == "dark" ? desktop::ThemeChoice::dark : desktop::ThemeChoice::light;
    }
    if (parser.isSet("trial")) {
        bool number = false;
        picture.trial = parser.value("trial").toLongLong(&number);
        if (!number || picture.trial < 1)
            return wrong("the trial '" + parser.value("trial") + "' is not a number from 1");
    }
    if (parser.isSet("compare")) {
        const auto numbers = desktop::trial_numbers(parser.value("compare"));
        if (!numbers)
            return tl::unexpected(numbers.error());
        if (parser.isSet("screen") && picture.screen != "compare")
            return wrong("--compare draws the page compare, and --screen names '" + picture.screen + "'");
        picture.compared = *numbers;
        picture.screen = "compare";
    }
    return arguments;
}

/// Before any window: help, version and what is wrong with the command line need no display. Nothing: go on.
std::optional<int> read_command_line(int& argc, char** argv, Arguments& arguments) {
    const QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    describe(parser);
    const QCommandLineOption help = parser.addHelpOption(), version = parser.addVersionOption();
    if (!parser.parse(QCoreApplication::arguments()))
        return fail({Error::Kind::invalid, "read the command line", parser.errorText().toStdString(),
                     "See holdfast-desktop --help"},
                    2);
    if (parser.isSet(help)) {
        std::fputs((parser.helpText().toStdString() + examples).c_str(), stdout);
        return 0;
    }
    if (parser.isSet(version)) {
        std::puts("holdfast-desktop " HOLDFAST_VERSION);
        return 0;
    }
    auto read = arguments_of(parser);
    if (!read)
        return fail(read.error(), 2);
    arguments = std::move(*read);
    return std::nullopt;
}

/// Qt ends the program when no platform can be used; its words do not say what to do.
void end_without_display(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type == QtFatalMsg) {
        std::fputs(no_display, stderr);
        std::_Exit(1);
    }
    std::fprintf(stderr, "%s\n", qPrintable(text));
}

bool has_display() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (!qEnvironmentVariableIsEmpty(name))
            return true;
    return false;
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication::setApplicationName("holdfast-desktop");
    QCoreApplication::setApplicationVersion(HOLDFAST_VERSION);
    Arguments arguments;
    if (const auto code = read_command_line(argc, argv, arguments))
        return *code;
    const desktop::Picture& picture = arguments.picture;
    if (!picture.file.isEmpty() && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!has_display()) {
        std::fputs(no_display, stderr);
        return 1;
    }
    const QtMessageHandler usual = qInstallMessageHandler(end_without_display);
    QApplication application(argc, argv);
    qInstallMessageHandler(usual);
    QApplication::setDesktopFileName("holdfast");
    desktop::apply_theme(application, arguments.theme.value_or(desktop::settings::theme()));
    const QTemporaryDir drawing; // a picture leaves nothing behind, and looks the same whoever draws it
    if (!picture.file.isEmpty())
        desktop::settings::keep_in(drawing.path());
    desktop::MainWindow window(app::resources_folder());
    if (!picture.file.isEmpty()) {
        if (auto drawn = desktop::draw(window, picture); !drawn)
            return fail(drawn.error(), drawn.error().kind == Error::Kind::invalid ? 2 : 1);
        return 0;
    }
    window.show();
    if (!picture.folder.isEmpty())
        window.open_project(picture.folder);
    return QApplication::exec();
}
