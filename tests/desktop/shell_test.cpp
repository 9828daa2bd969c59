// SPDX-License-Identifier: GPL-3.0-or-later
// The window around the pages: its keys, names, palette, theme, and what it does with projects that cannot be opened.
#include "app/common/places.hpp"
#include "app/desktop/command_palette.hpp"
#include "app/desktop/main_window.hpp"
#include "app/desktop/message_strip.hpp"
#include "app/desktop/new_project_dialog.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/settings.hpp"
#include "core/project/project.hpp"
#include "tests/desktop/drive.hpp"
#include "tests/scratch.hpp"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTreeWidget>

#include <filesystem>
#include <map>

using namespace holdfast;
using namespace holdfast::desktop;
using test::press;
using test::ScratchRepository;

namespace {

constexpr int patience_ms = 60000;

class Window {
public:
    Window() : window(QString(HOLDFAST_SOURCE_DIR "/resources").toStdString()) {
        window.show();
        window.activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(&window));
    }
    /// Opens `folder` and waits for the answer: the project's page, or a message.
    void open(const std::filesystem::path& folder) {
        window.messages()->dismiss();
        window.open_project(QString::fromStdString(folder.string()));
        REQUIRE(QTest::qWaitFor([this] { return window.settled(); }, patience_ms));
    }
    std::string message() const { return window.messages()->text().toStdString(); }
    std::string label(const QString& name) const { return window.findChild<QLabel*>(name)->text().toStdString(); }

    MainWindow window;
};

const std::string small_project = R"({ "name": "small", "build": [], "objective": "wall",
  "workloads": [ { "name": "w", "run": ["true"], "check": { "stdout": "same" } } ],
  "knobs": [ { "name": "k", "type": "integer", "min": 1, "max": 9, "default": 1, "through": { "argument": "{value}" } } ] })";

void make_project(const ScratchRepository& repository, const std::string& text = small_project) {
    repository.write("holdfast.json", text);
    repository.commit("project");
}

bool is_control(const QWidget* widget) {
    return widget->inherits("QAbstractButton") || widget->inherits("QLineEdit") || widget->inherits("QComboBox") ||
           widget->inherits("QAbstractSpinBox") || widget->inherits("QAbstractItemView") ||
           widget->inherits("QPlainTextEdit") || widget->inherits("QTextEdit") ||
           widget->inherits("QAbstractScrollArea");
}

/// Qt's own parts of a control: a spin box's line edit, an item view's headers and corner.
bool is_part(const QWidget* widget) {
    const QWidget* parent = widget->parentWidget();
    return widget->objectName().startsWith("qt_") || widget->inherits("QHeaderView") || widget->inherits("QMenuBar") ||
           (parent != nullptr &&
            (parent->inherits("QComboBox") || parent->inherits("QAbstractSpinBox") ||
             parent->inherits("QAbstractItemView") || parent->inherits("QTabBar") || parent->inherits("QLineEdit") ||
             parent->inherits("QMenuBar") || parent->inherits("QComboBoxPrivateContainer")));
}

} // namespace

TEST_CASE("no two actions that can be used at the same time share a key") {
    Window opened;
    for (Screen* screen : opened.window.screens()) {
        opened.window.show_screen(screen->name());
        std::map<std::string, std::string> owner;
        for (const ActionScope& scope : opened.window.scopes())
            for (const QAction* action : scope.actions)
                for (const QKeySequence& keys : action->shortcuts()) {
                    const std::string text = keys.toString().toStdString();
                    INFO(screen->name().toStdString()
                         << ": " << text << " is " << owner[text] << " and " << action->text().toStdString());
                    CHECK(owner[text].empty());
                    owner[text] = action->text().toStdString();
                }
        CHECK(owner.count("Ctrl+K") == 1);
        CHECK(owner.count("?") == 1);
    }
}

