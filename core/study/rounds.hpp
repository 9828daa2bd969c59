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

/// The number of held-out rounds, fixed before asking: the project's, else twice the confirm rounds within [40,
/// max-pairs].
int holdout_rounds(const DecisionSettings& settings, std::size_t confirm_rounds);

} // namespace holdfast::study
