// SPDX-License-Identifier: GPL-3.0-or-later
// Buttons that are actions, and what screens say when one cannot be used.
#pragma once

#include <QLabel>
#include <QList>
#include <QString>

class QAction;
class QPushButton;

namespace holdfast::desktop {

/// A button that does what `action` does, follows its text, tooltip and whether it is enabled, and names its key. Never
/// the default button.
QPushButton* action_button(QAction* action, QWidget* parent);

/// Enables `action`, or disables it and makes `why_not` (a clause, "no study is running") its tooltip.
void allow(QAction* action, bool allowed, const QString& why_not);

/// "Pause, Stop now: no study is running. Resume: no study was interrupted." of those that are disabled.
QString why_disabled(const QList<QAction*>& actions);

/// A label in the secondary text colour.
QLabel* muted_label(const QString& text, QWidget* parent);

/// What must be read, in a box that stands out. Hidden while it has no text.
class NoteBox : public QLabel {
    Q_OBJECT
public:
    explicit NoteBox(QWidget* parent);
    void say(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace holdfast::desktop
