// SPDX-License-Identifier: GPL-3.0-or-later
// A gain that some of a workload's seeds do not have.
#pragma once

#include "core/review/rules.hpp"

#include <optional>

namespace holdfast::review {

/// `uneven gain`: of a proposal, a workload with several seeds (fresh ones count by place) gains at least the minimum
/// effect, and one of its seeds is shown to gain less than half of that: its confidence sequence, at the study's alpha
/// over the confirm or held-out rounds with that seed, lies below half of the workload's estimate.
/// `samples`: of the trial, at least those of its confirm and held-out rounds.
std::optional<Flag> uneven_gain(const study::VerdictRecord& verdict, const std::vector<study::SampleRecord>& samples,
                                const Project& project);

} // namespace holdfast::review
