// SPDX-License-Identifier: GPL-3.0-or-later
// `calibrate`: the baseline against itself, and against itself with a known slow-down.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/stats/self_comparison.hpp"
#include "core/study/runner.hpp"
#include "core/study/store.hpp"
#include "core/study/watch.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

struct CalibrationRequest {
    std::vector<std::string> workloads; ///< names; empty: all, held-out ones too
    std::size_t sessions = 4;
    std::size_t rounds = 25; ///< of each session
    bool burdens = true;     ///< also with injected slow-downs of 1, 3 and 10 %
    std::uint64_t seed = 0;
};

/// A known share of time burnt in one arm, and when it was seen.
struct Burden {
    double share = 0;                   ///< 0.03 = 3 %
    std::size_t predicted = 0;          ///< rounds to show it; 0: more than max-pairs
    std::optional<std::size_t> seen_at; ///< rounds after which it was shown
    std::size_t rounds = 0;             ///< taken
    double estimate = 0;                ///< log ratio
    stats::Interval interval;
    std::string unavailable; ///< why it could not be injected: a static program, ...; "" when it was
};

struct WorkloadCalibration {
    std::string workload;
    Role role = Role::tuning;
    std::string metric;
    stats::SelfComparison self;
    std::vector<Burden> burdens;
};

struct Calibration {
    std::string study;
    std::int64_t number = 0; ///< of the study its samples are kept under
    std::string machine_json, fingerprint, ended;
    std::string baseline_commit;
    double threshold = 0;      ///< E-value of a study's first confirmation
    double minimum_effect = 0; ///< fraction
    std::vector<WorkloadCalibration> workloads;
};

/// A calibration stays good for this long on the same fingerprint.
constexpr std::chrono::hours calibration_age{24};

Result<Calibration> calibrate(const Project& project, const git::Repository& repository, Runner& runner, Store& store,
                              const Watch& watch, const CalibrationRequest& request);

/// Whether the study is a calibration.
bool is_calibration(const StudyRecord& study);

/// The calibrations that are stored, oldest first, computed from their samples; unfinished ones are left out.
Result<std::vector<Calibration>> calibrations(const Store& store);

/// Why a study of these workloads on this machine has no calibration to rest on, in words: none, older than 24 h, of
/// another fingerprint or metric, or one that failed; "" when there is one. `now`: UTC, ISO 8601.
Result<std::string> calibration_caution(const Store& store, const Project& project, const std::string& machine_json,
                                        const std::string& now);

} // namespace holdfast::study
