// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/guard.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace holdfast::decision {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far beyond the opening median a run belongs to the tail.
constexpr double tail_factor = 1.25;

/// The pair of the limit at `index`; a round without it reports nothing.
Pair limit_pair(const WorkloadPairs& pairs, std::size_t index) {
    return index < pairs.limits.size() ? pairs.limits[index] : Pair{nan, nan};
}

/// As log_ratio, for counters that may be zero: equal values are no change, and none against some is without bound.
double limit_ratio(const Pair& pair, Better better) {
    if (!(pair.baseline >= 0 && pair.candidate >= 0) || !std::isfinite(pair.baseline) || !std::isfinite(pair.candidate))
        return nan;
    if (pair.baseline == pair.candidate)
        return 0;
    if (pair.baseline > 0 && pair.candidate > 0)
        return log_ratio(pair, better);
    return (pair.candidate < pair.baseline) == (better == Better::lower) ? infinity : -infinity;
}

} // namespace

void GuardWatch::Ratios::add(double d) {
    safe.add(d);
    worse.add(-d); // NaN proves neither
}

void GuardWatch::Signs::add(double score) {
    const int sign = score > 0 ? 1 : score < 0 ? -1 : 0;
    safe.add(std::isnan(score) ? -1 : sign);
    worse.add(std::isnan(score) ? -1 : -sign);
}

GuardWatch::GuardWatch(const Rule& rule, Guard guard, std::variant<Ratios, Signs> test, Score score)
    : guard_(std::move(guard)), threshold_(std::log(rule.guard_threshold)), exists_(guard_.kind != Guard::Kind::limit),
      test_(std::move(test)), score_(std::move(score)) {}

void GuardWatch::add(const WorkloadPairs& pairs) {
    if (!exists_ && !reported_(pairs))
        return;
    exists_ = true;
    const double score = score_(pairs);
    std::visit(
        [&](auto& test) {
            test.add(score);
            if (guard_.kind != Guard::Kind::tail)
                guard_.log_e_safe = std::max(guard_.log_e_safe, test.safe.log_e());
            guard_.log_e_worse = std::max(guard_.log_e_worse, test.worse.log_e());
        },
        test_);
    guard_.safe = guard_.kind != Guard::Kind::tail && guard_.log_e_safe >= threshold_;
    guard_.worse = guard_.log_e_worse >= threshold_;
}

GuardWatch GuardWatch::harm(const Rule& rule, const RuleWorkload& workload) {
    Guard guard;
    guard.workload = workload.name;
    guard.metric = rule.metric;
    guard.demand = fmt::format("at most {:.4g} % worse", 100 * rule.harm_margin);
    return {rule, std::move(guard), Ratios(harm_by(rule.harm_margin, rule.better) - rounding_of(rule.revision)),
            [better = rule.better](const WorkloadPairs& pairs) { return log_ratio(pairs.objective, better); }};
}

int tail_score(const Rule& rule, const RuleWorkload& workload, const Pair& objective) {
    if (!(workload.opening_median > 0))
        return 0;
    const double usual = workload.opening_median;
    // A value that cannot be compared lies in the tail.
    const auto in_tail = [&](double value) {
        return rule.better == Better::lower ? !(value <= usual * tail_factor) : !(value >= usual / tail_factor);
    };
    return static_cast<int>(in_tail(objective.baseline)) - static_cast<int>(in_tail(objective.candidate));
}

stats::LogE tail_log_e(std::size_t worse, std::size_t better) {
    stats::SignProcess process;
    for (std::size_t i = 0; i < worse; ++i)
        process.add(1);
    for (std::size_t i = 0; i < better; ++i)
        process.add(-1);
    return process.log_e();
}

GuardWatch GuardWatch::tail(const Rule& rule, const RuleWorkload& workload) {
    Guard guard;
    guard.kind = Guard::Kind::tail;
    guard.workload = workload.name;
    guard.metric = rule.metric;
    guard.demand = "no more runs far from the usual than the baseline";
    return {rule, std::move(guard), Signs{}, [rule, workload](const WorkloadPairs& pairs) {
                return static_cast<double>(tail_score(rule, workload, pairs.objective));
            }};
}

namespace {

Guard limit_guard(const RuleWorkload& workload, const RuleLimit& limit) {
    Guard guard;
    guard.kind = Guard::Kind::limit;
    guard.workload = workload.name;
    guard.metric = limit.metric;
    return guard;
}

std::function<bool(const WorkloadPairs&)> reports(std::size_t index) {
    return [index](const WorkloadPairs& pairs) {
        const Pair pair = limit_pair(pairs, index);
        return !(std::isnan(pair.baseline) && std::isnan(pair.candidate));
    };
}

} // namespace

GuardWatch GuardWatch::relative(const Rule& rule, const RuleWorkload& workload, std::size_t index) {
    const RuleLimit& limit = rule.limits[index];
    Guard guard = limit_guard(workload, limit);
    guard.demand = fmt::format("at most {:.4g} % worse", 100 * *limit.worse_by_at_most);
    GuardWatch watch(rule, std::move(guard),
                     Ratios(harm_by(*limit.worse_by_at_most, limit.better) - rounding_of(rule.revision)),
                     [index, better = limit.better](const WorkloadPairs& pairs) {
                         return limit_ratio(limit_pair(pairs, index), better);
                     });
    watch.reported_ = reports(index);
    return watch;
}

GuardWatch GuardWatch::absolute(const Rule& rule, const RuleWorkload& workload, std::size_t index) {
    const RuleLimit& limit = rule.limits[index];
    Guard guard = limit_guard(workload, limit);
    guard.demand = fmt::format("at most {:.6g}", *limit.at_most);
    const bool meeting_it_counts = rule.revision >= 2; // before, a counter at its limit left the guard open for ever
    GuardWatch watch(rule, std::move(guard), Signs{}, [=, most = *limit.at_most](const WorkloadPairs& pairs) {
        const double room = most - limit_pair(pairs, index).candidate;
        return room == 0 && meeting_it_counts ? 1 : room;
    });
    watch.reported_ = reports(index);
    return watch;
}

std::vector<GuardWatch> guards_of(const Rule& rule, const RuleWorkload& workload) {
    std::vector<GuardWatch> guards = {GuardWatch::harm(rule, workload)};
    for (std::size_t i = 0; i < rule.limits.size(); ++i) {
        if (rule.limits[i].worse_by_at_most)
            guards.push_back(GuardWatch::relative(rule, workload, i));
        if (rule.limits[i].at_most)
            guards.push_back(GuardWatch::absolute(rule, workload, i));
    }
    if (workload.opening_median > 0)
        guards.push_back(GuardWatch::tail(rule, workload));
    return guards;
}

std::string describe(const Guard& guard) {
    const std::string metric = guard.metric.empty() ? "objective" : guard.metric;
    const std::string what = guard.kind != Guard::Kind::tail ? metric
                             : guard.metric.empty()          ? "tail"
                                                             : "tail of " + metric;
    return fmt::format("{} {} on workload \"{}\"", what, guard.demand, guard.workload);
}

} // namespace holdfast::decision
