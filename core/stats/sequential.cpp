// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace holdfast::stats {

namespace {

constexpr LogE ruined = -std::numeric_limits<double>::infinity();

/// ln(1 + stake * h); a sign, the commonest score, needs no logarithm.
std::array<double, 4> growths(double h) {
    static const auto make = [](double sign) {
        std::array<double, 4> result{};
        for (std::size_t i = 0; i < 4; ++i)
            result[i] = std::log1p(Bets::stakes[i] * sign);
        return result;
    };
    static const std::array<double, 4> win = make(1), loss = make(-1);
    if (h == 1)
        return win;
    if (h == -1)
        return loss;
    return make(h);
}

} // namespace

void Spread::add(double value) {
    if (!std::isfinite(value))
        return;
    if (latest_.size() < window) {
        latest_.push_back(value);
        sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
        return;
    }
    // Replace the oldest value: only what lies between its place and the new one's moves.
    const auto out = std::lower_bound(sorted_.begin(), sorted_.end(), latest_[oldest_]);
    const auto in = std::upper_bound(sorted_.begin(), sorted_.end(), value);
    if (out < in) {
        std::move(out + 1, in, out);
        *(in - 1) = value;
    } else {
        std::move_backward(in, out, out + 1);
        *in = value;
    }
    latest_[oldest_] = value;
    oldest_ = (oldest_ + 1) % window;
}

double Spread::scale() const {
    const std::size_t n = sorted_.size();
    if (n == 0)
        return 0;
    const double centre = n % 2 == 1 ? sorted_[n / 2] : std::midpoint(sorted_[n / 2 - 1], sorted_[n / 2]);
    // Distances from the centre grow outward on both sides of a sorted array, so merging the sides yields them in
    // order: the median is reached after half of them, without sorting.
    std::size_t left = n / 2, right = n / 2; // next on the left is left - 1
    double previous = 0, current = 0;
    for (std::size_t taken = 0; taken <= n / 2; ++taken) {
        previous = current;
        const bool take_left = right == n || (left > 0 && centre - sorted_[left - 1] <= sorted_[right] - centre);
        current = take_left ? centre - sorted_[--left] : sorted_[right++] - centre;
    }
    return 1.4826 * (n % 2 == 1 ? current : std::midpoint(previous, current));
}

void Bets::add(double h) {
    ++size_;
    if (h == 0)
        return;
    const std::array<double, 4> growth = growths(h);
    for (std::size_t i = 0; i < 4; ++i) {
        wealth_[i] += growth[i];
        squares_[i] += growth[i] * growth[i];
    }
}

bool Bets::can_reach(LogE goal, std::size_t cap, double errors) const {
    const auto n = static_cast<double>(size_);
    const double left = cap > size_ ? static_cast<double>(cap - size_) : 0;
    for (std::size_t i = 0; i < 4; ++i) {
        if (wealth_[i] == ruined)
            continue;
        if (wealth_[i] >= goal)
            return true;
        if (size_ < 2) {
            if (left > 0)
                return true; // no standard error yet: nothing is known
            continue;
        }
        const double mean = wealth_[i] / n;
        const double variance = std::max(0.0, (squares_[i] - n * mean * mean) / (n - 1));
        if (wealth_[i] + left * (mean + errors * std::sqrt(variance / n)) >= goal)
            return true;
    }
    return false;
}

LogE log_mean(std::initializer_list<const Bets*> families) {
    LogE top = ruined; // becomes finite: the stake 0.1 can never be ruined
    for (const Bets* bets : families)
        top = std::max(top, *std::max_element(bets->log_wealth().begin(), bets->log_wealth().end()));
    double sum = 0;
    for (const Bets* bets : families)
        for (const LogE wealth : bets->log_wealth())
            sum += std::exp(wealth - top);
    return top + std::log(sum / static_cast<double>(4 * families.size()));
}

double median_score(double d, double theta0) {
    if (std::isnan(d))
        return -1;
    return d > theta0 ? 1 : d < theta0 ? -1 : 0;
}

double centre_score(double d, double theta0, double scale) {
    if (scale == 0 || !std::isfinite(d))
        return median_score(d, theta0);
    return std::clamp((d - theta0) / (1.5 * scale), -1.0, 1.0);
}

EProcess::EProcess(double theta0) : theta0_(theta0) {}

void EProcess::add(double d) {
    centre_.add(centre_score(d, theta0_, size_ < unscaled_pairs ? 0 : spread_.scale()));
    median_.add(median_score(d, theta0_));
    spread_.add(d);
    ++size_;
}

LogE EProcess::log_e() const {
    return log_mean({&centre_, &median_});
}

LogE EProcess::log_e_centre() const {
    return log_mean({&centre_});
}

LogE EProcess::log_e_median() const {
    return log_mean({&median_});
}

std::size_t EProcess::size() const {
    return size_;
}

bool EProcess::can_reach(LogE goal, std::size_t cap, double errors) const {
    return centre_.can_reach(goal, cap, errors) || median_.can_reach(goal, cap, errors) || log_e() >= goal;
}

void SignProcess::add(int h) {
    bets_.add(h);
}

LogE SignProcess::log_e() const {
    return log_mean({&bets_});
}

} // namespace holdfast::stats
