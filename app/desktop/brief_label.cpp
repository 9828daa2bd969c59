// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/brief_label.hpp"

#include "app/desktop/words.hpp"

#include <QPainter>
#include <QTextLayout>

#include <algorithm>

namespace holdfast::desktop {

namespace {

constexpr int most_lines = 2;
constexpr int widest_minimum = 90; // pixels

} // namespace

QStringList brief_lines(const QString& text, const QFont& font, int width, int most) {
    QTextLayout layout(text, font);
    QStringList lines;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        const bool last = lines.size() + 1 == most;
        const QString rest = last ? text.mid(line.textStart()) : text.mid(line.textStart(), line.textLength());
        lines << (last ? QFontMetrics(font).elidedText(rest, Qt::ElideRight, width) : rest.trimmed());
        if (last)
            break;
    }
    layout.endLayout();
    return lines;
}

BriefLabel::BriefLabel(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BriefLabel::say(const QString& text, const QString& whole) {
    text_ = text;
    setToolTip(plain_tip(whole));
    setAccessibleName(text);
    setAccessibleDescription(whole);
    update();
}

QSize BriefLabel::sizeHint() const {
    return {200, most_lines * fontMetrics().lineSpacing()};
}

QSize BriefLabel::minimumSizeHint() const {
    return {80, sizeHint().height()};
}

void BriefLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter,
                     brief_lines(text_, font(), width(), most_lines).join('\n'));
}

FittingLabel::FittingLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void FittingLabel::say(QStringList wordings) {
    wordings_ = std::move(wordings);
    updateGeometry();
    fit();
}

void FittingLabel::fit() {
    const QFontMetrics metrics(font());
    const auto fits = std::find_if(wordings_.begin(), wordings_.end(), [&](const QString& wording) {
        return metrics.horizontalAdvance(wording) <= contentsRect().width();
    });
    setText(fits != wordings_.end() ? *fits
                                    : metrics.elidedText(wordings_.back(), Qt::ElideRight, contentsRect().width()));
}

QSize FittingLabel::minimumSizeHint() const {
    const int width = QFontMetrics(font()).horizontalAdvance(wordings_.back());
    return {std::min(width, widest_minimum), QLabel::minimumSizeHint().height()};
}

void FittingLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fit();
}

} // namespace holdfast::desktop
