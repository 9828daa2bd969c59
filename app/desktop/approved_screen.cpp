// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/approved_screen.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/trials_filter.hpp"
#include "app/desktop/trials_model.hpp"
#include "app/desktop/trials_table.hpp"
#include "core/review/exports.hpp"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>

namespace holdfast::desktop {

namespace {

using Column = TrialColumn;
using review::Standing;

QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

ApprovedScreen::ApprovedScreen(QWidget* parent) : Screen("approved", "Approved", parent) {
    model_ = new TrialsModel({Column::number, Column::review, Column::held_out, Column::commit, Column::branch,
                              Column::verdict, Column::change},
                             this);
    filter_ = new TrialsFilter(*model_, this);
    filter_->set_standings({Standing::approved, Standing::applied, Standing::reverted});
    table_ = new TrialsTable(*filter_, "Approved trials", this);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    connect(table_, &TrialsTable::trial_activated, this, &ApprovedScreen::trial_activated);
    connect(table_, &TrialsTable::current_trial_changed, this, &ApprovedScreen::update_actions);

    auto* heading = plain_label(title(), this);
    heading->setFont(scaled_font(1.6, true));
    nothing_ = muted_label({}, this);
    why_ = muted_label({}, this);
    make_actions();
    make_export_menu();
    auto* buttons = new QHBoxLayout;
    for (QAction* action : {apply_, revert_, export_, copy_})
        buttons->addWidget(action_button(action, this));
    buttons->addStretch();
    buttons->addWidget(action_button(open_, this));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading);
    layout->addWidget(nothing_);
    layout->addWidget(table_, 1);
    layout->addLayout(buttons);
    layout->addWidget(why_);
    layout->addStretch(0);
    setFocusProxy(table_);
    set_overview({});
}

void ApprovedScreen::make_actions() {
    const auto with_current = [this](QAction* action, auto signal) {
        connect(action, &QAction::triggered, this, [this, signal] {
            if (const auto number = table_->current_number())
                emit(this->*signal)(*number);
        });
        return action;
    };
    apply_ = with_current(
        add_action("apply", "Apply…", QKeySequence("A"), "Shows the exact commit before anything is written."),
        &ApprovedScreen::apply_requested);
    revert_ = with_current(
        add_action("revert", "Revert…", QKeySequence("R"), "Shows the exact commit that takes the change back."),
        &ApprovedScreen::revert_requested);
    open_ =
        with_current(add_action("open-approved", "Open trial", Qt::Key_Return, "Opens the trial with its evidence."),
                     &ApprovedScreen::trial_activated);
    open_->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    export_ = add_action("export", "Export…", QKeySequence("E"), "Writes the trial in the format of another tool.");
    copy_ = add_action("copy-commit", "Copy commit id", QKeySequence("Ctrl+C"), "Copies the full id of the commit.");
    connect(copy_, &QAction::triggered, this, [this] {
        if (const auto* trial = table_->current_trial())
            QGuiApplication::clipboard()->setText(shown(trial->commit));
    });
    auto* next = add_action("next-approved", "Next trial", QKeySequence("J"), "Goes to the next trial.");
    connect(next, &QAction::triggered, this, [this] { table_->step(1); });
    auto* previous = add_action("previous-approved", "Previous trial", QKeySequence("K"), "Goes to the trial before.");
    connect(previous, &QAction::triggered, this, [this] { table_->step(-1); });
}

void ApprovedScreen::make_export_menu() {
    formats_ = named(new QMenu(this), "Formats");
    for (const review::Format& format : review::formats()) {
        const QString name = text_of(format.name);
        QAction* item = formats_->addAction(QString("%1: %2").arg(name, text_of(format.about)));
        item->setObjectName("export-" + name);
        connect(item, &QAction::triggered, this, [this, name] {
            if (const auto number = table_->current_number())
                emit export_requested(*number, name);
        });
    }
    connect(export_, &QAction::triggered, this, [this] {
        const auto* button = findChild<QPushButton*>("export-button");
        formats_->popup(button->mapToGlobal(QPoint(0, -formats_->sizeHint().height())));
    });
}

void ApprovedScreen::set_overview(const app::Overview& overview) {
    model_->update(overview.trials);
    table_->take_current();
    const bool empty = filter_->rowCount() == 0;
    nothing_->setText(empty ? "Nothing is approved. Proposals wait in the review queue."
                            : "Applying writes a commit on a branch of its own; the working tree stays as it is.");
    table_->setVisible(!empty);
    update_actions();
}

void ApprovedScreen::update_actions() {
    const app::TrialSummary* trial = table_->current_trial();
    const QString none = "no trial is selected";
    const bool applied = trial && trial->standing == Standing::applied;
    allow(apply_, trial && !applied, trial ? "it is applied already" : none);
    allow(revert_, applied,
          !trial                                  ? none
          : trial->standing == Standing::reverted ? QString("it was reverted already")
                                                  : QString("it is not applied"));
    allow(export_, trial != nullptr, none);
    allow(copy_, trial && !trial->commit.empty(), trial ? "it has no commit yet" : none);
    allow(open_, trial != nullptr, none);
    why_->setText(why_disabled({apply_, revert_, export_, copy_, open_}));
}

} // namespace holdfast::desktop
