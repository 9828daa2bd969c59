// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/review_screen.hpp"

#include "app/desktop/decision_dialogs.hpp"
#include "app/desktop/plain_tip.hpp"
#include "app/desktop/review_parts.hpp"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace holdfast::desktop {

ReviewScreen::ReviewScreen(QWidget* parent, Gates gates)
    : Screen("review", "Review", parent), m_parts(std::make_unique<ReviewParts>(this)), m_gates(std::move(gates)) {
    make_decision_actions();
    make_view_actions();
    connect(m_parts->flags, &FlagsPanel::answers_changed, this, &ReviewScreen::update_decision);
    connect(m_parts->raw, &RawSamples::closed, m_actions.raw, &QAction::trigger);
    clear();
}

ReviewScreen::~ReviewScreen() = default;

void ReviewScreen::make_decision_actions() {
    m_actions.reject = add_action("reject", "Reject…", Qt::Key_R, "Decide against the proposal, with a reason.");
    m_actions.remeasure = add_action("remeasure", "Re-measure", Qt::Key_M, "Measure the same candidate once more.");
    m_actions.rework = add_action("rework", "Needs work…", Qt::Key_C, "Ask for another attempt, with a reason.");
    m_actions.approve =
        add_action("approve", "Approve…", Qt::CTRL | Qt::Key_Return, "Approve exactly what was measured.");
    connect(m_actions.reject, &QAction::triggered, this, [this] { ask_decline(review::Decision::rejected); });
    connect(m_actions.rework, &QAction::triggered, this, [this] { ask_decline(review::Decision::rework); });
    connect(m_actions.approve, &QAction::triggered, this, &ReviewScreen::ask_approve);
    connect(m_actions.remeasure, &QAction::triggered, this, [this] { emit remeasure_requested(m_sheet->number); });
    bind(m_parts->reject, m_actions.reject);
    bind(m_parts->remeasure, m_actions.remeasure);
    bind(m_parts->rework, m_actions.rework);
    bind(m_parts->approve, m_actions.approve);
}

void ReviewScreen::make_view_actions() {
    DiffView* diff = m_parts->diff;
    const auto add = [this](const char* id, const char* text, QKeySequence keys, const char* tip, auto act) {
        QAction* action = add_action(id, text, keys, tip);
        connect(action, &QAction::triggered, this, act);
        m_of_content.push_back(action);
        return action;
    };
    add("viewed", "Mark the hunk as viewed", Qt::Key_V, "Ticks or unticks the hunk in front.",
        [diff] { diff->toggle_viewed(); });
    add("next-hunk", "Next hunk", Qt::Key_J, "Goes to the next hunk of the diff.", [diff] { diff->next_hunk(); });
    add("previous-hunk", "Previous hunk", Qt::Key_K, "Goes to the hunk before.", [diff] { diff->previous_hunk(); });
    add("side-by-side", "Diff side by side", Qt::Key_D, "Shows old and new text beside each other, or as one.",
        [diff] { diff->toggle_side_by_side(); });
    add("copy-command", "Copy the command that reproduces this", Qt::Key_Y, "Puts the command into the clipboard.",
        [this] { m_parts->provenance->copy_command(); });
    m_actions.raw =
        add("raw-samples", "Raw samples", Qt::Key_S, "Shows every run, or goes back to the review.", [this] {
            QStackedWidget* pages = m_parts->pages;
            pages->setCurrentIndex(pages->currentIndex() == ReviewParts::raw_page ? ReviewParts::review_page
                                                                                  : ReviewParts::raw_page);
        });
    auto* exported = add("export", "Export…", Qt::Key_E, "Writes the change in another form.",
                         [this] { emit export_requested(m_sheet->number); });
    QAction* next = add_action("next", "Next proposal", Qt::Key_N, "Goes to the next proposal of the queue.");
    QAction* previous = add_action("previous", "Previous proposal", Qt::Key_P, "Goes to the proposal before.");
    connect(next, &QAction::triggered, this, &ReviewScreen::next_requested);
    connect(previous, &QAction::triggered, this, &ReviewScreen::previous_requested);
    bind(m_parts->raw_button, m_actions.raw);
    bind(m_parts->export_button, exported);
    bind(m_parts->next, next);
    bind(m_parts->previous, previous);
}

void ReviewScreen::bind(QPushButton* button, QAction* action) {
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button, [button, action] { button->setEnabled(action->isEnabled()); });
    button->setToolTip(action->toolTip());
    named(button, action->text(), action->toolTip());
}

void ReviewScreen::show_dossier(std::shared_ptr<const review::Dossier> dossier,
                                std::shared_ptr<const review::Sheet> sheet, bool can_sign) {
    const bool again = m_dossier && m_dossier->trial.id == dossier->trial.id &&
                       m_dossier->verdict.evidence_digest == dossier->verdict.evidence_digest &&
                       m_sheet->flags.size() == sheet->flags.size() && m_sheet->files.size() == sheet->files.size();
    m_dossier = std::move(dossier);
    m_sheet = std::move(sheet);
    m_can_sign = can_sign;
    std::vector<review::Gate> overridable;
    for (const review::Gate& gate : m_gates(*m_dossier, {}, m_can_sign))
        if (!gate.held && !gate.override_name.empty())
            overridable.push_back(gate);
    std::vector<std::string> names;
    for (const review::Gate& gate : overridable)
        names.push_back(gate.override_name);
    const bool keep = again && names == m_overridable;
    m_overridable = names;
    m_parts->show_figures(*m_dossier, m_sheet);
    if (!keep) {
        m_parts->flags->show_sheet(*m_sheet, overridable);
        m_parts->diff->show_files(m_sheet->files, m_dossier->change_error.empty() ? QString("No file changes.")
                                                                                  : "The change cannot be computed: " +
                                                                                        shown(m_dossier->change_error));
        m_parts->pages->setCurrentIndex(ReviewParts::review_page);
        m_parts->diff->setFocus();
    }
    for (QAction* action : m_of_content)
        action->setEnabled(true);
    update_decision();
}

void ReviewScreen::clear() {
    m_dossier.reset();
    m_sheet.reset();
    m_overridable.clear();
    m_parts->clear();
    for (QAction* action : m_of_content)
        action->setEnabled(false);
    update_decision();
}

void ReviewScreen::update_decision() {
    const bool open = m_sheet && m_sheet->standing != review::Standing::applied;
    for (QAction* action : {m_actions.reject, m_actions.rework, m_actions.remeasure})
        action->setEnabled(open);
    QStringList missing;
    if (m_sheet)
        for (const review::Gate& gate : m_gates(*m_dossier, m_parts->flags->answers(), m_can_sign))
            if (!gate.held)
                missing << shown(gate.found) + (gate.remedy.empty() ? QString() : ". " + shown(gate.remedy));
    m_actions.approve->setEnabled(m_sheet && missing.isEmpty());
    m_parts->show_missing(m_sheet != nullptr, missing);
}

void ReviewScreen::ask_approve() {
    const review::Answers answers = m_parts->flags->answers();
    auto* dialog = new ApproveDialog(*m_dossier, *m_sheet, answers, m_can_sign, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, answers, number = m_sheet->number] {
        emit approve_requested(number, answers, dialog->comment());
    });
    dialog->open();
}

void ReviewScreen::ask_decline(review::Decision decision) {
    auto* dialog = new DeclineDialog(decision, *m_sheet, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, decision, number = m_sheet->number] {
        emit decline_requested(number, decision, dialog->reason(), dialog->shared());
    });
    dialog->open();
}

} // namespace holdfast::desktop
