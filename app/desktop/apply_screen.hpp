// SPDX-License-Identifier: GPL-3.0-or-later
// Exactly what applying or reverting will write, before it is written.
#pragma once

#include "app/desktop/screen.hpp"
#include "core/review/apply.hpp"

#include <memory>

class QCheckBox;
class QPlainTextEdit;
class QSplitter;

namespace holdfast::desktop {

class DiffView;
class NoteBox;

class ApplyScreen : public Screen {
    Q_OBJECT
public:
    explicit ApplyScreen(QWidget* parent = nullptr);

    /// `checked_out`: the branch that fast-forwarding would move; "" when HEAD is detached, then it is not offered.
    void show_plan(qint64 number, std::shared_ptr<const review::Plan> plan, bool revert,
                   const QString& checked_out = {});
    /// No plan, and why, in the words of the refusal: nothing can be confirmed.
    void show_refusal(qint64 number, bool revert, const QString& why);

signals:
    void confirmed(qint64 number, bool revert, bool fast_forward);
    void cancelled();
    /// The plan shown is no longer the one asked for: nothing can be confirmed until show_plan() is called again.
    void fast_forward_changed(bool fast_forward);

private:
    void make_actions();
    void make_diff_actions();
    QWidget* make_summary();
    QSplitter* make_texts();
    void fit_message();
    void fill_summary(const QString& checked_out);
    void show_details(bool visible);
    void set_confirmable(bool confirmable, const QString& why);

    qint64 number_ = 0;
    bool revert_ = false;
    std::shared_ptr<const review::Plan> plan_;
    QLabel *heading_, *branch_, *parent_, *author_, *why_;
    NoteBox* note_;
    QWidget* summary_;
    QSplitter* texts_;
    QPlainTextEdit* message_;
    DiffView* diff_;
    QLabel* files_;
    QCheckBox* fast_forward_;
    QAction *confirm_, *cancel_;
};

} // namespace holdfast::desktop
