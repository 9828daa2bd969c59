// SPDX-License-Identifier: GPL-3.0-or-later
// From a calibration's samples to what is told of it; between calibrate.cpp, which measures, and whoever reads.
#pragma once

#include "core/study/calibrate.hpp"

#include <map>
#include <string>
#include <vector>

namespace holdfast::study {

struct BurdenKind {
    double share;
    const char* phase;
};
inline constexpr BurdenKind burden_kinds[] = {{0.01, "burden-1"}, {0.03, "burden-3"}, {0.10, "burden-10"}};

using InputDigests = std::map<std::string, std::string>; ///< by workload

/// Why burdens could not be injected, by workload; "" where they could.
using Unavailable = std::map<std::string, std::string>;

struct CalibrationPlan {
    std::size_t sessions = 0, rounds = 0;
    bool burdens = false;
    std::vector<std::string> workloads;
};
std::string to_json(const CalibrationPlan& plan); ///< what options_json holds

/// Rounds of a burden at most: never longer than the comparison with itself, nor than a confirmation.
std::size_t burden_limit(const Project& project, const CalibrationPlan& plan);

/// One workload's pairs in `samples` (a phase of the study) and one metric, in order.
std::vector<stats::SelfPair> self_pairs(const Metric& metric, const std::string& workload,
                                        const std::vector<SampleRecord>& samples);

/// Fills in when a burden is expected to be seen; `injected` where it is known, else the share.
void predict(Burden& burden, const std::vector<stats::SelfPair>& pairs, double threshold, std::uint64_t seed);

double calibration_threshold(const Project& project);

/// The whole calibration. `unavailable`: by workload.
Result<Calibration> compute_calibration(const Store& store, const StudyRecord& study, const Project& project,
                                        const CalibrationPlan& plan, const Unavailable& unavailable);

/// What opening_json holds: the figures at the time, and what samples do not tell.
std::string opening_of(const Calibration& calibration, const Unavailable& unavailable, const InputDigests& inputs);

/// What opening_json says that the inputs were; empty in histories of older versions.
InputDigests inputs_of(const StudyRecord& study);

/// Whether it ended as it should.
bool is_finished(const StudyRecord& study);

} // namespace holdfast::study