TEST_CASE("every control of every page says its name to a screen reader") {
    Window opened;
    const ScratchRepository repository;
    make_project(repository);
    opened.open(repository.path());
    int controls = 0;
    for (const QWidget* widget : opened.window.findChildren<QWidget*>()) {
        if (!is_control(widget) || is_part(widget))
            continue;
        ++controls;
        const QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
        INFO(widget->metaObject()->className() << " " << widget->objectName().toStdString() << " in "
                                               << widget->parentWidget()->metaObject()->className());
        REQUIRE(accessible != nullptr);
        CHECK_FALSE(accessible->text(QAccessible::Name).isEmpty());
    }
    CHECK(controls > 20);
}

TEST_CASE("Ctrl and a number shows a page, from wherever the keys are") {
    Window opened;
    const QStringList names = opened.window.screen_names();
    CHECK(names == QStringList{"start", "study", "trials", "queue", "review", "apply", "approved", "compare", "history",
                               "front", "calibrate"});
    constexpr int with_a_digit = 10; // the pages after them have no digit left
    for (int i = with_a_digit; i > 0; --i) {
        press(opened.window, Qt::Key(Qt::Key_0 + i % 10), Qt::ControlModifier);
        CHECK(opened.window.current_screen()->name() == names[i - 1]);
    }
}

TEST_CASE("the palette finds an action by a few letters and does it, with the keyboard alone") {
    Window opened;
    press(opened.window, Qt::Key_K, Qt::ControlModifier);
    QPointer<CommandPalette> palette(opened.window.findChild<CommandPalette*>());
    REQUIRE(palette);
    REQUIRE(QTest::qWaitForWindowActive(palette));
    QTest::keyClicks(palette->focusWidget(), "gotria");
    const auto* list = palette->findChild<QTreeWidget*>();
    REQUIRE(list->currentItem() != nullptr);
    CHECK(list->currentItem()->text(0) == "Go to Trials");
    CHECK(list->currentItem()->text(2) == "Ctrl+3");
    press(*palette, Qt::Key_Return);
    CHECK(QTest::qWaitFor([&] { return opened.window.current_screen()->name() == "trials"; }));
    CHECK(QTest::qWaitFor([&] { return palette.isNull(); }));
}

TEST_CASE("the palette says why an action cannot be used, and does not do it") {
    Window opened;
    opened.window.show_screen("study");
    press(opened.window, Qt::Key_K, Qt::ControlModifier);
    QPointer<CommandPalette> palette(opened.window.findChild<CommandPalette*>());
    REQUIRE(palette);
    const auto* list = palette->findChild<QTreeWidget*>();
    int disabled = 0;
    for (int i = 0; i < list->topLevelItemCount(); ++i)
        disabled += list->topLevelItem(i)->text(3).isEmpty() ? 0 : 1;
    CHECK(disabled > 0);
    QTest::keyClicks(palette->focusWidget(), "stop now");
    REQUIRE(list->currentItem() != nullptr);
    CHECK_FALSE(list->currentItem()->text(3).isEmpty());
    press(*palette, Qt::Key_Return);
    CHECK(palette->isVisible());
    press(*palette, Qt::Key_Escape);
    CHECK(QTest::qWaitFor([&] { return palette.isNull(); }));
}

TEST_CASE("letters match in order, and words' beginnings come first") {
    CHECK(fuzzy_distance("", "Open"));
    CHECK(fuzzy_distance("opn", "Open"));
    CHECK_FALSE(fuzzy_distance("npo", "Open"));
    CHECK(*fuzzy_distance("gt", "Go to Trials") < *fuzzy_distance("gt", "Go straight"));
}

TEST_CASE("the question mark lists the keys of the window and of the page in front") {
    Window opened;
    opened.window.show_screen("start");
    press(opened.window, Qt::Key_Question);
    const auto* table = opened.window.findChild<QTreeWidget*>("keys-table");
    REQUIRE(table != nullptr);
    REQUIRE(table->topLevelItemCount() == 2);
    CHECK(table->topLevelItem(0)->childCount() > 10);
    CHECK(table->topLevelItem(1)->text(0) == "Start");
}

