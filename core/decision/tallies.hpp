// SPDX-License-Identifier: GPL-3.0-or-later
// One tally for each objective over the same rounds. Limits are watched by the first.
#pragma once

#include "core/decision/tally.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace holdfast::decision {

class Tallies {
public:
    Tallies(Rule rule, Tally::Claim claim);

    void add(const Round& round);

    const Rule& rule() const { return rule_; }
    std::size_t size() const { return tallies_.size(); }
    std::size_t rounds() const { return tallies_.front().rounds(); }
    const Tally& of(std::size_t objective) const { return tallies_[objective]; }

    /// ln of the E that accepts an objective, and that shows a guard.
    stats::LogE goal() const;
    stats::LogE shown() const;

    bool limit_worse() const;
    bool out(std::size_t objective) const; ///< its harm or its tail is shown worse
    bool all_out() const;
    bool any_open() const; ///< a limit, or the harm of any objective
    /// Any objective that is not out, the goal, as EProcess::can_reach.
    bool can_reach(std::size_t cap, double errors = 1) const;
    std::optional<std::size_t> claim() const; ///< the one to claim now; nothing when none is accepted
    stats::LogE best_log_e() const;           ///< of all

    /// About the objective `claimed`, but for `accepted` and `shape_changed`. `headline` as Tally::assessment.
    Assessment assessment(std::size_t claimed, std::size_t headline) const;

private:
    ObjectiveSeen seen(std::size_t objective, std::size_t headline) const;

    Rule rule_;
    std::vector<Tally> tallies_;
};

} // namespace holdfast::decision
