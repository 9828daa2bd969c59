// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/tallies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace holdfast::decision {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool own(const Guard& guard) {
    return guard.kind != Guard::Kind::limit;
}

/// The rule for one objective alone.
Rule rule_of(const Rule& rule, std::size_t objective) {
    Rule single = rule;
    single.others.clear();
    if (objective == 0)
        return single;
    const RuleObjective& other = rule.others[objective - 1];
    single.metric = other.metric;
    single.better = other.better;
    single.limits.clear();
    for (std::size_t i = 0; i < single.workloads.size(); ++i)
        single.workloads[i].opening_median = i < other.opening_medians.size() ? other.opening_medians[i] : 0;
    return single;
}

/// The same round with another objective in the first one's place.
Round round_of(const Round& round, std::size_t objective) {
    Round single;
    for (const WorkloadPairs& pairs : round.workloads)
        single.workloads.push_back(
            {objective - 1 < pairs.others.size() ? pairs.others[objective - 1] : Pair{nan, nan}, {}, {}});
    return single;
}

bool is_harm(const Guard& guard) {
    return guard.kind == Guard::Kind::harm;
}

} // namespace

bool ObjectiveSeen::shown_worse() const {
    return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) { return is_harm(guard) && guard.worse; });
}

bool ObjectiveSeen::out() const {
    return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.worse; });
}

bool Assessment::any_worse() const {
    return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.worse; });
}

bool Assessment::lost() const {
    if (objectives.empty())
        return any_worse() || objective.interval.high < -rounding;
    const bool limit =
        std::any_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.worse && !own(guard); });
    return limit || std::all_of(objectives.begin(), objectives.end(), [](const ObjectiveSeen& seen) {
               return seen.out() || seen.effect.interval.high < -rounding;
           });
}

Tallies::Tallies(Rule rule, Tally::Claim claim) : rule_(std::move(rule)) {
    for (std::size_t i = 0; i <= rule_.others.size(); ++i)
        tallies_.emplace_back(rule_of(rule_, i), claim);
}

void Tallies::add(const Round& round) {
    tallies_.front().add(round);
    for (std::size_t i = 1; i < tallies_.size(); ++i)
        tallies_[i].add(round_of(round, i));
}

stats::LogE Tallies::goal() const {
    return std::log(rule_.threshold * static_cast<double>(tallies_.size()));
}

stats::LogE Tallies::shown() const {
    return std::log(rule_.guard_threshold);
}

bool Tallies::limit_worse() const {
    return tallies_.front().limit_worse();
}

bool Tallies::out(std::size_t objective) const {
    return tallies_[objective].own_worse();
}

bool Tallies::all_out() const {
    for (std::size_t i = 0; i < tallies_.size(); ++i)
        if (!out(i))
            return false;
    return true;
}

bool Tallies::any_open() const {
    return std::any_of(tallies_.begin(), tallies_.end(), [](const Tally& tally) { return tally.any_open(); });
}

bool Tallies::can_reach(std::size_t cap, double errors) const {
    for (std::size_t i = 0; i < tallies_.size(); ++i)
        if (!out(i) && tallies_[i].can_reach(goal(), cap, errors))
            return true;
    return false;
}

std::optional<std::size_t> Tallies::claim() const {
    const bool none_left = all_out(); // then what ends the trial is told of what was accepted
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
        const stats::LogE e = tallies_[i].best_log_e();
        if (e >= goal() && (none_left || !out(i)) && (!best || e > tallies_[*best].best_log_e()))
            best = i;
    }
    return best;
}

stats::LogE Tallies::best_log_e() const {
    stats::LogE best = 0;
    for (const Tally& tally : tallies_)
        best = std::max(best, tally.best_log_e());
    return best;
}

ObjectiveSeen Tallies::seen(std::size_t objective, std::size_t headline) const {
    const Tally& tally = tallies_[objective];
    Assessment alone = tally.assessment(headline);
    ObjectiveSeen seen;
    seen.metric = tally.rule().metric;
    seen.better = tally.rule().better;
    seen.effect = alone.objective;
    seen.workloads = std::move(alone.workloads);
    std::copy_if(alone.guards.begin(), alone.guards.end(), std::back_inserter(seen.guards), own);
    seen.log_e = alone.log_e;
    seen.accepted = alone.log_e >= goal();
    seen.shape_changed = tally.families_disagree(goal(), shown());
    return seen;
}

Assessment Tallies::assessment(std::size_t claimed, std::size_t headline) const {
    Assessment result = tallies_[claimed].assessment(headline);
    if (tallies_.size() == 1)
        return result;
    result.claimed = claimed;
    if (claimed > 0)
        for (Guard& guard : tallies_.front().guards())
            if (!own(guard))
                result.guards.push_back(std::move(guard));
    for (std::size_t i = 0; i < tallies_.size(); ++i)
        result.objectives.push_back(seen(i, headline));
    return result;
}

} // namespace holdfast::decision
