// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/sample_plot.hpp"

#include "app/desktop/forest_layout.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "core/stats/estimate.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::desktop {

SamplePlot::SamplePlot(Form form, const QString& name, QWidget* parent)
    : QCustomPlot(parent), form_(form), name_(name) {
    named(this, name);
    setMinimumSize(180, 130);
    plotLayout()->insertRow(0);
    auto* heading = new QCPTextElement(this, name, scaled_font(1, true));
    heading->setTextFlags(Qt::AlignLeft);
    plotLayout()->addElement(0, 0, heading);
    axisRect()->setupFullAxesBox(false);
    for (QCPAxis* axis : {xAxis2, yAxis2})
        axis->setTicks(false);
    for (QCPAxis* axis : {xAxis, yAxis, xAxis2, yAxis2}) {
        axis->setTickLabelFont(scaled_font(0.9));
        axis->setLabelFont(scaled_font(0.9));
        axis->setNumberFormat("gb");
        axis->setNumberPrecision(4);
        axis->ticker()->setTickCount(4);
    }
    apply_colours();
}

QColor SamplePlot::colour(bool candidate) const {
    return candidate ? colours(palette()).better : colours(palette()).unclear;
}

void SamplePlot::apply_colours() {
    const Colours& theme = colours(palette());
    const QColor text = palette().color(QPalette::Text);
    setBackground(palette().color(QPalette::Base));
    for (QCPAxis* axis : {xAxis, yAxis, xAxis2, yAxis2}) {
        axis->setBasePen(theme.grid);
        axis->setTickPen(theme.grid);
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(theme.muted);
        axis->setLabelColor(theme.muted);
        axis->grid()->setPen(QPen(theme.grid, 1, Qt::DotLine));
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    if (auto* heading = qobject_cast<QCPTextElement*>(plotLayout()->element(0, 0)))
        heading->setTextColor(text);
}

std::vector<double> SamplePlot::values(bool candidate) const {
    std::vector<double> all;
    for (const SamplePoint& point : points_)
        if (point.candidate == candidate)
            all.push_back(point.value);
    return all;
}

QCPGraph* SamplePlot::add_arm(bool candidate, double size) {
    QCPGraph* graph = addGraph();
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setPen(QPen(colour(candidate), 1.5));
    QColor fill = colour(candidate);
    fill.setAlphaF(0.6F);
    graph->setScatterStyle(
        candidate ? QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Qt::transparent), fill, size)
                  : QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colour(false), 1.2), Qt::NoBrush, size));
    return graph;
}

void SamplePlot::show_points(std::vector<SamplePoint> points, const QString& axis) {
    points_ = std::move(points);
    axis_ = axis;
    QStringList words;
    for (const bool candidate : {false, true}) {
        std::vector<double> arm = values(candidate);
        const QString name = candidate ? "candidate" : "baseline";
        words << (arm.empty() ? name + ": no runs"
                              : QString("%1: %2 runs, median %3").arg(name).arg(arm.size()).arg(stats::median(arm)));
    }
    named(this, name_, QString("%1. %2.").arg(axis_, words.join("; ")));
    redraw();
}

void SamplePlot::redraw() {
    clearPlottables();
    clearItems();
    apply_colours();
    if (form_ == Form::strip)
        draw_strip();
    else if (form_ == Form::ecdf)
        draw_ecdf();
    else
        draw_order();
    replot();
}

namespace {

QCPRange around(const std::vector<SamplePoint>& points) {
    std::vector<double> values;
    for (const SamplePoint& point : points)
        values.push_back(point.value);
    const review::PlotRange range = review::value_range({values});
    return {range.low, range.high};
}

} // namespace

void SamplePlot::draw_strip() {
    QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    names->addTick(0, "baseline");
    names->addTick(1, "candidate");
    yAxis->setTicker(names);
    yAxis->setRange(1.5, -0.5);
    yAxis->setRangeReversed(true);
    yAxis->grid()->setVisible(false);
    xAxis->setLabel(axis_);
    xAxis->setRange(around(points_));
    for (const bool candidate : {false, true}) {
        const std::vector<double> arm = values(candidate);
        QVector<QCPGraphData> data;
        for (std::size_t i = 0; i < arm.size(); ++i)
            data.append({arm[i], (candidate ? 1 : 0) + 0.3 * jitter(candidate ? 1 : 0, i)});
        add_arm(candidate, 5)->data()->set(data, false);
        if (arm.empty())
            continue;
        auto* median = new QCPItemLine(this);
        median->setPen(QPen(palette().color(QPalette::Text), 2));
        const double at = stats::median(arm);
        median->start->setCoords(at, candidate ? 0.6 : -0.4);
        median->end->setCoords(at, candidate ? 1.4 : 0.4);
    }
}

void SamplePlot::draw_ecdf() {
    xAxis->setLabel(axis_);
    xAxis->setRange(around(points_));
    yAxis->setLabel("share of runs at or below");
    yAxis->setRange(0, 1.02);
    for (const bool candidate : {false, true}) {
        std::vector<double> arm = values(candidate);
        std::sort(arm.begin(), arm.end());
        QVector<QCPGraphData> data{{xAxis->range().lower, 0}};
        for (std::size_t i = 0; i < arm.size(); ++i)
            data.append({arm[i], static_cast<double>(i + 1) / static_cast<double>(arm.size())});
        if (!arm.empty())
            data.append({xAxis->range().upper, 1});
        QCPGraph* graph = addGraph();
        graph->setLineStyle(QCPGraph::lsStepLeft);
        graph->setPen(QPen(colour(candidate), 1.8, candidate ? Qt::SolidLine : Qt::DashLine));
        if (!arm.empty())
            graph->data()->set(data, true);
    }
}

void SamplePlot::draw_order() {
    xAxis->setLabel("run, in the order taken");
    xAxis->setRange(0, static_cast<double>(points_.size()) + 1);
    yAxis->setLabel(axis_);
    yAxis->setRange(around(points_));
    QVector<QCPGraphData> arms[2];
    for (std::size_t i = 0; i < points_.size(); ++i)
        arms[points_[i].candidate].append({static_cast<double>(i + 1), points_[i].value});
    for (const bool candidate : {false, true})
        add_arm(candidate, 5)->data()->set(arms[candidate], true);
}

void SamplePlot::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        redraw();
}

} // namespace holdfast::desktop
