// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/queue_screen.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/trials_filter.hpp"
#include "app/desktop/trials_model.hpp"
#include "app/desktop/trials_table.hpp"

#include <QAction>
#include <QVBoxLayout>

namespace holdfast::desktop {

namespace {

using Column = TrialColumn;
using review::Standing;

} // namespace

QueueScreen::QueueScreen(QWidget* parent) : Screen("queue", "Review queue", parent) {
    model_ = new TrialsModel({Column::number, Column::verdict, Column::held_out, Column::tuning, Column::flags,
                              Column::review, Column::age, Column::change},
                             this);
    waiting_ = new TrialsFilter(*model_, this);
    waiting_->set_standings({Standing::waiting});
    sent_back_ = new TrialsFilter(*model_, this);
    sent_back_->set_standings({Standing::rework, Standing::rejected});
    waiting_table_ = new TrialsTable(*waiting_, "Proposals that wait for you", this);
    sent_back_table_ = new TrialsTable(*sent_back_, "Proposals sent back", this);
    waiting_table_->hideColumn(model_->place_of(Column::review));
    // Both sections show the newest first: what was sent back lately is what one looks for.
    sent_back_->sort(model_->place_of(Column::age), Qt::AscendingOrder);
    for (TrialsTable* table : {waiting_table_, sent_back_table_}) {
        table->setSelectionMode(QAbstractItemView::SingleSelection);
        connect(table, &TrialsTable::trial_activated, this, &QueueScreen::trial_activated);
    }
    // One row is marked, in the section that has the keys.
    const auto unmark = [](TrialsTable* one, TrialsTable* other) {
        connect(one, &TrialsTable::current_trial_changed, other, [one, other] {
            if (one->hasFocus())
                other->clearSelection();
        });
    };
    unmark(waiting_table_, sent_back_table_);
    unmark(sent_back_table_, waiting_table_);

    heading_ = plain_label({}, this);
    heading_->setFont(scaled_font(1.6, true));
    nothing_ = muted_label({}, this);
    sent_back_heading_ = plain_label({}, this);
    sent_back_heading_->setFont(scaled_font(1.1, true));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading_);
    layout->addWidget(nothing_);
    layout->addWidget(waiting_table_, 2);
    layout->addWidget(sent_back_heading_);
    layout->addWidget(sent_back_table_, 1);
    layout->addStretch(0);
    setFocusProxy(waiting_table_);
    make_actions();
    describe(true);
}

void QueueScreen::make_actions() {
    const auto table = [this] { return sent_back_table_->hasFocus() ? sent_back_table_ : waiting_table_; };
    auto* next = add_action("next-proposal", "Next proposal", QKeySequence("J"), "Goes to the next proposal.");
    connect(next, &QAction::triggered, this, [table] { table()->step(1); });
    auto* previous =
        add_action("previous-proposal", "Previous proposal", QKeySequence("K"), "Goes to the proposal before.");
    connect(previous, &QAction::triggered, this, [table] { table()->step(-1); });
    auto* open = add_action("review-proposal", "Review proposal", Qt::Key_Return, "Opens the proposal for review.");
    open->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    connect(open, &QAction::triggered, this, [this, table] {
        if (const auto number = table()->current_number())
            emit trial_activated(*number);
    });
}

void QueueScreen::set_overview(const app::Overview& overview) {
    model_->update(overview.trials);
    waiting_table_->take_current();
    describe(overview.trials.empty());
}

void QueueScreen::describe(bool empty_history) {
    const int waiting = waiting_->rowCount(), sent_back = sent_back_->rowCount();
    heading_->setText(waiting == 0   ? QString("Nothing waits for you")
                      : waiting == 1 ? QString("1 proposal waits for you")
                                     : QString("%1 proposals wait for you").arg(waiting));
    nothing_->setText(empty_history ? "No trial yet. A study puts the changes that hold on the held-out workloads here."
                      : waiting == 0
                          ? "Every proposal was decided. A study adds those that hold on the held-out workloads."
                          : "Held-out effects come first: they are measured on workloads that no tuner saw. J and K "
                            "move, Return opens.");
    waiting_table_->setVisible(waiting > 0);
    sent_back_heading_->setText(QString("Sent back (%1)").arg(sent_back));
    sent_back_heading_->setVisible(sent_back > 0);
    sent_back_table_->setVisible(sent_back > 0);
}

} // namespace holdfast::desktop
