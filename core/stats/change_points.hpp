// SPDX-License-Identifier: GPL-3.0-or-later
// Where a series of values over time changes its distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::stats {

struct ChangePoint {
    std::size_t at = 0;           ///< index of the first value after the change
    double before = 0, after = 0; ///< medians of the neighbouring segments
    double p = 1;                 ///< of the permutation test that found it
};

/// E-divisive (Matteson and James, 2014) with exponent 1: hierarchical splits at the largest energy distance between
/// all of a segment's values before and after (as Daly et al., 2020), each tested by permutation within the segments
/// found so far with `permutations` seeded shuffles; it ends with the first split whose p is above `significance`. No
/// segment is shorter than `shortest`. Infinite values and NaN are no values. In order of `at`. Descriptive: nothing is
/// accepted by it.
/// Time is O(c * permutations * n log n) for c changes, memory O(n): 5,000 values without a change take a tenth of a
/// second.
std::vector<ChangePoint> change_points(const std::vector<double>& values, double significance, std::uint64_t seed,
                                       std::size_t shortest = 5, std::size_t permutations = 199);

} // namespace holdfast::stats
