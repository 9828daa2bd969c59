// SPDX-License-Identifier: GPL-3.0-or-later
// A baseline's medians with quartiles, session by session, change points and machine changes marked.
#pragma once

#include "core/study/baseline_history.hpp"

#include <qcustomplot.h>

namespace holdfast::desktop {

class HistoryPlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit HistoryPlot(QWidget* parent = nullptr);
    void show_series(study::BaselineSeries series);

protected:
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void redraw();
    void draw_points(double factor);
    void draw_segments(double factor);
    void draw_machine_changes();
    void vertical(double at, const QPen& pen, const QString& text, double height);

    study::BaselineSeries series_;
};

/// "−3.2 % (0.31 s → 0.30 s)" of a change point: medians before and after.
QString change_words(const study::BaselineSeries& series, const stats::ChangePoint& change);
/// A value of the series with its unit, with few digits.
QString value_words(const study::BaselineSeries& series, double value);

} // namespace holdfast::desktop
