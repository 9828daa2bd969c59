// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/quality.hpp"

#include "core/decision/verdict.hpp"
#include "core/stats/estimate.hpp"
#include "core/stats/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holdfast::decision {

namespace {

constexpr double mad_to_sigma = 1.4826; ///< of a normal distribution
constexpr double negligible = 1e-6;     ///< share of the margin that is shown as none: what bisection leaves of 0

/// candidate - baseline, in the unit of the margin. Any loss from nothing is without bound.
double change_of(const SeedQuality& seed, const QualityDemand& demand) {
    const double change = seed.candidate - seed.baseline;
    return demand.relative && change != 0 ? change / std::abs(seed.baseline) : change;
}

/// Positive is better.
double gain_of(const SeedQuality& seed, const QualityDemand& demand) {
    return demand.better == Better::higher ? change_of(seed, demand) : -change_of(seed, demand);
}

std::string amount(double change, const QualityDemand& demand) {
    if (std::abs(change) < negligible * demand.margin)
        return "0";
    if (demand.relative)
        return percent_text(change, 2);
    if (std::isinf(change))
        return change < 0 ? "−∞" : "∞";
    return fmt::format("{}{:.4g}", change < 0 ? "−" : "+", std::abs(change));
}

const char* unit(const QualityDemand& demand) {
    return demand.relative ? " %" : "";
}

} // namespace

void judge_quality(QualitySeen& seen, double alpha) {
    const double margin = seen.demand.margin;
    stats::EProcess kept(-margin), lost(margin), not_better(-margin);
    std::vector<double> changes, baselines;
    double log_e_equivalent = 0;
    for (std::size_t i = 0; i < seen.seeds.size(); ++i) {
        const double gain = gain_of(seen.seeds[i], seen.demand);
        kept.add(gain);
        lost.add(-gain);
        not_better.add(-gain);
        seen.log_e_kept = std::max(seen.log_e_kept, kept.log_e());
        seen.log_e_lost = std::max(seen.log_e_lost, lost.log_e());
        log_e_equivalent = std::max(log_e_equivalent, not_better.log_e());
        changes.push_back(change_of(seen.seeds[i], seen.demand));
        baselines.push_back(seen.seeds[i].baseline);
        if (!seen.worst || gain < gain_of(seen.seeds[*seen.worst], seen.demand))
            seen.worst = i;
    }
    const double shown = std::log(quality_threshold);
    seen.lost = seen.log_e_lost >= shown;
    seen.kept = seen.log_e_kept >= shown && !seen.lost;
    seen.equivalent = seen.kept && log_e_equivalent >= shown;
    seen.estimate = stats::hodges_lehmann(changes);
    const stats::Interval interval = stats::confidence_sequence(changes, alpha);
    seen.low = interval.low;
    seen.high = interval.high;
    seen.baseline_spread = mad_to_sigma * stats::median_absolute_deviation(baselines);
}

std::string describe(const QualitySeen& seen) {
    const QualityDemand& demand = seen.demand;
    const std::string what =
        fmt::format("{} on workload \"{}\"", seen.metric.empty() ? "quality" : seen.metric, seen.workload);
    const std::string margin =
        demand.relative ? fmt::format("{:.4g} %", 100 * demand.margin) : fmt::format("{:.6g}", demand.margin);
    const std::string shown = seen.lost         ? "shown to be more than " + margin + " worse"
                              : seen.equivalent ? "shown to differ by at most " + margin
                              : seen.kept       ? "shown to be at most " + margin + " worse"
                                                : "not shown to be at most " + margin + " worse";
    const std::string e = seen.lost ? fmt::format("E = {:.3g}", std::exp(seen.log_e_lost))
                          : seen.kept
                              ? fmt::format("E = {:.3g}", std::exp(seen.log_e_kept))
                              : fmt::format("E = {:.3g} of {:.3g}", std::exp(seen.log_e_kept), quality_threshold);
    const bool open = std::isinf(seen.low) && std::isinf(seen.high);
    const std::string range = open ? "could be anything"
                                   : fmt::format("{}{} [{}, {}]", amount(seen.estimate, demand), unit(demand),
                                                 amount(seen.low, demand), amount(seen.high, demand));
    return fmt::format("{}: {} over {} seed{} ({}; {}; {} is better)", what, shown, seen.seeds.size(),
                       seen.seeds.size() == 1 ? "" : "s", e, range,
                       demand.better == Better::higher ? "higher" : "lower");
}

std::string worst_words(const QualitySeen& seen) {
    if (!seen.worst)
        return "";
    const SeedQuality& worst = seen.seeds[*seen.worst];
    return fmt::format("worst seed {}: {:.6g} instead of {:.6g}; over the seeds the baseline itself spreads by {:.3g}",
                       worst.seed, worst.candidate, worst.baseline, seen.baseline_spread);
}

} // namespace holdfast::decision
