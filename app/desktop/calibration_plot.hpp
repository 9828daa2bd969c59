// SPDX-License-Identifier: GPL-3.0-or-later
// The smallest effect that can be proven, against rounds: a curve for each workload.
#pragma once

#include "core/study/calibrate.hpp"

#include <QWidget>

#include <memory>

class QCustomPlot;

namespace holdfast::desktop {

class CalibrationPlot : public QWidget {
    Q_OBJECT
public:
    explicit CalibrationPlot(QWidget* parent = nullptr);
    void show_calibration(std::shared_ptr<const study::Calibration> calibration);
    void emphasise(int workload); ///< its index; -1: none

protected:
    void changeEvent(QEvent* event) override;

private:
    void draw();
    void add_curve(std::size_t index);
    void add_minimum();
    void dress();
    void describe();

    std::shared_ptr<const study::Calibration> calibration_; ///< null: none
    int emphasised_ = -1;
    QCustomPlot* plot_;
};

} // namespace holdfast::desktop
