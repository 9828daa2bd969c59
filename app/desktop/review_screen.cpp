// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/review_screen.hpp"

#include "app/desktop/decision_dialogs.hpp"
#include "app/desktop/review_parts.hpp"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace holdfast::desktop {

ReviewScreen::ReviewScreen(QWidget* parent, Gates gates)
    : Screen("review", "Review", parent), parts_(std::make_unique<ReviewParts>(this)), gates_(std::move(gates)) {
    make_decision_actions();
    make_view_actions();
    connect(parts_->flags, &FlagsPanel::answers_changed, this, &ReviewScreen::update_decision);
    connect(parts_->raw, &RawSamples::closed, actions_.raw, &QAction::trigger);
    clear();
}

ReviewScreen::~ReviewScreen() = default;

void ReviewScreen::make_decision_actions() {
    actions_.reject = add_action("reject", "Reject…", Qt::Key_R, "Decide against the proposal, with a reason.");
    actions_.remeasure = add_action("remeasure", "Re-measure", Qt::Key_M, "Measure the same candidate once more.");
    actions_.rework = add_action("rework", "Needs work…", Qt::Key_C, "Ask for another attempt, with a reason.");
    actions_.approve =
        add_action("approve", "Approve…", Qt::CTRL | Qt::Key_Return, "Approve exactly what was measured.");
    connect(actions_.reject, &QAction::triggered, this, [this] { ask_decline(review::Decision::rejected); });
    connect(actions_.rework, &QAction::triggered, this, [this] { ask_decline(review::Decision::rework); });
    connect(actions_.approve, &QAction::triggered, this, &ReviewScreen::ask_approve);
    connect(actions_.remeasure, &QAction::triggered, this, [this] { emit remeasure_requested(sheet_->number); });
    bind(parts_->reject, actions_.reject);
    bind(parts_->remeasure, actions_.remeasure);
    bind(parts_->rework, actions_.rework);
    bind(parts_->approve, actions_.approve);
}

void ReviewScreen::make_view_actions() {
    DiffView* diff = parts_->diff;
    const auto add = [this](const char* id, const char* text, QKeySequence keys, const char* tip, auto act) {
        QAction* action = add_action(id, text, keys, tip);
        connect(action, &QAction::triggered, this, act);
        of_content_.push_back(action);
        return action;
    };
    // A hunk that is not in sight is neither left nor ticked: the first key brings the diff to the front.
    const auto on_diff = [this, diff](void (DiffView::*act)()) {
        return [this, diff, act] {
            if (parts_->tabs->currentWidget() == diff)
                (diff->*act)();
            else
                parts_->tabs->setCurrentWidget(diff);
        };
    };
    add("viewed", "Mark the hunk as viewed", Qt::Key_V, "Ticks or unticks the hunk in front.",
        on_diff(&DiffView::toggle_viewed));
    add("next-hunk", "Next hunk", Qt::Key_J, "Goes to the next hunk of the diff.", on_diff(&DiffView::next_hunk));
    add("previous-hunk", "Previous hunk", Qt::Key_K, "Goes to the hunk before.", on_diff(&DiffView::previous_hunk));
    add("side-by-side", "Diff side by side", Qt::Key_D, "Shows old and new text beside each other, or as one.",
        on_diff(&DiffView::toggle_side_by_side));
    add("copy-command", "Copy the command that reproduces this", Qt::Key_Y, "Puts the command into the clipboard.",
        [this] { parts_->provenance->copy_command(); });
    actions_.raw = add("raw-samples", "Raw samples", Qt::Key_S, "Shows every run, or goes back to the review.", [this] {
        QStackedWidget* pages = parts_->pages;
        pages->setCurrentIndex(pages->currentIndex() == ReviewParts::raw_page ? ReviewParts::review_page
                                                                              : ReviewParts::raw_page);
    });
    auto* exported = add("export", "Export…", Qt::Key_E, "Writes the change in another form.",
                         [this] { emit export_requested(sheet_->number); });
    QAction* next = add_action("next", "Next proposal", Qt::Key_N, "Goes to the next proposal of the queue.");
    QAction* previous = add_action("previous", "Previous proposal", Qt::Key_P, "Goes to the proposal before.");
    connect(next, &QAction::triggered, this, &ReviewScreen::next_requested);
    connect(previous, &QAction::triggered, this, &ReviewScreen::previous_requested);
    bind(parts_->raw_button, actions_.raw);
    bind(parts_->export_button, exported);
    bind(parts_->next, next);
    bind(parts_->previous, previous);
}

void ReviewScreen::bind(QPushButton* button, QAction* action) {
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button, [button, action] { button->setEnabled(action->isEnabled()); });
    button->setToolTip(action->toolTip());
    named(button, action->text(), action->toolTip());
}

void ReviewScreen::show_dossier(std::shared_ptr<const review::Dossier> dossier,
                                std::shared_ptr<const review::Sheet> sheet, bool can_sign,
                                const QString& approval_fault) {
    const bool again = dossier_ && dossier_->trial.id == dossier->trial.id &&
                       dossier_->verdict.evidence_digest == dossier->verdict.evidence_digest &&
                       sheet_->flags.size() == sheet->flags.size() && sheet_->files.size() == sheet->files.size();
    dossier_ = std::move(dossier);
    sheet_ = std::move(sheet);
    can_sign_ = can_sign;
    std::vector<review::Gate> overridable;
    for (const review::Gate& gate : gates_(*dossier_, {}, can_sign_))
        if (!gate.held && !gate.override_name.empty())
            overridable.push_back(gate);
    std::vector<std::string> names;
    for (const review::Gate& gate : overridable)
        names.push_back(gate.override_name);
    const bool keep = again && names == overridable_;
    overridable_ = names;
    parts_->show_figures(*dossier_, sheet_);
    parts_->show_approval_fault(approval_fault);
    if (!keep) {
        parts_->show_questions(*sheet_, overridable, dossier_->verdict.proposal);
        parts_->show_change(*dossier_, *sheet_);
    }
    for (QAction* action : of_content_)
        action->setEnabled(true);
    update_decision();
}

void ReviewScreen::clear() {
    dossier_.reset();
    sheet_.reset();
    overridable_.clear();
    parts_->clear();
    for (QAction* action : of_content_)
        action->setEnabled(false);
    update_decision();
}

void ReviewScreen::update_decision() {
    const bool open = sheet_ && sheet_->standing != review::Standing::applied;
    for (QAction* action : {actions_.reject, actions_.rework, actions_.remeasure})
        action->setEnabled(open);
    std::vector<review::Gate> gates;
    if (sheet_)
        gates = gates_(*dossier_, parts_->flags->answers(), can_sign_);
    actions_.approve->setEnabled(
        sheet_ && std::all_of(gates.begin(), gates.end(), [](const review::Gate& gate) { return gate.held; }));
    parts_->show_approval(gates);
}

void ReviewScreen::ask_approve() {
    const review::Answers answers = parts_->flags->answers();
    auto* dialog = new ApproveDialog(*dossier_, *sheet_, answers, can_sign_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, answers, number = sheet_->number, seen = dossier_] {
        emit approve_requested(number, answers, dialog->comment(), seen);
    });
    dialog->open();
}

void ReviewScreen::ask_decline(review::Decision decision) {
    auto* dialog = new DeclineDialog(decision, *sheet_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, decision, number = sheet_->number] {
        emit decline_requested(number, decision, dialog->reason(), dialog->shared());
    });
    dialog->open();
}

} // namespace holdfast::desktop
