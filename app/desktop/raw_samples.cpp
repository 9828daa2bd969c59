// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/raw_samples.hpp"

#include "app/desktop/sample_plot.hpp"
#include "app/desktop/save_file.hpp"
#include "app/desktop/screen.hpp"
#include "app/desktop/words.hpp"
#include "core/review/plot_scale.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>
#include <map>

namespace holdfast::desktop {

namespace {

enum Metric { objective, wall, cpu, memory };

double value_of(const review::RunPoint& run, int metric) {
    switch (metric) {
    case wall:
        return run.wall_seconds;
    case cpu:
        return run.cpu_seconds;
    case memory:
        return run.peak_memory_bytes;
    default:
        return run.objective;
    }
}

} // namespace

RawSamples::RawSamples(QWidget* parent)
    : QWidget(parent), workload_(named(new QComboBox(this), "Workload")), phase_(named(new QComboBox(this), "Phase")),
      metric_(named(new QComboBox(this), "Metric")), note_(plain_label({}, this)),
      strip_(new SamplePlot(SamplePlot::Form::strip, "Each run", this)),
      ecdf_(new SamplePlot(SamplePlot::Form::ecdf, "Distribution", this)),
      order_(new SamplePlot(SamplePlot::Form::order, "In the order taken", this)) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(make_bar(), 0, 0, 1, 2);
    grid->addWidget(strip_, 1, 0);
    grid->addWidget(ecdf_, 1, 1);
    grid->addWidget(order_, 2, 0, 1, 2);
    grid->addWidget(note_, 3, 0, 1, 2);
    for (const int row : {1, 2})
        grid->setRowStretch(row, 1);
    for (const int column : {0, 1})
        grid->setColumnStretch(column, 1);
    for (QComboBox* choice : {workload_, phase_, metric_})
        connect(choice, &QComboBox::currentIndexChanged, this, &RawSamples::redraw);
}

QWidget* RawSamples::make_bar() {
    auto* bar = new QWidget(this);
    auto* line = new QHBoxLayout(bar);
    line->setContentsMargins(0, 0, 0, 0);
    auto* back = named(new QPushButton("‹ Back to the review (S)", this), "Back to the review");
    auto* save_button = named(new QPushButton("Save CSV…", this), "Save CSV", "Saves every run of the trial as CSV.");
    for (QPushButton* button : {back, save_button})
        button->setAutoDefault(false);
    connect(back, &QPushButton::clicked, this, &RawSamples::closed);
    connect(save_button, &QPushButton::clicked, this, &RawSamples::save);
    for (QComboBox* choice : {workload_, phase_, metric_})
        named(choice->view(), choice->accessibleName());
    workload_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    workload_->setMinimumContentsLength(18);
    line->addWidget(back);
    line->addSpacing(12);
    const std::pair<const char*, QComboBox*> choices[] = {
        {"Workload", workload_}, {"Phase", phase_}, {"Metric", metric_}};
    for (const auto& [name, choice] : choices) {
        auto* label = new QLabel(name, this);
        label->setBuddy(choice);
        line->addWidget(label);
        line->addWidget(choice, choice == workload_ ? 1 : 0);
    }
    line->addStretch(1);
    line->addWidget(save_button);
    return bar;
}

void RawSamples::show_sheet(std::shared_ptr<const review::Sheet> sheet) {
    sheet_ = std::move(sheet);
    fill_choices();
    redraw();
}

void RawSamples::clear() {
    sheet_.reset();
    for (QComboBox* choice : {workload_, phase_, metric_}) {
        const QSignalBlocker blocker(choice);
        choice->clear();
    }
    redraw();
}

void RawSamples::fill_choices() {
    const QSignalBlocker blockers[] = {QSignalBlocker(workload_), QSignalBlocker(phase_), QSignalBlocker(metric_)};
    for (QComboBox* choice : {workload_, phase_, metric_})
        choice->clear();
    for (const review::WorkloadRow& row : sheet_->rows)
        workload_->addItem(QString("%1 (%2)").arg(shown(row.name), row.role == Role::tuning ? "tuning" : "held-out"),
                           QByteArray::fromStdString(row.name));
    phase_->addItem("all", QByteArray());
    std::vector<std::string> phases;
    for (const review::RunPoint& run : sheet_->runs)
        if (std::find(phases.begin(), phases.end(), run.phase) == phases.end())
            phases.push_back(run.phase);
    for (const std::string& phase : phases)
        phase_->addItem(shown(phase), QByteArray::fromStdString(phase));
    metric_->addItem(metric_words(sheet_->metric), objective);
    const std::pair<const char*, Metric> others[] = {{"wall", wall}, {"cpu", cpu}, {"peak-memory", memory}};
    for (const auto& [name, metric] : others)
        if (sheet_->metric != name)
            metric_->addItem(metric_words(name), metric);
}

void RawSamples::redraw() {
    std::vector<SamplePoint> points;
    std::map<std::string, int> without;
    const std::string workload = workload_->currentData().toByteArray().toStdString();
    const std::string phase = phase_->currentData().toByteArray().toStdString();
    const int metric = metric_->currentData().toInt();
    double largest = 0;
    if (sheet_)
        for (const review::RunPoint& run : sheet_->runs) {
            // Warm-up rounds were never counted; they are in the CSV.
            if (run.workload != workload || run.round == 0 || (!phase.empty() && run.phase != phase))
                continue;
            const double value = value_of(run, metric);
            if (run.ending != "ok" || !std::isfinite(value)) {
                ++without[run.ending == "ok" ? "not a number" : run.ending];
                continue;
            }
            points.push_back({value, run.candidate});
            largest = std::max(largest, std::abs(value));
        }
    const std::string stored = metric == memory      ? "bytes"
                               : metric == objective ? (sheet_ ? sheet_->unit : std::string())
                                                     : "s";
    const review::DisplayUnit unit = review::display_unit(stored, largest);
    for (SamplePoint& point : points)
        point.value *= unit.factor;
    const QString axis =
        unit.name.empty() ? metric_->currentText() : QString("%1 (%2)").arg(metric_->currentText(), shown(unit.name));
    for (SamplePlot* plot : {strip_, ecdf_, order_})
        plot->show_points(points, axis);
    QString note = QString("%1 runs, warm-ups left out. ○ ┄ baseline   ● ─ candidate   ┃ median").arg(points.size());
    for (const auto& [ending, count] : without)
        note += QString("   %1 without a number: %2").arg(count).arg(shown(ending));
    note_->setText(note);
}

void RawSamples::save() {
    if (sheet_)
        save_as(this, "Save the raw samples", QString("trial-%1-samples.csv").arg(sheet_->number),
                review::samples_csv(*sheet_));
}

} // namespace holdfast::desktop
