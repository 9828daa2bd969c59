// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/study_screen.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/study_options_box.hpp"
#include "app/desktop/study_plot.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"
#include "core/project/quantity.hpp"
#include "core/study/measure.hpp"

#include <QAction>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>

#include <algorithm>

namespace holdfast::desktop {

namespace {

using Kind = StudyState::Kind;

constexpr int kept_lines = 5000;
constexpr qsizetype line_length = 2000; // a longer one is cut: nobody reads it here, and laying it out takes seconds

const app::TrialSummary* find_trial(const app::Overview& overview, std::int64_t number) {
    const auto found =
        std::lower_bound(overview.trials.begin(), overview.trials.end(), number,
                         [](const app::TrialSummary& trial, std::int64_t n) { return trial.number < n; });
    return found == overview.trials.end() || found->number != number ? nullptr : &*found;
}

/// Comparisons by hand and calibrations are kept as studies too, but are none.
std::int64_t newest_study(const app::Overview& overview) {
    const auto found = std::find_if_not(overview.studies.rbegin(), overview.studies.rend(), &study::by_hand);
    return found == overview.studies.rend() ? 0 : found->number;
}

QPushButton* link_button(const QString& name, QWidget* parent) {
    auto* button = named(new QPushButton(parent), name);
    button->setAutoDefault(false);
    button->setVisible(false);
    return button;
}

} // namespace

StudyScreen::StudyScreen(QWidget* parent) : Screen("study", "Study", parent) {
    heading_ = plain_label({}, this);
    heading_->setFont(scaled_font(1.6, true));
    note_ = new NoteBox(this);
    make_actions();
    now_ = make_now();
    QWidget* results = make_results();
    options_ = new StudyOptionsBox(this); // below what was found: it is about the study to come
    connect(options_, &StudyOptionsBox::changed, this, &StudyScreen::update_controls);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading_);
    layout->addWidget(note_);
    layout->addWidget(now_);
    layout->addWidget(results, 1);
    layout->addWidget(options_);
    layout->addLayout(make_buttons());
    why_ = muted_label({}, this);
    layout->addWidget(why_);
    set_overview({});
    set_state({});
}

void StudyScreen::make_actions() {
    start_ = add_action("start-study", "Start study", QKeySequence("F5"), "Starts a new study on the current commit.");
    resume_ = add_action("resume-study", "Resume", QKeySequence("F6"), "Goes on with the interrupted study.");
    pause_ = add_action("pause-study", "Pause", QKeySequence("F7"),
                        "Stops when the run in flight is stored; the study can be resumed.");
    after_trial_ = add_action("stop-after-trial", "Stop after this trial", QKeySequence("F8"),
                              "Decides the trial at work and starts no other; the study can be resumed.");
    stop_ = add_action("stop-now", "Stop now…", QKeySequence("Shift+F8"),
                       "Ends what runs at once; the run in flight is lost and the study can be resumed.");
    connect(start_, &QAction::triggered, this, [this] { emit start_requested(options_->options()); });
    connect(resume_, &QAction::triggered, this, &StudyScreen::resume_requested);
    connect(pause_, &QAction::triggered, this, &StudyScreen::pause_requested);
    connect(after_trial_, &QAction::triggered, this, &StudyScreen::stop_after_trial_requested);
    connect(stop_, &QAction::triggered, this, &StudyScreen::ask_stop_now);
}

QWidget* StudyScreen::make_now() {
    auto* panel = new QWidget(this);
    phase_ = plain_label({}, panel);
    phase_->setFont(scaled_font(1.1, true));
    bar_ = named(new QProgressBar(panel), "Progress of this phase");
    times_ = muted_label({}, panel);
    trial_ = link_button("Trial at work", panel);
    connect(trial_, &QPushButton::clicked, this, [this] { emit trial_activated(current_); });
    auto* row = new QHBoxLayout;
    row->addWidget(phase_, 1);
    row->addWidget(trial_);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins({});
    layout->addLayout(row);
    layout->addWidget(bar_);
    layout->addWidget(times_);
    return panel;
}

