// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/main_window.hpp"

#include "app/desktop/apply_screen.hpp"
#include "app/desktop/approved_screen.hpp"
#include "app/desktop/calibrate_screen.hpp"
#include "app/desktop/compare_screen.hpp"
#include "app/desktop/controls.hpp"
#include "app/desktop/front_screen.hpp"
#include "app/desktop/history_screen.hpp"
#include "app/desktop/message_strip.hpp"
#include "app/desktop/queue_screen.hpp"
#include "app/desktop/review_screen.hpp"
#include "app/desktop/settings.hpp"
#include "app/desktop/start_screen.hpp"
#include "app/desktop/study_screen.hpp"
#include "app/desktop/trials_screen.hpp"

#include <QAction>
#include <QCloseEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPixmap>
#include <QPushButton>
#include <QStackedWidget>

namespace holdfast::desktop {

namespace {

constexpr QSize smallest(1024, 700);
constexpr int navigation_width = 150;
constexpr int navigation_margin = 8;

} // namespace

MainWindow::MainWindow(const std::filesystem::path& resources) : resources_(resources), start_(resources) {
    setWindowTitle("Holdfast");
    setMinimumSize(smallest);
    resize(1280, 800);
    make_actions();
    make_pages();
    make_page_actions();
    make_menus();
    connect_start();
    connect_project();
    connect_study();
    connect_review();
    connect_apply();
    connect_plots();
    connect_calibration();
    restoreGeometry(settings::geometry());
    update_top_bar();
    update_study_state();
    show_page(0);
    examine();
    start_.list_demos();
    start_.look_at(settings::recent_projects());
}

MainWindow::~MainWindow() = default;

void MainWindow::make_pages() {
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_top_bar());
    messages_ = new MessageStrip(centre);
    column->addWidget(messages_);
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    navigation_ =
        named(new QListWidget(centre), tr("Pages"), tr("The pages of this window; Ctrl+1 to Ctrl+9 and Ctrl+0."));
    navigation_->setObjectName("navigation");
    navigation_->setFixedWidth(navigation_width);
    navigation_->setFrameShape(QFrame::NoFrame);
    navigation_->setIconSize({navigation_margin, 1});
    pages_ = new QStackedWidget(centre);
    row->addWidget(navigation_);
    row->addWidget(pages_, 1);
    column->addLayout(row, 1);
    setCentralWidget(centre);
    add_page(start_screen_ = new StartScreen(open_, new_, this));
    add_page(study_screen_ = new StudyScreen(this));
    add_page(trials_screen_ = new TrialsScreen(this));
    add_page(queue_screen_ = new QueueScreen(this));
    add_page(review_screen_ = new ReviewScreen(this));
    add_page(apply_screen_ = new ApplyScreen(this));
    add_page(approved_screen_ = new ApprovedScreen(this));
    add_page(compare_screen_ = new CompareScreen(this));
    add_page(history_screen_ = new HistoryScreen(this));
    add_page(front_screen_ = new FrontScreen(this));
    add_page(calibrate_screen_ = new CalibrateScreen(this));
    connect(navigation_, &QListWidget::currentRowChanged, this, &MainWindow::show_page);
    // A click or Return means the page; the arrows leave the keys with the list.
    const auto enter = [this] { current_screen()->setFocus(); };
    connect(navigation_, &QListWidget::itemClicked, this, enter);
    connect(navigation_, &QListWidget::itemActivated, this, enter);
}

QWidget* MainWindow::make_top_bar() {
    auto* bar = new QFrame(this);
    bar->setFrameShape(QFrame::StyledPanel);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 6, 12, 6);
    row->setSpacing(24);
    const auto label = [&](const QString& name, const QFont& font) {
        auto* made = plain_label({}, bar);
        made->setObjectName(name);
        made->setFont(font);
        made->setWordWrap(false);
        made->setMinimumWidth(1); // a long name is cut rather than widening the window
        row->addWidget(made);
        return made;
    };
    project_label_ = label("top-project", scaled_font(1.1, true));
    branch_label_ = label("top-branch", fixed_font());
    row->addStretch(1);
    study_label_ = label("top-study", scaled_font(1));
    return bar;
}

void MainWindow::add_page(Screen* screen) {
    pages_->addWidget(screen);
    auto* item = new QListWidgetItem(screen->title(), navigation_);
    QPixmap margin(navigation_margin, 1); // an item has no margin of its own
    margin.fill(Qt::transparent);
    item->setIcon(margin);
    item->setSizeHint(QSize(navigation_width, 36));
}

