// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/verdict_banner.hpp"

#include "app/desktop/forest_layout.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace holdfast::desktop {

namespace {

constexpr int icon = 30, edge = 12; // pixels

VerdictBanner::Tone tone_of(const review::Sheet& sheet) {
    using Tone = VerdictBanner::Tone;
    if (sheet.verdict == "generalises")
        return sheet.flags.empty() ? Tone::good : Tone::caution;
    const bool open = sheet.verdict.starts_with("inconclusive") || sheet.verdict == "no-effect" ||
                      sheet.verdict == "not-comparable" || sheet.verdict == "interrupted";
    return open ? Tone::caution : Tone::bad;
}

QColor line_of(VerdictBanner::Tone tone, const Colours& theme) {
    return tone == VerdictBanner::Tone::good      ? theme.better
           : tone == VerdictBanner::Tone::caution ? theme.caution
                                                  : theme.worse;
}

void draw_icon(QPainter& painter, const QRectF& box, VerdictBanner::Tone tone, const QColor& colour,
               const QColor& paper) {
    using Tone = VerdictBanner::Tone;
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    if (tone == Tone::caution)
        painter.drawPolygon(QPolygonF({QPointF(box.center().x(), box.top() + 1), box.bottomRight() - QPointF(0, 2),
                                       box.bottomLeft() - QPointF(0, 2)}));
    else if (tone == Tone::good)
        painter.drawEllipse(box);
    else
        painter.drawRoundedRect(box.adjusted(2, 2, -2, -2), 3, 3);
    painter.setPen(QPen(paper, 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&box](double x, double y) { return box.topLeft() + QPointF(x * box.width(), y * box.height()); };
    if (tone == Tone::good) {
        painter.drawPolyline(QPolygonF({at(0.27, 0.53), at(0.44, 0.70), at(0.74, 0.33)}));
    } else if (tone == Tone::caution) {
        painter.drawLine(at(0.5, 0.38), at(0.5, 0.60));
        painter.drawPoint(at(0.5, 0.78));
    } else {
        painter.drawLine(at(0.33, 0.33), at(0.67, 0.67));
        painter.drawLine(at(0.67, 0.33), at(0.33, 0.67));
    }
}

/// The sheet's text with the metric in words.
QString resource_words(const review::ResourceChange& resource) {
    const QString text = shown(resource.text), name = shown(resource.metric);
    return text.startsWith(name) ? metric_words(resource.metric) + text.mid(name.size()) : text;
}

} // namespace

VerdictBanner::VerdictBanner(QWidget* parent)
    : QFrame(parent), fault_(plain_label({}, this)), sentence_(plain_label({}, this)), gap_(plain_label({}, this)),
      facts_(new QHBoxLayout) {
    for (QLabel* label : {fault_, sentence_})
        label->setFont(scaled_font(1.2, true));
    facts_->setSpacing(24);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(icon + 2 * edge, 6, edge, 6);
    layout->setSpacing(2);
    layout->addWidget(fault_);
    layout->addWidget(sentence_);
    layout->addLayout(facts_);
    layout->addWidget(gap_);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

void VerdictBanner::add_fact(const QString& what, const QString& value, bool strong, bool cautious) {
    auto* cell = new QVBoxLayout;
    cell->setSpacing(0);
    auto* name = plain_label(what, this);
    name->setFont(scaled_font(0.9));
    name->setObjectName("muted");
    auto* figure = plain_label((cautious ? "⚠ " : "") + value, this);
    figure->setFont(scaled_font(strong ? 1.15 : 1.0, strong || cautious));
    for (QLabel* label : {name, figure}) {
        label->setWordWrap(false);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        cell->addWidget(label, 0, Qt::AlignBottom);
    }
    figure->setAccessibleName(what + ": " + value);
    facts_->addLayout(cell);
}

void VerdictBanner::show_sheet(const review::Sheet& sheet, const QString& evidence_fault) {
    while (QLayoutItem* item = facts_->takeAt(0)) {
        if (QLayout* cell = item->layout())
            while (QLayoutItem* inner = cell->takeAt(0)) {
                delete inner->widget();
                delete inner;
            }
        delete item;
    }
    tone_ = evidence_fault.isEmpty() ? tone_of(sheet) : Tone::bad;
    fault_->setText(evidence_fault.isEmpty() ? QString() : "The evidence does not hold: " + evidence_fault);
    fault_->setVisible(!evidence_fault.isEmpty());
    sentence_->setText(shown(sheet.verdict_sentence));
    gap_->setText(shown(sheet.gap));
    gap_->setVisible(!sheet.gap.empty());
    add_fact("Held-out", sheet.has_held_out ? effect_words(sheet.held_out) : "not measured", true, !sheet.has_held_out);
    add_fact("Tuning", sheet.has_tuning ? effect_words(sheet.tuning) : "not measured", false);
    add_fact("Checks", shown(sheet.checks_text), false, sheet.checks_passed < sheet.checks);
    if (!sheet.resources.empty()) {
        const review::ResourceChange& worst = sheet.resources.front();
        const bool heavy = std::any_of(sheet.flags.begin(), sheet.flags.end(), [&worst](const review::Flag& flag) {
            return flag.name == "more " + worst.metric;
        });
        add_fact("Worst resource", resource_words(worst), false, heavy);
    }
    facts_->addStretch(1);
    apply_colours();
    const char* tones[] = {"Good", "Caution", "Bad"};
    named(this, "Verdict",
          QStringList({QString(tones[static_cast<int>(tone_)]) + ".", fault_->text(), sentence_->text(), gap_->text()})
              .join(' ')
              .simplified());
    update();
}

void VerdictBanner::apply_colours() {
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, colours(palette()).muted);
    for (auto* label : findChildren<QLabel*>("muted"))
        label->setPalette(muted);
}

void VerdictBanner::paintEvent(QPaintEvent*) {
    const Colours& theme = colours(palette());
    const QColor line = line_of(tone_, theme);
    const QColor base = tone_ == Tone::good      ? theme.good_base
                        : tone_ == Tone::caution ? theme.caution_base
                                                 : palette().color(QPalette::Base);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(line, 2));
    painter.setBrush(base);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
    draw_icon(painter, QRectF(edge, (height() - icon) / 2.0, icon, icon), tone_, line, palette().color(QPalette::Base));
}

void VerdictBanner::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        apply_colours();
}

} // namespace holdfast::desktop
