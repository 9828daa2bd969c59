// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/decision_dialogs.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace holdfast::desktop {

namespace {

/// Enough of an id or digest to compare by eye; the approval is bound to all of it.
QString short_id(const std::string& id) {
    return shown(id.substr(0, 12));
}

QLabel* headline(const QString& text, QWidget* parent) {
    QLabel* label = plain_label(text, parent);
    label->setFont(scaled_font(1.25, true));
    return label;
}

QPlainTextEdit* text_field(const QString& name, const QString& placeholder, QWidget* parent) {
    auto* field = named(new QPlainTextEdit(parent), name);
    field->setPlaceholderText(placeholder);
    field->setTabChangesFocus(true);
    field->setMinimumHeight(4 * field->fontMetrics().lineSpacing() + 10);
    return field;
}

QString listed(const std::vector<std::string>& names) {
    QStringList all;
    for (const std::string& name : names)
        all << shown(name);
    return all.isEmpty() ? QString("none") : all.join(", ");
}

} // namespace

ApproveDialog::ApproveDialog(const review::Dossier& dossier, const review::Sheet& sheet, const review::Answers& answers,
                             bool can_sign, QWidget* parent)
    : QDialog(parent), comment_(text_field("Comment", "Comment (optional), kept with the approval", this)) {
    setObjectName("approve");
    setWindowTitle(QString("Approve #%1").arg(sheet.number));
    setAccessibleName(windowTitle());
    setMinimumWidth(560);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    add_summary(layout, dossier, sheet, answers, can_sign);
    layout->addWidget(comment_);
    auto* buttons = new QDialogButtonBox(this);
    auto* approve = buttons->addButton(QString("Approve #%1").arg(sheet.number), QDialogButtonBox::AcceptRole);
    auto* cancel = buttons->addButton(QDialogButtonBox::Cancel);
    named(approve, approve->text(), "Stores the approval. Nothing is applied yet.")->setObjectName("confirm");
    named(cancel, "Cancel");
    approve->setAutoDefault(false);
    approve->setDefault(false);
    cancel->setDefault(true);
    cancel->setFocus();
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
}

void ApproveDialog::add_summary(QVBoxLayout* layout, const review::Dossier& dossier, const review::Sheet& sheet,
                                const review::Answers& answers, bool can_sign) {
    layout->addWidget(headline(QString("#%1  %2").arg(sheet.number).arg(shown(sheet.title)), this));
    layout->addWidget(plain_label(shown(sheet.verdict_sentence), this));
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto add = [&](const QString& what, const QString& value, bool fixed = false) {
        QLabel* label = plain_label(value, this);
        if (fixed)
            label->setFont(fixed_font());
        form->addRow(what, label);
    };
    if (const auto binding = dossier.binding()) {
        add("Base commit", short_id(binding->baseline_commit), true);
        add("Result tree", short_id(binding->result_tree), true);
        add("Configuration", shown(binding->configuration_json));
        add("Evidence", short_id(binding->evidence_digest), true);
    } else {
        add("Bound to", shown(binding.error().message()));
    }
    add("Flags read", listed(answers.acknowledged));
    for (const review::Override& override_given : answers.overrides)
        add("Although: " + shown(override_given.gate), shown(override_given.reason));
    add("Signature", can_sign ? "signed with your SSH key" : "unsigned: no SSH key is at hand");
    layout->addLayout(form);
}

QString ApproveDialog::comment() const {
    return comment_->toPlainText().trimmed();
}

DeclineDialog::DeclineDialog(review::Decision decision, const review::Sheet& sheet, QWidget* parent)
    : QDialog(parent), reason_(text_field("Reason", "Why? The reason is kept with the decision.", this)) {
    const bool rework = decision == review::Decision::rework;
    setObjectName(rework ? "rework" : "reject");
    setWindowTitle(QString(rework ? "#%1 needs work" : "Reject #%1").arg(sheet.number));
    setAccessibleName(windowTitle());
    setMinimumWidth(480);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addWidget(headline(QString("#%1  %2").arg(sheet.number).arg(shown(sheet.title)), this));
    layout->addWidget(reason_);
    if (rework) {
        shared_ = named(new QCheckBox("Share this reason with the tuner", this), "Share this reason with the tuner",
                        "What you write can tell the tuner about the held-out workloads.");
        layout->addWidget(shared_);
        layout->addWidget(plain_label("What you write can tell the tuner about the held-out workloads. Unshared, only "
                                      "people read it.",
                                      this));
    }
    auto* buttons = new QDialogButtonBox(this);
    auto* send = buttons->addButton(rework ? "Needs work" : "Reject", QDialogButtonBox::AcceptRole);
    named(send, send->text())->setObjectName("confirm");
    named(buttons->addButton(QDialogButtonBox::Cancel), "Cancel");
    send->setEnabled(false);
    connect(reason_, &QPlainTextEdit::textChanged, this, [this, send] { send->setEnabled(!reason().isEmpty()); });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    reason_->setFocus();
}

QString DeclineDialog::reason() const {
    return reason_->toPlainText().trimmed();
}

bool DeclineDialog::shared() const {
    return shared_ != nullptr && shared_->isChecked();
}

} // namespace holdfast::desktop
