// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/forest_rows.hpp"

#include "app/desktop/forest_canvas.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"

namespace holdfast::desktop {

ForestRows::ForestRows(ForestCanvas* canvas) : QCPLayerable(canvas, "axes"), canvas_(canvas) {
    setParent(canvas);
}

void ForestRows::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

QRect ForestRows::clipRect() const {
    return canvas_->rect(); // the words lie beside the axes
}

void ForestRows::draw(QCPPainter* painter) {
    const auto& lines = canvas_->lines();
    const QRect area = canvas_->plot_area();
    const double height =
        static_cast<double>(area.height()) / static_cast<double>(std::max<std::size_t>(1, lines.size()));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int top = area.top() + static_cast<int>(height * static_cast<double>(i));
        const QRect line(0, top, canvas_->width(), static_cast<int>(height));
        if (lines[i].row == nullptr)
            draw_heading(painter, line, lines[i].heading, i > 0);
        else
            draw_row(painter, line, i);
    }
}

void ForestRows::draw_heading(QCPPainter* painter, const QRect& line, const QString& heading, bool divide) const {
    const Colours& theme = colours(canvas_->palette());
    if (divide) {
        painter->setPen(QPen(theme.muted, 1));
        painter->drawLine(line.topLeft(), line.topRight());
    }
    QFont bold = canvas_->font();
    bold.setBold(true);
    painter->setFont(bold);
    painter->setPen(theme.muted);
    painter->drawText(line.adjusted(6, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, heading);
}

void ForestRows::draw_row(QCPPainter* painter, const QRect& line, std::size_t index) const {
    const review::WorkloadRow& row = *canvas_->lines()[index].row;
    const Colours& theme = colours(canvas_->palette());
    const auto& columns = canvas_->columns();
    const QFontMetrics metrics(canvas_->font());
    const auto write = [&](int left, int width, const QString& text, const QColor& colour, Qt::Alignment align) {
        painter->setPen(colour);
        painter->drawText(QRect(left, line.top(), width, line.height()), int(align | Qt::AlignVCenter),
                          metrics.elidedText(text, Qt::ElideMiddle, width));
    };
    const QColor text = canvas_->palette().color(QPalette::Text);
    painter->setFont(canvas_->font());
    const int margin = 6;
    write(margin, columns.name - 2 * margin, shown(row.name), text, Qt::AlignLeft);
    int left = canvas_->plot_area().right() + 1;
    write(left, columns.effect - margin, effect_words(row.effect), is_known(row.effect) ? text : theme.muted,
          Qt::AlignRight);
    left += columns.effect;
    write(left, columns.rounds - margin, QString("n = %1").arg(row.effect.rounds), theme.muted, Qt::AlignRight);
    left += columns.rounds;
    write(left, columns.check / 2,
          !row.checked ? "–"
          : row.right  ? "✓"
                       : "✗",
          row.checked && !row.right ? theme.worse : theme.muted, Qt::AlignLeft);
    if (!row.notes.empty())
        write(left + columns.check / 2, columns.check / 2, "⚠", theme.caution, Qt::AlignLeft);
}

} // namespace holdfast::desktop
