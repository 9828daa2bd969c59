// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/flags_panel.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"
#include "core/review/reason.hpp"

#include <QCheckBox>
#include <QEvent>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace holdfast::desktop {

namespace {

/// A box with the border and background of what must be read.
class Card : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override {
        const Colours& theme = colours(palette());
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.caution, 1));
        painter.setBrush(theme.caution_base);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
};

QLabel* heading_label(const QString& text, QWidget* parent) {
    QLabel* label = plain_label(text, parent);
    label->setFont(scaled_font(1, true));
    return label;
}

} // namespace

FlagsPanel::FlagsPanel(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)), heading_(nullptr) {
    layout_->setContentsMargins(0, 0, 0, 0);
}

QVBoxLayout* FlagsPanel::add_card(const QString& heading, const QString& text) {
    auto* card = new Card(content_);
    auto* lines = new QVBoxLayout(card);
    lines->setContentsMargins(8, 4, 8, 4);
    lines->setSpacing(2);
    lines->addWidget(heading_label("⚠ " + heading, card));
    lines->addWidget(plain_label(text, card));
    static_cast<QVBoxLayout*>(content_->layout())->addWidget(card);
    return lines;
}

void FlagsPanel::add_flag(const review::Flag& flag) {
    const QString name = shown(flag.name);
    QVBoxLayout* card = add_card(capitalised(name), shown(flag.evidence));
    auto* box = new QCheckBox("I have read this", content_);
    named(box, "I have read: " + name, shown(flag.evidence));
    card->addWidget(box);
    flags_.emplace_back(flag.name, box);
    connect(box, &QCheckBox::toggled, this, [this] {
        count_open();
        emit answers_changed();
    });
}

void FlagsPanel::add_override(const review::Gate& gate, const QString& evidence) {
    const QString name = shown(gate.override_name);
    QVBoxLayout* card = add_card(capitalised(name),
                                 evidence + capitalised(with_short_ids(shown(gate.found))) + ". " + shown(gate.remedy));
    auto* field = new QLineEdit(content_);
    field->setPlaceholderText("Approve all the same, because… (at least ten characters)");
    field->setClearButtonEnabled(true);
    named(field, "Reason to approve although: " + name,
          "At least ten characters. Kept with the approval and in the commit.");
    QLabel* fault = plain_label({}, content_);
    fault->hide();
    card->addWidget(field);
    card->addWidget(fault);
    overrides_.emplace_back(gate.override_name, field);
    connect(field, &QLineEdit::textChanged, this, [this, fault, gate = gate.override_name](const QString& text) {
        const std::string why = review::override_reason_fault(text.toStdString(), gate);
        fault->setText("Not enough: " + shown(why) + ".");
        fault->setVisible(!why.empty() && !text.trimmed().isEmpty());
        count_open();
        emit answers_changed();
    });
}

void FlagsPanel::add_list(const QString& heading, const QStringList& entries) {
    if (entries.isEmpty())
        return;
    auto* lines = static_cast<QVBoxLayout*>(content_->layout());
    lines->addSpacing(4);
    lines->addWidget(heading_label(heading, content_));
    for (const QString& entry : entries)
        lines->addWidget(plain_label(entry, content_));
}

void FlagsPanel::show_sheet(const review::Sheet& sheet, const std::vector<review::Gate>& overridable, bool proposal) {
    delete content_;
    flags_.clear();
    overrides_.clear();
    content_ = new QWidget(this);
    auto* lines = new QVBoxLayout(content_);
    lines->setContentsMargins(0, 0, 6, 0);
    lines->setSpacing(4);
    layout_->addWidget(content_);
    heading_ = heading_label({}, content_);
    lines->addWidget(heading_);
    heading_->setVisible(proposal);
    // A flag that is also a gate is one question: its reason says that it was read.
    const auto is_gate = [&](const review::Flag& flag) {
        return std::any_of(overridable.begin(), overridable.end(),
                           [&](const review::Gate& gate) { return gate.override_name == flag.name; });
    };
    for (const review::Flag& flag : sheet.flags)
        if (!is_gate(flag))
            add_flag(flag);
    for (const review::Gate& gate : overridable) {
        const auto flag = std::find_if(sheet.flags.begin(), sheet.flags.end(),
                                       [&](const review::Flag& each) { return each.name == gate.override_name; });
        add_override(gate, flag == sheet.flags.end() ? QString() : shown(flag->evidence) + " ");
    }
    QStringList reasons, notes;
    for (const std::string& reason : sheet.reasons)
        reasons << shown(reason);
    for (const review::WorkloadRow& row : sheet.rows)
        for (const std::string& note : row.notes)
            notes << "⚠ " + shown(row.name) + ": " + shown(note);
    add_list("Why this verdict", reasons);
    add_list("By workload", notes);
    lines->addStretch(1);
    count_open();
}

void FlagsPanel::count_open() {
    const auto read =
        std::count_if(flags_.begin(), flags_.end(), [](const auto& flag) { return flag.second->isChecked(); });
    const auto given = std::count_if(overrides_.begin(), overrides_.end(), [](const auto& each) {
        return review::override_reason_fault(each.second->text().toStdString(), each.first).empty();
    });
    QStringList counts;
    if (!flags_.empty())
        counts << QString("%1 of %2 read").arg(read).arg(flags_.size());
    if (!overrides_.empty())
        counts << QString("%1 of %2 reasons given").arg(given).arg(overrides_.size());
    heading_->setText(counts.isEmpty() ? QString("Nothing was flagged") : "Before approving: " + counts.join(", "));
}

review::Answers FlagsPanel::answers() const {
    review::Answers answers;
    for (const auto& [name, box] : flags_)
        if (box->isChecked())
            answers.acknowledged.push_back(name);
    for (const auto& [gate, field] : overrides_)
        if (const QString reason = field->text().trimmed(); !reason.isEmpty())
            answers.overrides.push_back({gate, reason.toStdString()});
    return answers;
}

void FlagsPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        update();
}

} // namespace holdfast::desktop
