// SPDX-License-Identifier: GPL-3.0-or-later
// A study or a calibration of the open project on a thread of its own: followed, paused, stopped. One at a time: both
// want the machine to themselves.
#pragma once

#include "core/project/error.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/engine.hpp"
#include "core/study/forecast.hpp"

#include <QObject>
#include <QString>

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

namespace holdfast::desktop {

class StudyController : public QObject {
    Q_OBJECT
public:
    enum class State { idle, running, stopping };

    using QObject::QObject;
    ~StudyController() override; ///< stops after the sample in flight

    State state() const { return state_; }
    bool calibrating() const { return calibration_.has_value(); } ///< what runs, or ran last, is a calibration

    /// Nothing while one runs. Each ends with finished or failed, always.
    void start(const std::filesystem::path& folder, const study::Options& options);
    void resume(const std::filesystem::path& folder);
    /// Seed and library of the request are filled in. Ends with calibrated or failed.
    void calibrate(const std::filesystem::path& folder, const study::CalibrationRequest& request);

    void pause();            ///< after the sample in flight; resumable, the machine is free again
    void stop_after_trial(); ///< resumable too
    void stop_now();         ///< kills what runs; resumable too

    /// The answer to consent_asked; refused until it is given.
    void answer_consent(bool given);

signals:
    void state_changed(holdfast::desktop::StudyController::State state);
    /// At most ten times a second, and whenever phase or trial change.
    void progressed(const holdfast::study::Progress& progress,
                    const std::optional<holdfast::study::Remaining>& remaining, std::chrono::nanoseconds elapsed);
    void said(const QString& line); ///< safe to show
    /// The study waits for answer_consent(): may these commands, one a line, use the network?
    void consent_asked(const QString& commands);
    void finished(const holdfast::study::Summary& summary);
    void calibrated(qint64 study);             ///< the number that its samples are kept under
    void failed(const holdfast::Error& error); ///< kind `interrupted`: as the person asked

private:
    class Run;
    void begin(const std::filesystem::path& folder, const std::optional<study::Options>& options,
               const std::optional<study::CalibrationRequest>& calibration = {});
    void end(const Result<study::Summary>& result);
    void set_state(State state);

    State state_ = State::idle;
    std::optional<study::CalibrationRequest> calibration_; ///< nothing: a study
    std::stop_source after_trial_, after_sample_, at_once_;
    std::shared_ptr<std::promise<bool>> consent_; ///< what the waiting thread waits for
    std::thread thread_;
};

} // namespace holdfast::desktop
