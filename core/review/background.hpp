// SPDX-License-Identifier: GPL-3.0-or-later
// Work that a candidate does behind the process that is timed.
#pragma once

#include "core/review/rules.hpp"

#include <optional>

namespace holdfast::review {

/// `background work`: on a workload the share of processor time that was used behind the main process
/// (study::background_metric) is in the median of the candidate's runs while confirming at least a tenth above the
/// baseline's, and at least 10 ms. `samples`: of the trial.
std::optional<Flag> background_work(const std::vector<study::SampleRecord>& samples);

} // namespace holdfast::review
