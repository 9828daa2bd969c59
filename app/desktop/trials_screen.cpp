// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/trials_screen.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/trials_filter.hpp"
#include "app/desktop/trials_model.hpp"
#include "app/desktop/trials_table.hpp"
#include "core/decision/verdict.hpp"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>

namespace holdfast::desktop {

namespace {

using Column = TrialColumn;
using review::Standing;

QComboBox* choice(const QString& name, QWidget* parent) {
    auto* box = named(new QComboBox(parent), name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

} // namespace

TrialsScreen::TrialsScreen(QWidget* parent) : Screen("trials", "Trials", parent) {
    model_ = new TrialsModel({Column::number, Column::study, Column::tuner, Column::verdict, Column::held_out,
                              Column::tuning, Column::review, Column::change, Column::ended},
                             this);
    filter_ = new TrialsFilter(*model_, this);
    table_ = new TrialsTable(*filter_, "Trials", this);
    table_->setSortingEnabled(true);
    table_->sortByColumn(model_->place_of(Column::number), Qt::AscendingOrder);
    table_->keep_layout("trials/columns");
    connect(table_, &TrialsTable::trial_activated, this, &TrialsScreen::trial_activated);
    make_filters();
    make_actions();

    auto* heading = plain_label(title(), this);
    heading->setFont(scaled_font(1.6, true));
    count_ = muted_label({}, this);
    auto* filters = new QHBoxLayout;
    filters->addWidget(text_, 1);
    filters->addWidget(verdict_);
    filters->addWidget(standing_);
    filters->addWidget(searched_);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading);
    layout->addLayout(filters);
    layout->addWidget(table_, 1);
    layout->addWidget(count_);
    setFocusProxy(table_);
    describe();
    update_compare();
}

void TrialsScreen::make_filters() {
    text_ = named(new QLineEdit(this), "Filter trials", "Words that must all occur in a row");
    text_->setPlaceholderText("Filter: words that a row must hold");
    text_->setClearButtonEnabled(true);
    verdict_ = choice("Verdict", this);
    verdict_->addItem("Any verdict", QString());
    for (int kind = 0; kind <= static_cast<int>(decision::VerdictKind::interrupted); ++kind) {
        const auto name = QString::fromUtf8(decision::to_text(static_cast<decision::VerdictKind>(kind)).data());
        verdict_->addItem(name, name);
    }
    standing_ = choice("Review", this);
    standing_->addItem("Any review", static_cast<int>(Standing::none));
    for (const Standing standing : {Standing::waiting, Standing::approved, Standing::rejected, Standing::rework,
                                    Standing::applied, Standing::reverted})
        standing_->addItem(QString::fromUtf8(review::to_text(standing).data()), static_cast<int>(standing));
    searched_ = named(new QCheckBox(this), "Show configurations that were only searched");
    connect(text_, &QLineEdit::textChanged, this, [this](const QString& text) {
        filter_->set_text(text);
        describe();
    });
    connect(verdict_, &QComboBox::currentIndexChanged, this, [this] {
        filter_->set_verdict(verdict_->currentData().toString());
        describe();
    });
    connect(standing_, &QComboBox::currentIndexChanged, this, [this] {
        const auto standing = static_cast<Standing>(standing_->currentData().toInt());
        filter_->set_standings(standing == Standing::none ? std::vector<Standing>{} : std::vector{standing});
        describe();
    });
    connect(searched_, &QCheckBox::toggled, this, [this](bool on) {
        filter_->show_searched(on);
        describe();
    });
}

void TrialsScreen::make_actions() {
    auto* open = add_action("open-trial", "Open trial", Qt::Key_Return, "Opens the current trial.");
    open->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    connect(open, &QAction::triggered, this, [this] {
        if (const auto number = table_->current_number())
            emit trial_activated(*number);
    });
    auto* find = add_action("filter-trials", "Filter trials", QKeySequence("Ctrl+F"), "Goes to the filter's text.");
    find->setShortcuts({QKeySequence("Ctrl+F"), QKeySequence("/")});
    connect(find, &QAction::triggered, this, [this] {
        text_->setFocus(Qt::ShortcutFocusReason);
        text_->selectAll();
    });
    auto* copy = add_action("copy-trials", "Copy rows", QKeySequence("Ctrl+C"), "Copies the selected rows as text.");
    connect(copy, &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(table_->selection_as_text()); });
    auto* csv = add_action("copy-trials-csv", "Copy rows as CSV", QKeySequence("Ctrl+Shift+C"),
                           "Copies the selected rows as comma-separated values.");
    connect(csv, &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(table_->selection_as_csv()); });
    compare_ = add_action("compare-trials", "Compare the selected trials", QKeySequence("C"),
                          "Puts two to six selected trials side by side.");
    connect(compare_, &QAction::triggered, this, [this] { emit compare_requested(table_->selected_numbers()); });
    connect(table_, &TrialsTable::selection_changed, this, &TrialsScreen::update_compare);
    auto* searched = add_action("show-searched", "Show what was only searched", QKeySequence("S"),
                                "Shows or hides the configurations that the search looked at and did not send on.");
    connect(searched, &QAction::triggered, searched_, &QCheckBox::toggle);
    // Of the screen's actions the table's menu offers those that are about rows.
    table_->addActions({open, compare_, copy, csv});
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void TrialsScreen::set_overview(const app::Overview& overview) {
    model_->update(overview.trials);
    searched_only_ =
        static_cast<std::size_t>(std::count_if(overview.trials.begin(), overview.trials.end(), &searched_only));
    describe();
    table_->take_current();
}

void TrialsScreen::update_compare() {
    const qsizetype selected = table_->selected_numbers().size();
    allow(compare_, selected >= 2 && selected <= 6,
          selected < 2 ? "fewer than two trials are selected" : "more than six trials are selected");
}

void TrialsScreen::describe() {
    searched_->setText(QString("Only searched (%1)").arg(searched_only_));
    searched_->setEnabled(searched_only_ > 0);
    const int all = model_->rowCount(), shown_rows = filter_->rowCount();
    if (all == 0)
        count_->setText("No trial yet. Start a study, or queue a candidate with: holdfast propose");
    else
        count_->setText(QString("%1 of %2 trials shown. A negative change means less of the metric; trials without a "
                                "result come last in every order.")
                            .arg(shown_rows)
                            .arg(all));
}

} // namespace holdfast::desktop
