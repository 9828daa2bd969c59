// SPDX-License-Identifier: GPL-3.0-or-later
// What a trial's samples say of the quality that approximate and stochastic programs keep.
#pragma once

#include "core/decision/quality.hpp"
#include "core/study/store.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace holdfast::study {

/// Under which name a run's quality is among its metrics: the metric's, or "check/quality", which no metric can have.
std::string quality_key(const Quality& quality);

/// Of each workload with a quality check that has samples of both arms, in the workloads' order. Each seed counts once,
/// by the median of each arm's runs with it; warm-up rounds do not.
std::vector<decision::QualitySeen> quality_of(const std::vector<const Workload*>& workloads,
                                              const std::vector<SampleRecord>& samples);

/// As evidence and documents hold them; an open end is null.
nlohmann::json quality_json(const std::vector<decision::QualitySeen>& seen);

/// The end of a sentence that says checks pass; "" without quality checks.
std::string quality_reason(const std::vector<decision::QualitySeen>& seen);

} // namespace holdfast::study
