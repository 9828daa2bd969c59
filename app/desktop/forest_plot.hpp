// SPDX-License-Identifier: GPL-3.0-or-later
// The effect by workload: one row each, tuning above held-out, raw rounds as dots, the interval, and a mark whose shape
// says the direction. No higher than its rows; the scale stays in sight while
// many rows scroll.
#pragma once

#include "core/review/sheet.hpp"

#include <QWidget>

#include <memory>

class QFrame;
class QLabel;
class QScrollArea;

namespace holdfast::desktop {

class ForestCanvas;

class ForestPlot : public QWidget {
    Q_OBJECT
public:
    explicit ForestPlot(QWidget* parent = nullptr);

    /// `alpha`: error of the intervals, in (0, 1). Without any round there is no plot, only a line that says why.
    void show_sheet(std::shared_ptr<const review::Sheet> sheet, double alpha);
    void clear();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void redraw();
    void say_nothing_measured();

    std::shared_ptr<const review::Sheet> sheet_;
    QLabel* title_;
    QFrame* frame_; ///< of scale and rows
    QWidget* scale_;
    QScrollArea* scroll_;
    ForestCanvas* canvas_;
    QLabel* legend_;
    QLabel* explanation_;
};

} // namespace holdfast::desktop
