// SPDX-License-Identifier: GPL-3.0-or-later
// What comparing a program with itself tells of a machine and a workload.
#pragma once

#include "core/stats/estimate.hpp"
#include "core/stats/rank.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::stats {

/// One pair of the same program: ln of the value that ran first less ln of the one that ran second, and the coin that
/// said which arm ran first.
struct SelfPair {
    double first_minus_second = 0;
    bool candidate_first = false;
    std::size_t session = 0;
};

struct Provable {
    std::size_t rounds = 0;
    double effect = 0; ///< smallest log ratio accepted in at least 80 % of the redrawn studies; infinity: none
};

struct SelfComparison {
    std::size_t rounds = 0;
    double noise = 0;                      ///< 1.4826 * MAD of the paired log ratios
    double lag_one = 0;                    ///< correlation of neighbours within a session; NaN when it cannot be told
    Interval lag_one_interval;             ///< 95 %
    double slot = 0;                       ///< Hodges-Lehmann of first less second: positive, the first run is slower
    Interval slot_interval;                ///< confidence sequence, error 0.05
    bool sessions_differ = false;          ///< the spread between sessions is more than their rounds explain
    Proportion false_faster, false_slower; ///< of segments as they were taken, at the study's threshold for one look
    double redrawn_faster = 0, redrawn_slower = 0; ///< the same share over `redraws` of the coin
    double redrawn_error = 0;                      ///< their Monte-Carlo standard error
    std::vector<Provable> provable;                ///< by rounds
};

/// `threshold`: the E-value that accepts; `segment`: rounds of one segment; `minimum_effect` (log ratio) is what has to
/// be beaten for `provable`. Redrawing the coins is exact: under equal arms each order was as likely.
SelfComparison compare_with_itself(const std::vector<SelfPair>& pairs, double threshold, double minimum_effect,
                                   std::size_t segment, const std::vector<std::size_t>& provable_at, std::uint64_t seed,
                                   std::size_t redraws = 1000);

} // namespace holdfast::stats
