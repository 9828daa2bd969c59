// SPDX-License-Identifier: GPL-3.0-or-later
// An estimate over all rounds hides a part of them: what knows three of four inputs by heart gains on the whole.
#include "core/review/uneven.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/stats/estimate.hpp"
#include "core/study/paired_values.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

constexpr std::size_t named = 4; ///< seeds; a person needs no more to look into it

struct Found {
    std::size_t count = 0;
    std::string text;
};

/// Log ratios, positive: better.
using LogRatios = std::vector<double>;

decision::Effect effect_of(const LogRatios& d, double alpha) {
    decision::Effect effect;
    effect.estimate = stats::hodges_lehmann(d);
    effect.interval = stats::confidence_sequence(d, alpha);
    effect.rounds = d.size();
    return effect;
}

/// By seed, in the order that rounds take them.
std::vector<LogRatios> by_seed(const Workload& workload, const std::vector<study::PairedValue>& pairs, Better better) {
    std::vector<LogRatios> seeds(workload.fresh_seeds > 0 ? static_cast<std::size_t>(workload.fresh_seeds)
                                                          : workload.seeds.size());
    for (const study::PairedValue& pair : pairs)
        if (pair.workload == workload.name)
            seeds[static_cast<std::size_t>(pair.round - 1) % seeds.size()].push_back(
                decision::log_ratio({pair.baseline, pair.candidate}, better));
    return seeds;
}

std::string seed_text(const Workload& workload, std::size_t place) {
    return workload.fresh_seeds > 0 ? fmt::format("fresh seed {} of {}", place + 1, workload.fresh_seeds)
                                    : fmt::format("seed {}", workload.seeds[place]);
}

void look_at(const Workload& workload, const std::vector<LogRatios>& seeds, const DecisionSettings& settings,
             Better better, Found& found) {
    LogRatios all;
    for (const LogRatios& seed : seeds)
        all.insert(all.end(), seed.begin(), seed.end());
    const decision::Effect whole = effect_of(all, settings.false_proposal_rate);
    if (!(whole.estimate >= decision::improvement_by(settings.minimum_effect, better) - decision::rounding) ||
        !(whole.estimate > decision::rounding))
        return;
    for (std::size_t place = 0; place < seeds.size(); ++place) {
        const decision::Effect seed = effect_of(seeds[place], settings.false_proposal_rate);
        if (seed.interval.high < whole.estimate / 2 - decision::rounding && found.count++ < named)
            found.text +=
                fmt::format("{}{}, {}: {} over {} rounds, the whole {} over {}", found.text.empty() ? "" : "; ",
                            printable(workload.name), seed_text(workload, place), decision::describe(seed, better),
                            seed.rounds, decision::describe(whole, better), whole.rounds);
    }
}

} // namespace

std::optional<Flag> uneven_gain(const study::VerdictRecord& verdict, const std::vector<study::SampleRecord>& samples,
                                const Project& project) {
    if (!verdict.proposal)
        return std::nullopt;
    Found found;
    for (const Workload& workload : project.workloads) {
        if (workload.fresh_seeds < 2 && (workload.fresh_seeds == 1 || workload.seeds.size() < 2))
            continue;
        const Metric& metric = claimed_metric(project, nlohmann::json::parse(verdict.effects_json, nullptr, false));
        const auto pairs =
            study::paired_values(samples, metric.name, workload.role == Role::tuning ? "confirm" : "holdout");
        look_at(workload, by_seed(workload, pairs, metric.better), project.decision, metric.better, found);
    }
    if (found.count == 0)
        return std::nullopt;
    return Flag{"uneven gain",
                fmt::format("Less than half of the gain is shown on: {}{}. A change that knows some inputs by heart "
                            "looks like this.",
                            found.text, found.count > named ? fmt::format("; and {} more", found.count - named) : "")};
}

} // namespace holdfast::review
