// SPDX-License-Identifier: GPL-3.0-or-later
// The window's own actions and menus. Keys belong to actions only, each to one.
#include "app/desktop/approved_screen.hpp"
#include "app/desktop/command_palette.hpp"
#include "app/desktop/controls.hpp"
#include "app/desktop/key_help.hpp"
#include "app/desktop/main_window.hpp"
#include "app/desktop/message_strip.hpp"
#include "app/desktop/new_project_dialog.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/settings.hpp"
#include "app/desktop/start_screen.hpp"
#include "app/desktop/study_screen.hpp"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QStandardPaths>

namespace holdfast::desktop {

QAction* MainWindow::add_window_action(const QString& id, const QString& text, const QKeySequence& keys,
                                       const QString& tip) {
    auto* action = new QAction(text, this);
    action->setObjectName(id);
    action->setShortcut(keys);
    action->setToolTip(tip);
    action->setStatusTip(tip);
    addAction(action);
    return action;
}

void MainWindow::make_actions() {
    open_ = add_window_action("open", tr("&Open…"), QKeySequence::Open, tr("Opens the project in a folder."));
    new_ = add_window_action("new", tr("&New project…"), QKeySequence::New,
                             tr("Makes a folder a project, with a project file that works."));
    palette_ = add_window_action("palette", tr("&All actions…"), QKeySequence("Ctrl+K"),
                                 tr("Finds any action by a few letters of its name."));
    keys_ = add_window_action("keys", tr("&Keys"), QKeySequence("?"), tr("Shows every key."));
    refresh_ = add_window_action("refresh", tr("Read the history again"), QKeySequence("Ctrl+R"),
                                 tr("Reads what has changed; this also happens every second by itself."));
    resume_ = new QAction(tr("Resume"), this); // the strip's; the study page has its own, with a key
    resume_->setStatusTip(tr("Goes on with the interrupted study where it stopped."));
    connect(open_, &QAction::triggered, this, &MainWindow::choose_project);
    connect(new_, &QAction::triggered, this, &MainWindow::make_new_project);
    connect(palette_, &QAction::triggered, this, &MainWindow::show_palette);
    connect(keys_, &QAction::triggered, this, &MainWindow::show_keys);
    connect(refresh_, &QAction::triggered, &project_, &ProjectController::read_again);
}

void MainWindow::make_page_actions() {
    int number = 0;
    for (Screen* screen : screens()) {
        ++number;
        QAction* go = add_window_action(
            "go-" + screen->name(), tr("Go to %1").arg(screen->title()),
            number <= 10 ? QKeySequence(QString("Ctrl+%1").arg(number % 10)) : QKeySequence(), tr("Shows this page."));
        connect(go, &QAction::triggered, this, [this, screen] { show_screen(screen->name()); });
    }
}

void MainWindow::make_menus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(open_);
    recent_menu_ = file->addMenu(tr("Open &recent"));
    connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fill_recent_menu);
    file->addAction(new_);
    demo_menu_ = file->addMenu(tr("&Example"));
    demo_menu_->setEnabled(false); // until the examples are known
    file->addSeparator();
    QAction* quit = add_window_action("quit", tr("&Quit"), QKeySequence("Ctrl+Q"), tr("Closes the window."));
    connect(quit, &QAction::triggered, this, &MainWindow::close);
    file->addAction(quit);

    QMenu* study = menuBar()->addMenu(tr("&Study"));
    study->addActions(study_screen_->actions());

    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (QAction* action : actions())
        if (action->objectName().startsWith("go-"))
            view->addAction(action);
    view->addSeparator();
    view->addAction(refresh_);
    make_theme_menu(view);

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(palette_);
    help->addAction(keys_);
    QAction* about = add_window_action("about", tr("A&bout Holdfast"), {}, tr("Tells the version and the licence."));
    connect(about, &QAction::triggered, this, &MainWindow::show_about);
    help->addAction(about);
}

void MainWindow::make_theme_menu(QMenu* view) {
    QMenu* menu = view->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    const std::pair<ThemeChoice, QString> themes[] = {
        {ThemeChoice::system, tr("System")}, {ThemeChoice::light, tr("Light")}, {ThemeChoice::dark, tr("Dark")}};
    for (const auto& [choice, name] : themes) {
        QAction* action = add_window_action("theme-" + name.toLower(), tr("Theme: %1").arg(name), {},
                                            tr("Changes the colours of the whole program."));
        action->setCheckable(true);
        action->setChecked(choice == settings::theme());
        group->addAction(action);
        menu->addAction(action);
        connect(action, &QAction::triggered, this, [choice = choice] {
            settings::set_theme(choice);
            apply_theme(*qApp, choice);
        });
    }
}

void MainWindow::fill_recent_menu() {
    recent_menu_->clear();
    for (const QString& folder : settings::recent_projects()) {
        QAction* action = recent_menu_->addAction(shown(folder.toStdString()).replace("&", "&&"));
        connect(action, &QAction::triggered, this, [this, folder] { open_project(folder); });
    }
    if (recent_menu_->isEmpty())
        recent_menu_->addAction(tr("None yet"))->setEnabled(false);
}

void MainWindow::choose_project() {
    auto* dialog = new QFileDialog(this, tr("Folder of the project"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::open_project);
    dialog->open();
}

void MainWindow::make_new_project() {
    // Built: <checkout>/resources beside <checkout>/docs. Installed: share/holdfast beside share/doc/holdfast.
    QString guide;
    for (const auto& place : {resources_ / "../docs/guide.md", resources_ / "../doc/holdfast/guide.md"})
        if (const QString name = QFile::decodeName(place.lexically_normal().c_str()); QFile::exists(name))
            guide = name;
    auto* dialog = new NewProjectDialog(guide, this);
    connect(dialog, &NewProjectDialog::confirmed, &start_, &StartController::make_project);
    connect(dialog, &NewProjectDialog::folder_chosen, &start_, &StartController::propose_project);
    connect(&start_, &StartController::project_proposed, dialog, &NewProjectDialog::offer);
    dialog->open();
}

void MainWindow::open_demo(const QString& name) {
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    const QString folder = data + "/holdfast/demo/" + name; // where ./run makes them
    if (QFile::exists(folder + "/holdfast.json"))
        open_project(folder);
    else
        start_.make_demo(name, folder);
}

void MainWindow::show_palette() {
    (new CommandPalette(scopes(), this))->open();
}

void MainWindow::show_keys() {
    (new KeyHelp(scopes(), this))->open();
}

void MainWindow::show_about() {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("About Holdfast"),
        tr("Holdfast %1\n\nMeasures proposed changes, tries them on workloads their author never saw, and lets nothing "
           "reach your branch without your approval.\n\nFree software under the GNU General Public License, version 3 "
           "or later.")
            .arg(QApplication::applicationVersion()),
        QMessageBox::Close, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

} // namespace holdfast::desktop
