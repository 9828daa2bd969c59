// SPDX-License-Identifier: GPL-3.0-or-later
// The measured part of a sheet: rows with their dots, runs, resources and checks.
#include "core/decision/verdict.hpp"
#include "core/project/card.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/stats/estimate.hpp"
#include "core/study/paired_values.hpp"
#include "core/study/session.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double wide_spread = 0.05;    ///< of pairs, as a fraction of the baseline
constexpr double mad_to_sigma = 1.4826; ///< of a normal distribution

bool sound(const std::string& metrics) {
    const json parsed = json::parse(metrics, nullptr, false);
    return parsed.is_object() &&
           std::all_of(parsed.begin(), parsed.end(), [](const json& value) { return value.is_number(); });
}

bool is_member(const json& object, const char* key, const char* text) {
    return object.contains(key) && object.at(key) == text;
}

bool is_true(const json& object, const char* key) {
    return object.contains(key) && object.at(key) == true;
}

std::string word(const json& object, const char* key) {
    return object.contains(key) && object.at(key).is_string() ? printable(object.at(key).get<std::string>()) : "";
}

void add_guards(const json& side, WorkloadRow& row) {
    for (const json& guard : member(side, "guards")) {
        if (!guard.is_object() || word(guard, "workload") != row.name)
            continue;
        const bool tail = is_member(guard, "kind", "tail");
        const std::string what =
            tail ? "more runs than the baseline's lie far from the usual"
                 : fmt::format("{} {}", is_member(guard, "kind", "limit") ? word(guard, "metric") : "objective",
                               word(guard, "demand"));
        if (is_true(guard, "worse")) {
            row.broken = true;
            row.notes.push_back(tail ? "shown: " + what : "shown not to hold: " + what);
        } else if (!tail && !is_true(guard, "safe"))
            row.notes.push_back("not settled: " + what);
    }
}

void add_spread(WorkloadRow& row) {
    const double spread = mad_to_sigma * stats::median_absolute_deviation(row.dots);
    if (row.dots.size() > 1 && spread > wide_spread)
        row.notes.push_back(fmt::format("wide spread: pairs differ by {:.0f} % of the baseline", 100 * spread));
}

bool ran_right(const Dossier& dossier, const std::string& workload) {
    bool any = false;
    for (const study::SampleRecord& sample : dossier.samples)
        if (sample.arm == "candidate" && sample.workload == workload) {
            any = true;
            if (sample.ending != "ok")
                return false;
        }
    return any;
}

/// "confirm", or "screen" for a trial that ended there.
std::string tuning_phase(const Dossier& dossier) {
    const bool confirmed = std::any_of(dossier.samples.begin(), dossier.samples.end(),
                                       [](const study::SampleRecord& sample) { return sample.phase == "confirm"; });
    return confirmed ? "confirm" : "screen";
}

/// The rounds that the estimate of `side` rests on, the last ones.
std::vector<decision::Round> estimate_rounds(const Dossier& dossier, Role role, const json& side) {
    const std::string phase = role == Role::tuning ? tuning_phase(dossier) : "holdout";
    std::vector<study::SampleRecord> samples;
    std::copy_if(dossier.samples.begin(), dossier.samples.end(), std::back_inserter(samples),
                 [&](const study::SampleRecord& each) { return each.phase == phase && sound(each.metrics_json); });
    auto rounds = study::rounds_of(*dossier.project, dossier.project->with_role(role), samples,
                                   study::quarantine_rule(dossier.study.opening_json));
    const json& headline = member(side, "headline-rounds");
    const std::size_t last = headline.is_number_unsigned() ? headline.get<std::size_t>() : 0;
    if (role == Role::tuning && last >= 2 && last < rounds.size())
        rounds.erase(rounds.begin(), rounds.end() - static_cast<std::ptrdiff_t>(last));
    return rounds;
}

const decision::Pair& pair_of(const decision::WorkloadPairs& pairs, std::size_t objective) {
    return objective == 0 ? pairs.objective : pairs.others.at(objective - 1);
}

void add_rows(const Dossier& dossier, const json& effects, Role role, std::vector<WorkloadRow>& rows) {
    const json& side = side_of(effects, role);
    const json& measured = member(side, "workloads");
    if (!measured.is_array())
        return;
    const std::size_t claimed = claimed_objective(*dossier.project, effects);
    const Better better = claimed_metric(*dossier.project, effects).better;
    const auto workloads = dossier.project->with_role(role);
    const auto rounds = estimate_rounds(dossier, role, side);
    for (std::size_t i = 0; i < workloads.size() && i < measured.size(); ++i) {
        WorkloadRow row;
        row.name = printable(workloads[i]->name);
        row.role = role;
        row.card = printable(card_text(workloads[i]->card));
        row.effect = effect_view(measured[i], better, dossier.project->decision.minimum_effect);
        for (const decision::Round& round : rounds) {
            const decision::Pair& pair = pair_of(round.workloads[i], claimed);
            row.dots.push_back(decision::as_change(decision::log_ratio(pair, better), better));
            row.baseline.push_back(pair.baseline);
            row.candidate.push_back(pair.candidate);
        }
        row.checked = !workloads[i]->check.empty();
        row.right = row.checked && ran_right(dossier, workloads[i]->name);
        if (row.effect.direction == EffectView::Direction::unclear)
            row.notes.push_back(effect_words(row.effect));
        add_guards(side, row);
        add_spread(row);
        rows.push_back(std::move(row));
    }
}

