// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/study_plot.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/plot_style.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"
#include "core/decision/verdict.hpp"

#include <QToolTip>
#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace holdfast::desktop {

namespace {

struct Unit {
    double seconds;
    const char* name;
};

Unit unit_for(double longest) {
    if (longest < 180)
        return {1, "Seconds"};
    return longest < 3 * 3600 ? Unit{60, "Minutes"} : Unit{3600, "Hours"};
}

QString interval_text(const StudyPoints::Decided& point) {
    const auto text = [](double value) { return QString::fromStdString(decision::percent_text(value / 100)); };
    return QString("#%1 %2: %3 % [%4, %5]")
        .arg(point.number)
        .arg(point.held_out ? "held-out" : "tuning", text(point.estimate), text(point.low), text(point.high));
}

} // namespace

StudyPlot::StudyPlot(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot(this)) {
    setAccessibleName("What the study found, against time");
    plot_->setMinimumHeight(150);
    plot_->setFocusPolicy(Qt::NoFocus); // the table of trials tells the same to the keyboard
    plot_->setMouseTracking(true);
    plot_->installEventFilter(this);
    put_legend_below(*plot_);
    plot_->yAxis->setTicker(QSharedPointer<SignedTicker>::create());
    left_out_ = muted_label({}, this);
    left_out_->setVisible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->addWidget(plot_, 1);
    layout->addWidget(left_out_);
    draw();
}

void StudyPlot::show_points(StudyPoints points, const QString& metric, Better better, const QString& nothing_yet) {
    points_ = std::move(points);
    metric_ = metric;
    better_ = better;
    nothing_yet_ = nothing_yet;
    left_out_->setText(points_.left_out == 1
                           ? QString("1 effect without a number is not drawn.")
                           : QString("%1 effects without a number are not drawn.").arg(points_.left_out));
    left_out_->setVisible(points_.left_out > 0);
    draw();
    describe();
}

