// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/rank.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace holdfast::stats {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double two_sided_95 = 1.959963984540054; // normal quantile of 0.975

/// Ranks from 1; equal values share their mean rank.
std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
        while (last < order.size() && values[order[last]] == values[order[first]])
            ++last;
        const double shared = (static_cast<double>(first + 1) + static_cast<double>(last)) / 2;
        for (std::size_t i = first; i < last; ++i)
            result[order[i]] = shared;
    }
    return result;
}

/// Pearson's correlation of two sets of ranks, whose means are (n + 1)/2. NaN when one is constant.
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
    const double mean = (static_cast<double>(x.size()) + 1) / 2;
    double both = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        both += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx > 0 && yy > 0 ? std::clamp(both / std::sqrt(xx * yy), -1.0, 1.0) : nan;
}

Interval fisher_interval(double value, std::size_t pairs) {
    if (std::isnan(value) || pairs < 4)
        return {-1, 1};
    const auto n = static_cast<double>(pairs);
    const double most = 1 - 6 / (n * (n * n - 1)); // a swap of neighbours takes 12 / (n (n^2 - 1)) off
    const double r = std::clamp(value, -most, most);
    const double z = std::atanh(r), margin = two_sided_95 * std::sqrt((1 + r * r / 2) / (n - 3));
    return {std::min(value, std::tanh(z - margin)), std::max(value, std::tanh(z + margin))};
}

} // namespace

Correlation spearman(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> left, right;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
        if (!std::isnan(x[i]) && !std::isnan(y[i])) {
            left.push_back(x[i]);
            right.push_back(y[i]);
        }
    Correlation result{nan, {}, left.size()};
    if (left.size() >= 2)
        result.value = correlation(ranks(left), ranks(right));
    result.interval = fisher_interval(result.value, result.pairs);
    return result;
}

double rank_sum(const std::vector<double>& x, const std::vector<double>& y) {
    constexpr std::size_t fewest = 8; // below, the normal distribution is no approximation
    if (x.size() < fewest || y.size() < fewest)
        return 1;
    std::vector<double> all = x;
    all.insert(all.end(), y.begin(), y.end());
    const std::vector<double> rank = ranks(all);
    const auto m = static_cast<double>(x.size()), n = static_cast<double>(y.size()), total = m + n;
    const double sum = std::accumulate(rank.begin(), rank.begin() + static_cast<std::ptrdiff_t>(x.size()), 0.0);
    std::sort(all.begin(), all.end());
    double ties = 0;
    for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
        while (last < all.size() && all[last] == all[first])
            ++last;
        const auto t = static_cast<double>(last - first);
        ties += t * (t * t - 1);
    }
    const double variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)));
    const double away = std::max(0.0, std::abs(sum - m * (total + 1) / 2) - 0.5);
    return variance > 0 ? std::erfc(away / std::sqrt(2 * variance)) : 1;
}

Proportion proportion(std::size_t hits, std::size_t of) {
    Proportion result{nan, {0, 1}, std::min(hits, of), of};
    if (of == 0)
        return result;
    const auto k = static_cast<double>(result.hits), n = static_cast<double>(of);
    result.value = k / n;
    if (result.hits > 0)
        result.interval.low = boost::math::ibeta_inv(k, n - k + 1, 0.025);
    if (result.hits < of)
        result.interval.high = boost::math::ibeta_inv(k + 1, n - k, 0.975);
    return result;
}

} // namespace holdfast::stats
