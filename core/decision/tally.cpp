// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/tally.hpp"

#include "core/stats/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace holdfast::decision {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Rule normalised(Rule rule) {
    double total = 0;
    for (const RuleWorkload& workload : rule.workloads)
        total += workload.weight;
    for (RuleWorkload& workload : rule.workloads)
        workload.weight /= total;
    return rule;
}

/// Of the last `count` pairs.
double mean_ratio(const std::vector<Pair>& pairs, std::size_t count) {
    double baseline = 0, candidate = 0;
    for (std::size_t i = pairs.size() - count; i < pairs.size(); ++i) {
        baseline += pairs[i].baseline;
        candidate += pairs[i].candidate;
    }
    return candidate / baseline;
}

} // namespace

Tally::Tally(Rule rule, Claim claim)
    : rule_(normalised(std::move(rule))),
      objective_((claim == Claim::minimum_effect ? improvement_by(rule_.minimum_effect, rule_.better) : 0) +
                 rounding_of(rule_.revision)) {
    observed_.reserve(rule_.workloads.size());
    for (const RuleWorkload& workload : rule_.workloads)
        observed_.push_back({{}, {}, guards_of(rule_, workload)});
}

void Tally::add(const Round& round) {
    double weighted = 0;
    for (std::size_t k = 0; k < observed_.size(); ++k) {
        const WorkloadPairs missing{{nan, nan}, {}};
        const WorkloadPairs& pairs = k < round.workloads.size() ? round.workloads[k] : missing;
        Observed& seen = observed_[k];
        seen.pairs.push_back(pairs.objective);
        seen.d.push_back(log_ratio(pairs.objective, rule_.better));
        weighted += rule_.workloads[k].weight * seen.d.back();
        for (GuardWatch& guard : seen.guards)
            guard.add(pairs);
        const int tail = rule_.revision >= 2 ? tail_score(rule_, rule_.workloads[k], pairs.objective) : 0;
        tails_worse_ += tail < 0 ? 1 : 0;
        tails_better_ += tail > 0 ? 1 : 0;
    }
    objective_d_.push_back(weighted);
    objective_.add(weighted);
    best_ = std::max(best_, objective_.log_e());
    best_centre_ = std::max(best_centre_, objective_.log_e_centre());
    best_median_ = std::max(best_median_, objective_.log_e_median());
}

bool Tally::limit_worse() const {
    return any_guard(
        [](const GuardWatch& watch) { return watch.guard().worse && watch.guard().kind == Guard::Kind::limit; });
}

bool Tally::own_worse() const {
    return any_guard(
        [](const GuardWatch& watch) { return watch.guard().worse && watch.guard().kind != Guard::Kind::limit; });
}

bool Tally::any_open() const {
    return any_guard([](const GuardWatch& watch) { return watch.open(); });
}

std::vector<Guard> Tally::guards() const {
    std::vector<Guard> result;
    for (const Observed& seen : observed_)
        for (const GuardWatch& guard : seen.guards)
            if (guard.exists())
                result.push_back(guard.guard());
    return result;
}

Effect Tally::effect(const std::vector<double>& d, std::size_t headline) const {
    Effect result;
    result.rounds = headline > 0 ? headline : d.size();
    result.estimate = stats::hodges_lehmann({d.end() - static_cast<std::ptrdiff_t>(result.rounds), d.end()});
    result.interval = stats::confidence_sequence(d, rule_.alpha);
    if (rule_.revision >= 2 && std::isfinite(result.estimate)) {
        // The last rounds may differ from all of them, as where inputs do. A wider interval holds as well.
        result.interval.low = std::min(result.interval.low, result.estimate);
        result.interval.high = std::max(result.interval.high, result.estimate);
    }
    return result;
}

Assessment Tally::assessment(std::size_t headline) const {
    Assessment result;
    result.objective = effect(objective_d_, headline);
    double log_mean_ratio = 0;
    for (std::size_t k = 0; k < observed_.size(); ++k) {
        Effect workload = effect(observed_[k].d, headline);
        workload.mean_ratio = mean_ratio(observed_[k].pairs, workload.rounds);
        log_mean_ratio += rule_.workloads[k].weight * std::log(workload.mean_ratio);
        result.workloads.push_back(workload);
    }
    result.objective.mean_ratio = std::exp(log_mean_ratio);
    result.guards = guards();
    result.log_e = best_;
    result.rounds = rounds();
    result.headline_rounds = headline;
    result.tails_worse = tails_worse_;
    result.tails_better = tails_better_;
    return result;
}

} // namespace holdfast::decision
