// SPDX-License-Identifier: GPL-3.0-or-later
// How many rounds the steps of a study take.
#pragma once

#include "core/project/project.hpp"

#include <cstddef>

namespace holdfast::study {

inline constexpr std::size_t screen_rounds = 6;                  ///< fewer cannot show anything at E >= 20
inline constexpr std::size_t noisy_rounds = 2, exact_rounds = 1; ///< of the search's first look, a configuration
inline constexpr std::size_t noisy_again = 6, exact_again = 2;   ///< fresh rounds of a leader
inline constexpr std::size_t leaders_measured_per_sent = 3;      ///< of those that go on to the gates

/// Pairs of all workloads, confirm and held-out, that are enough for the veto of tails (tests/bench/trust).
inline constexpr std::size_t tail_pairs = 120;

/// The number of held-out rounds, fixed before asking: the project's; else the larger of twice `decided` and what
/// `pairs` lacks of `tail_pairs`, within [40, max-pairs]. `decided`: confirm rounds until the objective was accepted
/// and every guard safe, so without the headline rounds, which the decision did not need; `pairs`: measured on all
/// tuning workloads in confirm; `workloads`: held-out ones.
int holdout_rounds(const DecisionSettings& settings, std::size_t decided, std::size_t pairs, std::size_t workloads);

} // namespace holdfast::study
