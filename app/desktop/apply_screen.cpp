// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/apply_screen.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/diff_view.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/words.hpp"

#include <QAction>
#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>

#include <algorithm>
#include <tuple>

namespace holdfast::desktop {

namespace {

constexpr std::size_t id_length = 12;
constexpr int most_message_lines = 12; // that are given room at first

QPlainTextEdit* fixed_text(const QString& name, QWidget* parent) {
    auto* text = named(new QPlainTextEdit(parent), name);
    text->setReadOnly(true);
    text->setFont(fixed_font());
    text->setLineWrapMode(QPlainTextEdit::NoWrap);
    text->setTabChangesFocus(true);
    return text;
}

QWidget* titled(QLabel* title, QWidget* content, QWidget* parent) {
    auto* panel = new QWidget(parent);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins({});
    layout->addWidget(title);
    layout->addWidget(content, 1);
    return panel;
}

} // namespace

ApplyScreen::ApplyScreen(QWidget* parent) : Screen("apply", "Apply", parent) {
    heading_ = plain_label({}, this);
    heading_->setFont(scaled_font(1.6, true));
    note_ = new NoteBox(this);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading_);
    layout->addWidget(note_);
    make_actions();
    summary_ = make_summary();
    texts_ = make_texts();
    layout->addWidget(summary_);
    layout->addWidget(texts_, 1);
    fast_forward_ = named(new QCheckBox(this), "Fast-forward");
    connect(fast_forward_, &QCheckBox::toggled, this, [this](bool on) {
        set_confirmable(false, "the commit is being worked out again");
        emit fast_forward_changed(on);
    });
    layout->addWidget(fast_forward_);
    why_ = muted_label({}, this);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(action_button(cancel_, this));
    buttons->addWidget(why_, 1);
    buttons->addWidget(action_button(confirm_, this));
    layout->addLayout(buttons);
    layout->addStretch(0);
    show_refusal(0, false, "No trial was chosen. Choose one among the approved trials.");
}

void ApplyScreen::make_actions() {
    cancel_ = add_action("cancel-apply", "Cancel", Qt::Key_Escape, "Goes back; nothing is written.");
    connect(cancel_, &QAction::triggered, this, &ApplyScreen::cancelled);
    confirm_ = add_action("confirm-apply", "Commit", QKeySequence("Ctrl+Return"), "Writes the commit that is shown.");
    confirm_->setAutoRepeat(false);
    connect(confirm_, &QAction::triggered, this, [this] {
        set_confirmable(false, "the commit is being written");
        emit confirmed(number_, revert_, fast_forward_->isChecked());
    });
}

void ApplyScreen::make_diff_actions() {
    const std::tuple<const char*, const char*, Qt::Key, const char*, void (DiffView::*)()> all[] = {
        {"next-hunk", "Next hunk", Qt::Key_J, "Goes to the next hunk of the diff.", &DiffView::next_hunk},
        {"previous-hunk", "Previous hunk", Qt::Key_K, "Goes to the hunk before.", &DiffView::previous_hunk},
        {"side-by-side", "Diff side by side", Qt::Key_D, "Shows old and new text beside each other, or as one.",
         &DiffView::toggle_side_by_side}};
    for (const auto& [id, text, key, tip, act] : all)
        connect(add_action(id, text, key, tip), &QAction::triggered, diff_, act);
}

QWidget* ApplyScreen::make_summary() {
    auto* panel = new QWidget(this);
    branch_ = plain_label({}, this);
    parent_ = plain_label({}, this);
    author_ = plain_label({}, this);
    auto* form = new QFormLayout(panel);
    form->setContentsMargins({});
    form->setVerticalSpacing(2);
    form->addRow("Branch", branch_);
    form->addRow("Goes on", parent_);
    form->addRow("Author", author_);
    for (QLabel* label : {branch_, parent_})
        label->setFont(fixed_font());
    return panel;
}

