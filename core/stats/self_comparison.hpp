// SPDX-License-Identifier: GPL-3.0-or-later
// What comparing a program with itself tells of a machine and a workload. All by the e-process that decides studies.
#pragma once

#include "core/stats/estimate.hpp"
#include "core/stats/rank.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::stats {

/// One pair of the same program: the log ratio of the run that came first against the second, positive when the first
/// was the worse one (lower is better: ln first - ln second), and the coin that said which arm ran first.
struct SelfPair {
    double first_minus_second = 0;
    bool candidate_first = false;
    std::size_t session = 0;

    /// The paired log ratio of the arms, positive when the candidate's run was better.
    double arms() const { return candidate_first ? -first_minus_second : first_minus_second; }
};

struct Provable {
    std::size_t rounds = 0;
    double effect = 0; ///< smallest log ratio accepted in at least 80 % of the redrawn studies; infinity: none
};

struct SelfComparison {
    std::size_t rounds = 0;
    double noise = 0;       ///< 1.4826 * MAD of the arms' paired log ratios; NaN without pairs, as all below
    double arms = 0;        ///< Hodges-Lehmann of the same: nothing but luck should make it differ from 0
    Interval arms_interval; ///< confidence sequence, error 0.05
    /// Rank correlation of neighbours within a session, of the pairs in the order of running: of the arms' ratios the
    /// coin makes it 0 whatever the machine does. NaN when it cannot be told.
    double lag_one = 0;
    Interval lag_one_interval;    ///< 95 %
    double slot = 0;              ///< Hodges-Lehmann of first less second: positive, the first run is worse
    Interval slot_interval;       ///< confidence sequence, error 0.05
    double sessions_p = 1;        ///< of a permutation test that the sessions' rounds are alike; 1 with one session
    bool sessions_differ = false; ///< sessions_p below 0.01
    Proportion false_faster, false_slower; ///< of segments as they were taken: E >= threshold against 0 after any round
    double redrawn_faster = 0, redrawn_slower = 0; ///< the same share of the same segments over `redraws` of the coin
    double redrawn_error = 0;                      ///< the larger of their Monte-Carlo standard errors
    std::vector<Provable> provable;                ///< in the order of `provable_at`
};

/// Pairs before which no e-process reaches the E-value `threshold`, whatever they are.
std::size_t least_pairs(double threshold);

/// `threshold`: the E-value that accepts; `segment`: rounds of one segment, a shorter session is one, what is left over
/// is no segment; `minimum_effect` (log ratio) is what has to be beaten for `provable`. Redrawing the coins is exact:
/// under equal arms each order was as likely. Pairs that are not finite are left out.
SelfComparison compare_with_itself(const std::vector<SelfPair>& pairs, double threshold, double minimum_effect,
                                   std::size_t segment, const std::vector<std::size_t>& provable_at, std::uint64_t seed,
                                   std::size_t redraws = 1000);

/// After how many rounds redrawn studies of an effect (log ratio) show more than `minimum_effect`, in ascending order;
/// cap + 1: not within `cap`. A redrawn study takes the pairs in their order from a random one on, around the end when
/// it is longer, each with a new coin. Empty without pairs.
std::vector<std::size_t> rounds_to_show(const std::vector<SelfPair>& pairs, double effect, double threshold,
                                        double minimum_effect, std::size_t cap, std::uint64_t seed,
                                        std::size_t redraws = 400);

} // namespace holdfast::stats
