// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/forest_plot.hpp"

#include "app/desktop/forest_canvas.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "core/decision/verdict.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

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

QString percent(double share) {
    QString text = QString::number(100 * share, 'f', 1);
    return text.endsWith(".0") ? text.chopped(2) : text;
}

QString title_of(const review::Sheet& sheet) {
    return QString("Change of %1 by workload, candidate against baseline; %2 is better")
        .arg(shown(sheet.metric), sheet.better == Better::lower ? "lower" : "higher");
}

} // namespace

ForestPlot::ForestPlot(QWidget* parent)
    : QWidget(parent), m_title(plain_label({}, this)), m_scale(new Scale(this)), m_scroll(new QScrollArea(this)),
      m_canvas(new ForestCanvas), m_legend(plain_label({}, this)), m_explanation(plain_label({}, this)) {
    static_cast<Scale*>(m_scale)->canvas = m_canvas;
    m_title->setFont(scaled_font(1, true));
    m_scroll->setWidget(m_canvas);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (QLabel* note : {m_legend, m_explanation}) {
        note->setFont(scaled_font(0.9));
        note->setTextInteractionFlags(Qt::NoTextInteraction);
    }
    m_title->setTextInteractionFlags(Qt::NoTextInteraction);
    named(m_scroll, "Effect by workload");
    auto* frame = new QFrame(this);
    frame->setFrameShape(QFrame::StyledPanel);
    auto* framed = new QVBoxLayout(frame);
    framed->setContentsMargins(1, 1, 1, 1);
    framed->setSpacing(0);
    framed->addWidget(m_scale);
    framed->addWidget(m_scroll, 1);
    framed->addStretch(); // below few rows, not between the scale and them
    frame->setBackgroundRole(QPalette::Base);
    frame->setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_title);
    layout->addWidget(frame, 1);
    layout->addWidget(m_legend);
    layout->addWidget(m_explanation);
}

void ForestPlot::show_sheet(std::shared_ptr<const review::Sheet> sheet, double alpha) {
    m_sheet = std::move(sheet);
    m_title->setText(title_of(*m_sheet));
    const bool lower = m_sheet->better == Better::lower;
    m_legend->setText(QString("%1 better   %2 worse   ● unclear   ■ no practical change (grey band: ±%3 %)")
                          .arg(lower ? "▼" : "▲", lower ? "▲" : "▼", percent(m_sheet->band)));
    m_explanation->setText(
        QString("Dots are rounds; lines are %1 % confidence sequences: they hold however often one looks.")
            .arg(percent(1 - alpha)));
    QStringList rows;
    for (const review::WorkloadRow& row : m_sheet->rows)
        rows << row_words(row);
    named(this, title_of(*m_sheet), rows.join('\n'));
    named(m_scroll, title_of(*m_sheet), rows.join('\n'));
    redraw();
    m_scroll->ensureVisible(0, 0);
}

void ForestPlot::clear() {
    m_sheet.reset();
    for (QLabel* label : {m_title, m_legend, m_explanation})
        label->clear();
    setAccessibleDescription({});
    m_scroll->setAccessibleDescription({});
    redraw();
}

void ForestPlot::redraw() {
    m_canvas->show_sheet(m_sheet);
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, colours(palette()).muted);
    for (QLabel* note : {m_legend, m_explanation})
        note->setPalette(muted);
    // Few rows take no more room than they need.
    m_scroll->setMaximumHeight(m_sheet ? m_canvas->height() : QWIDGETSIZE_MAX);
    m_scroll->setMinimumHeight(std::min(m_canvas->height(), 4 * 26));
    m_scale->update();
}

void ForestPlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        redraw();
    QWidget::changeEvent(event);
}

void ForestPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_scale->update();
}

} // namespace holdfast::desktop
