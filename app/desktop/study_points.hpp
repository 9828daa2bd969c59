// SPDX-License-Identifier: GPL-3.0-or-later
// What the study's plot shows, as numbers.
#pragma once

#include "app/common/overview.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace holdfast::desktop {

/// Times are seconds since the study started, changes percent of the baseline.
struct StudyPoints {
    struct Decided {
        double time = 0, estimate = 0;
        double low = 0, high = 0; ///< an open end is infinite
        bool held_out = false;
        std::int64_t number = 0;
    };
    std::vector<Decided> decided;                ///< by time
    std::vector<std::pair<double, double>> best; ///< the best proposal so far, from the first on, by time
    std::vector<std::pair<double, double>> looked;
    std::size_t left_out = 0; ///< effects without a number or a time
};

/// Of the study with this number.
StudyPoints study_points(const app::Overview& overview, std::int64_t study);

/// The best proposal of the study, of those that no person turned down, by the effect that counts; null: none yet.
const app::TrialSummary* best_proposal(const app::Overview& overview, std::int64_t study);
/// The effect that counts for a proposal: held-out where it was asked. Null: neither was measured.
const review::EffectView* leading_effect(const app::TrialSummary& trial);

/// The vertical range that shows every decided estimate and zero, whatever single wild values do to the rest: open and
/// very long intervals and the luckiest looks are cut at its ends. Never empty.
std::pair<double, double> value_range(const StudyPoints& points);

} // namespace holdfast::desktop