TEST_CASE("the theme changes at once and is kept") {
    Window opened;
    opened.window.findChild<QAction*>("theme-dark")->trigger();
    CHECK(is_dark(QApplication::palette()));
    CHECK(settings::theme() == ThemeChoice::dark);
    opened.window.findChild<QAction*>("theme-light")->trigger();
    CHECK_FALSE(is_dark(QApplication::palette()));
}

TEST_CASE("a project without a history opens on its study page") {
    Window opened;
    const ScratchRepository repository;
    make_project(repository);
    opened.open(repository.path());
    CHECK(opened.message() == "");
    CHECK(opened.label("top-project") == "small");
    CHECK(opened.label("top-branch").substr(0, 7) == "main @ ");
    CHECK(opened.window.current_screen()->name() == "study");
    CHECK(settings::recent_projects().first().toStdString() == repository.path().string());
}

TEST_CASE("the open project is the one selected among the projects opened lately, and the one that is examined") {
    Window opened;
    const ScratchRepository first, second;
    for (const ScratchRepository* repository : {&first, &second}) {
        make_project(*repository);
        opened.open(repository->path());
    }
    opened.open(first.path());
    const auto* recent = opened.window.findChild<QListWidget*>("recent");
    REQUIRE(recent->currentItem() != nullptr);
    CHECK(recent->currentItem()->text().toStdString() == first.path().string());
    for (const auto& [key, value] : {std::pair("user.name", "Only Here"), std::pair("user.email", "here@example.org")})
        REQUIRE(test::run_program({"git", "config", key, value}, first.path()).status == 0);
    opened.window.findChild<QAction*>("examine")->trigger();
    REQUIRE(QTest::qWaitFor([&] { return opened.window.settled(); }, patience_ms));
    const auto* findings = opened.window.findChild<QTreeWidget*>("findings");
    CHECK(findings->findItems("Only Here", Qt::MatchContains, 2).size() == 1);
    opened.open(second.path()); // is examined without being asked
    CHECK(findings->findItems("Only Here", Qt::MatchContains, 2).isEmpty());
}

TEST_CASE("what cannot be opened is told in words and the former project stays") {
    Window opened;
    const ScratchRepository good;
    make_project(good);
    opened.open(good.path());
    const auto refused = [&](const std::filesystem::path& folder, const std::string& word) {
        opened.open(folder);
        INFO(opened.message());
        CHECK(opened.window.messages()->is_error());
        CHECK(opened.message().find(word) != std::string::npos);
        CHECK(opened.label("top-project") == "small");
        CHECK_FALSE(settings::recent_projects().contains(QString::fromStdString(folder.string())));
    };
    const test::ScratchFolder folder;
    refused(folder.path() / "vanished", "vanished");
    refused(folder.path(), "holdfast.json");
    const ScratchRepository broken;
    make_project(broken, "{ \"name\": ");
    refused(broken.path(), "holdfast.json");
}

TEST_CASE("a history of a newer version is told, not touched, and told once") {
    Window opened;
    const ScratchRepository repository;
    make_project(repository);
    const auto history = app::history_file(repository.path());
    std::filesystem::create_directories(history.parent_path());
    {
        auto made = db::SqliteStore::open(history, db::SqliteStore::Mode::write);
        REQUIRE(made);
    }
    REQUIRE(test::run_program({"sqlite3", history.string(), "PRAGMA user_version=9999"}, repository.path()).status ==
            0);
    const std::string before = test::read_text(history);
    QSignalSpy settled(&opened.window, &MainWindow::became_settled);
    opened.open(repository.path());
    INFO(opened.message());
    CHECK(opened.window.messages()->is_error());
    CHECK(opened.message().find("newer") != std::string::npos);
    CHECK_FALSE(settings::recent_projects().contains(QString::fromStdString(repository.path().string())));
    CHECK(test::read_text(history) == before);
    opened.window.messages()->dismiss();
    opened.window.findChild<QAction*>("refresh")->trigger();
    REQUIRE(QTest::qWaitFor([&] { return opened.window.settled(); }, patience_ms));
    CHECK_FALSE(opened.window.messages()->is_error());
}

