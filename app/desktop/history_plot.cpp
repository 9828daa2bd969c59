// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/history_plot.hpp"

#include "app/desktop/plot_style.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"
#include "core/decision/verdict.hpp"
#include "core/review/plot_scale.hpp"

#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace holdfast::desktop {

namespace {

review::DisplayUnit unit_of(const study::BaselineSeries& series) {
    double largest = 0;
    for (const study::BaselinePoint& point : series.points)
        if (std::isfinite(point.median))
            largest = std::max(largest, std::abs(point.median));
    return review::display_unit(series.unit, largest);
}

QString point_words(const study::BaselineSeries& series, const study::BaselinePoint& point) {
    QString words = QString("study %1, %2: %3 [%4, %5], %6 samples")
                        .arg(point.study)
                        .arg(local_time(point.time), value_words(series, point.median), value_words(series, point.low),
                             value_words(series, point.high))
                        .arg(point.samples);
    for (const std::string& change : point.machine_changes)
        words += "; machine: " + shown(change);
    return words;
}

} // namespace

QString value_words(const study::BaselineSeries& series, double value) {
    const review::DisplayUnit unit = unit_of(series);
    const QString number = QString::number(value * unit.factor, 'g', 4);
    return unit.name.empty() ? number : number + " " + shown(unit.name);
}

QString change_words(const study::BaselineSeries& series, const stats::ChangePoint& change) {
    return QString("%1 % (%2 → %3)")
        .arg(QString::fromStdString(decision::percent_text(change.after / change.before - 1)),
             value_words(series, change.before), value_words(series, change.after));
}

HistoryPlot::HistoryPlot(QWidget* parent) : QCustomPlot(parent) {
    setFocusPolicy(Qt::NoFocus); // the table below tells the same to the keyboard
    setMouseTracking(true);
    setMinimumHeight(200);
    put_legend_below(*this);
    named(this, "The baseline over time");
}

void HistoryPlot::show_series(study::BaselineSeries series) {
    series_ = std::move(series);
    QStringList words;
    for (const stats::ChangePoint& change : series_.changes)
        words << QString("changed at session %1 by %2").arg(change.at + 1).arg(change_words(series_, change));
    named(this, QString("%1 of %2 over time").arg(metric_words(series_.metric), shown(series_.workload)),
          words.isEmpty() ? "no change point" : words.join("; "));
    redraw();
}

void HistoryPlot::redraw() {
    clearPlottables();
    clearItems();
    legend->clearItems();
    const review::DisplayUnit unit = unit_of(series_);
    std::vector<std::vector<double>> values(1);
    for (const study::BaselinePoint& point : series_.points)
        for (const double value : {point.median, point.low, point.high})
            values[0].push_back(value * unit.factor);
    const review::PlotRange range = review::value_range(values);
    const double head = 0.16 * (range.high - range.low); // room for the marks' words
    yAxis->setRange(range.low, range.high + head);
    yAxis->setLabel(QString("%1%2\n%3 is better")
                        .arg(metric_words(series_.metric),
                             unit.name.empty() ? QString() : " (" + shown(unit.name) + ")",
                             series_.better == Better::lower ? "lower" : "higher"));
    const auto count = static_cast<double>(series_.points.size());
    xAxis->setRange(0.4, std::max(count, 1.0) + 0.6);
    xAxis->setLabel("Session, oldest first");
    const QSharedPointer<QCPAxisTickerFixed> whole(new QCPAxisTickerFixed);
    whole->setTickStep(1);
    whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    xAxis->setTicker(whole);
    draw_points(unit.factor);
    draw_segments(unit.factor);
    draw_machine_changes();
    dress_plot(*this, false);
    replot(QCustomPlot::rpQueuedReplot);
}

void HistoryPlot::draw_points(double factor) {
    if (series_.points.empty())
        return;
    QVector<double> at, medians, below, above;
    for (std::size_t i = 0; i < series_.points.size(); ++i) {
        const study::BaselinePoint& point = series_.points[i];
        at.push_back(static_cast<double>(i + 1));
        medians.push_back(point.median * factor);
        below.push_back((point.median - point.low) * factor);
        above.push_back((point.high - point.median) * factor);
    }
    const QColor ink = colours(palette()).axis;
    QCPGraph* graph = addGraph();
    graph->setData(at, medians, true);
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle({QCPScatterStyle::ssDisc, ink, ink, 6});
    graph->setPen(ink);
    graph->setName("median and quartiles of a session");
    graph->addToLegend();
    auto* bars = new QCPErrorBars(xAxis, yAxis);
    bars->setDataPlottable(graph);
    bars->setData(below, above);
    bars->setPen(QPen(ink, 1.2));
    bars->setWhiskerWidth(4);
    bars->setSymbolGap(0);
}

