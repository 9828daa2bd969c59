// SPDX-License-Identifier: GPL-3.0-or-later
// What a sequence of rounds shows under a rule: the objective's e-process, the guards and the differences themselves.
#pragma once

#include "core/decision/guard.hpp"
#include "core/decision/rule.hpp"
#include "core/stats/sequential.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::decision {

class Tally {
public:
    /// What is claimed of the objective, the weighted mean of the log ratios: an effect above 0, or one above the
    /// rule's minimum effect.
    enum class Claim { improvement, minimum_effect };
    Tally(Rule rule, Claim claim);

    void add(const Round& round);

    const Rule& rule() const { return rule_; }
    std::size_t rounds() const { return objective_d_.size(); }
    stats::LogE best_log_e() const { return best_; }
    bool can_reach(stats::LogE goal, std::size_t cap, double errors = 1) const {
        return objective_.can_reach(goal, cap, errors);
    }
    bool limit_worse() const; ///< a limit is shown worse
    bool own_worse() const;   ///< the objective's harm or tail is
    bool any_open() const;
    std::vector<Guard> guards() const; ///< those that exist

    /// Everything but `accepted` and `shape_changed`. Estimates rest on the last `headline` rounds; 0: on all.
    Assessment assessment(std::size_t headline) const;
    /// The centre reached `goal` at some time while the median never reached `shown`: the shape differs, not only the
    /// place. The lower bar for the median is on purpose: signs are the weaker family, so with one bar for both nearly
    /// every honest gain would carry the flag.
    bool families_disagree(stats::LogE goal, stats::LogE shown) const {
        return best_centre_ >= goal && best_median_ < shown;
    }

private:
    struct Observed {
        std::vector<Pair> pairs;
        std::vector<double> d;
        std::vector<GuardWatch> guards;
    };
    Effect effect(const std::vector<double>& d, std::size_t headline) const;
    template <class Wanted> bool any_guard(const Wanted& wanted) const {
        for (const Observed& seen : observed_)
            for (const GuardWatch& guard : seen.guards)
                if (wanted(guard))
                    return true;
        return false;
    }

    Rule rule_; // its weights sum to 1
    stats::EProcess objective_;
    stats::LogE best_ = 0, best_centre_ = 0, best_median_ = 0; // E is 1 before the first round
    std::vector<double> objective_d_;
    std::vector<Observed> observed_; // by workload
    std::size_t tails_worse_ = 0, tails_better_ = 0;
};

} // namespace holdfast::decision
