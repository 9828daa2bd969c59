// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/controls.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"

#include <QAction>
#include <QEvent>
#include <QPainter>
#include <QPushButton>

namespace holdfast::desktop {

namespace {

constexpr const char* why_property = "why_not";

QString name_of(const QAction* action) {
    return action->iconText().remove(QChar(0x2026)); // the ellipsis is for the eye
}

void follow(QPushButton* button, const QAction* action) {
    const QString key = action->shortcut().toString(QKeySequence::NativeText);
    button->setText(key.isEmpty() ? action->text() : QString("%1 (%2)").arg(action->text(), key));
    button->setEnabled(action->isEnabled());
    button->setToolTip(action->toolTip());
    named(button, name_of(action), action->statusTip());
}

/// Secondary text that follows the theme.
class MutedLabel : public QLabel {
public:
    explicit MutedLabel(QWidget* parent) : QLabel(parent) { recolour(); }

protected:
    void changeEvent(QEvent* event) override {
        QLabel::changeEvent(event);
        if (event->type() == QEvent::PaletteChange)
            recolour();
    }

private:
    void recolour() {
        const QColor muted = colours(palette()).muted;
        if (palette().color(QPalette::WindowText) == muted)
            return; // the change was ours
        QPalette own;
        own.setColor(QPalette::WindowText, muted);
        setPalette(own);
    }
};

} // namespace

QPushButton* action_button(QAction* action, QWidget* parent) {
    auto* button = new QPushButton(parent);
    button->setAutoDefault(false);
    button->setObjectName(action->objectName() + "-button");
    follow(button, action);
    QObject::connect(action, &QAction::changed, button, [button, action] { follow(button, action); });
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    return button;
}

void allow(QAction* action, bool allowed, const QString& why_not) {
    action->setEnabled(allowed);
    action->setProperty(why_property, allowed ? QString() : why_not);
    action->setToolTip(plain_tip(allowed ? action->statusTip() : "Not now: " + why_not + "."));
}

QString why_disabled(const QList<QAction*>& actions) {
    QStringList reasons;
    QList<QStringList> names;
    for (const QAction* action : actions) {
        const QString reason = action->isEnabled() ? QString() : action->property(why_property).toString();
        if (reason.isEmpty())
            continue;
        if (!reasons.contains(reason)) {
            reasons.push_back(reason);
            names.push_back({});
        }
        names[reasons.indexOf(reason)].push_back(name_of(action));
    }
    QStringList sentences;
    for (qsizetype i = 0; i < reasons.size(); ++i)
        sentences.push_back(names[i].join(", ") + ": " + reasons[i] + ".");
    return sentences.join(" ");
}

QLabel* muted_label(const QString& text, QWidget* parent) {
    auto* label = new MutedLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setText(text);
    return label;
}

NoteBox::NoteBox(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setMargin(8);
    setVisible(false);
}

void NoteBox::say(const QString& text) {
    setText(text);
    setAccessibleName(text.isEmpty() ? QString("Note") : text);
    setVisible(!text.isEmpty());
}

void NoteBox::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Colours& colour = colours(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colour.caution);
    painter.setBrush(colour.caution_base);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.end();
    QLabel::paintEvent(event);
}

} // namespace holdfast::desktop
