// SPDX-License-Identifier: GPL-3.0-or-later
// Which signal of a screen asks for what, and which screen shows the answer.
#include "app/desktop/apply_screen.hpp"
#include "app/desktop/approved_screen.hpp"
#include "app/desktop/calibrate_screen.hpp"
#include "app/desktop/main_window.hpp"
#include "app/desktop/message_strip.hpp"
#include "app/desktop/queue_screen.hpp"
#include "app/desktop/review_screen.hpp"
#include "app/desktop/settings.hpp"
#include "app/desktop/start_screen.hpp"
#include "app/desktop/study_screen.hpp"
#include "app/desktop/trials_screen.hpp"
#include "core/review/exports.hpp"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QMenu>

#include <algorithm>

namespace holdfast::desktop {

void MainWindow::connect_start() {
    connect(start_screen_, &StartScreen::open_requested, this, &MainWindow::open_project);
    connect(start_screen_, &StartScreen::demo_requested, this, &MainWindow::open_demo);
    connect(start_screen_, &StartScreen::forget_requested, this, [this](const QString& folder) {
        settings::forget_project(folder);
        start_.look_at(settings::recent_projects());
    });
    connect(start_screen_, &StartScreen::examine_requested, this, &MainWindow::examine);
    connect(&start_, &StartController::recent_known, this,
            [this](const std::vector<RecentProject>& projects) { start_screen_->set_recent(projects, open_folder()); });
    connect(&start_, &StartController::examined, this, [this](const app::Examination& examination) {
        examination_ = examination;
        start_screen_->set_examination(examination);
        update_study_state();
    });
    connect(&start_, &StartController::demos_known, this, [this](const std::vector<app::DemoInfo>& demos) {
        start_screen_->set_demos(demos);
        demo_menu_->clear();
        for (const app::DemoInfo& demo : demos) {
            QAction* action = demo_menu_->addAction(shown(demo.name));
            action->setStatusTip(shown(demo.about));
            connect(action, &QAction::triggered, this,
                    [this, name = QString::fromStdString(demo.name)] { open_demo(name); });
        }
        demo_menu_->setEnabled(!demos.empty());
    });
    connect(&start_, &StartController::demo_made, this, &MainWindow::open_project);
    connect(&start_, &StartController::project_made, this, &MainWindow::open_project);
    connect(&start_, &StartController::failed, messages_, &MessageStrip::show_error);
    connect(&start_, &StartController::became_idle, this, [this] {
        if (settled())
            emit became_settled();
    });
}

QString MainWindow::open_folder() const {
    const auto& project = project_.project();
    return project ? QFile::decodeName(project->folder.c_str()) : QString();
}

void MainWindow::examine() {
    examined_ = project_.project() ? open_folder() : QDir::currentPath();
    start_screen_->set_examining();
    start_.examine(examined_);
}

void MainWindow::open_project(const QString& folder) {
    if (study_.state() != StudyController::State::idle) {
        messages_->show_error(
            study_.calibrating() ? Error{Error::Kind::refused, "open another project",
                                         "a calibration of this one is running", "Cancel the calibration first"}
                                 : Error{Error::Kind::refused, "open another project", "a study of this one is running",
                                         "Pause the study first; it can be resumed later"});
        return;
    }
    project_.open(folder);
}

void MainWindow::project_opened(const OpenedProject& project) {
    overview_ = {};
    reviewed_ = planned_ = 0;
    just_opened_ = true;
    messages_->dismiss();
    review_screen_->clear();
    clear_plots();
    calibrate_screen_->set_calibration(nullptr, {});
    studies_ = 0;
    study_screen_->set_project_options(project.options);
    if (open_folder() != examined_)
        examine();
    update_top_bar();
    show_screen(study_screen_->name());
}

void MainWindow::connect_project() {
    connect(&project_, &ProjectController::opened, this, &MainWindow::project_opened);
    connect(&project_, &ProjectController::overview_changed, this, &MainWindow::show_overview);
    connect(&project_, &ProjectController::head_changed, this, [this] {
        update_top_bar();
        if (reviewed_ != 0)
            project_.request_dossier(reviewed_); // its base may have moved
    });
    connect(&project_, &ProjectController::failed, messages_, &MessageStrip::show_error);
    connect(&project_, &ProjectController::became_idle, this, [this] {
        if (settled())
            emit became_settled();
    });
    connect(trials_screen_, &TrialsScreen::trial_activated, this,
            [this](qint64 number) { show_screen(review_screen_->name(), number); });
    connect(queue_screen_, &QueueScreen::trial_activated, this,
            [this](qint64 number) { show_screen(review_screen_->name(), number); });
    connect(approved_screen_, &ApprovedScreen::trial_activated, this,
            [this](qint64 number) { show_screen(review_screen_->name(), number); });
    connect(study_screen_, &StudyScreen::trial_activated, this,
            [this](qint64 number) { show_screen(review_screen_->name(), number); });
}

void MainWindow::show_overview(const app::Overview& overview) {
    overview_ = overview;
    study_screen_->set_overview(overview);
    trials_screen_->set_overview(overview);
    queue_screen_->set_overview(overview);
    approved_screen_->set_overview(overview);
    if (overview.studies.size() != studies_ || just_opened_) {
        studies_ = overview.studies.size();
        project_.request_calibration();
    }
    update_counts();
    update_study_state();
    update_review();
    load_page();
    if (just_opened_) { // and its history can be read, so that it can be opened again
        settings::remember_project(open_folder());
        start_.look_at(settings::recent_projects());
    }
    if (just_opened_ && overview.interrupted_study != 0 && study_.state() == StudyController::State::idle)
        messages_->offer(
            tr("Study %1 was interrupted. Nothing that was measured is lost.").arg(overview.interrupted_study),
            resume_);
    just_opened_ = false;
}

void MainWindow::connect_study() {
    connect(study_screen_, &StudyScreen::start_requested, this, [this](const study::Options& options) {
        if (const auto& project = project_.project())
            study_.start(project->folder, options);
    });
    const auto resume = [this] {
        if (const auto& project = project_.project())
            study_.resume(project->folder);
    };
    connect(study_screen_, &StudyScreen::resume_requested, this, resume);
    connect(resume_, &QAction::triggered, this, [this, resume] {
        resume();
        show_screen(study_screen_->name());
    });
    connect(study_screen_, &StudyScreen::pause_requested, &study_, &StudyController::pause);
    connect(study_screen_, &StudyScreen::stop_after_trial_requested, &study_, &StudyController::stop_after_trial);
    connect(study_screen_, &StudyScreen::stop_now_requested, &study_, &StudyController::stop_now);
    connect(&study_, &StudyController::consent_asked, this, [this](const QString& commands) {
        if (study_.calibrating())
            show_screen(study_screen_->name()); // where it is asked
        study_screen_->ask_consent(commands);
    });
    connect(study_screen_, &StudyScreen::consent_answered, &study_, &StudyController::answer_consent);
    connect(&study_, &StudyController::progressed, this,
            [this](const study::Progress& progress, const std::optional<study::Remaining>& remaining,
                   std::chrono::nanoseconds elapsed) {
                if (study_.calibrating())
                    calibrate_screen_->show_progress(progress, elapsed);
                else
                    study_screen_->show_progress(progress, remaining, elapsed);
            });
    connect(&study_, &StudyController::said, study_screen_, &StudyScreen::add_line);
    connect(&study_, &StudyController::state_changed, this, [this](StudyController::State state) {
        update_study_state();
        if (state == StudyController::State::idle)
            project_.refresh();
        if (state == StudyController::State::idle && closing_)
            close();
    });
    connect(&study_, &StudyController::finished, this, [this](const study::Summary& summary) {
        messages_->show_note(summary.proposals == 0
                                 ? tr("Study %1 is done: nothing passed every gate.").arg(summary.number)
                                 : tr("Study %1 is done: %2 proposal(s) wait for you in the queue (Ctrl+4).")
                                       .arg(summary.number)
                                       .arg(summary.proposals));
    });
    connect(&study_, &StudyController::failed, this, [this](const Error& error) {
        if (error.kind == Error::Kind::interrupted && study_.calibrating())
            messages_->show_note(
                tr("The calibration was cancelled. What it measured is not used; the machine is free."));
        else if (error.kind == Error::Kind::interrupted)
            messages_->show_note(tr("The study has stopped. Resume goes on where it was; the machine is free."));
        else
            messages_->show_error(error);
    });
}

void MainWindow::update_study_state() {
    using Kind = StudyState::Kind;
    StudyState state;
    if (!project_.project())
        state = {Kind::unavailable, tr("no project is open")};
    else if (study_.calibrating() && study_.state() != StudyController::State::idle)
        state = {Kind::unavailable, tr("a calibration is running")};
    else if (study_.state() == StudyController::State::running)
        state = {Kind::running, {}};
    else if (study_.state() == StudyController::State::stopping)
        state = {Kind::stopping, tr("the work in flight is being finished")};
    else if (overview_.running_study != 0)
        state = {Kind::unavailable, tr("study %1 is running in another process").arg(overview_.running_study)};
    else if (!examination_)
        state = {Kind::unavailable, tr("this machine is still being examined")};
    else if (const app::Finding* obstacle = examination_->obstacle())
        state = {Kind::unavailable, tr("no study can run on this machine: %1: %2. %3")
                                        .arg(shown(obstacle->what), shown(obstacle->found), shown(obstacle->remedy))};
    else if (overview_.interrupted_study != 0)
        state = {Kind::interrupted, {}};
    study_screen_->set_state(state);
    update_calibrate_state();
    update_top_bar();
}

void MainWindow::update_calibrate_state() {
    using Kind = CalibrateState::Kind;
    const bool busy = study_.state() != StudyController::State::idle;
    CalibrateState state{Kind::idle, {}};
    if (!project_.project())
        state = {Kind::unavailable, tr("no project is open")};
    else if (busy && study_.calibrating())
        state.kind = study_.state() == StudyController::State::running ? Kind::running : Kind::stopping;
    else if (busy)
        state = {Kind::unavailable, tr("a study is running")};
    else if (overview_.running_study != 0)
        state = {Kind::unavailable, tr("study %1 is running in another process").arg(overview_.running_study)};
    else if (!examination_)
        state = {Kind::unavailable, tr("this machine is still being examined")};
    else if (const app::Finding* obstacle = examination_->obstacle())
        state = {Kind::unavailable, shown(obstacle->what + ": " + obstacle->found)};
    calibrate_screen_->set_state(state);
}

void MainWindow::connect_calibration() {
    connect(calibrate_screen_, &CalibrateScreen::calibrate_requested, this,
            [this](const study::CalibrationRequest& request) {
                if (const auto& project = project_.project())
                    study_.calibrate(project->folder, request);
            });
    connect(calibrate_screen_, &CalibrateScreen::cancel_requested, &study_, &StudyController::pause);
    connect(&study_, &StudyController::calibrated, this, [this](qint64 number) {
        messages_->show_note(tr("The calibration is done; its samples are kept as study %1.").arg(number));
        project_.request_calibration();
    });
    connect(&project_, &ProjectController::calibration_ready, calibrate_screen_, &CalibrateScreen::set_calibration);
}

const app::TrialSummary* MainWindow::trial(qint64 number) const {
    const auto found = std::find_if(overview_.trials.begin(), overview_.trials.end(),
                                    [number](const app::TrialSummary& one) { return one.number == number; });
    return found == overview_.trials.end() ? nullptr : &*found;
}

qint64 MainWindow::suggested_for_review() const {
    for (const app::TrialSummary& one : overview_.trials)
        if (one.standing == review::Standing::waiting)
            return one.number;
    const auto decided =
        std::find_if(overview_.trials.rbegin(), overview_.trials.rend(), [](const app::TrialSummary& one) {
            return one.proposal || one.held_out || one.standing != review::Standing::none;
        });
    return decided == overview_.trials.rend() ? 0 : decided->number;
}

void MainWindow::review_trial(qint64 number) {
    if (number == 0)
        return;
    reviewed_ = number;
    const app::TrialSummary* found = trial(number);
    reviewed_standing_ = found != nullptr ? found->standing : review::Standing::none;
    project_.request_dossier(number);
}

void MainWindow::update_review() {
    const app::TrialSummary* found = trial(reviewed_);
    if (found != nullptr && found->standing != reviewed_standing_)
        review_trial(reviewed_);
    else if (reviewed_ == 0 && current_screen() == static_cast<Screen*>(review_screen_))
        review_trial(suggested_for_review());
}

void MainWindow::review_neighbour(int step) {
    std::vector<qint64> waiting;
    for (const app::TrialSummary& one : overview_.trials)
        if (one.standing == review::Standing::waiting && one.number != reviewed_)
            waiting.push_back(one.number);
    if (waiting.empty()) {
        messages_->show_note(tr("No other proposal waits for you."));
        return;
    }
    // Around the end, so that every waiting one is reached whichever is shown.
    const auto after = std::upper_bound(waiting.begin(), waiting.end(), reviewed_);
    if (step > 0)
        review_trial(after == waiting.end() ? waiting.front() : *after);
    else
        review_trial(after == waiting.begin() ? waiting.back() : *std::prev(after));
}

void MainWindow::connect_review() {
    connect(&project_, &ProjectController::dossier_ready, this, [this](qint64 number, const Reviewed& reviewed) {
        if (number == reviewed_) // else the person has gone on to another
            review_screen_->show_dossier(reviewed.dossier, reviewed.sheet, reviewed.can_sign, reviewed.approval_fault);
    });
    connect(review_screen_, &ReviewScreen::approve_requested, &project_, &ProjectController::approve);
    connect(review_screen_, &ReviewScreen::decline_requested, &project_, &ProjectController::decline);
    connect(review_screen_, &ReviewScreen::remeasure_requested, &project_, &ProjectController::measure_again);
    connect(review_screen_, &ReviewScreen::next_requested, this, [this] { review_neighbour(1); });
    connect(review_screen_, &ReviewScreen::previous_requested, this, [this] { review_neighbour(-1); });
    connect(review_screen_, &ReviewScreen::export_requested, this, &MainWindow::choose_export_format);
    connect(&project_, &ProjectController::decided, this, [this](qint64 number, const study::ReviewRecord& review) {
        const QString next = review.decision == "approved" ? tr(" Apply brings it to a branch (Ctrl+7).") : QString();
        messages_->show_note(tr("#%1 is %2.").arg(number).arg(shown(review.decision)) + next);
        if (number == reviewed_)
            project_.request_dossier(number);
    });
    connect(&project_, &ProjectController::queued, this, [this](qint64 number, qint64 as) {
        messages_->show_note(
            tr("The candidate of #%1 is queued again as #%2; the next study measures it.").arg(number).arg(as));
    });
}

void MainWindow::plan_trial(qint64 number, bool revert, bool fast_forward) {
    planned_ = number;
    planned_revert_ = revert;
    project_.plan(number, revert, fast_forward);
}

void MainWindow::connect_apply() {
    connect(approved_screen_, &ApprovedScreen::apply_requested, this, [this](qint64 number) {
        plan_trial(number, false, false);
        show_page(static_cast<int>(screens().indexOf(apply_screen_)));
    });
    connect(approved_screen_, &ApprovedScreen::revert_requested, this, [this](qint64 number) {
        plan_trial(number, true, false);
        show_page(static_cast<int>(screens().indexOf(apply_screen_)));
    });
    connect(approved_screen_, &ApprovedScreen::export_requested, this, &MainWindow::export_trial);
    connect(&project_, &ProjectController::plan_ready, this,
            [this](qint64 number, const std::shared_ptr<const review::Plan>& plan, bool revert) {
                if (number == planned_ && revert == planned_revert_)
                    apply_screen_->show_plan(number, plan, revert, shown(project_.project()->head.branch));
            });
    connect(&project_, &ProjectController::plan_refused, this, [this](qint64 number, bool revert, const Error& error) {
        if (number == planned_ && revert == planned_revert_)
            apply_screen_->show_refusal(number, revert, shown(error.message(), false));
    });
    connect(apply_screen_, &ApplyScreen::confirmed, &project_, &ProjectController::carry_out);
    connect(apply_screen_, &ApplyScreen::fast_forward_changed, this,
            [this](bool fast_forward) { plan_trial(planned_, planned_revert_, fast_forward); });
    connect(apply_screen_, &ApplyScreen::cancelled, this, [this] { show_screen(approved_screen_->name()); });
    connect(&project_, &ProjectController::carried_out, this,
            [this](qint64 number, const study::ApplicationRecord& application) {
                messages_->show_note(tr("#%1 is %2: commit %3 on branch %4.")
                                         .arg(number)
                                         .arg(shown(application.action), shown(application.commit.substr(0, 10)),
                                              shown(application.branch)));
                show_screen(approved_screen_->name());
            });
    connect(&project_, &ProjectController::exported, this, [this](qint64 number, const QString& file) {
        messages_->show_note(tr("#%1 is written to %2.").arg(number).arg(shown(file.toStdString())));
    });
}

void MainWindow::choose_export_format(qint64 number) {
    auto* menu = named(new QMenu(this), tr("Format of the export"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const review::Format& format : review::formats()) {
        const QString name = QString::fromUtf8(format.name.data(), static_cast<qsizetype>(format.name.size()));
        QAction* action = menu->addAction(
            name + ": " + QString::fromUtf8(format.about.data(), static_cast<qsizetype>(format.about.size())));
        connect(action, &QAction::triggered, this, [this, number, name] { export_trial(number, name); });
    }
    menu->popup(review_screen_->mapToGlobal(QPoint(review_screen_->width() / 3, review_screen_->height() / 3)));
}

void MainWindow::export_trial(qint64 number, const QString& format) {
    const auto found = review::find_format(format.toStdString());
    if (!found) {
        messages_->show_error(found.error());
        return;
    }
    auto* dialog = new QFileDialog(this, tr("Write #%1 as %2").arg(number).arg(format));
    dialog->setObjectName("export-file");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(
        QString::fromUtf8((*found)->file_name.data(), static_cast<qsizetype>((*found)->file_name.size())));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, number, format](const QString& file) { project_.export_to(number, format, file); });
    dialog->open();
}

} // namespace holdfast::desktop
