// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/desktop/plot_values.hpp"

#include "core/decision/verdict.hpp"
#include "tests/desktop/sheets.hpp"

#include <cmath>
#include <fmt/format.h>

namespace holdfast::test {

namespace {

using review::EffectView;

review::Sheet numbered(review::Sheet sheet, std::int64_t number, const std::string& study) {
    sheet.number = number;
    sheet.provenance = {{"study", study}};
    return sheet;
}

void add_workloads(review::Comparison& comparison) {
    for (const review::WorkloadRow& row : comparison.trials.front().rows) {
        review::ComparedWorkload workload;
        workload.name = row.name;
        workload.role = row.role;
        for (const review::Sheet& sheet : comparison.trials)
            for (const review::WorkloadRow& each : sheet.rows)
                if (each.name == row.name) {
                    workload.effects.push_back(each.effect);
                    workload.baseline.push_back(each.baseline);
                    workload.candidate.push_back(each.candidate);
                }
        comparison.workloads.push_back(std::move(workload));
    }
}

study::BaselineSeries series(const std::string& workload, const std::string& metric, const std::string& unit,
                             std::size_t sessions, double level) {
    study::BaselineSeries made{workload, metric, unit, Better::lower, {}, {}};
    for (std::size_t i = 0; i < sessions; ++i) {
        study::BaselinePoint point;
        point.study = static_cast<std::int64_t>(i / 2 + 1);
        point.phase = i % 2 == 0 ? "opening" : "confirm";
        point.time = fmt::format("2026-01-{:02}T09:00:00.000Z", i + 1);
        point.commit = std::string(40, 'a');
        point.median = level * (i < 18 ? 1 : 1.08) * (1 + 0.004 * std::sin(static_cast<double>(i) * 2.3));
        point.low = point.median * 0.99;
        point.high = point.median * 1.012;
        point.samples = 12;
        made.points.push_back(point);
    }
    return made;
}

EffectView effect(double estimate, double half) {
    EffectView view;
    view.estimate = estimate;
    view.low = estimate - half;
    view.high = estimate + half;
    view.rounds = 40;
    view.direction = view.high < 0  ? EffectView::Direction::better
                     : view.low > 0 ? EffectView::Direction::worse
                                    : EffectView::Direction::unclear;
    view.text = fmt::format("{} % [{}, {}]", decision::percent_text(estimate), decision::percent_text(view.low),
                            decision::percent_text(view.high));
    return view;
}

review::FrontPoint point(std::int64_t trial, const std::vector<double>& changes, bool on_front, bool certain) {
    review::FrontPoint made;
    made.trial = trial;
    made.id = fmt::format("trial-{}", trial);
    made.verdict = trial == 0 ? "" : on_front ? "generalises" : "no-effect";
    for (const double change : changes)
        made.effects.push_back(effect(change, trial == 0 ? 0 : 0.008));
    made.on_front = on_front;
    made.certain = certain;
    return made;
}

} // namespace

desktop::Compared compared() {
    auto comparison = std::make_shared<review::Comparison>();
    comparison->trials = {numbered(*good().sheet, 184, "1"), numbered(*overfit().sheet, 185, "1"),
                          numbered(*flagged().sheet, 186, "2")};
    comparison->knobs = {{"block_rows", {"24", "512", "24"}}, {"prefetch", {"true", "false", "false"}}};
    comparison->machines = {{}, {}, {"governor: powersave → performance"}};
    comparison->warnings = {"measured on different machines: the changes are not on one scale",
                            "decided in different studies: each has its own share of false proposals"};
    add_workloads(*comparison);
    return {comparison, 0.1};
}

std::shared_ptr<const desktop::History> baseline_history() {
    auto history = std::make_shared<desktop::History>();
    study::BaselineSeries wall = series("report-join", "wall", "s", 30, 0.25);
    wall.changes = {{18, 0.25, 0.27, 0.005}};
    wall.points[9].machine_changes = {"kernel: 6.1.0 → 6.1.1"};
    history->series = {wall, series("report-join", "peak-memory", "B", 30, 29e6),
                       series("sort-spill", "wall", "s", 1, 1.4)};
    study::ImportRecord import;
    import.machine_json = R"({"cpu":"Xeon","cores":16})";
    import.verdict = "generalises";
    import.effects_json = "{}";
    import.baseline_commit = std::string(40, 'c');
    import.isolation_level = 4;
    import.recomputed = true;
    import.time = "2026-01-20T10:00:00.000Z";
    history->imports = {import};
    desktop::ImportedFile file;
    file.record.name = "bench.json";
    file.record.format = "google-benchmark";
    file.record.time = import.time;
    file.benchmarks = {"BM_Scan/1024", "BM_Scan/2048"};
    history->files = {file};
    return history;
}

std::vector<review::Front> fronts() {
    review::Front three, two;
    three.study = "study-2";
    three.number = 2;
    three.objectives = {"wall", "peak-memory", "rows"};
    three.units = {"s", "B", ""};
    three.better = {Better::lower, Better::lower, Better::higher};
    three.points = {point(0, {0, 0, 0}, true, false), point(1, {-0.03, 0.02, 0.05}, true, true)};
    two.study = "study-5";
    two.number = 5;
    two.objectives = {"wall", "peak-memory"};
    two.units = {"s", "B"};
    two.better = {Better::lower, Better::lower};
    two.points = {point(0, {0, 0}, false, false),          point(3, {-0.081, 0.012}, true, true),
                  point(4, {-0.047, -0.051}, true, false), point(5, {-0.02, -0.01}, false, false),
                  point(6, {0.012, -0.094}, true, true),   point(7, {0.031, 0.042}, false, false)};
    two.points.back().holds = false;
    two.points[3].verdict = "generalises";
    return {three, two};
}

} // namespace holdfast::test
