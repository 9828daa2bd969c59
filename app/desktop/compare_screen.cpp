// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/compare_screen.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/ecdf_plot.hpp"
#include "app/desktop/forest_plot.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/values_table.hpp"
#include "app/desktop/words.hpp"
#include "core/review/effect.hpp"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>

namespace holdfast::desktop {

namespace {

enum Page { empty_page, comparison_page };

QString number_of(const review::Sheet& sheet) {
    return QString("#%1").arg(sheet.number);
}

QString named_workload(const review::ComparedWorkload& workload) {
    return QString("%1 (%2)").arg(shown(workload.name), workload.role == Role::tuning ? "tuning" : "held-out");
}

QString words_of(const review::EffectView& effect) {
    return shown(review::effect_words(effect));
}

/// Samples of one study are of one baseline on one machine.
bool one_study(const review::Comparison& comparison) {
    const auto study_of = [](const review::Sheet& sheet) {
        for (const auto& [what, value] : sheet.provenance)
            if (what == "study")
                return value;
        return std::string();
    };
    return std::all_of(comparison.trials.begin(), comparison.trials.end(), [&](const review::Sheet& sheet) {
        return study_of(sheet) == study_of(comparison.trials.front());
    });
}

/// The rows of the comparison as those of one sheet, which the forest plot draws.
std::shared_ptr<const review::Sheet> forest_sheet(const review::Comparison& comparison) {
    auto sheet = std::make_shared<review::Sheet>();
    const review::Sheet& first = comparison.trials.front();
    sheet->metric = first.metric;
    sheet->unit = first.unit;
    sheet->better = first.better;
    sheet->band = first.band;
    sheet->verdict_sentence = "none of these trials was timed.";
    for (const review::ComparedWorkload& workload : comparison.workloads)
        for (const review::Sheet& trial : comparison.trials)
            for (const review::WorkloadRow& row : trial.rows)
                if (row.name == workload.name && row.role == workload.role) {
                    sheet->rows.push_back(row);
                    sheet->rows.back().name = "#" + std::to_string(trial.number) + " " + row.name;
                }
    return sheet;
}

} // namespace

Result<QList<qint64>> trial_numbers(const QString& text) {
    const auto wrong = [](const std::string& found) {
        return invalid("compare trials", found, "Write two to six numbers, as in: 3, 7, 12");
    };
    QList<qint64> numbers;
    for (QString word : text.split(QRegularExpression("[\\s,;]+"), Qt::SkipEmptyParts)) {
        bool good = false;
        const qint64 number = (word.startsWith('#') ? word.mid(1) : word).toLongLong(&good);
        if (!good || number < 1)
            return wrong("'" + word.toStdString() + "' is not a trial's number");
        if (numbers.contains(number))
            return wrong("trial " + std::to_string(number) + " is named twice");
        numbers.push_back(number);
    }
    if (numbers.size() < 2 || numbers.size() > 6)
        return wrong(numbers.isEmpty()     ? std::string("none is named")
                     : numbers.size() == 1 ? std::string("only one is named")
                                           : std::to_string(numbers.size()) + " are named");
    return numbers;
}

CompareScreen::CompareScreen(QWidget* parent) : Screen("compare", "Compare", parent) {
    auto* heading = plain_label(title(), this);
    heading->setFont(scaled_font(1.6, true));
    numbers_ = named(new QLineEdit(this), "Trials to compare", "Two to six numbers, as in: 3, 7, 12");
    numbers_->setPlaceholderText("Numbers of two to six decided trials, as in: 3, 7, 12");
    numbers_->setClearButtonEnabled(true);
    connect(numbers_, &QLineEdit::returnPressed, this, &CompareScreen::ask);
    make_actions();
    auto* compare = named(new QPushButton("Compare", this), "Compare", "Puts the trials named beside it side by side.");
    compare->setAutoDefault(false);
    connect(compare, &QPushButton::clicked, this, &CompareScreen::ask);
    wrong_ = muted_label({}, this);
    auto* bar = new QHBoxLayout;
    bar->addWidget(numbers_, 1);
    bar->addWidget(compare);
    auto* empty =
        plain_label("Nothing is compared yet.\n\nSelect two to six decided trials in Trials and press C there, or "
                    "write their numbers above. What differs is shown: knobs, the effect on each workload with "
                    "its interval, the distributions, and the machines they were measured on.",
                    this);
    empty->setAlignment(Qt::AlignTop);
    pages_ = new QStackedWidget(this);
    pages_->addWidget(empty);
    pages_->addWidget(make_content());
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading);
    layout->addLayout(bar);
    layout->addWidget(wrong_);
    layout->addWidget(pages_, 1);
    wrong_->hide();
    setFocusProxy(numbers_);
}

QWidget* CompareScreen::make_content() {
    auto* content = new QWidget(this);
    warnings_ = new NoteBox(content);
    table_ = new ValuesTable("Trials side by side", content);
    forest_ = new ForestPlot(content);
    workload_ = named(new QComboBox(content), "Workload of the distributions");
    named(workload_->view(), workload_->accessibleName());
    workload_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    workload_->setMinimumContentsLength(16);
    ecdf_ = new EcdfPlot(content);
    connect(table_, &ValuesTable::opened, this, &CompareScreen::trial_activated);
    connect(workload_, &QComboBox::currentIndexChanged, this, &CompareScreen::show_workload);
    auto* distributions = new QWidget(content);
    auto* column = new QVBoxLayout(distributions);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(workload_);
    column->addWidget(ecdf_, 1);
    auto* plots = new QSplitter(Qt::Horizontal, content);
    plots->setChildrenCollapsible(false);
    auto* effects = new QWidget(content); // the plot is no higher than its rows
    auto* rows = new QVBoxLayout(effects);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->addWidget(forest_);
    rows->addStretch(1);
    plots->addWidget(effects);
    plots->addWidget(distributions);
    plots->setStretchFactor(0, 3);
    plots->setStretchFactor(1, 2);
    plots->setSizes({3000, 2000}); // the forest has words on both sides; sizes are shares of what there is
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(warnings_);
    layout->addWidget(table_);
    layout->addWidget(plots, 1);
    return content;
}

