// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/screen.hpp"

#include "core/project/text.hpp"

#include <QAction>
#include <QLabel>

namespace holdfast::desktop {

Screen::Screen(const QString& name, const QString& title, QWidget* parent) : QWidget(parent) {
    setObjectName(name);
    setWindowTitle(title);
    setAccessibleName(title);
}

QAction* Screen::add_action(const QString& id, const QString& text, const QKeySequence& keys, const QString& tip) {
    auto* action = new QAction(text, this);
    action->setObjectName(id);
    action->setShortcut(keys);
    // A hidden page takes no keys, so the page in front has them wherever the focus is, also when a button that was
    // pressed has just become disabled.
    action->setShortcutContext(Qt::WindowShortcut);
    action->setToolTip(tip);
    action->setStatusTip(tip);
    addAction(action);
    return action;
}

QString shown(const std::string& text, bool one_line) {
    return QString::fromStdString(printable(text, one_line));
}

QLabel* plain_label(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

} // namespace holdfast::desktop
