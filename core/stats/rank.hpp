// SPDX-License-Identifier: GPL-3.0-or-later
// Agreement of two orders, and proportions with their uncertainty.
#pragma once

#include "core/stats/estimate.hpp"

#include <cstddef>
#include <vector>

namespace holdfast::stats {

struct Correlation {
    double value = 0;  ///< [-1, 1]; NaN for fewer than two pairs or a constant side
    Interval interval; ///< 95 %, by Fisher's transformation with Bonett and Wright's variance (2000); [-1, 1] below 4
    std::size_t pairs = 0; ///< that it rests on
};

/// Spearman's rank correlation, ties by their mean rank. Of different lengths: the longer is cut. A pair with NaN is
/// left out. Two orders that agree wholly (or are opposite) leave no variance to the method: their interval is that of
/// half a swap of neighbours, so that few pairs stay little evidence.
Correlation spearman(const std::vector<double>& x, const std::vector<double>& y);

/// Two-sided p-value of Wilcoxon's rank-sum test that two samples come from one distribution, by the normal
/// approximation with continuity and tie corrections (Lehmann, Nonparametrics, 1975); 1 with fewer than 8 on a side or
/// when all values are equal.
double rank_sum(const std::vector<double>& x, const std::vector<double>& y);

struct Proportion {
    double value = 0;  ///< [0, 1]; NaN of nothing
    Interval interval; ///< Clopper and Pearson (1934), 95 %: covers at least that; [0, 1] of nothing
    std::size_t hits = 0, of = 0;
};
/// More hits than trials count as all of them.
Proportion proportion(std::size_t hits, std::size_t of);

} // namespace holdfast::stats
