// SPDX-License-Identifier: GPL-3.0-or-later
// One metric of the pairs of a trial, for looking at it; what decides reads rounds (session.hpp).
#pragma once

#include "core/study/store.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::study {

/// Among a sample's metrics, where there was any: seconds of processor time behind the main process
/// (Usage::background). Names of metrics do not begin with a blank.
constexpr const char* background_metric = " background";

struct PairedValue {
    double baseline = 0, candidate = 0; ///< both finite, the baseline's above zero
    std::string workload = {};
    std::int64_t round = 1; ///< from 1
};

/// Of each workload and counted round of `phase` the pair of the attempt that counts, where both runs gave the metric.
std::vector<PairedValue> paired_values(const std::vector<SampleRecord>& samples, const std::string& metric,
                                       const std::string& phase);

} // namespace holdfast::study
