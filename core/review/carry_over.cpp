// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/carry_over.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/stats/estimate.hpp"
#include "core/stats/rank.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

namespace holdfast::review {

namespace {

using nlohmann::json;
using study::SampleRecord;

constexpr double chance = 0.001; ///< of an honest change that is flagged

/// The baseline's numbers by what ran before.
struct Seen {
    std::vector<double> after_candidate, after_baseline;
};

/// A run without the number still is what ran before.
double number_in(const SampleRecord& sample, const std::string& metric) {
    const json metrics = json::parse(sample.metrics_json, nullptr, false);
    const auto value = metrics.is_object() ? metrics.find(metric) : metrics.end();
    return sample.ending == "ok" && value != metrics.end() && value->is_number() ? value->get<double>() : 0;
}

Seen baseline_runs(const std::vector<SampleRecord>& samples, const std::string& workload, std::string_view phase,
                   const std::string& metric) {
    std::vector<const SampleRecord*> runs;
    for (const SampleRecord& sample : samples)
        if (sample.workload == workload && sample.phase == phase)
            runs.push_back(&sample);
    const auto place = [](const SampleRecord* run) {
        return std::tie(run->session, run->round, run->attempt, run->slot);
    };
    std::stable_sort(runs.begin(), runs.end(), [&](const auto* a, const auto* b) { return place(a) < place(b); });
    Seen seen;
    for (std::size_t i = 1; i < runs.size(); ++i) {
        const double value = runs[i]->arm == "baseline" ? number_in(*runs[i], metric) : 0;
        if (value > 0 && runs[i]->session == runs[i - 1]->session)
            (runs[i - 1]->arm == "baseline" ? seen.after_baseline : seen.after_candidate).push_back(value);
    }
    return seen;
}

} // namespace

std::optional<Flag> carry_over(const study::VerdictRecord& verdict, const std::vector<SampleRecord>& samples,
                               const Project& project) {
    if (!verdict.proposal || project.workloads.empty())
        return std::nullopt;
    const Metric& metric = claimed_metric(project, json::parse(verdict.effects_json, nullptr, false));
    std::string text;
    for (const Workload& workload : project.workloads) {
        const Seen seen =
            baseline_runs(samples, workload.name, workload.role == Role::tuning ? "confirm" : "holdout", metric.name);
        const double shared = chance / static_cast<double>(project.workloads.size());
        if (!(stats::rank_sum(seen.after_candidate, seen.after_baseline) < shared))
            continue;
        const double change = stats::median(seen.after_candidate) / stats::median(seen.after_baseline) - 1;
        if ((metric.better == Better::lower ? change : -change) < project.decision.minimum_effect)
            continue;
        text += fmt::format("{}{} {} % on workload {} ({} runs after the candidate's, {} after its own)",
                            text.empty() ? "" : "; ", printable(metric.name), decision::percent_text(change),
                            printable(workload.name), seen.after_candidate.size(), seen.after_baseline.size());
    }
    if (text.empty())
        return std::nullopt;
    return Flag{"slows the next run",
                fmt::format("The baseline is worse right after a run of the candidate than right after one of its own: "
                            "{}. The gain may be what the candidate takes from the baseline, a cache for instance.",
                            text)};
}

} // namespace holdfast::review