void CompareScreen::make_actions() {
    auto* choose = add_action("choose-compared", "Choose the trials", QKeySequence("Ctrl+F"),
                              "Goes to the numbers of the trials to compare.");
    choose->setShortcuts({QKeySequence("Ctrl+F"), QKeySequence("/")});
    connect(choose, &QAction::triggered, this, [this] {
        numbers_->setFocus(Qt::ShortcutFocusReason);
        numbers_->selectAll();
    });
    auto* next = add_action("next-workload", "Next workload", QKeySequence("Ctrl+Down"),
                            "Shows the distributions on the next workload.");
    auto* previous = add_action("previous-workload", "Previous workload", QKeySequence("Ctrl+Up"),
                                "Shows the distributions on the workload before.");
    const auto step = [this](int by) {
        if (workload_->count() > 0)
            workload_->setCurrentIndex(std::clamp(workload_->currentIndex() + by, 0, workload_->count() - 1));
    };
    connect(next, &QAction::triggered, this, [step] { step(1); });
    connect(previous, &QAction::triggered, this, [step] { step(-1); });
}

void CompareScreen::ask() {
    const auto numbers = trial_numbers(numbers_->text());
    wrong_->setText(numbers ? QString() : shown(numbers.error().message()));
    wrong_->setVisible(!numbers);
    if (numbers)
        emit compare_requested(*numbers);
}

void CompareScreen::show_comparison(const Compared& compared) {
    compared_ = compared;
    QStringList numbers;
    for (const review::Sheet& sheet : compared_.comparison->trials)
        numbers << QString::number(sheet.number);
    numbers_->setText(numbers.join(", "));
    wrong_->hide();
    QStringList warnings;
    for (const std::string& warning : compared_.comparison->warnings)
        warnings << "⚠ " + capitalised(shown(warning)) + ".";
    warnings_->say(warnings.join('\n'));
    fill_table();
    fill_forest();
    fill_workloads();
    pages_->setCurrentIndex(comparison_page);
}

void CompareScreen::clear() {
    compared_ = {};
    numbers_->clear();
    wrong_->hide();
    pages_->setCurrentIndex(empty_page);
}

void CompareScreen::fill_table() {
    const review::Comparison& comparison = *compared_.comparison;
    QStringList head{"Trial", "Verdict", "Held-out", "Tuning", "Review"};
    for (const auto& [knob, values] : comparison.knobs)
        head << shown(knob);
    const bool machines = std::any_of(comparison.machines.begin(), comparison.machines.end(),
                                      [](const auto& differences) { return !differences.empty(); });
    if (machines)
        head << QString("Machine, beside that of %1").arg(number_of(comparison.trials.front()));
    head << "Change";
    std::vector<QStringList> rows;
    std::vector<qint64> keys;
    for (std::size_t i = 0; i < comparison.trials.size(); ++i) {
        const review::Sheet& sheet = comparison.trials[i];
        QStringList row{number_of(sheet), shown(sheet.verdict), words_of(sheet.held_out), words_of(sheet.tuning),
                        QString::fromUtf8(review::to_text(sheet.standing).data())};
        for (const auto& [knob, values] : comparison.knobs)
            row << shown(values[i]);
        if (machines) {
            QStringList differences;
            for (const std::string& difference : comparison.machines[i])
                differences << shown(difference);
            row << (differences.isEmpty() ? QString("the same") : differences.join("; "));
        }
        row << shown(sheet.title);
        rows.push_back(row);
        keys.push_back(sheet.number);
    }
    table_->show_rows(head, rows, keys);
    table_->fit_height();
}

void CompareScreen::fill_forest() {
    forest_->show_sheet(forest_sheet(*compared_.comparison), compared_.alpha);
}

void CompareScreen::fill_workloads() {
    const QSignalBlocker blocker(workload_);
    const QString before = workload_->currentText();
    workload_->clear();
    for (const review::ComparedWorkload& workload : compared_.comparison->workloads)
        workload_->addItem(named_workload(workload));
    workload_->setCurrentIndex(std::max(0, workload_->findText(before)));
    show_workload();
}

void CompareScreen::show_workload() {
    const review::Comparison& comparison = *compared_.comparison;
    const auto at = static_cast<std::size_t>(std::max(0, workload_->currentIndex()));
    std::vector<EcdfCurve> curves;
    if (at < comparison.workloads.size()) {
        const review::ComparedWorkload& workload = comparison.workloads[at];
        const bool together = one_study(comparison);
        if (together)
            curves.push_back({"baseline", {}, true, 0});
        for (std::size_t i = 0; i < comparison.trials.size(); ++i) {
            const QString number = number_of(comparison.trials[i]);
            if (together)
                curves.front().values.insert(curves.front().values.end(), workload.baseline[i].begin(),
                                             workload.baseline[i].end());
            else
                curves.push_back({"baseline of " + number, workload.baseline[i], true, 0});
            curves.push_back({number, workload.candidate[i], false, i});
        }
    }
    ecdf_->show_curves(std::move(curves), metric_words(comparison.trials.front().metric),
                       comparison.trials.front().unit);
}

} // namespace holdfast::desktop
