// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/estimate.hpp"

#include "core/stats/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace holdfast::stats {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool all_finite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// Differences with the scale each was judged by, which does not depend on theta0: one pass serves every theta0.
struct Replay {
    std::vector<double> d, scales;
    double largest_scale = 0;

    explicit Replay(const std::vector<double>& differences) : d(differences) {
        Spread spread;
        scales.reserve(d.size());
        for (const double value : d) {
            scales.push_back(scales.size() < unscaled_pairs ? 0 : spread.scale());
            largest_scale = std::max(largest_scale, scales.back());
            spread.add(value);
        }
    }

    /// ln E against "the centre is at most theta0"; the same as an EProcess fed with d.
    LogE log_e(double theta0) const {
        Bets centre, median;
        for (std::size_t i = 0; i < d.size(); ++i) {
            centre.add(centre_score(d[i], theta0, scales[i]));
            median.add(median_score(d[i], theta0));
        }
        return log_mean({&centre, &median});
    }
};

/// Smallest theta0 that the claim "the centre is above theta0" leaves standing. Every score is 1 below `floor`, where E
/// is largest, and none is positive at the largest difference, where E is at most 1. Between them E never
/// rises with theta0: the scale does not depend on it, so no score rises, and no factor 1 + lambda*h is negative. The
/// set is an interval and bisection finds its end.
double lower_end(const Replay& replay, LogE limit, double inside) {
    const auto [smallest, largest] = std::minmax_element(replay.d.begin(), replay.d.end());
    const double floor = *smallest - std::max(1.5 * replay.largest_scale, 1e-9 * std::max(1.0, std::abs(*smallest)));
    if (replay.log_e(floor) < limit)
        return -infinity;
    double rejected = floor;
    double standing = replay.log_e(inside) < limit ? inside : *largest;
    const double tolerance = 1e-12 * std::max(1.0, std::abs(standing));
    while (standing - rejected > tolerance) {
        const double middle = std::midpoint(rejected, standing);
        if (middle <= rejected || middle >= standing)
            break;
        (replay.log_e(middle) < limit ? standing : rejected) = middle;
    }
    return standing;
}

} // namespace

Interval confidence_sequence(const std::vector<double>& d, double alpha) {
    if (d.empty() || !all_finite(d))
        return {-infinity, infinity};
    const double limit = std::log(2 / alpha);
    const double inside = hodges_lehmann(d);
    std::vector<double> mirrored(d.size());
    std::transform(d.begin(), d.end(), mirrored.begin(), std::negate<>());
    const double low = lower_end(Replay(d), limit, inside);
    const double high = -lower_end(Replay(mirrored), limit, -inside);
    // Nothing is left standing when a skewed sample's centre and median are told apart: show the range between them.
    return {std::min(low, high), std::max(low, high)};
}

double hodges_lehmann(const std::vector<double>& d) {
    if (!all_finite(d))
        return nan;
    std::vector<double> means;
    means.reserve(d.size() * (d.size() + 1) / 2);
    for (std::size_t i = 0; i < d.size(); ++i)
        for (std::size_t j = i; j < d.size(); ++j)
            means.push_back(std::midpoint(d[i], d[j]));
    return median(std::move(means));
}

double median(std::vector<double> values) {
    if (values.empty() || std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
        return nan;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

double median_absolute_deviation(std::vector<double> values) {
    const double centre = median(values);
    for (double& value : values)
        value = std::abs(value - centre);
    return median(std::move(values));
}

} // namespace holdfast::stats
