// SPDX-License-Identifier: GPL-3.0-or-later
// The tests behind the guards: non-inferiority on every workload and limit, and the veto of tails
// (docs/architecture.md, "Deciding"). A guard is safe, or shown worse, once its e-value has reached the guard
// threshold; both stay so (Ville).
#pragma once

#include "core/decision/rule.hpp"
#include "core/stats/sequential.hpp"

#include <functional>
#include <variant>
#include <vector>

namespace holdfast::decision {

class GuardWatch {
public:
    void add(const WorkloadPairs& pairs);
    bool exists() const { return exists_; } ///< a limit on a metric that its workload never reported does not
    const Guard& guard() const { return guard_; }
    bool open() const { return exists_ && guard_.kind != Guard::Kind::tail && !guard_.safe && !guard_.worse; }

    static GuardWatch harm(const Rule& rule, const RuleWorkload& workload);
    static GuardWatch tail(const Rule& rule, const RuleWorkload& workload);
    /// The limit at `index`, by its relative or its absolute bound, which must be there.
    static GuardWatch relative(const Rule& rule, const RuleWorkload& workload, std::size_t index);
    static GuardWatch absolute(const Rule& rule, const RuleWorkload& workload, std::size_t index);

private:
    /// Paired log ratios against a margin, in both directions.
    struct Ratios {
        stats::EProcess safe, worse;
        explicit Ratios(double theta0) : safe(theta0), worse(-theta0) {}
        void add(double d);
    };
    /// Signs of single values or of paired indicators, in both directions.
    struct Signs {
        stats::SignProcess safe, worse;
        void add(double score);
    };
    /// Positive speaks for the guard; NaN is a value that is worse than any number.
    using Score = std::function<double(const WorkloadPairs&)>;

    GuardWatch(const Rule& rule, Guard guard, std::variant<Ratios, Signs> test, Score score);

    Guard guard_;
    double threshold_; // ln
    bool exists_;
    std::variant<Ratios, Signs> test_;
    Score score_;
    std::function<bool(const WorkloadPairs&)> reported_; // empty: always
};

/// -1: of the pair the candidate's run alone lies far from the workload's usual; 1: the baseline's alone; 0: both,
/// neither, or what is usual is not known.
int tail_score(const Rule& rule, const RuleWorkload& workload, const Pair& objective);

/// Evidence that a candidate has more such runs than the baseline, from the counts of pairs in which only one arm has.
/// An e-value: each pair's order was a coin.
stats::LogE tail_log_e(std::size_t worse, std::size_t better);

/// All guards of one workload: harm, limits, tail.
std::vector<GuardWatch> guards_of(const Rule& rule, const RuleWorkload& workload);

} // namespace holdfast::decision
