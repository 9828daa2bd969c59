// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of a file.
#pragma once

#include "core/results/results.hpp"

#include <cstddef>

namespace holdfast::results {

constexpr std::size_t most_values = 10'000; ///< of a quantity that are kept

/// Gives every quantity the mean, median and standard deviation (n - 1) of its values where the file has none, and
/// drops the values of one that has more than `most`, with a note.
void summarise(File& file, std::size_t most = most_values);

constexpr std::size_t most_benchmarks = 10'000; ///< of a file that are kept

/// Leaves the first `most` benchmarks, with a note that says how many were left out.
void keep_first(File& file, std::size_t most = most_benchmarks);

/// Standard deviation as a share of the number; nothing without one.
std::optional<double> spread(const Quantity& quantity);

} // namespace holdfast::results
