// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a forest plot, drawn with QCustomPlot.
#pragma once

#include "app/desktop/forest_layout.hpp"
#include "core/review/sheet.hpp"

#include <qcustomplot.h>

#include <memory>
#include <vector>

namespace holdfast::desktop {

class ForestCanvas : public QCustomPlot {
    Q_OBJECT
public:
    /// A line of the plot: the heading of a role, or a workload.
    struct Line {
        QString heading;
        const review::WorkloadRow* row = nullptr;
    };

    explicit ForestCanvas(QWidget* parent = nullptr);

    /// Rebuilt from nothing: 20 rows take a few milliseconds, and nothing of another palette or trial stays behind.
    void show_sheet(const std::shared_ptr<const review::Sheet>& sheet);

    const PlotRange& range() const { return range_; }
    const std::vector<Line>& lines() const { return lines_; }
    /// Pixels from the left edge of the canvas.
    double x_of(double change) const;
    /// As many ticks as have room for their words.
    std::vector<double> ticks() const;
    QRect plot_area() const { return axisRect()->rect(); }

    struct Columns {
        int name = 0, effect = 0, rounds = 0, check = 0; ///< widths in pixels
        int right() const { return effect + rounds + check; }
    };
    const Columns& columns() const { return columns_; }

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override { event->ignore(); } // the rows scroll
    void resizeEvent(QResizeEvent* event) override;

private:
    void measure_columns();
    void draw_ground();
    void draw_row(std::size_t line);
    void draw_marks();
    QCPGraph* dots(const QColor& colour, const QCPScatterStyle& style);
    QColor colour_of(const review::EffectView& effect) const;

    std::shared_ptr<const review::Sheet> sheet_;
    std::vector<Line> lines_;
    PlotRange range_;
    Columns columns_;
};

/// The scatter of a direction: a triangle that points where the metric went when that is better or worse, a circle for
/// unclear, a square for no practical change.
QCPScatterStyle mark_of(review::EffectView::Direction direction, Better better, const QColor& colour, double size);

} // namespace holdfast::desktop