/// The median of each stretch between changes, and what it changed by.
void HistoryPlot::draw_segments(double factor) {
    const Colours& theme = colours(palette());
    bool named_once = false;
    for (std::size_t i = 0; i < series_.changes.size(); ++i) {
        const stats::ChangePoint& change = series_.changes[i];
        const bool down = change.after < change.before;
        const QColor ink = down == (series_.better == Better::lower) ? theme.better : theme.worse;
        const double at = static_cast<double>(change.at) + 0.5;
        const double from = i == 0 ? 0.5 : static_cast<double>(series_.changes[i - 1].at) + 0.5;
        const double to = i + 1 == series_.changes.size() ? static_cast<double>(series_.points.size()) + 0.5
                                                          : static_cast<double>(series_.changes[i + 1].at) + 0.5;
        for (const auto& [left, right, value] :
             {std::tuple(from, at, change.before), std::tuple(at, to, change.after)}) {
            auto* line = new QCPItemLine(this);
            line->setPen(QPen(theme.muted, 1.4, Qt::DashLine));
            line->start->setCoords(left, value * factor);
            line->end->setCoords(right, value * factor);
        }
        vertical(at, QPen(ink, 1.8),
                 (down ? "▼ " : "▲ ") +
                     QString::fromStdString(decision::percent_text(change.after / change.before - 1)) + " %",
                 0.02);
        if (!named_once) {
            QCPGraph* entry = addGraph();
            entry->setPen(QPen(theme.axis, 1.8));
            entry->setName("▲▼ change point");
            entry->addToLegend();
            named_once = true;
        }
    }
}

void HistoryPlot::draw_machine_changes() {
    const QPen pen(colours(palette()).caution, 1.8, Qt::DotLine);
    bool any = false;
    for (std::size_t i = 0; i < series_.points.size(); ++i)
        if (!series_.points[i].machine_changes.empty()) {
            vertical(static_cast<double>(i) + 0.5, pen, "machine", 0.09);
            any = true;
        }
    if (!any)
        return;
    QCPGraph* entry = addGraph();
    entry->setPen(pen);
    entry->setName("the machine changed");
    entry->addToLegend();
}

/// `height`: of the words, as a share of the plot from its upper edge.
void HistoryPlot::vertical(double at, const QPen& pen, const QString& text, double height) {
    auto* line = new QCPItemStraightLine(this);
    line->setPen(pen);
    line->point1->setCoords(at, 0);
    line->point2->setCoords(at, 1);
    auto* words = new QCPItemText(this);
    words->position->setTypeX(QCPItemPosition::ptPlotCoords);
    words->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    const bool right_half = at > 0.75 * xAxis->range().upper;
    words->setPositionAlignment(Qt::AlignTop | (right_half ? Qt::AlignRight : Qt::AlignLeft));
    words->position->setCoords(at, height);
    words->setText(text);
    words->setFont(scaled_font(0.9));
    words->setColor(palette().color(QPalette::Text));
    words->setBrush(palette().color(QPalette::Base));
    words->setPadding(QMargins(3, 1, 3, 1));
}

void HistoryPlot::mouseMoveEvent(QMouseEvent* event) {
    QCustomPlot::mouseMoveEvent(event);
    const double at = xAxis->pixelToCoord(event->position().x());
    const auto index = static_cast<std::ptrdiff_t>(std::lround(at)) - 1;
    const bool on_plot = axisRect()->rect().contains(event->pos()) && index >= 0 &&
                         index < static_cast<std::ptrdiff_t>(series_.points.size());
    QToolTip::showText(
        event->globalPosition().toPoint(),
        on_plot ? plain_tip(point_words(series_, series_.points[static_cast<std::size_t>(index)])) : QString(), this);
}

void HistoryPlot::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        redraw();
}

} // namespace holdfast::desktop