QWidget* StudyScreen::make_results() {
    auto* splitter = new QSplitter(Qt::Vertical, this);
    auto* found = new QWidget(splitter);
    best_ = plain_label({}, found);
    best_trial_ = link_button("Best proposal so far", found);
    connect(best_trial_, &QPushButton::clicked, this, [this] {
        if (const auto* best = best_proposal(overview_, newest_study(overview_)))
            emit trial_activated(best->number);
    });
    plot_ = new StudyPlot(found);
    connect(plot_, &StudyPlot::trial_activated, this, &StudyScreen::trial_activated);
    auto* row = new QHBoxLayout;
    row->addWidget(best_, 1);
    row->addWidget(best_trial_);
    auto* layout = new QVBoxLayout(found);
    layout->setContentsMargins({});
    layout->addLayout(row);
    layout->addWidget(plot_, 1);
    log_ = named(new QPlainTextEdit(splitter), "Log of the study");
    log_->setReadOnly(true);
    log_->setFont(fixed_font());
    log_->setLineWrapMode(QPlainTextEdit::NoWrap);
    log_->setUndoRedoEnabled(false);
    log_->setMaximumBlockCount(kept_lines);
    log_->setPlaceholderText("What the study says appears here.");
    log_->setTabChangesFocus(true);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    log_->setMinimumHeight(log_->fontMetrics().lineSpacing() * 3 + 12);
    log_->setMaximumHeight(log_->minimumHeight()); // until there is something to read
    return splitter;
}

QLayout* StudyScreen::make_buttons() {
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(action_button(start_, this));
    buttons->addWidget(action_button(resume_, this));
    buttons->addStretch();
    for (QAction* action : {pause_, after_trial_, stop_})
        buttons->addWidget(action_button(action, this));
    return buttons;
}

void StudyScreen::set_overview(const app::Overview& overview) {
    overview_ = overview;
    show_best();
    update_controls();
}

void StudyScreen::show_best() {
    const std::int64_t study = newest_study(overview_);
    const app::TrialSummary* best = best_proposal(overview_, study);
    const QString nothing = study == 0 ? "No study yet: start one to see what holds." : "Nothing decided yet.";
    plot_->show_points(study_points(overview_, study), shown(overview_.metric), overview_.better, nothing);
    best_trial_->setVisible(best != nullptr);
    if (best == nullptr) {
        const bool decided = std::any_of(overview_.trials.begin(), overview_.trials.end(), [&](const auto& trial) {
            return trial.study == study && leading_effect(trial) != nullptr;
        });
        best_->setText(decided ? "No proposal yet: nothing decided so far held." : nothing);
        return;
    }
    best_trial_->setText(QString("Open #%1").arg(best->number));
    best_->setText(
        QString("Best so far: #%1 %2, %3 %4")
            .arg(best->number)
            .arg(shown(best->change), best->held_out ? "held-out" : "tuning", shown(leading_effect(*best)->text)));
}

void StudyScreen::set_project_options(const study::Options& defaults) {
    options_->set_options(defaults);
    update_controls();
}

void StudyScreen::set_state(const StudyState& state) {
    const bool ended = state.kind != Kind::running && state.kind != Kind::stopping;
    state_ = state;
    if (ended) {
        current_ = 0;
        trial_->setVisible(false);
    } else if (!now_->isVisibleTo(this)) {
        phase_->setText("Starting");
        times_->setText({});
        bar_->setRange(0, 0);
    }
    update_controls();
}

void StudyScreen::update_controls() {
    const bool ours = state_.kind == Kind::running || state_.kind == Kind::stopping;
    const bool others = !ours && overview_.running_study != 0;
    const std::int64_t study = newest_study(overview_);
    heading_->setText(study == 0 ? QString("Study") : QString("Study %1").arg(study));
    if (state_.kind == Kind::running)
        heading_->setText(heading_->text() + " is running");
    else if (state_.kind == Kind::stopping)
        heading_->setText(heading_->text() + " is stopping");
    else if (state_.kind == Kind::interrupted)
        heading_->setText(heading_->text() + " was interrupted");

    const QString elsewhere = QString("another process runs study %1 of this project").arg(overview_.running_study);
    QString note = state_.reason;
    if (state_.kind != Kind::unavailable && others)
        note =
            QString("Another process runs study %1 of this project. What it finds is shown here; it is stopped where "
                    "it was started.")
                .arg(overview_.running_study);
    else if (state_.kind == Kind::interrupted && note.isEmpty())
        note = "All that was measured is kept. Resume goes on where it stopped; a new study starts afresh.";
    note_->say(note);
    now_->setVisible(ours);
    options_->setVisible(!ours && !others && state_.kind != Kind::unavailable);

    const QString fault = options_->fault();
    const QString blocked = state_.kind == Kind::unavailable ? QString("no study can be started, see above")
                            : ours                           ? QString("a study is running")
                            : others                         ? elsewhere
                                                             : QString();
    allow(start_, blocked.isEmpty() && fault.isEmpty(), blocked.isEmpty() ? fault : blocked);
    allow(resume_, blocked.isEmpty() && state_.kind == Kind::interrupted,
          blocked.isEmpty() ? "no study was interrupted" : blocked);
    const QString still = state_.kind == Kind::stopping ? "the study is stopping" : "no study is running here";
    allow(pause_, state_.kind == Kind::running, still);
    allow(after_trial_, state_.kind == Kind::running, still);
    allow(stop_, ours, still); // a stop that takes long can be made at once
    why_->setText(why_disabled({start_, resume_, pause_, after_trial_, stop_}));
}

