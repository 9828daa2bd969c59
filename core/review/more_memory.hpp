// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that a gain is paid with on some workload, which a median over all of them hides.
#pragma once

#include "core/review/rules.hpp"

#include <optional>

namespace holdfast::review {

/// `more memory`: on a workload, tuning or held-out, the median of the candidate's peak memory is above the baseline's
/// by at least a tenth and 1 MiB, and shown so by the rank-sum test at 0.01, shared among the workloads. Nothing where
/// memory is an objective, and nothing that a limit of the project allows. `samples`: of the trial, its confirm and
/// held-out rounds.
std::optional<Flag> more_memory(const std::vector<study::SampleRecord>& samples, const Project& project);

} // namespace holdfast::review
