// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/quality.hpp"

#include "core/decision/verdict.hpp"
#include "core/stats/estimate.hpp"
#include "core/stats/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>

namespace holdfast::decision {

namespace {

constexpr double mad_to_sigma = 1.4826; ///< of a normal distribution
constexpr double negligible = 1e-6;     ///< share of the margin that is shown as none: what bisection leaves of 0

const stats::LogE shown = std::log(quality_threshold);

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
    if (std::isinf(change))
        return change < 0 ? "−∞" : "∞";
    if (std::abs(change) < negligible * demand.margin)
        return "0";
    if (demand.relative)
        return percent_text(change, 2);
    return fmt::format("{}{:.4g}", change < 0 ? "−" : "+", std::abs(change));
}

const char* unit(const QualityDemand& demand) {
    return demand.relative ? " %" : "";
}

std::string margin_text(const QualityDemand& demand) {
    return demand.relative ? fmt::format("{:.4g} %", 100 * demand.margin) : fmt::format("{:.6g}", demand.margin);
}

/// ln E of so many signs for a claim and against it. Signs are bet on with fixed stakes, so their order is no matter.
stats::LogE log_e_of_signs(std::size_t for_it, std::size_t against) {
    stats::SignProcess signs;
    for (std::size_t i = 0; i < for_it; ++i)
        signs.add(1);
    for (std::size_t i = 0; i < against; ++i)
        signs.add(-1);
    return signs.log_e();
}

/// Against "the median of `values` is at most `bound`". A value at the bound is no evidence.
stats::LogE log_e_above(const std::vector<double>& values, double bound) {
    const auto count = [&](auto compare) {
        return static_cast<std::size_t>(
            std::count_if(values.begin(), values.end(), [&](double value) { return compare(value, bound); }));
    };
    return log_e_of_signs(count(std::greater<>()), count(std::less<>()));
}

/// The medians that neither test of `values` excludes: between two of the values in order, or all numbers.
stats::Interval median_interval(std::vector<double> values) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::sort(values.begin(), values.end());
    stats::Interval interval{-infinity, infinity};
    for (std::size_t below = 0; 2 * below < values.size(); ++below) {
        if (log_e_of_signs(values.size() - below, below) < shown)
            break;
        interval = {values[below], values[values.size() - 1 - below]};
    }
    return interval;
}

} // namespace

void judge_quality(QualitySeen& seen) {
    const double margin = seen.demand.margin;
    std::vector<double> gains, losses, changes, baselines;
    for (std::size_t i = 0; i < seen.seeds.size(); ++i) {
        gains.push_back(gain_of(seen.seeds[i], seen.demand));
        losses.push_back(-gains.back());
        changes.push_back(change_of(seen.seeds[i], seen.demand));
        baselines.push_back(seen.seeds[i].baseline);
        if (!seen.worst || gains[i] < gains[*seen.worst])
            seen.worst = i;
    }
    seen.beyond = static_cast<std::size_t>(
        std::count_if(gains.begin(), gains.end(), [&](double gain) { return gain < -margin; }));
    seen.estimate = stats::hodges_lehmann(changes);
    if (std::isnan(seen.estimate))
        seen.estimate = stats::median(changes); // one without bound has no mean with another
    const stats::Interval interval = median_interval(changes);
    // Where seeds fall into groups, the middle of all pairs can lie outside what the signs leave: show both.
    seen.low = std::isnan(seen.estimate) ? interval.low : std::min(interval.low, seen.estimate);
    seen.high = std::isnan(seen.estimate) ? interval.high : std::max(interval.high, seen.estimate);
    const bool higher = seen.demand.better == Better::higher;
    const double least = higher ? seen.low : -seen.high, most = higher ? seen.high : -seen.low;
    seen.log_e_kept = log_e_above(gains, -margin);
    seen.log_e_lost = log_e_above(losses, margin);
    seen.kept = seen.log_e_kept >= shown && least >= -margin;
    seen.lost = seen.log_e_lost >= shown && most <= -margin;
    seen.equivalent = seen.kept && log_e_above(losses, -margin) >= shown && most <= margin;
    seen.baseline_spread = mad_to_sigma * stats::median_absolute_deviation(baselines);
}

std::string describe(const QualitySeen& seen) {
    const QualityDemand& demand = seen.demand;
    const std::string what =
        fmt::format("{} on workload \"{}\"", seen.metric.empty() ? "quality" : seen.metric, seen.workload);
    const std::string margin = margin_text(demand);
    const std::string claim = seen.lost         ? "shown to be more than " + margin + " worse"
                              : seen.equivalent ? "shown to differ by at most " + margin
                              : seen.kept       ? "shown to be at most " + margin + " worse"
                                                : "not shown to be at most " + margin + " worse";
    const std::string e = seen.lost ? fmt::format("E = {:.3g}", std::exp(seen.log_e_lost))
                          : seen.kept
                              ? fmt::format("E = {:.3g}", std::exp(seen.log_e_kept))
                              : fmt::format("E = {:.3g} of {:.3g}", std::exp(seen.log_e_kept), quality_threshold);
    const bool open = std::isinf(seen.low) && std::isinf(seen.high) && seen.low < seen.high;
    const std::string range = open ? "could be anything"
                                   : fmt::format("{}{} [{}, {}]", amount(seen.estimate, demand), unit(demand),
                                                 amount(seen.low, demand), amount(seen.high, demand));
    return fmt::format("{}: {} over {} seed{} ({}; {}; {} is better)", what, claim, seen.seeds.size(),
                       seen.seeds.size() == 1 ? "" : "s", e, range,
                       demand.better == Better::higher ? "higher" : "lower");
}

std::string worst_words(const QualitySeen& seen) {
    if (!seen.worst)
        return "";
    const SeedQuality& worst = seen.seeds[*seen.worst];
    const std::string beyond = seen.beyond == 0
                                   ? ""
                                   : fmt::format("; {} of {} seed{} lost more than {}", seen.beyond, seen.seeds.size(),
                                                 seen.seeds.size() == 1 ? "" : "s", margin_text(seen.demand));
    return fmt::format(
        "worst seed {}: {:.6g} instead of {:.6g}{}; over the seeds the baseline itself spreads by {:.3g}", worst.seed,
        worst.candidate, worst.baseline, beyond, seen.baseline_spread);
}

} // namespace holdfast::decision
