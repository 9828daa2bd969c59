// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/study_controller.hpp"

#include "app/common/burden_library.hpp"
#include "app/common/study_access.hpp"
#include "app/common/study_options.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "tuners/tuners.hpp"

#include <QStringList>

#include <fmt/format.h>

#include <utility>

namespace holdfast::desktop {

using Clock = std::chrono::steady_clock;

namespace {

constexpr auto shown_every = std::chrono::milliseconds(100);

/// The options of the study that would be resumed.
Result<study::Options> interrupted_options(const Project& project, const study::Store& store) {
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    for (auto study = studies->rbegin(); study != studies->rend(); ++study)
        if (study::resumable(*study))
            return study::options_from_json(project, study->options_json);
    return app::default_options(project); // resume_study says that there is none
}

Result<std::size_t> queued_candidates(const study::Store& store) {
    auto trials = store.trials();
    if (!trials)
        return tl::unexpected(trials.error());
    return static_cast<std::size_t>(std::count_if(trials->begin(), trials->end(), [](const study::TrialRecord& trial) {
        return trial.state == study::State::queued;
    }));
}

} // namespace

/// What the thread does; talks to the controller in queued calls only.
class StudyController::Run {
public:
    Run(StudyController& controller, std::filesystem::path folder, std::optional<study::Options> options)
        : controller_(controller), folder_(std::move(folder)), options_(std::move(options)),
          calibration_(controller.calibration_), after_trial_(controller.after_trial_.get_token()),
          after_sample_(controller.after_sample_.get_token()), at_once_(controller.at_once_.get_token()) {}

    Result<study::Summary> operator()() {
        auto opened = app::open_project_and_repository(folder_);
        if (!opened)
            return tl::unexpected(opened.error());
        const auto& [project, repository] = *opened;
        if (options_)
            if (auto checked = app::check_options(*options_); !checked)
                return tl::unexpected(checked.error());
        auto access = app::StudyAccess::open(
            project, repository, [this](const std::string& line) { say(line); }, after_sample_);
        if (!access)
            return tl::unexpected(access.error());
        if (calibration_)
            return calibrate(*opened, *access);
        auto options = options_ ? Result<study::Options>(*options_) : interrupted_options(project, *access->store);
        if (!options)
            return tl::unexpected(options.error());
        auto queued = queued_candidates(*access->store);
        if (!queued)
            return tl::unexpected(queued.error());
        forecast_.emplace(project, *options, *queued);
        say(fmt::format("seed {}", options->seed));
        if (auto changed = repository.uncommitted(); changed && !changed->empty())
            say(fmt::format("note: {} uncommitted file(s) are not measured, {} first; HEAD is", changed->size(),
                            changed->front()));
        const study::Watch watch = this->watch();
        const study::Environment environment{project, repository, *access->runner, *access->store, watch, tuners::make};
        return options_ ? study::start_study(environment, *options_) : study::resume_study(environment);
    }

private:
    study::Watch watch() {
        return {[this](const study::Progress& progress) { show(progress); },
                [this](const std::string& line) { say(line); },
                after_trial_,
                after_sample_,
                at_once_,
                [this](const std::vector<Argv>& commands) { return may_fetch(commands); }};
    }

    Result<study::Summary> calibrate(const app::Opened& opened, const app::StudyAccess& access) {
        calibration_->seed = app::random_seed();
        calibration_->burden_library = app::burden_library();
        auto calibration =
            study::calibrate(opened.project, opened.repository, *access.runner, *access.store, watch(), *calibration_);
        if (!calibration)
            return tl::unexpected(calibration.error());
        study::Summary summary;
        summary.study = calibration->study;
        summary.number = calibration->number;
        return summary;
    }

    void say(const std::string& line) {
        const QString text = QString::fromStdString(printable(line));
        QMetaObject::invokeMethod(
            &controller_, [&controller = controller_, text] { emit controller.said(text); }, Qt::QueuedConnection);
    }

