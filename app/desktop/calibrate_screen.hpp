// SPDX-License-Identifier: GPL-3.0-or-later
// The program against itself: how noisy the machine is, what it can prove, and a button that finds out.
#pragma once

#include "app/desktop/screen.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/watch.hpp"

#include <chrono>
#include <memory>

class QCheckBox;
class QProgressBar;
class QSpinBox;
class QTableWidget;

namespace holdfast::desktop {

class CalibrationPlot;
class NoteBox;

/// What the person can ask for now.
struct CalibrateState {
    enum class Kind { idle, running, stopping, unavailable };
    Kind kind = Kind::unavailable;
    QString reason; ///< unavailable: why, as a clause; safe to show
};

class CalibrateScreen : public Screen {
    Q_OBJECT
public:
    explicit CalibrateScreen(QWidget* parent = nullptr);

    /// The last calibration, null without one; `caution`: why a study could not rest on it, "" when it can.
    void set_calibration(const std::shared_ptr<const study::Calibration>& calibration, const QString& caution);
    void set_state(const CalibrateState& state);
    void show_progress(const study::Progress& progress, std::chrono::nanoseconds elapsed);

signals:
    void calibrate_requested(const holdfast::study::CalibrationRequest& request); ///< without seed and library
    void cancel_requested();

private:
    void make_actions();
    QWidget* make_now();
    QWidget* make_options();
    void make_table();
    void fill_table();
    void show_details(int row);
    void update_controls();

    std::shared_ptr<const study::Calibration> calibration_;
    QString caution_;
    CalibrateState state_;
    NoteBox* note_;
    QLabel *about_, *phase_, *times_, *details_, *why_;
    QProgressBar* bar_;
    QWidget *now_, *options_;
    QTableWidget* table_;
    CalibrationPlot* plot_;
    QSpinBox *sessions_, *rounds_;
    QCheckBox* burdens_;
    QAction *calibrate_, *cancel_;
};

} // namespace holdfast::desktop
