// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/ecdf_plot.hpp"

#include "app/desktop/plot_style.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "core/review/plot_scale.hpp"
#include "core/stats/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace holdfast::desktop {

EcdfPlot::EcdfPlot(QWidget* parent) : QCustomPlot(parent) {
    setFocusPolicy(Qt::NoFocus);
    setMinimumSize(220, 160);
    put_legend_below(*this);
    legend->setFillOrder(QCPLegend::foColumnsFirst);
    legend->setWrap(3);
    yAxis->setLabel("share of runs at or below");
    yAxis->setRange(0, 1.02);
    named(this, "Distribution by trial");
}

void EcdfPlot::show_curves(std::vector<EcdfCurve> curves, const QString& metric, const std::string& unit) {
    curves_ = std::move(curves);
    metric_ = metric;
    unit_ = unit;
    QStringList words;
    for (const EcdfCurve& curve : curves_)
        if (!curve.values.empty())
            words << QString("%1: %2 runs, median %3 %4")
                         .arg(curve.name)
                         .arg(curve.values.size())
                         .arg(stats::median(curve.values))
                         .arg(shown(unit_));
    named(this, "Distribution of " + metric_ + " by trial", words.join("; "));
    redraw();
}

void EcdfPlot::redraw() {
    clearPlottables();
    clearItems();
    legend->clearItems();
    std::vector<std::vector<double>> all;
    double largest = 0;
    for (const EcdfCurve& curve : curves_)
        for (const double value : curve.values)
            if (std::isfinite(value))
                largest = std::max(largest, std::abs(value));
    const review::DisplayUnit unit = review::display_unit(unit_, largest);
    for (const EcdfCurve& curve : curves_) {
        all.push_back(curve.values);
        for (double& value : all.back())
            value *= unit.factor;
    }
    const review::PlotRange range = review::value_range(all);
    const auto baselines = std::count_if(curves_.begin(), curves_.end(), [](const auto& c) { return c.baseline; });
    bool explained = false;
    xAxis->setRange(range.low, range.high);
    xAxis->setLabel(unit.name.empty() ? metric_ : QString("%1 (%2)").arg(metric_, shown(unit.name)));
    for (std::size_t i = 0; i < curves_.size(); ++i) {
        const auto steps = review::ecdf(all[i]);
        if (steps.empty())
            continue;
        QVector<QCPGraphData> data{{range.low, 0}};
        for (const review::Step& step : steps)
            data.append({step.value, step.share});
        data.append({range.high, 1});
        QCPGraph* graph = addGraph();
        graph->setLineStyle(QCPGraph::lsStepLeft);
        graph->setPen(curves_[i].baseline ? QPen(colours(palette()).unclear, 1.4, Qt::DotLine)
                                          : curve_pen(palette(), curves_[i].colour));
        graph->data()->set(data, true);
        // Baselines all look alike: one row explains them.
        if (curves_[i].baseline && std::exchange(explained, true))
            continue;
        graph->setName(curves_[i].baseline && baselines > 1 ? "baselines" : curves_[i].name);
        graph->addToLegend();
    }
    dress_plot(*this, false);
    if (plottableCount() == 0)
        say_in_plot(*this, "No run was measured here.");
    replot(QCustomPlot::rpQueuedReplot);
}

void EcdfPlot::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        redraw();
}

} // namespace holdfast::desktop
