// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/history_screen.hpp"

#include "app/desktop/controls.hpp"
#include "app/desktop/history_plot.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/values_table.hpp"
#include "app/desktop/words.hpp"
#include "core/review/imported.hpp"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabWidget>

#include <algorithm>

namespace holdfast::desktop {

namespace {

enum Page { empty_page, series_page };

QComboBox* choice(const QString& name, QWidget* parent) {
    auto* box = named(new QComboBox(parent), name);
    named(box->view(), name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(18);
    return box;
}

QString counted(std::size_t count, const QString& what) {
    return QString("%1 %2%3").arg(count).arg(what, count == 1 ? "" : "s");
}

QString change_at(const study::BaselineSeries& series, std::size_t index) {
    QStringList parts;
    for (const std::string& difference : series.points[index].machine_changes)
        parts << "machine: " + shown(difference);
    for (const stats::ChangePoint& change : series.changes)
        if (change.at == index)
            parts << "changed by " + change_words(series, change);
    return parts.join("; ");
}

QString benchmarks_of(const ImportedFile& file) {
    constexpr std::size_t most = 4;
    if (!file.fault.empty())
        return "cannot be read any more: " + shown(file.fault);
    QStringList names;
    for (std::size_t i = 0; i < file.benchmarks.size() && i < most; ++i)
        names << shown(file.benchmarks[i]);
    const std::size_t more = file.benchmarks.size() > most ? file.benchmarks.size() - most : 0;
    return names.join(", ") + (more > 0 ? QString(" and %1 more").arg(more) : QString());
}

} // namespace

HistoryScreen::HistoryScreen(QWidget* parent) : Screen("history", "History", parent) {
    auto* heading = plain_label(title(), this);
    heading->setFont(scaled_font(1.6, true));
    tabs_ = named(new QTabWidget(this), "History");
    tabs_->addTab(make_series_page(), "Baseline over time");
    tabs_->addTab(make_imports_page(), "Imported");
    make_actions();
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(heading);
    layout->addWidget(tabs_, 1);
    setFocusProxy(points_);
    show_history(std::make_shared<const History>());
}

QWidget* HistoryScreen::make_series_page() {
    series_pages_ = new QStackedWidget(this);
    auto* empty = plain_label("The baseline was not measured yet.\n\nEvery study and every measurement leaves the "
                              "baseline's runs here, so that a slow change of the program, or of the machine, is seen. "
                              "Start a study, or run: holdfast measure",
                              this);
    empty->setAlignment(Qt::AlignTop);
    empty->setMargin(8);
    auto* page = new QWidget(this);
    workload_ = choice("Workload", page);
    metric_ = choice("Metric", page);
    plot_ = new HistoryPlot(page);
    summary_ = muted_label({}, page);
    points_ = new ValuesTable("The baseline's sessions", page);
    connect(workload_, &QComboBox::currentIndexChanged, this, [this] { fill_choices(); });
    connect(metric_, &QComboBox::currentIndexChanged, this, &HistoryScreen::show_series);
    auto* bar = new QHBoxLayout;
    for (const auto& [name, box] : {std::pair("Workload", workload_), std::pair("Metric", metric_)}) {
        auto* label = new QLabel(name, page);
        label->setBuddy(box);
        bar->addWidget(label);
        bar->addWidget(box, box == workload_ ? 1 : 0);
    }
    bar->addStretch(1);
    auto* layout = new QVBoxLayout(page);
    layout->addLayout(bar);
    layout->addWidget(plot_, 3);
    layout->addWidget(summary_);
    layout->addWidget(points_, 2);
    series_pages_->addWidget(empty);
    series_pages_->addWidget(page);
    return series_pages_;
}

QWidget* HistoryScreen::make_imports_page() {
    auto* page = new QWidget(this);
    imports_note_ = muted_label({}, page);
    imports_ = new ValuesTable("Evidence of other machines", page);
    files_ = new ValuesTable("Results of other programs", page);
    auto* layout = new QVBoxLayout(page);
    layout->addWidget(imports_note_);
    for (ValuesTable* table : {imports_, files_}) {
        auto* heading = plain_label(table->accessibleName(), page);
        heading->setFont(scaled_font(1, true));
        layout->addWidget(heading);
        layout->addWidget(table, 1);
    }
    return page;
}

void HistoryScreen::make_actions() {
    const auto step = [](QComboBox* box, int by) {
        if (box->count() > 0)
            box->setCurrentIndex((box->currentIndex() + by + box->count()) % box->count());
    };
    auto* workload = add_action("next-history-workload", "Next workload", QKeySequence("W"),
                                "Shows the history of the next workload.");
    connect(workload, &QAction::triggered, this, [this, step] { step(workload_, 1); });
    auto* metric =
        add_action("next-history-metric", "Next metric", QKeySequence("M"), "Shows the history of the next metric.");
    connect(metric, &QAction::triggered, this, [this, step] { step(metric_, 1); });
    auto* imports = add_action("show-imports", "Baseline or imported", QKeySequence("I"),
                               "Goes between the baseline's history and what was imported.");
    connect(imports, &QAction::triggered, this, [this] { tabs_->setCurrentIndex(1 - tabs_->currentIndex()); });
}

void HistoryScreen::show_history(std::shared_ptr<const History> history) {
    history_ = std::move(history);
    {
        const QSignalBlocker blocker(workload_);
        const QByteArray before = workload_->currentData().toByteArray();
        workload_->clear();
        for (const study::BaselineSeries& series : history_->series)
            if (const auto name = QByteArray::fromStdString(series.workload); workload_->findData(name) < 0)
                workload_->addItem(shown(series.workload), name);
        workload_->setCurrentIndex(std::max(0, workload_->findData(before)));
    }
    series_pages_->setCurrentIndex(history_->series.empty() ? empty_page : series_page);
    fill_choices();
    fill_imports();
}

void HistoryScreen::fill_choices() {
    {
        const QSignalBlocker blocker(metric_);
        const QByteArray before = metric_->currentData().toByteArray();
        metric_->clear();
        for (const study::BaselineSeries& series : history_->series)
            if (QByteArray::fromStdString(series.workload) == workload_->currentData().toByteArray())
                metric_->addItem(metric_words(series.metric), QByteArray::fromStdString(series.metric));
        metric_->setCurrentIndex(std::max(0, metric_->findData(before)));
    }
    show_series();
}

const study::BaselineSeries* HistoryScreen::chosen() const {
    const auto found =
        std::find_if(history_->series.begin(), history_->series.end(), [this](const study::BaselineSeries& series) {
            return QByteArray::fromStdString(series.workload) == workload_->currentData().toByteArray() &&
                   QByteArray::fromStdString(series.metric) == metric_->currentData().toByteArray();
        });
    return found == history_->series.end() ? nullptr : &*found;
}

void HistoryScreen::show_series() {
    const study::BaselineSeries* series = chosen();
    if (series == nullptr)
        return;
    plot_->show_series(*series);
    std::vector<QStringList> rows;
    std::size_t machines = 0;
    for (std::size_t i = 0; i < series->points.size(); ++i) {
        const study::BaselinePoint& point = series->points[i];
        machines += point.machine_changes.empty() ? 0 : 1;
        rows.push_back({QString::number(i + 1), local_time(point.time), QString::number(point.study),
                        shown(point.phase), shown(point.commit.substr(0, 10)), value_words(*series, point.median),
                        QString("%1 to %2").arg(value_words(*series, point.low), value_words(*series, point.high)),
                        QString::number(point.samples), change_at(*series, i)});
    }
    points_->show_rows({"Session", "Time", "Study", "Phase", "Commit", "Median", "Quartiles", "Samples", "Change"},
                       rows);
    summary_->setText(QString("%1, %2, %3. A change point is a step between studies that shuffled studies hardly ever "
                              "show; it says when, not why. Nothing is decided by it.")
                          .arg(counted(series->points.size(), "session"),
                               counted(series->changes.size(), "change point"), counted(machines, "machine change")));
}

void HistoryScreen::fill_imports() {
    const bool none = history_->imports.empty() && history_->files.empty();
    imports_note_->setText(
        none ? "Nothing was imported. Evidence of another machine, or a results file of another "
               "benchmark program, comes here with: holdfast import FILE"
             : "Shown beside this history's trials; never pooled with them, and no verdict rests on it.");
    std::vector<QStringList> rows;
    for (const study::ImportRecord& import : history_->imports)
        rows.push_back({local_time(import.time), shown(import.baseline_commit.substr(0, 10)),
                        shown(review::import_words(import))});
    imports_->show_rows({"Imported", "Commit", "What it found"}, rows);
    std::vector<QStringList> files;
    for (const ImportedFile& file : history_->files) {
        const study::ResultsFileRecord& record = file.record;
        files.push_back({local_time(record.time), shown(record.name), shown(record.format),
                         record.commit.empty() ? QString("none") : shown(record.commit.substr(0, 10)),
                         QString::number(file.benchmarks.size()), benchmarks_of(file)});
    }
    files_->show_rows({"Imported", "File", "Format", "Commit", "Count", "Benchmarks"}, files);
    const std::size_t all = history_->imports.size() + history_->files.size();
    tabs_->setTabText(1, all == 0 ? QString("Imported") : QString("Imported (%1)").arg(all));
}

} // namespace holdfast::desktop