void StudyScreen::show_progress(const study::Progress& progress, const std::optional<study::Remaining>& remaining,
                                std::chrono::nanoseconds elapsed) {
    phase_->setText(phase_words(progress.phase));
    const int total = static_cast<int>(std::min<std::size_t>(progress.total, 1'000'000'000));
    bar_->setRange(0, total); // nothing known: busy
    bar_->setValue(static_cast<int>(std::min<std::size_t>(progress.done, static_cast<std::size_t>(total))));
    const bool search = progress.phase == "search";
    bar_->setFormat(search ? QString("%v of %m configurations") : QString("%v of at most %m rounds"));
    times_->setText(
        QString("%1 elapsed, %2").arg(QString::fromStdString(duration_text(elapsed)), remaining_words(remaining)));
    current_ = progress.trial;
    trial_->setVisible(current_ != 0);
    if (current_ == 0)
        return;
    const app::TrialSummary* trial = find_trial(overview_, current_);
    const QString change = trial ? shown(trial->change) : QString();
    const QString text =
        change.isEmpty() ? QString("Trial #%1").arg(current_) : QString("Trial #%1: %2").arg(current_).arg(change);
    trial_->setText(plain_caption(trial_->fontMetrics().elidedText(text, Qt::ElideRight, width() / 2)));
    trial_->setToolTip(plain_tip(text));
    named(trial_, text, "Opens the trial at work");
}

void StudyScreen::add_line(const QString& line) {
    log_->setMaximumHeight(QWIDGETSIZE_MAX);
    log_->appendPlainText(shown(line.left(line_length).toStdString()) + (line.size() > line_length ? "…" : ""));
}

void StudyScreen::ask_stop_now() {
    auto* question =
        new QMessageBox(QMessageBox::Question, "Stop now", "Stop the study now?", QMessageBox::NoButton, this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setObjectName("stop-now-question");
    question->setInformativeText("The run in flight is ended and lost. Everything measured before it is kept, and the "
                                 "study can be resumed.");
    QPushButton* stop = question->addButton("Stop now", QMessageBox::DestructiveRole);
    QPushButton* go_on = question->addButton("Go on", QMessageBox::RejectRole);
    question->setDefaultButton(go_on);
    question->setEscapeButton(go_on);
    connect(stop, &QPushButton::clicked, this, &StudyScreen::stop_now_requested);
    question->open(); // does not block: the study's progress keeps arriving
}

void StudyScreen::ask_consent(const QString& commands) {
    auto* question = new QMessageBox(QMessageBox::Question, "Use the network",
                                     "May this project fetch what it depends on?", QMessageBox::NoButton, this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setObjectName("consent-question");
    question->setTextFormat(Qt::PlainText);
    question->setInformativeText("Once for this commit these commands get the network, in the sandbox. Builds and runs "
                                 "never do.\n\n" +
                                 commands.left(line_length));
    QPushButton* allow = question->addButton("Allow", QMessageBox::AcceptRole);
    QPushButton* refuse = question->addButton("Do not allow", QMessageBox::RejectRole);
    question->setDefaultButton(refuse);
    question->setEscapeButton(refuse);
    connect(question, &QMessageBox::finished, this,
            [this, question, allow] { emit consent_answered(question->clickedButton() == allow); });
    question->open();
}

} // namespace holdfast::desktop
