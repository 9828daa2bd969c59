// SPDX-License-Identifier: GPL-3.0-or-later
// Which of several changes no other beats in every objective (Pareto dominance).
#pragma once

#include <cstddef>
#include <vector>

namespace holdfast::decision {

/// One change's gains by objective, positive is better.
using Gains = std::vector<double>;

/// Whether `one` is better than `other` in an objective and not worse in any. An unknown gain (NaN) neither beats nor
/// is beaten. Both of the same length.
bool beats(const Gains& one, const Gains& other);

/// For each of `all`, whether no other beats it.
std::vector<bool> non_dominated(const std::vector<Gains>& all);

} // namespace holdfast::decision
