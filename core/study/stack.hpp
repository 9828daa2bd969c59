// SPDX-License-Identifier: GPL-3.0-or-later
// The accepted changes that are in a commit, one on the other. Each was shown against the baseline of its own study;
// only measuring them together shows what they are worth together.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/study/measure.hpp"
#include "core/study/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

struct Stack {
    git::Commit base;                 ///< what the first of them was measured against
    std::vector<std::int64_t> trials; ///< numbers, in the order they were applied
    std::vector<std::int64_t>
        reverted; ///< of them, those that were taken back by a commit which the head does not have
    /// Sums of their estimates as log ratios (positive: better); nothing when one of them has none.
    std::optional<double> claimed_tuning, claimed_holdout;
};

/// Of the applied trials whose commits `head` has, without those whose reverts it has; nothing without any. Error: the
/// first one's baseline is not in this clone any more.
Result<std::optional<Stack>> accepted_stack(const Store& store, const git::Repository& repository,
                                            const git::Commit& head);

/// Whether a comparison of that stack with what `head` holds came to its end.
Result<bool> stack_retested(const Store& store, const Stack& stack, const git::Commit& head);

/// What the changes give together beside what they claimed.
struct StackSide {
    std::string name;              ///< "tuning", "held-out"
    std::optional<double> claimed; ///< log ratio
    decision::Effect measured;
    /// False: shown to be less than what was claimed, by the minimum effect or more, or not shown to be better at all.
    bool confirmed = true;
    std::string text; ///< "tuning: claimed −12.0 %, measured −9.1 % [−10.2, −8.0]: less than claimed"
};
/// `minimum_effect`: DecisionSettings::minimum_effect.
std::vector<StackSide> stack_sides(const Stack& stack, const Measured& measured, Better better, double minimum_effect);

} // namespace holdfast::study
