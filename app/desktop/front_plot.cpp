// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/front_plot.hpp"

#include "app/desktop/plot_style.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"
#include "core/review/effect.hpp"
#include "core/review/plot_scale.hpp"

#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace holdfast::desktop {

QString place_words(const review::FrontPoint& point) {
    if (!point.holds)
        return "not on the front: " + shown(point.verdict);
    const QString place = !point.on_front ? "beaten" : point.certain ? "on the front" : "on the front, could be beaten";
    return point.trial == 0 ? "the baseline, " + place : place;
}

QString point_words(const review::Front& front, const review::FrontPoint& point) {
    QStringList effects;
    for (std::size_t i = 0; i < front.objectives.size() && i < point.effects.size(); ++i)
        if (point.trial != 0)
            effects << metric_words(front.objectives[i]) + " " + shown(review::effect_text(point.effects[i]));
    return (point.trial == 0 ? QString() : QString("#%1: %2; ").arg(point.trial).arg(effects.join(", "))) +
           place_words(point);
}

FrontPlot::FrontPlot(QWidget* parent) : QCustomPlot(parent) {
    setFocusPolicy(Qt::NoFocus); // the table tells and opens the same
    setMouseTracking(true);
    setMinimumSize(260, 220);
    put_legend_below(*this);
    for (QCPAxis* axis : {xAxis, yAxis})
        axis->setTicker(QSharedPointer<SignedTicker>::create());
    named(this, "The front");
}

FrontPlot::Kind FrontPlot::kind_of(const review::FrontPoint& point) {
    return point.trial == 0  ? Kind::baseline
           : !point.holds    ? Kind::fails
           : !point.on_front ? Kind::beaten
           : point.certain   ? Kind::certain
                             : Kind::possible;
}

bool FrontPlot::has_place(const review::FrontPoint& point) const {
    return across_ < point.effects.size() && up_ < point.effects.size() && review::is_known(point.effects[across_]) &&
           review::is_known(point.effects[up_]);
}

void FrontPlot::show_front(review::Front front, std::size_t across, std::size_t up) {
    front_ = std::move(front);
    across_ = across;
    up_ = up;
    QStringList words;
    for (const review::FrontPoint& point : front_.points)
        words << point_words(front_, point);
    named(this, QString("The front of study %1").arg(front_.number), words.join("; "));
    redraw();
}

void FrontPlot::set_axes() {
    for (const auto& [axis, objective] : {std::pair(xAxis, across_), std::pair(yAxis, up_)}) {
        std::vector<review::EffectView> effects;
        for (const review::FrontPoint& point : front_.points)
            if (has_place(point))
                effects.push_back(point.effects[objective]);
        const review::PlotRange range = review::effect_range(0, effects, {});
        axis->setRange(100 * range.low, 100 * range.high);
        axis->setLabel(QString("Change of %1, %\n%2 is better")
                           .arg(metric_words(front_.objectives[objective]),
                                front_.better[objective] == Better::lower ? "lower" : "higher"));
    }
}

void FrontPlot::redraw() {
    clearPlottables();
    clearItems();
    legend->clearItems();
    if (across_ >= front_.objectives.size() || up_ >= front_.objectives.size())
        return replot(QCustomPlot::rpQueuedReplot);
    set_axes();
    draw_line();
    for (const Kind kind : {Kind::fails, Kind::beaten, Kind::baseline, Kind::possible, Kind::certain})
        draw_points(kind);
    dress_plot(*this, true);
    xAxis->grid()->setZeroLinePen(QPen(colours(palette()).axis, 1.2));
    replot(QCustomPlot::rpQueuedReplot);
}

void FrontPlot::draw_line() {
    std::vector<std::pair<double, double>> corners;
    for (const review::FrontPoint& point : front_.points)
        if (point.on_front && has_place(point))
            corners.emplace_back(100 * point.effects[across_].estimate, 100 * point.effects[up_].estimate);
    std::sort(corners.begin(), corners.end());
    QVector<double> across, up;
    for (const auto& [x, y] : corners) {
        across.push_back(x);
        up.push_back(y);
    }
    QCPGraph* graph = addGraph();
    graph->setPen(QPen(colours(palette()).better, 1.2, Qt::DashLine));
    graph->setData(across, up, true);
}

