// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/message_strip.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace holdfast::desktop {

namespace {

QPushButton* small_button(const QString& name, const QString& text, const QString& about, QWidget* parent) {
    auto* button = named(new QPushButton(text, parent), text, about);
    button->setObjectName(name);
    button->setAutoDefault(false);
    button->setToolTip(about);
    return button;
}

} // namespace

MessageStrip::MessageStrip(QWidget* parent) : QFrame(parent) {
    setObjectName("message");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 8, 12, 8);
    auto* texts = new QVBoxLayout;
    title_ = plain_label({}, this);
    title_->setFont(scaled_font(1, true));
    detail_ = plain_label({}, this);
    for (QLabel* label : {title_, detail_})
        label->setFocusPolicy(Qt::NoFocus); // the strip must not take the keys away from the page
    texts->addWidget(title_);
    texts->addWidget(detail_);
    row->addLayout(texts, 1);
    act_ = small_button("message-act", tr("Do it"), tr("Does what the message offers."), this);
    copy_ = small_button("message-copy", tr("Copy"), tr("Copies this message."), this);
    auto* dismiss_button = small_button("message-dismiss", tr("Dismiss"), tr("Hides this message."), this);
    for (QPushButton* button : {act_, copy_, dismiss_button})
        row->addWidget(button, 0, Qt::AlignTop);
    connect(act_, &QPushButton::clicked, this, [this] {
        QAction* action = offered_;
        dismiss();
        if (action != nullptr)
            action->trigger();
    });
    connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text()); });
    connect(dismiss_button, &QPushButton::clicked, this, &MessageStrip::dismiss);
    hide();
}

void MessageStrip::show_error(const Error& error) {
    QString detail = shown(error.found, false);
    if (!error.remedy.empty())
        detail += "\n" + tr("To do: ") + shown(error.remedy, false);
    show_text(tr("Cannot ") + shown(error.attempted), detail, true);
}

void MessageStrip::show_note(const QString& text) {
    show_text(text, {}, false);
}

void MessageStrip::offer(const QString& text, QAction* action) {
    show_text(text, {}, false);
    offered_ = action;
    act_->setText(action->text());
    named(act_, action->iconText(), action->statusTip());
    act_->setToolTip(action->toolTip());
    act_->show();
}

void MessageStrip::show_text(const QString& title, const QString& detail, bool error) {
    error_ = error;
    offered_ = nullptr;
    act_->hide();
    title_->setText(title);
    detail_->setText(detail);
    detail_->setVisible(!detail.isEmpty());
    named(this, error ? tr("Error") : tr("Message"), text());
    show();
    update();
}

void MessageStrip::dismiss() {
    title_->clear();
    detail_->clear();
    error_ = false;
    offered_ = nullptr;
    hide();
}

QString MessageStrip::text() const {
    return detail_->text().isEmpty() ? title_->text() : title_->text() + "\n" + detail_->text();
}

void MessageStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colours& colour = colours(palette());
    painter.fillRect(rect(), error_ ? colour.caution_base : colour.good_base);
    // The edge tells an error from a note without colour too: twice as wide.
    painter.fillRect(QRect(0, 0, error_ ? 8 : 4, height()), error_ ? colour.caution : colour.better);
}

} // namespace holdfast::desktop