TEST_CASE("a history that another process writes is read beside it") {
    Window opened;
    const ScratchRepository repository;
    make_project(repository);
    auto writer = db::SqliteStore::open(app::history_file(repository.path()), db::SqliteStore::Mode::write);
    REQUIRE(writer);
    opened.open(repository.path());
    CHECK(opened.message() == "");
    study::TrialRecord trial;
    trial.id = "0190";
    trial.kind = "knobs";
    trial.tuner = "patch";
    trial.configuration_json = R"({"k":2})";
    trial.created = "2026-01-02T03:04:05.678Z";
    REQUIRE((*writer)->add_trial(trial));
    // Seen without being asked: the window looks every second.
    opened.window.show_screen("trials");
    const auto rows = [&] {
        int count = 0;
        for (const auto* view : opened.window.current_screen()->findChildren<QTableView*>())
            count = std::max(count, view->model() != nullptr ? view->model()->rowCount() : 0);
        return count;
    };
    CHECK(QTest::qWaitFor([&] { return rows() == 1; }, patience_ms));
}

TEST_CASE("a folder that vanishes while it is open is told and the window lives on") {
    Window opened;
    {
        const ScratchRepository repository;
        make_project(repository);
        opened.open(repository.path());
    }
    CHECK(QTest::qWaitFor([&] { return opened.window.messages()->is_error(); }, patience_ms));
    press(opened.window, Qt::Key_1, Qt::ControlModifier);
    CHECK(opened.window.current_screen()->name() == "start");
}

TEST_CASE("names with markup and control characters are shown as they are") {
    Window opened;
    const ScratchRepository repository;
    make_project(repository, R"({ "name": "<b>x</b>\u001b[31m\u202e", "build": [], "objective": "wall",
      "workloads": [ { "name": "w", "run": ["true"], "check": { "stdout": "same" } } ], "knobs": [ { "name": "k", "type": "boolean",
      "default": true, "through": { "argument": "{value}" } } ] })");
    opened.open(repository.path());
    const std::string shown_name = opened.label("top-project") + opened.message();
    CHECK(shown_name.find('\x1b') == std::string::npos);
    CHECK(shown_name.find("\u202e") == std::string::npos);
    CHECK(opened.window.findChild<QLabel*>("top-project")->textFormat() == Qt::PlainText);
}

TEST_CASE("the project file that the window offers is valid whatever the folder is called") {
    for (const QString name : {"mytool", "a \"quoted\" \\ name", "ünï"}) {
        const ScratchRepository repository;
        make_project(repository, project_template(name).toStdString());
        const auto project = load_project(repository.path());
        INFO((project ? "" : to_error(project.error()).message()));
        CHECK(project);
    }
}

TEST_CASE("a new project begins with what its folder holds, and what is held out is written with it") {
    const ScratchRepository repository;
    repository.write("sums.py", "import sys\nif __name__ == '__main__':\n    print(open(sys.argv[1]).read())\n");
    repository.write("data/a.txt", "a\n");
    repository.write("data/b.txt", "bb\n");
    repository.commit("start");
    Window opened;
    opened.window.findChild<QAction*>("new")->trigger();
    auto* dialog = opened.window.findChild<QDialog*>("new-project");
    REQUIRE(dialog != nullptr);
    auto* text = dialog->findChild<QPlainTextEdit*>("new-project-text");
    CHECK(text->toPlainText().contains("example"));
    dialog->findChild<QLineEdit*>("new-project-folder")->setText(QString::fromStdString(repository.path().string()));
    REQUIRE(QTest::qWaitFor([&] { return text->toPlainText().contains("sums.py"); }, patience_ms));
    dialog->findChild<QPushButton*>("new-project-write")->click();
    REQUIRE(QTest::qWaitFor([&] { return std::filesystem::exists(repository.path() / "holdfast.json"); }, patience_ms));
    REQUIRE(QTest::qWaitFor([&] { return opened.window.settled(); }, patience_ms));
    const auto project = load_project(repository.path());
    INFO((project ? "" : to_error(project.error()).message()));
    REQUIRE(project);
    CHECK(project->with_role(Role::holdout).size() == 1);
}
