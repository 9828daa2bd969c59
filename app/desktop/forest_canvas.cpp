// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/forest_canvas.hpp"

#include "app/desktop/forest_rows.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace holdfast::desktop {

using Direction = review::EffectView::Direction;

namespace {

constexpr int row_height = 26;
constexpr double dot_spread = 0.28; // of a row's height, to each side

QPainterPath edge_mark(bool left) {
    // A chevron that points out of the plot: the round lies beyond this edge.
    const double tip = left ? -2.5 : 2.5;
    QPainterPath path(QPointF(-tip, -3));
    path.lineTo(tip, 0);
    path.lineTo(-tip, 3);
    return path;
}

} // namespace

QCPScatterStyle mark_of(Direction direction, Better better, const QColor& colour, double size) {
    const bool down = (direction == Direction::better) == (better == Better::lower);
    const auto shape = direction == Direction::unclear     ? QCPScatterStyle::ssCircle
                       : direction == Direction::no_change ? QCPScatterStyle::ssSquare
                       : down                              ? QCPScatterStyle::ssTriangleInverted
                                                           : QCPScatterStyle::ssTriangle;
    // Qt's triangles look smaller than a circle of the same size.
    const bool triangle = direction == Direction::better || direction == Direction::worse;
    return {shape, QPen(colour, 1.2), QBrush(colour), triangle ? size * 1.3 : size};
}

ForestCanvas::ForestCanvas(QWidget* parent) : QCustomPlot(parent) {
    setFocusPolicy(Qt::NoFocus);
    setNoAntialiasingOnDrag(false);
    axisRect()->setAutoMargins(QCP::msNone);
    for (QCPAxis* axis : {xAxis, yAxis})
        axis->setVisible(false);
    yAxis->setRangeReversed(true);
}

double ForestCanvas::x_of(double change) const {
    return xAxis->coordToPixel(change);
}

std::vector<double> ForestCanvas::ticks() const {
    return round_ticks(range_, std::clamp(axisRect()->width() / 52, 2, 6));
}

QColor ForestCanvas::colour_of(const review::EffectView& effect) const {
    const Colours& theme = colours(palette());
    return effect.direction == Direction::better  ? theme.better
           : effect.direction == Direction::worse ? theme.worse
                                                  : theme.unclear;
}

void ForestCanvas::show_sheet(const std::shared_ptr<const review::Sheet>& sheet) {
    clearPlottables();
    clearItems();
    delete findChild<ForestRows*>();
    sheet_ = sheet;
    lines_.clear();
    if (!sheet)
        return replot();
    bool headed[2] = {false, false};
    for (const review::WorkloadRow& row : sheet->rows) {
        bool& has_heading = headed[row.role == Role::tuning ? 0 : 1];
        if (!has_heading)
            lines_.push_back({row.role == Role::tuning ? "Tuning" : "Held-out", nullptr});
        has_heading = true;
        lines_.push_back({{}, &row});
    }
    range_ = forest_range(*sheet);
    setBackground(palette().color(QPalette::Base));
    setFixedHeight(std::max<int>(1, static_cast<int>(lines_.size())) * row_height + 4);
    yAxis->setRange(-0.5, static_cast<double>(lines_.size()) - 0.5);
    xAxis->setRange(range_.low, range_.high);
    measure_columns();
    draw_ground();
    for (std::size_t line = 0; line < lines_.size(); ++line)
        if (lines_[line].row != nullptr)
            draw_row(line);
    draw_marks();
    new ForestRows(this);
    replot();
}

void ForestCanvas::measure_columns() {
    const QFontMetrics plain(font());
    const int gap = plain.horizontalAdvance("m");
    columns_ = {};
    for (const Line& line : lines_) {
        if (line.row == nullptr)
            continue;
        columns_.name = std::max(columns_.name, plain.horizontalAdvance(shown(line.row->name)) + 2 * gap); // both sides
        columns_.effect = std::max(columns_.effect, plain.horizontalAdvance(effect_words(line.row->effect)) + gap);
        columns_.rounds =
            std::max(columns_.rounds, plain.horizontalAdvance(QString("n = %1").arg(line.row->effect.rounds)) + gap);
    }
    columns_.check = plain.horizontalAdvance("✓ ⚠") + gap / 2;
    columns_.effect =
        std::min(columns_.effect, std::max(plain.horizontalAdvance("−88.8 % [−88.8, −88.8]") + gap, width() / 3));
    // The plot keeps half of what is left; longer names are elided and said whole in the tip.
    columns_.name = std::min(columns_.name, std::max(90, (width() - columns_.right()) / 2));
    axisRect()->setMargins(QMargins(columns_.name, 2, columns_.right(), 2));
}

