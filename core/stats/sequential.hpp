// SPDX-License-Identifier: GPL-3.0-or-later
// Sequential test by betting on bounded scores of paired log ratios D = ln baseline - ln candidate (positive: candidate
// better, for a lower-is-better metric). Valid however often one looks, by Ville's inequality.
#pragma once

#include <cstddef>
#include <vector>

namespace holdfast::stats {

/// ln of an e-value; E >= 1/alpha rejects.
using LogE = double;

/// Evidence against H0: the centre of D is at most theta0, from pairs added one by one. At theta0 = 0 the fair coin
/// alone makes it valid.
class EProcess {
  public:
    explicit EProcess(double theta0);
    void add(double d);
    LogE log_e() const;        ///< both families, mean over eight bets
    LogE log_e_centre() const; ///< family f (clipped score) alone, mean over its four bets
    LogE log_e_median() const; ///< family g (sign) alone
    std::size_t size() const;

    /// Whether any bet, projected to `cap` pairs by its mean log growth plus one standard error, reaches ln E = `goal`.
    bool can_reach(LogE goal, std::size_t cap) const;
    // (private members by the implementer)
};

/// Evidence from indicators in {-1, 0, 1}: tails and absolute limits. Family g only, mean over its four bets.
class SignProcess {
  public:
    void add(int h);
    LogE log_e() const;
};

} // namespace holdfast::stats