void StudyPlot::draw() {
    plot_->clearPlottables();
    plot_->clearItems();
    plot_->legend->clearItems();
    double end = 1;
    for (const auto& point : points_.decided)
        end = std::max(end, point.time);
    for (const auto& [time, value] : points_.looked)
        end = std::max(end, time);
    const Unit unit = unit_for(end);
    per_unit_ = unit.seconds;
    shift_ = end / per_unit_ * 0.006;
    plot_->xAxis->setRange(-end / per_unit_ * 0.02, end / per_unit_ * 1.04);
    const auto [low, high] = value_range(points_);
    plot_->yAxis->setRange(low, high);
    plot_->xAxis->setLabel(QString("%1 since the study started").arg(unit.name));
    plot_->yAxis->setLabel(
        metric_.isEmpty()
            ? QString("Change, %")
            : QString("Change of %1, %\n%2 is better").arg(metric_, better_ == Better::lower ? "lower" : "higher"));
    add_looked(per_unit_);
    add_best(per_unit_, end * 1.04);
    add_decided(false, per_unit_, -shift_);
    add_decided(true, per_unit_, shift_);
    dress();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void StudyPlot::add_looked(double per_unit) {
    if (points_.looked.empty())
        return;
    const QCPRange range = plot_->yAxis->range();
    const double edge = range.size() * 0.02; // a mark at the end of the scale is drawn whole
    QColor faint = colours(palette()).unclear;
    faint.setAlphaF(0.55F);
    using Style = QCPScatterStyle;
    const auto add = [&](const Style& style, const QString& name, auto chosen) {
        QVector<double> times, values;
        for (const auto& [time, value] : points_.looked)
            if (chosen(value)) {
                times.push_back(time / per_unit);
                values.push_back(std::clamp(value, range.lower + edge, range.upper - edge));
            }
        if (times.isEmpty())
            return;
        QCPGraph* graph = plot_->addGraph();
        graph->setData(times, values);
        graph->setLineStyle(QCPGraph::lsNone);
        graph->setScatterStyle(style);
        graph->setName(name);
        graph->addToLegend();
    };
    add(Style(Style::ssDisc, faint, faint, 3.5), "looked at, luck included",
        [&](double value) { return range.contains(value); });
    add(Style(Style::ssTriangle, faint, faint, 7), "above the scale",
        [&](double value) { return value > range.upper; });
    add(Style(Style::ssTriangleInverted, faint, faint, 7), "below the scale",
        [&](double value) { return value < range.lower; });
}

void StudyPlot::add_best(double per_unit, double end) {
    if (points_.best.empty())
        return;
    QVector<double> times, values;
    for (const auto& [time, value] : points_.best) {
        times.push_back(time / per_unit);
        values.push_back(value);
    }
    times.push_back(end / per_unit);
    values.push_back(values.back());
    QCPGraph* graph = plot_->addGraph();
    graph->setData(times, values);
    graph->setLineStyle(QCPGraph::lsStepLeft);
    graph->setPen(QPen(colours(palette()).better, 1.5, Qt::DashLine));
    graph->setName("best proposal");
    graph->addToLegend();
}

void StudyPlot::add_decided(bool held_out, double per_unit, double shift) {
    const QCPRange range = plot_->yAxis->range();
    QVector<double> times, values, below, above;
    for (const StudyPoints::Decided& point : points_.decided) {
        if (point.held_out != held_out)
            continue;
        times.push_back(point.time / per_unit + shift);
        values.push_back(point.estimate);
        // An open end runs out of the picture.
        below.push_back(point.estimate - std::max(point.low, range.lower - range.size()));
        above.push_back(std::min(point.high, range.upper + range.size()) - point.estimate);
    }
    if (times.isEmpty())
        return;
    const Colours& colour = colours(palette());
    const QColor ink = held_out ? colour.better : colour.axis;
    QCPGraph* graph = plot_->addGraph();
    graph->setData(times, values, true);
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(QCPScatterStyle(held_out ? QCPScatterStyle::ssDiamond : QCPScatterStyle::ssCircle,
                                           QPen(ink, 1.5), held_out ? QBrush(ink) : palette().brush(QPalette::Base),
                                           held_out ? 10 : 8));
    graph->setName(held_out ? "held-out" : "tuning");
    graph->addToLegend();
    auto* bars = new QCPErrorBars(plot_->xAxis, plot_->yAxis);
    bars->setDataPlottable(graph);
    bars->setData(below, above);
    bars->setPen(QPen(ink, 1.5));
    bars->setWhiskerWidth(5);
    bars->setSymbolGap(held_out ? 0 : 8);
}

void StudyPlot::dress() {
    dress_plot(*plot_, true);
    if (points_.decided.empty())
        say_in_plot(*plot_, nothing_yet_);
}

void StudyPlot::describe() {
    if (points_.decided.empty()) {
        setAccessibleDescription(nothing_yet_);
        return;
    }
    QStringList lines;
    for (const auto& point : points_.decided)
        lines.push_back(interval_text(point));
    setAccessibleDescription(lines.join("; "));
}

const StudyPoints::Decided* StudyPlot::decided_at(const QPoint& place) const {
    constexpr double reach = 9; // pixels
    const StudyPoints::Decided* nearest = nullptr;
    double least = reach;
    for (const StudyPoints::Decided& point : points_.decided) {
        const double x = plot_->xAxis->coordToPixel(point.time / per_unit_ + (point.held_out ? shift_ : -shift_));
        const double distance = std::hypot(x - place.x(), plot_->yAxis->coordToPixel(point.estimate) - place.y());
        if (distance <= least) {
            least = distance;
            nearest = &point;
        }
    }
    return nearest;
}

bool StudyPlot::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseMove || event->type() == QEvent::MouseButtonDblClick) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const StudyPoints::Decided* point = decided_at(mouse->pos());
        if (event->type() == QEvent::MouseMove)
            QToolTip::showText(mouse->globalPosition().toPoint(), point ? plain_tip(interval_text(*point)) : QString(),
                               plot_);
        else if (point)
            emit trial_activated(point->number);
    }
    return QWidget::eventFilter(watched, event);
}

void StudyPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        draw();
}

} // namespace holdfast::desktop