QSplitter* ApplyScreen::make_texts() {
    auto* splitter = new QSplitter(Qt::Vertical, this);
    message_ = fixed_text("Commit message", splitter);
    diff_ = new DiffView(splitter, DiffView::Marks::none);
    make_diff_actions();
    files_ = plain_label({}, splitter);
    auto* about =
        plain_label("Commit message, as it will be written; Holdfast-Chain is filled in at that moment", splitter);
    splitter->addWidget(titled(about, message_, splitter));
    splitter->addWidget(titled(files_, diff_, splitter));
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

void ApplyScreen::show_plan(qint64 number, std::shared_ptr<const review::Plan> plan, bool revert,
                            const QString& checked_out) {
    const bool again = plan_ && number_ == number && revert_ == revert;
    number_ = number;
    revert_ = revert;
    plan_ = std::move(plan);
    heading_->setText(QString(revert ? "Take #%1 back" : "Apply #%1").arg(number));
    QStringList notes;
    if (plan_->merged)
        notes.push_back("The base has moved since this was measured. The change was merged into the new base without a "
                        "conflict; the result as a whole was not measured.");
    if (!plan_->done_already.empty())
        notes.push_back(QString("Commit %1 holds all this already: an earlier run was cut off. Only what is missing "
                                "is done.")
                            .arg(shown(plan_->done_already.substr(0, id_length))));
    note_->say(notes.join("\n"));
    show_details(true);
    fill_summary(checked_out);
    message_->setPlainText(shown(plan_->message, false));
    if (!again) // what the person has moved since stays
        fit_message();
    std::size_t added = 0, removed = 0;
    for (const git::DiffFile& file : plan_->files) {
        added += file.lines_added;
        removed += file.lines_removed;
    }
    diff_->show_files(plan_->files, "No file changes.");
    files_->setText(QString("%1 %2, +%3 −%4")
                        .arg(plan_->files.size())
                        .arg(plan_->files.size() == 1 ? "file" : "files")
                        .arg(added)
                        .arg(removed));
    set_confirmable(true, {});
}

void ApplyScreen::fit_message() {
    const int lines = std::min(message_->blockCount(), most_message_lines) + 2; // the title and the frame
    const int height = lines * message_->fontMetrics().lineSpacing() + 12;
    texts_->setSizes({height, std::max(texts_->height(), 3 * height) - height});
}

void ApplyScreen::fill_summary(const QString& checked_out) {
    const QString branch = shown(plan_->branch);
    branch_->setText(plan_->expected.empty()
                         ? branch + " (new)"
                         : QString("%1 (now at %2)").arg(branch, shown(plan_->expected.substr(0, id_length))));
    parent_->setText(shown(plan_->parent));
    author_->setText(QString("%1 <%2>").arg(shown(plan_->author.name), shown(plan_->author.email)));

    const QString moved = plan_->fast_forward.empty() ? checked_out : shown(plan_->fast_forward);
    const QSignalBlocker quiet(fast_forward_);
    fast_forward_->setChecked(!plan_->fast_forward.empty());
    fast_forward_->setEnabled(!moved.isEmpty());
    fast_forward_->setText(
        moved.isEmpty()
            ? "No branch is checked out: none can be fast-forwarded, and the working tree stays"
            : plain_caption(QString("Fast-forward %1 too: the files in the working tree change").arg(moved)));
    named(fast_forward_, "Fast-forward " + moved, "Moves the checked-out branch and changes the working tree");

    const QString also = plan_->fast_forward.empty() ? QString() : QString(" and move %1").arg(moved);
    confirm_->setText(
        plain_caption(QString(plan_->done_already.empty() ? "Commit on %1%2" : "Finish on %1%2").arg(branch, also)));
}

void ApplyScreen::show_refusal(qint64 number, bool revert, const QString& why) {
    number_ = number;
    revert_ = revert;
    plan_.reset();
    const QString what = revert ? "Take %1 back" : "Apply %1";
    heading_->setText(what.arg(number == 0 ? QString("a trial") : QString("#%1").arg(number)));
    note_->say(why);
    show_details(false);
    confirm_->setText("Commit");
    allow(confirm_, false, "there is nothing to commit");
    why_->clear(); // the refusal says it
}

void ApplyScreen::show_details(bool visible) {
    for (QWidget* part : {summary_, static_cast<QWidget*>(texts_), static_cast<QWidget*>(fast_forward_)})
        part->setVisible(visible);
}

void ApplyScreen::set_confirmable(bool confirmable, const QString& why) {
    allow(confirm_, confirmable, why);
    why_->setText(why_disabled({confirm_}));
}

} // namespace holdfast::desktop