/// "120 MiB → 169 MiB", "0.31 s → 0.29 s": the baseline's median and what the change makes of it. The median of the
/// candidate's own values would be another estimator, and may contradict the change of the pairs.
std::string values_text(const Dossier& dossier, const ResourceMedian& median) {
    std::vector<double> baseline;
    for (const study::PairedValue& pair : study::paired_values(dossier.samples, median.metric, "confirm"))
        baseline.push_back(pair.baseline);
    const double before = stats::median(std::move(baseline)), after = before * (1 + median.change);
    if (median.metric == "peak-memory")
        return fmt::format("{} → {}", bytes_text(before), bytes_text(after));
    return fmt::format("{:.3g} s → {:.3g} s", before, after);
}

} // namespace

const json& member(const json& object, const char* key) {
    static const json nothing;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? *found : nothing;
}

const json& side_of(const json& effects, Role role) {
    return member(effects, role == Role::tuning ? "tuning" : "holdout");
}

std::vector<WorkloadRow> workload_rows(const Dossier& dossier, const json& effects) {
    std::vector<WorkloadRow> rows;
    add_rows(dossier, effects, Role::tuning, rows);
    add_rows(dossier, effects, Role::holdout, rows);
    return rows;
}

namespace {

/// What became of each attempt at each round of a phase.
study::Replay replay_of_phase(const Dossier& dossier, const std::string& phase) {
    std::vector<study::SampleRecord> samples;
    std::vector<const Workload*> workloads;
    for (const study::SampleRecord& sample : dossier.samples)
        if (sample.phase == phase && sound(sample.metrics_json))
            samples.push_back(sample);
    for (const Workload& workload : dossier.project->workloads)
        if (std::any_of(samples.begin(), samples.end(),
                        [&](const study::SampleRecord& sample) { return sample.workload == workload.name; }))
            workloads.push_back(&workload);
    return study::replay_of(*dossier.project, workloads, samples, study::quarantine_rule(dossier.study.opening_json));
}

RunPoint::Counted counted(const study::Replay& replay, const study::SampleRecord& sample) {
    if (sample.round == 0)
        return RunPoint::Counted::warm_up;
    const auto found = replay.whole.find({sample.round, sample.attempt});
    if (found == replay.whole.end())
        return RunPoint::Counted::incomplete;
    return found->second ? RunPoint::Counted::yes : RunPoint::Counted::dropped;
}

} // namespace

std::vector<RunPoint> run_points(const Dossier& dossier, const std::string& metric) {
    std::vector<RunPoint> runs;
    std::map<std::string, study::Replay> replays; // by phase
    for (const study::SampleRecord& sample : dossier.samples) {
        RunPoint run;
        run.workload = printable(sample.workload);
        for (const Workload& workload : dossier.project->workloads)
            if (workload.name == sample.workload)
                run.role = workload.role;
        run.phase = printable(sample.phase);
        run.session = sample.session;
        run.round = sample.round;
        run.attempt = sample.attempt;
        const auto [replay, added] = replays.try_emplace(sample.phase);
        if (added)
            replay->second = replay_of_phase(dossier, sample.phase);
        run.counted = counted(replay->second, sample);
        run.candidate = sample.arm == "candidate";
        run.first = sample.slot == 0;
        const json metrics = json::parse(sample.metrics_json, nullptr, false);
        const json& objective = member(metrics, metric.c_str());
        run.objective = objective.is_number() ? objective.get<double>() : unknown;
        run.wall_seconds = std::chrono::duration<double>(sample.usage.wall).count();
        run.cpu_seconds = std::chrono::duration<double>(sample.usage.user + sample.usage.system).count();
        run.peak_memory_bytes = static_cast<double>(sample.usage.peak_memory_bytes);
        run.ending = printable(sample.ending);
        run.started = printable(sample.started);
        runs.push_back(std::move(run));
    }
    return runs;
}

std::vector<ResourceChange> resource_changes(const Dossier& dossier) {
    std::vector<ResourceChange> changes;
    for (const ResourceMedian& median : resource_medians(dossier)) {
        const auto& objectives = dossier.project->objectives;
        if (median.metric == dossier.project->objective ||
            std::find(objectives.begin(), objectives.end(), median.metric) != objectives.end())
            continue;
        changes.push_back({median.metric, median.change,
                           fmt::format("{} {} % ({})", median.metric,
                                       decision::percent_text(median.change, std::abs(median.change) < 0.1 ? 1 : 0),
                                       values_text(dossier, median))});
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const ResourceChange& a, const ResourceChange& b) { return a.change > b.change; });
    return changes;
}

void count_checks(const Dossier& dossier, Sheet& sheet) {
    const auto correct = std::find_if(dossier.gates.begin(), dossier.gates.end(),
                                      [](const study::GateRecord& gate) { return gate.gate == "correct"; });
    if (correct == dossier.gates.end()) {
        sheet.checks_text = "not run";
        return;
    }
    if (correct->result != "pass") { // which of them came before the one that failed is not known
        sheet.checks = 1;
        sheet.checks_text = "failed: " + printable(correct->reason);
        return;
    }
    if (!dossier.project->code.test.empty()) {
        ++sheet.checks;
        ++sheet.checks_passed;
    }
    for (const Workload& workload : dossier.project->workloads) {
        const bool asked = workload.role == Role::tuning ||
                           std::any_of(dossier.samples.begin(), dossier.samples.end(),
                                       [](const study::SampleRecord& sample) { return sample.phase == "holdout"; });
        if (workload.check.empty() || !asked)
            continue;
        ++sheet.checks;
        sheet.checks_passed += ran_right(dossier, workload.name) ? 1 : 0;
    }
    sheet.checks_text = sheet.checks == 0 ? "none" : fmt::format("{} of {} passed", sheet.checks_passed, sheet.checks);
}

} // namespace holdfast::review
