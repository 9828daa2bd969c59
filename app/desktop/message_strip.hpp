// SPDX-License-Identifier: GPL-3.0-or-later
// A strip above the page that tells what happened: it takes no focus and blocks nothing.
#pragma once

#include "core/project/error.hpp"

#include <QFrame>
#include <QString>

class QAction;
class QLabel;
class QPushButton;

namespace holdfast::desktop {

class MessageStrip : public QFrame {
    Q_OBJECT
public:
    explicit MessageStrip(QWidget* parent);

    /// What was attempted, what was found, what to do; stays until it is dismissed or replaced.
    void show_error(const Error& error);
    /// What was done; replaced by the next message.
    void show_note(const QString& text);
    /// Something that the person may do now: a button that does what `action` does.
    void offer(const QString& text, QAction* action);
    void dismiss();

    /// All that it says, as Copy puts it on the clipboard; "" when nothing is shown.
    QString text() const;
    bool is_error() const { return error_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void show_text(const QString& title, const QString& detail, bool error);

    bool error_ = false;
    QLabel *title_, *detail_;
    QPushButton *act_, *copy_;
    QAction* offered_ = nullptr;
};

} // namespace holdfast::desktop
