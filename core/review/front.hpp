// SPDX-License-Identifier: GPL-3.0-or-later
// The trials of a study that hold and that no other one of these beats in every objective.
#pragma once

#include "core/review/sheet.hpp"
#include "core/study/store.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::review {

struct FrontPoint {
    std::int64_t trial = 0; ///< its number; 0: the baseline, whose effects are zero
    std::string id, verdict;
    std::vector<EffectView> effects; ///< by objective; on the tuning workloads
    std::vector<EffectView> holdout; ///< the same on the held-out ones; empty: these were not asked
    /// The baseline, or a trial that is a proposal: what only looks better on tuning workloads beats nothing.
    bool holds = true;
    bool on_front =
        false; ///< it holds, and none that holds is better by its estimates in one and not worse in the rest
    /// On the front, and the intervals of no other point that holds leave it possible that it is beaten by that one.
    bool certain = false;
};

struct Front {
    std::string study;
    std::int64_t number = 0;
    std::vector<std::string> objectives, units;
    std::vector<Better> better;
    std::vector<FrontPoint> points; ///< the baseline first, then by number
};

/// Sets on_front and certain of every point.
void mark(Front& front);

/// Of every study with two or three objectives that has a decided trial, oldest first. Right answers only: trials that
/// are incorrect, failed or refused are no points.
Result<std::vector<Front>> fronts(const study::Store& store);

} // namespace holdfast::review