void ForestCanvas::draw_ground() {
    const Colours& theme = colours(palette());
    auto* band = new QCPItemRect(this);
    band->setPen(Qt::NoPen);
    band->setBrush(theme.band);
    band->setLayer("background");
    band->topLeft->setCoords(-sheet_->band, -0.5);
    band->bottomRight->setCoords(sheet_->band, static_cast<double>(lines_.size()) - 0.5);
    const auto vertical = [this](double change, const QPen& pen) {
        auto* line = new QCPItemStraightLine(this);
        line->setPen(pen);
        line->setLayer("grid");
        line->point1->setCoords(change, 0);
        line->point2->setCoords(change, 1);
    };
    for (const double tick : ticks())
        if (std::abs(tick) > 1e-12)
            vertical(tick, QPen(theme.grid, 1));
    vertical(0, QPen(theme.axis, 1.5));
}

QCPGraph* ForestCanvas::dots(const QColor& colour, const QCPScatterStyle& style) {
    QCPGraph* graph = addGraph();
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setPen(colour);
    graph->setScatterStyle(style);
    return graph;
}

void ForestCanvas::draw_row(std::size_t line) {
    const review::WorkloadRow& row = *lines_[line].row;
    const auto y = static_cast<double>(line);
    const QColor colour = colour_of(row.effect);
    QColor faint = colour;
    faint.setAlphaF(row.dots.size() > 200 ? 0.15F : 0.35F);
    QVector<QCPGraphData> inside, beyond[2];
    const double edge = 0.008 * (range_.high - range_.low);
    for (std::size_t i = 0; i < row.dots.size(); ++i) {
        const double dot = row.dots[i], at = y + dot_spread * jitter(line, i);
        if (std::isnan(dot))
            continue;
        if (dot < range_.low || dot > range_.high)
            beyond[dot > range_.high].append({dot < 0 ? range_.low + edge : range_.high - edge, at});
        else
            inside.append({dot, at});
    }
    dots(faint, {QCPScatterStyle::ssCircle, QPen(Qt::transparent), QBrush(faint), 4.5})->data()->set(inside, false);
    for (const bool right : {false, true})
        if (!beyond[right].isEmpty()) {
            QCPScatterStyle style(edge_mark(!right), QPen(colour, 1));
            style.setSize(6);
            dots(colour, style)->data()->set(beyond[right], false);
        }
    if (!is_known(row.effect))
        return;
    auto* interval = new QCPItemLine(this);
    interval->setPen(QPen(colour, 2.2, Qt::SolidLine, Qt::FlatCap));
    interval->start->setCoords(std::max(row.effect.low, range_.low), y);
    interval->end->setCoords(std::min(row.effect.high, range_.high), y);
    const QCPLineEnding cap(QCPLineEnding::esBar, 8), arrow(QCPLineEnding::esSpikeArrow, 8, 8);
    interval->setHead(row.effect.high > range_.high ? arrow : cap);
    interval->setTail(row.effect.low < range_.low ? arrow : cap);
}

void ForestCanvas::draw_marks() {
    // On their own layer, so that no interval of a neighbour or item covers an estimate.
    if (layer("marks") == nullptr)
        addLayer("marks");
    for (std::size_t line = 0; line < lines_.size(); ++line) {
        const review::WorkloadRow* row = lines_[line].row;
        if (row == nullptr || !is_known(row->effect))
            continue;
        const QColor colour = colour_of(row->effect);
        QCPGraph* mark = dots(colour, mark_of(row->effect.direction, sheet_->better, colour, 10));
        mark->setLayer("marks");
        mark->addData(std::clamp(row->effect.estimate, range_.low, range_.high), static_cast<double>(line));
    }
}

bool ForestCanvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QCustomPlot::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto line = static_cast<std::size_t>(std::max(0, help->pos().y() - 2) / row_height);
    if (line < lines_.size() && lines_[line].row != nullptr)
        QToolTip::showText(help->globalPos(), plain_tip(row_words(*lines_[line].row)), this);
    else
        QToolTip::hideText();
    return true;
}

void ForestCanvas::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        show_sheet(sheet_);
}

void ForestCanvas::resizeEvent(QResizeEvent* event) {
    if (sheet_ && event->size().width() != event->oldSize().width())
        show_sheet(sheet_); // columns and ticks depend on the width
    QCustomPlot::resizeEvent(event);
}

} // namespace holdfast::desktop
