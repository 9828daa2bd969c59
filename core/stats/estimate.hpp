// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace holdfast::stats {

struct Interval {
    double low = 0, high = 0; ///< +-infinity where nothing is known
};

/// {theta0 : E+(theta0) < 2/alpha and E-(theta0) < 2/alpha} by bisection (statistics: docs/architecture.md); holds at
/// all times at once with error alpha. No data, or a value that is not finite: (-inf, inf). When a skewed sample's
/// centre and median are told apart the set is empty, and the range between the two is given.
Interval confidence_sequence(const std::vector<double>& d, double alpha);

/// Hodges-Lehmann: the median of (d_i + d_j)/2 over i <= j. NaN without data.
double hodges_lehmann(const std::vector<double>& d);

double median(std::vector<double> values);                    ///< NaN without data
double median_absolute_deviation(std::vector<double> values); ///< unscaled; NaN without data

} // namespace holdfast::stats
