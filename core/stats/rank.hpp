// SPDX-License-Identifier: GPL-3.0-or-later
// Agreement of two orders, and proportions with their uncertainty.
#pragma once

#include "core/stats/estimate.hpp"

#include <cstddef>
#include <vector>

namespace holdfast::stats {

struct Correlation {
    double value = 0;  ///< NaN for fewer than two pairs or a constant side
    Interval interval; ///< 95 %, by Fisher's transformation with Bonett and Wright's variance (2000); [-1, 1] below 4
    std::size_t pairs = 0;
};

/// Spearman's rank correlation, ties by their mean rank. Of different lengths: the longer is cut.
Correlation spearman(const std::vector<double>& x, const std::vector<double>& y);

struct Proportion {
    double value = 0;
    Interval interval; ///< Clopper-Pearson, 95 %
    std::size_t hits = 0, of = 0;
};
Proportion proportion(std::size_t hits, std::size_t of);

} // namespace holdfast::stats
