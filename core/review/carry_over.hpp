// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that slow the run after them: a gain that is the baseline's loss.
#pragma once

#include "core/review/rules.hpp"

#include <optional>

namespace holdfast::review {

/// `slows the next run`: on a workload of a proposal the baseline's runs right after one of the candidate's (of the
/// same workload, in the same session) are shown worse by the claimed metric than those right after one of its own: by
/// at least the study's minimum effect, and by the rank-sum test at 0.001, shared among the workloads. Pairs are
/// counted in any order, so an honest candidate leaves both alike. `samples`: of the trial, its confirm and held-out
/// rounds.
std::optional<Flag> carry_over(const study::VerdictRecord& verdict, const std::vector<study::SampleRecord>& samples,
                               const Project& project);

} // namespace holdfast::review
