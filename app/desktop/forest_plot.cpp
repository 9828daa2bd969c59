// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/forest_plot.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/forest_canvas.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"
#include "core/decision/verdict.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace holdfast::desktop {

namespace {

/// The ticks of a canvas, above it and outside what scrolls.
class Scale : public QWidget {
public:
    explicit Scale(QWidget* parent) : QWidget(parent) { setFixedHeight(fontMetrics().height() + 8); }
    const ForestCanvas* canvas = nullptr;

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), palette().color(QPalette::Base));
        if (canvas == nullptr || canvas->lines().empty())
            return;
        const QFontMetrics metrics(font());
        const auto ticks = canvas->ticks();
        const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 0.01;
        painter.setPen(colours(palette()).muted);
        for (const double tick : ticks) {
            const QString text = tick_text(tick, step);
            const int width = metrics.horizontalAdvance(text);
            const int x = static_cast<int>(canvas->x_of(tick)) - width / 2;
            painter.drawText(QRect(x, 0, width + 2, height()), Qt::AlignCenter, text);
        }
    }
};

/// As high as its rows, if there is room; else it scrolls.
class Rows : public QScrollArea {
public:
    using QScrollArea::QScrollArea;
    QSize sizeHint() const override { return {QScrollArea::sizeHint().width(), widget()->minimumHeight()}; }
};

QString percent(double share) {
    QString text = QString::number(100 * share, 'f', 1);
    return text.endsWith(".0") ? text.chopped(2) : text;
}

QString title_of(const review::Sheet& sheet) {
    const QString unit = sheet.unit.empty() ? QString() : QString(" (%1)").arg(shown(sheet.unit));
    return QString("Change of %1%2 by workload, candidate against baseline; %3 is better")
        .arg(metric_words(sheet.metric), unit, sheet.better == Better::lower ? "lower" : "higher");
}

} // namespace

ForestPlot::ForestPlot(QWidget* parent)
    : QWidget(parent), title_(plain_label({}, this)), frame_(new QFrame(this)), scale_(new Scale(this)),
      scroll_(new Rows(this)), canvas_(new ForestCanvas), legend_(muted_label({}, this)),
      explanation_(muted_label({}, this)) {
    static_cast<Scale*>(scale_)->canvas = canvas_;
    title_->setFont(scaled_font(1, true));
    scroll_->setWidget(canvas_);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (QLabel* note : {legend_, explanation_})
        note->setFont(scaled_font(0.9));
    title_->setTextInteractionFlags(Qt::NoTextInteraction);
    named(scroll_, "Effect by workload");
    frame_->setFrameShape(QFrame::StyledPanel);
    auto* framed = new QVBoxLayout(frame_);
    framed->setContentsMargins(1, 1, 1, 1);
    framed->setSpacing(0);
    framed->addWidget(scale_);
    framed->addWidget(scroll_, 1);
    frame_->setBackgroundRole(QPalette::Base);
    frame_->setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(title_);
    layout->addWidget(frame_, 1);
    layout->addWidget(legend_);
    layout->addWidget(explanation_);
}

void ForestPlot::show_sheet(std::shared_ptr<const review::Sheet> sheet, double alpha) {
    sheet_ = std::move(sheet);
    title_->setText(title_of(*sheet_));
    const bool lower = sheet_->better == Better::lower;
    legend_->setText(QString("%1 better   %2 worse   ● unclear   ■ no practical change (grey band: ±%3 %)")
                         .arg(lower ? "▼" : "▲", lower ? "▲" : "▼", percent(sheet_->band)));
    explanation_->setText(
        QString("Dots are rounds; lines are %1 % confidence sequences: they hold however often one looks.")
            .arg(percent(1 - alpha)));
    QStringList rows;
    for (const review::WorkloadRow& row : sheet_->rows)
        rows << row_words(row);
    named(this, title_of(*sheet_), rows.join('\n'));
    named(scroll_, title_of(*sheet_), rows.join('\n'));
    const bool measured = std::any_of(sheet_->rows.begin(), sheet_->rows.end(),
                                      [](const review::WorkloadRow& row) { return !row.dots.empty(); });
    for (QWidget* part :
         {static_cast<QWidget*>(frame_), static_cast<QWidget*>(legend_), static_cast<QWidget*>(explanation_)})
        part->setVisible(measured);
    if (!measured)
        say_nothing_measured();
    redraw();
    scroll_->ensureVisible(0, 0);
}

void ForestPlot::say_nothing_measured() {
    const auto failed = std::find_if(sheet_->gates.begin(), sheet_->gates.end(),
                                     [](const study::GateRecord& gate) { return gate.result == "fail"; });
    const QString why = failed == sheet_->gates.end() ? shown(sheet_->verdict_sentence)
                                                      : shown(failed->gate) + ": " + shown(failed->reason);
    title_->setText("No rounds were measured: " + why);
    setAccessibleDescription(title_->text());
}

void ForestPlot::clear() {
    sheet_.reset();
    for (QLabel* label : {title_, legend_, explanation_})
        label->clear();
    setAccessibleDescription({});
    scroll_->setAccessibleDescription({});
    redraw();
}

void ForestPlot::redraw() {
    canvas_->show_sheet(sheet_);
    scroll_->setMaximumHeight(canvas_->minimumHeight());
    scroll_->setMinimumHeight(std::min(canvas_->minimumHeight(), 4 * 26));
    scroll_->updateGeometry();
    scale_->update();
}

void ForestPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    scale_->update();
}

} // namespace holdfast::desktop