    /// Asks in the window and waits, but not longer than the study is wanted.
    bool may_fetch(const std::vector<Argv>& commands) {
        QStringList lines;
        for (const Argv& command : commands)
            lines << QString::fromStdString(shown(command));
        const auto answer = std::make_shared<std::promise<bool>>();
        auto given = answer->get_future();
        QMetaObject::invokeMethod(
            &controller_,
            [&controller = controller_, answer, text = lines.join('\n')] {
                controller.consent_ = answer;
                emit controller.consent_asked(text);
            },
            Qt::QueuedConnection);
        while (given.wait_for(shown_every) != std::future_status::ready)
            if (after_trial_.stop_requested() || after_sample_.stop_requested())
                return false;
        return given.get();
    }

    void show(const study::Progress& progress) {
        const auto now = Clock::now();
        if (forecast_) // not of a calibration
            forecast_->see(progress, now);
        const bool fresh = progress.phase != last_.phase || progress.trial != last_.trial;
        if (!fresh && now - shown_ < shown_every)
            return;
        shown_ = now;
        last_ = progress;
        QMetaObject::invokeMethod(
            &controller_,
            [&controller = controller_, progress,
             remaining = forecast_ ? forecast_->remaining() : std::optional<study::Remaining>(),
             elapsed = forecast_ ? forecast_->elapsed(now) : now - begun_] {
                emit controller.progressed(progress, remaining, elapsed);
            },
            Qt::QueuedConnection);
    }

    StudyController& controller_; ///< outlives the thread, which it joins
    std::filesystem::path folder_;
    std::optional<study::Options> options_; ///< nothing: resume
    std::optional<study::CalibrationRequest> calibration_;
    std::stop_token after_trial_, after_sample_, at_once_;
    std::optional<study::Forecast> forecast_;
    study::Progress last_;
    Clock::time_point shown_, begun_ = Clock::now();
};

StudyController::~StudyController() {
    after_sample_.request_stop();
    if (thread_.joinable())
        thread_.join();
}

void StudyController::start(const std::filesystem::path& folder, const study::Options& options) {
    begin(folder, options);
}

void StudyController::resume(const std::filesystem::path& folder) {
    begin(folder, {});
}

void StudyController::calibrate(const std::filesystem::path& folder, const study::CalibrationRequest& request) {
    begin(folder, {}, request);
}

void StudyController::begin(const std::filesystem::path& folder, const std::optional<study::Options>& options,
                            const std::optional<study::CalibrationRequest>& calibration) {
    if (state_ != State::idle)
        return;
    calibration_ = calibration;
    after_trial_ = {};
    after_sample_ = {};
    at_once_ = {};
    set_state(State::running);
    thread_ = std::thread([this, run = Run(*this, folder, options)]() mutable {
        auto result = run();
        QMetaObject::invokeMethod(
            this, [this, result = std::move(result)] { end(result); }, Qt::QueuedConnection);
    });
}

void StudyController::end(const Result<study::Summary>& result) {
    thread_.join();
    set_state(State::idle);
    if (result && calibrating())
        emit calibrated(result->number);
    else if (result)
        emit finished(*result);
    else
        emit failed(result.error());
}

void StudyController::answer_consent(bool given) {
    if (const auto answer = std::exchange(consent_, nullptr))
        answer->set_value(given);
}

void StudyController::pause() {
    after_sample_.request_stop();
    set_state(state_ == State::idle ? State::idle : State::stopping);
}

void StudyController::stop_after_trial() {
    after_trial_.request_stop();
    set_state(state_ == State::idle ? State::idle : State::stopping);
}

void StudyController::stop_now() {
    at_once_.request_stop();
    after_sample_.request_stop();
    set_state(state_ == State::idle ? State::idle : State::stopping);
}

void StudyController::set_state(State state) {
    if (state == state_)
        return;
    state_ = state;
    emit state_changed(state);
}

} // namespace holdfast::desktop