void FrontPlot::draw_points(Kind kind) {
    QVector<double> across, up, left, right, below, above;
    // An end that is open, or beyond the plot by far, runs out of the picture.
    const auto length = [](double end, double from, const QCPRange& range) {
        const double far = 2 * range.size();
        return std::isfinite(end) ? std::min(std::abs(100 * end - 100 * from), far) : far;
    };
    for (const review::FrontPoint& point : front_.points) {
        if (kind_of(point) != kind || !has_place(point))
            continue;
        const review::EffectView &x = point.effects[across_], &y = point.effects[up_];
        across.push_back(100 * x.estimate);
        up.push_back(100 * y.estimate);
        left.push_back(length(x.low, x.estimate, xAxis->range()));
        right.push_back(length(x.high, x.estimate, xAxis->range()));
        below.push_back(length(y.low, y.estimate, yAxis->range()));
        above.push_back(length(y.high, y.estimate, yAxis->range()));
        if (point.trial == 0)
            continue;
        auto* number = new QCPItemText(this);
        number->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
        number->position->setCoords(across.back(), up.back());
        number->setText(QString(" #%1").arg(point.trial));
        number->setFont(scaled_font(0.9));
        number->setColor(palette().color(QPalette::Text));
        number->setPadding(QMargins(4, 0, 0, 4));
    }
    if (across.isEmpty())
        return;
    const Colours& theme = colours(palette());
    const bool front = kind == Kind::certain || kind == Kind::possible;
    const QColor ink = front ? theme.better : kind == Kind::baseline ? palette().color(QPalette::Text) : theme.unclear;
    QCPGraph* graph = addGraph();
    graph->setData(across, up, false);
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle({front                    ? QCPScatterStyle::ssDiamond
                            : kind == Kind::baseline ? QCPScatterStyle::ssSquare
                            : kind == Kind::fails    ? QCPScatterStyle::ssCross
                                                     : QCPScatterStyle::ssCircle,
                            QPen(ink, 1.6), kind == Kind::certain ? QBrush(ink) : palette().brush(QPalette::Base),
                            front ? 11.0 : 8.0});
    graph->setName(kind == Kind::certain    ? "on the front"
                   : kind == Kind::possible ? "on the front, could be beaten"
                   : kind == Kind::baseline ? "baseline"
                   : kind == Kind::fails    ? "does not hold"
                                            : "beaten");
    graph->addToLegend();
    if (kind == Kind::baseline)
        return;
    for (const bool horizontal : {true, false}) {
        auto* bars = new QCPErrorBars(xAxis, yAxis);
        bars->setDataPlottable(graph);
        bars->setErrorType(horizontal ? QCPErrorBars::etKeyError : QCPErrorBars::etValueError);
        bars->setData(horizontal ? left : below, horizontal ? right : above);
        bars->setPen(QPen(ink, 1.2));
        bars->setWhiskerWidth(5);
        bars->setSymbolGap(front ? 6 : 8);
    }
}

const review::FrontPoint* FrontPlot::point_at(const QPoint& place) const {
    constexpr double reach = 10; // pixels
    const review::FrontPoint* nearest = nullptr;
    double least = reach;
    for (const review::FrontPoint& point : front_.points) {
        if (!has_place(point))
            continue;
        const double distance = std::hypot(xAxis->coordToPixel(100 * point.effects[across_].estimate) - place.x(),
                                           yAxis->coordToPixel(100 * point.effects[up_].estimate) - place.y());
        if (distance <= least) {
            least = distance;
            nearest = &point;
        }
    }
    return nearest;
}

void FrontPlot::mousePressEvent(QMouseEvent* event) {
    QCustomPlot::mousePressEvent(event);
    if (const review::FrontPoint* point = point_at(event->pos()); point != nullptr && point->trial != 0)
        emit trial_activated(point->trial);
}

void FrontPlot::mouseMoveEvent(QMouseEvent* event) {
    QCustomPlot::mouseMoveEvent(event);
    const review::FrontPoint* point = point_at(event->pos());
    setCursor(point != nullptr && point->trial != 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    QToolTip::showText(event->globalPosition().toPoint(),
                       point != nullptr ? plain_tip(point_words(front_, *point)) : QString(), this);
}

void FrontPlot::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        redraw();
}

} // namespace holdfast::desktop
