// SPDX-License-Identifier: GPL-3.0-or-later
// A page of the main window. It shows the values it is given, emits what the person asks for, and never waits for
// anything. Its actions are QWidget::actions(): the palette, the key help and the menu are made from them.
#pragma once

#include <QKeySequence>
#include <QString>
#include <QWidget>

#include <string>

class QAction;
class QLabel;

namespace holdfast::desktop {

class Screen : public QWidget {
    Q_OBJECT
public:
    /// `name`: for --screen and tests ("study"); `title`: for people ("Study").
    Screen(const QString& name, const QString& title, QWidget* parent);

    QString name() const { return objectName(); }
    QString title() const { return windowTitle(); }

protected:
    /// An action of this screen, shown in the palette and the key help; its shortcut works while the screen is in
    /// front. `tip` is a sentence.
    QAction* add_action(const QString& id, const QString& text, const QKeySequence& keys, const QString& tip);
};

/// Text from a candidate, a file or a log, safe to show: control and bidirectional characters visible, invalid UTF-8
/// replaced. Labels that show it must be Qt::PlainText.
QString shown(const std::string& text, bool one_line = true);

/// A label that never interprets markup, wraps, and can be selected with mouse and keys.
QLabel* plain_label(const QString& text, QWidget* parent = nullptr);

/// Gives a control the name and description that a screen reader says.
template <class Widget> Widget* named(Widget* widget, const QString& name, const QString& description = {}) {
    widget->setAccessibleName(name);
    widget->setAccessibleDescription(description);
    return widget;
}

} // namespace holdfast::desktop