void MainWindow::show_page(int row) {
    if (row < 0 || row >= pages_->count())
        return;
    const bool keys_in_list = navigation_->hasFocus();
    pages_->setCurrentIndex(row);
    navigation_->setCurrentRow(row);
    if (!keys_in_list)
        current_screen()->setFocus();
    if (current_screen() == review_screen_ && reviewed_ == 0)
        review_trial(suggested_for_review());
    load_page();
}

QStringList MainWindow::screen_names() const {
    QStringList names;
    for (const Screen* screen : screens())
        names.push_back(screen->name());
    return names;
}

QList<Screen*> MainWindow::screens() const {
    QList<Screen*> all;
    for (int i = 0; i < pages_->count(); ++i)
        all.push_back(static_cast<Screen*>(pages_->widget(i)));
    return all;
}

Screen* MainWindow::current_screen() const {
    return static_cast<Screen*>(pages_->currentWidget());
}

void MainWindow::show_screen(const QString& name, qint64 number) {
    const int row = static_cast<int>(screen_names().indexOf(name));
    if (row < 0)
        return;
    if (name == review_screen_->name() && number != 0)
        review_trial(number);
    if (name == apply_screen_->name()) {
        for (const app::TrialSummary& one : overview_.trials)
            if (number == 0 &&
                (one.standing == review::Standing::approved || one.standing == review::Standing::applied))
                number = one.number;
        if (const app::TrialSummary* found = trial(number))
            plan_trial(number, found->standing == review::Standing::applied, false);
    }
    show_page(row);
    current_screen()->setFocus();
}

bool MainWindow::settled() const {
    return project_.idle() && start_.idle();
}

QList<ActionScope> MainWindow::scopes() const {
    return {{tr("Everywhere"), actions()}, {current_screen()->title(), current_screen()->actions()}};
}

void MainWindow::update_top_bar() {
    const auto& project = project_.project();
    if (!project) {
        project_label_->setText(tr("No project is open"));
        branch_label_->clear();
        study_label_->clear();
        return;
    }
    const QString name = shown(project->project->name);
    project_label_->setText(name);
    project_label_->setToolTip(shown(project->folder.string()).toHtmlEscaped());
    const git::Head& head = project->head;
    branch_label_->setText((head.branch.empty() ? tr("detached") : shown(head.branch)) + " @ " +
                           shown(head.commit.id.substr(0, 10)));
    setWindowTitle(name + " - Holdfast");
    QString study = tr("no study runs");
    if (study_.calibrating() && study_.state() != StudyController::State::idle)
        study = tr("a calibration is running");
    else if (study_.state() == StudyController::State::running)
        study = tr("a study is running");
    else if (study_.state() == StudyController::State::stopping)
        study = tr("the study is stopping");
    else if (overview_.running_study != 0)
        study = tr("study %1 is running in another process").arg(overview_.running_study);
    else if (overview_.interrupted_study != 0)
        study = tr("study %1 is interrupted").arg(overview_.interrupted_study);
    study_label_->setText(study);
}

void MainWindow::update_counts() {
    const auto row = static_cast<int>(screens().indexOf(queue_screen_));
    navigation_->item(row)->setText(overview_.waiting == 0
                                        ? queue_screen_->title()
                                        : tr("%1 (%2)").arg(queue_screen_->title()).arg(overview_.waiting));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    settings::set_geometry(saveGeometry());
    if (study_.state() == StudyController::State::idle) {
        event->accept();
        return;
    }
    event->ignore();
    if (!closing_)
        ask_before_closing();
}

void MainWindow::ask_before_closing() {
    auto* question = new QMessageBox(
        QMessageBox::Question, study_.calibrating() ? tr("A calibration is running") : tr("A study is running"),
        study_.calibrating() ? tr("A calibration is running. When it is stopped, what it measured is not used.")
                             : tr("A study is running. It can be stopped after the sample in flight, and resumed when "
                                  "you open the project again."),
        QMessageBox::NoButton, this);
    question->setObjectName("close-question");
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto* stop = question->addButton(tr("Stop after the sample and close"), QMessageBox::AcceptRole);
    stop->setObjectName("close-stop");
    auto* stay = question->addButton(tr("Keep running"), QMessageBox::RejectRole);
    stay->setObjectName("close-stay");
    question->setDefaultButton(stay);
    question->setEscapeButton(stay);
    connect(question, &QMessageBox::buttonClicked, this, [this, stop](const QAbstractButton* button) {
        if (button != stop)
            return;
        closing_ = true;
        if (study_.state() == StudyController::State::idle)
            close(); // it ended meanwhile
        else
            study_.pause();
    });
    question->open();
}

} // namespace holdfast::desktop
