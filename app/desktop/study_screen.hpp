// SPDX-License-Identifier: GPL-3.0-or-later
// The study, live: where it stands, what it found, and how to stop it.
#pragma once

#include "app/common/overview.hpp"
#include "app/desktop/screen.hpp"
#include "core/study/engine.hpp"
#include "core/study/forecast.hpp"

#include <chrono>
#include <optional>

class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace holdfast::desktop {

class NoteBox;
class StudyOptionsBox;
class StudyPlot;

struct StudyState {
    enum class Kind { idle, running, stopping, interrupted, unavailable };
    Kind kind = Kind::idle;
    QString reason; ///< unavailable: why no study can be started; stopping: what it still waits for. Safe to show
};

class StudyScreen : public Screen {
    Q_OBJECT
public:
    explicit StudyScreen(QWidget* parent = nullptr);

    void set_overview(const app::Overview& overview);
    void set_project_options(const study::Options& defaults);
    void set_state(const StudyState& state);
    void show_progress(const study::Progress& progress, const std::optional<study::Remaining>& remaining,
                       std::chrono::nanoseconds elapsed);
    /// A line of the log; the oldest beyond 5,000 are dropped.
    void add_line(const QString& line);
    /// Asks whether these commands, one a line, may use the network.
    void ask_consent(const QString& commands);

signals:
    void start_requested(const holdfast::study::Options& options);
    void resume_requested();
    void pause_requested();            ///< when the sample in flight is stored
    void stop_after_trial_requested(); ///< start no further trial
    void stop_now_requested();         ///< kill what runs; the person was asked
    void consent_answered(bool given); ///< to ask_consent()
    void trial_activated(qint64 number);

private:
    void make_actions();
    QWidget* make_now();
    QWidget* make_results();
    QLayout* make_buttons();
    void update_controls();
    void show_best();
    void ask_stop_now();

    app::Overview overview_;
    StudyState state_;
    std::int64_t current_ = 0; ///< number of the trial at work; 0: none
    QLabel *heading_, *phase_, *times_, *best_, *why_;
    NoteBox* note_;
    QPushButton *trial_, *best_trial_;
    QProgressBar* bar_;
    QWidget* now_;
    StudyOptionsBox* options_;
    StudyPlot* plot_;
    QPlainTextEdit* log_;
    QAction *start_, *resume_, *pause_, *after_trial_, *stop_;
};

} // namespace holdfast::desktop
