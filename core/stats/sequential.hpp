// SPDX-License-Identifier: GPL-3.0-or-later
// Sequential test by betting on bounded scores of paired log ratios D = ln baseline - ln candidate (positive: candidate
// better, for a lower-is-better metric). Valid however often one looks, by Ville's inequality.
// Betting: Shafer (2021), Waudby-Smith and Ramdas (2024); the scores are those of Huber's clipped location score and of
// the sign test.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace holdfast::stats {

/// ln of an e-value; E >= 1/alpha rejects.
using LogE = double;

/// 1.4826 * median absolute deviation (the standard deviation, for normal values) of the latest 200 values.
class Spread {
public:
    static constexpr std::size_t window = 200;
    void add(double value); ///< infinities and NaN are left out
    double scale() const;   ///< 0 without values
    std::size_t size() const { return sorted_.size(); }

private:
    std::vector<double> latest_; // a ring once it is full
    std::size_t oldest_ = 0;
    std::vector<double> sorted_; // the same values in order
};

/// The wealth of four gamblers who stake the fractions lambda = 0.1, 0.3, 0.6, 1 on each score: prod(1 + lambda*h).
class Bets {
public:
    static constexpr std::array<double, 4> stakes = {0.1, 0.3, 0.6, 1.0};
    void add(double h);                                                  ///< h in [-1, 1]
    const std::array<LogE, 4>& log_wealth() const { return wealth_; }    ///< -infinity once ruined
    bool can_reach(LogE goal, std::size_t cap, double errors = 1) const; ///< as EProcess::can_reach

private:
    std::size_t size_ = 0;
    std::array<LogE, 4> wealth_{};
    std::array<double, 4> squares_{}; // sums of squared log growths
};

/// ln of the mean wealth of all the gamblers of `families`.
LogE log_mean(std::initializer_list<const Bets*> families);

/// f = clip((d - theta0)/(1.5*scale), -1, 1); sgn(d - theta0) when scale is 0. NaN is worse than any number: -1.
double centre_score(double d, double theta0, double scale);
/// g = sgn(d - theta0), sgn 0 = 0; NaN: -1.
double median_score(double d, double theta0);

/// Pairs before which the clipped score has no scale yet and f = g.
constexpr std::size_t unscaled_pairs = 4;

/// Evidence against H0: the centre of D is at most theta0, from pairs added one by one. At theta0 = 0 the fair coin
/// alone makes it valid; elsewhere D must be symmetric given the past.
class EProcess {
public:
    explicit EProcess(double theta0);
    /// NaN counts against the claim (both scores -1); infinities by their sign. Neither enters the scale.
    void add(double d);
    LogE log_e() const;        ///< both families, mean over eight bets
    LogE log_e_centre() const; ///< family f (clipped score) alone, mean over its four bets
    LogE log_e_median() const; ///< family g (sign) alone
    std::size_t size() const;

    /// Whether any bet, projected to `cap` pairs by its mean log growth plus `errors` standard errors, reaches
    /// ln E = `goal`.
    /// Gives up early at the price of power only: an e-process may be stopped whenever one likes.
    bool can_reach(LogE goal, std::size_t cap, double errors = 1) const;

private:
    double theta0_;
    std::size_t size_ = 0;
    Spread spread_;
    Bets centre_, median_;
};

/// Evidence from indicators in {-1, 0, 1}: tails and absolute limits. Family g only, mean over its four bets.
class SignProcess {
public:
    void add(int h);
    LogE log_e() const;

private:
    Bets bets_;
};

} // namespace holdfast::stats
