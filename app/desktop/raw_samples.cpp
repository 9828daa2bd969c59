// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/raw_samples.hpp"

#include "app/desktop/sample_plot.hpp"
#include "app/desktop/save_file.hpp"
#include "app/desktop/screen.hpp"

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

struct Unit {
    double factor = 1; ///< axis value = factor · stored value
    QString name;
};

/// A unit in which the largest value has few digits.
Unit unit_for(const QString& stored, double largest) {
    if (stored == "s" && largest > 0 && largest < 1)
        return largest < 1e-3 ? Unit{1e6, "µs"} : Unit{1e3, "ms"};
    if ((stored == "bytes" || stored == "B") && largest >= 1024)
        return largest < (1 << 20) ? Unit{1.0 / 1024, "KiB"} : Unit{1.0 / (1 << 20), "MiB"};
    return {1, stored};
}

} // namespace

RawSamples::RawSamples(QWidget* parent)
    : QWidget(parent), m_workload(named(new QComboBox(this), "Workload")), m_phase(named(new QComboBox(this), "Phase")),
      m_metric(named(new QComboBox(this), "Metric")), m_note(plain_label({}, this)),
      m_strip(new SamplePlot(SamplePlot::Form::strip, "Each run", this)),
      m_ecdf(new SamplePlot(SamplePlot::Form::ecdf, "Distribution", this)),
      m_order(new SamplePlot(SamplePlot::Form::order, "In the order taken", this)) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(make_bar(), 0, 0, 1, 2);
    grid->addWidget(m_strip, 1, 0);
    grid->addWidget(m_ecdf, 1, 1);
    grid->addWidget(m_order, 2, 0, 1, 2);
    grid->addWidget(m_note, 3, 0, 1, 2);
    for (const int row : {1, 2})
        grid->setRowStretch(row, 1);
    for (const int column : {0, 1})
        grid->setColumnStretch(column, 1);
    for (QComboBox* choice : {m_workload, m_phase, m_metric})
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
    for (QComboBox* choice : {m_workload, m_phase, m_metric})
        named(choice->view(), choice->accessibleName());
    m_workload->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_workload->setMinimumContentsLength(18);
    line->addWidget(back);
    line->addSpacing(12);
    const std::pair<const char*, QComboBox*> choices[] = {
        {"Workload", m_workload}, {"Phase", m_phase}, {"Metric", m_metric}};
    for (const auto& [name, choice] : choices) {
        auto* label = new QLabel(name, this);
        label->setBuddy(choice);
        line->addWidget(label);
        line->addWidget(choice, choice == m_workload ? 1 : 0);
    }
    line->addStretch(1);
    line->addWidget(save_button);
    return bar;
}

void RawSamples::show_sheet(std::shared_ptr<const review::Sheet> sheet) {
    m_sheet = std::move(sheet);
    fill_choices();
    redraw();
}

void RawSamples::clear() {
    m_sheet.reset();
    for (QComboBox* choice : {m_workload, m_phase, m_metric}) {
        const QSignalBlocker blocker(choice);
        choice->clear();
    }
    redraw();
}

void RawSamples::fill_choices() {
    const QSignalBlocker blockers[] = {QSignalBlocker(m_workload), QSignalBlocker(m_phase), QSignalBlocker(m_metric)};
    for (QComboBox* choice : {m_workload, m_phase, m_metric})
        choice->clear();
    for (const review::WorkloadRow& row : m_sheet->rows)
        m_workload->addItem(QString("%1 (%2)").arg(shown(row.name), row.role == Role::tuning ? "tuning" : "held-out"),
                            QByteArray::fromStdString(row.name));
    m_phase->addItem("all", QByteArray());
    std::vector<std::string> phases;
    for (const review::RunPoint& run : m_sheet->runs)
        if (std::find(phases.begin(), phases.end(), run.phase) == phases.end())
            phases.push_back(run.phase);
    for (const std::string& phase : phases)
        m_phase->addItem(shown(phase), QByteArray::fromStdString(phase));
    m_metric->addItem(shown(m_sheet->metric), objective);
    const std::pair<const char*, Metric> others[] = {{"wall", wall}, {"cpu", cpu}, {"peak-memory", memory}};
    for (const auto& [name, metric] : others)
        if (m_sheet->metric != name)
            m_metric->addItem(name, metric);
}

void RawSamples::redraw() {
    std::vector<SamplePoint> points;
    std::map<std::string, int> without;
    const std::string workload = m_workload->currentData().toByteArray().toStdString();
    const std::string phase = m_phase->currentData().toByteArray().toStdString();
    const int metric = m_metric->currentData().toInt();
    double largest = 0;
    if (m_sheet)
        for (const review::RunPoint& run : m_sheet->runs) {
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
    const QString stored = metric == memory      ? "bytes"
                           : metric == objective ? (m_sheet ? shown(m_sheet->unit) : QString())
                                                 : QString("s");
    const Unit unit = unit_for(stored, largest);
    for (SamplePoint& point : points)
        point.value *= unit.factor;
    const QString axis =
        unit.name.isEmpty() ? m_metric->currentText() : QString("%1 (%2)").arg(m_metric->currentText(), unit.name);
    for (SamplePlot* plot : {m_strip, m_ecdf, m_order})
        plot->show_points(points, axis);
    QString note = QString("%1 runs, warm-ups left out. ○ ┄ baseline   ● ─ candidate   ┃ median").arg(points.size());
    for (const auto& [ending, count] : without)
        note += QString("   %1 without a number: %2").arg(count).arg(shown(ending));
    m_note->setText(note);
}

void RawSamples::save() {
    if (m_sheet)
        save_as(this, "Save the raw samples", QString("trial-%1-samples.csv").arg(m_sheet->number),
                review::samples_csv(*m_sheet));
}

} // namespace holdfast::desktop
