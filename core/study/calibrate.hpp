// SPDX-License-Identifier: GPL-3.0-or-later
// `calibrate`: the baseline against itself, and against itself with a known slow-down. What was measured is kept under
// a study of its own; everything told of it is computed from those samples.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/stats/self_comparison.hpp"
#include "core/study/runner.hpp"
#include "core/study/store.hpp"
#include "core/study/watch.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

struct CalibrationRequest {
    std::vector<std::string> workloads; ///< names; empty: all, held-out ones too
    std::size_t sessions = 4;           ///< 1 to 100
    std::size_t rounds = 25;            ///< of each session; 6 to 10,000
    bool burdens = true;                ///< also with injected slow-downs of 1, 3 and 10 %
    std::uint64_t seed = 0;
    std::filesystem::path burden_library; ///< holdfast-burden.so
};

/// A known share of time burnt in one arm, and when it was seen.
struct Burden {
    double share = 0;          ///< asked for: 0.03 = 3 %
    double injected = 0;       ///< median of what was burnt, as a share of what the run took besides; 0: not run
    std::size_t predicted = 0; ///< rounds in which eight of ten redrawn studies show it; 0: more than `limit`
    std::size_t sure = 0;      ///< rounds in which 39 of 40 do; 0: more than `limit`
    std::size_t limit = 0;     ///< rounds that would have been taken at most
    std::optional<std::size_t> seen_at; ///< rounds after which it was shown to be slower
    std::size_t rounds = 0;             ///< taken
    double estimate = 0;                ///< log ratio, negative: slower
    stats::Interval interval;           ///< confidence sequence, error 0.05
    std::string unavailable; ///< why it could not be injected: a static program, ...; "" when it could. Safe to show

    /// Not seen in rounds in which 39 of 40 redrawn studies see it.
    bool missed() const { return unavailable.empty() && !seen_at && sure > 0 && rounds >= sure; }
};

struct WorkloadCalibration {
    std::string workload;
    Role role = Role::tuning;
    std::string metric;
    Better better = Better::lower;
    std::size_t sessions = 0;
    stats::SelfComparison self;
    std::vector<Burden> burdens; ///< in the order of their shares; empty: not asked for
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

/// Runs the baseline only, so a held-out workload costs no question. One that is stopped is over and never used: rounds
/// of another hour do not belong to the same noise.
Result<Calibration> calibrate(const Project& project, const git::Repository& repository, Runner& runner, Store& store,
                              const Watch& watch, const CalibrationRequest& request);

/// Whether the study is a calibration.
bool is_calibration(const StudyRecord& study);

/// The calibrations that are stored, oldest first, computed from their samples; unfinished ones are left out.
Result<std::vector<Calibration>> calibrations(const Store& store);

/// The last one of them; nothing when there is none.
Result<std::optional<Calibration>> last_calibration(const Store& store);

/// The calibration that `study` is, computed from its samples.
Result<Calibration> read_calibration(const Store& store, const StudyRecord& study);

/// What is wrong with a workload on this machine, and what to do.
struct CalibrationFault {
    std::string what, remedy; ///< safe to show
};
std::vector<CalibrationFault> faults_of(const WorkloadCalibration& workload, double threshold, double minimum_effect);

/// Why a study of these workloads on this machine has no calibration to rest on, in words: none, older than 24 h, of
/// another fingerprint or metric, or one that failed; "" when there is one. `now`: UTC, ISO 8601. Looks at the newest
/// calibration of each workload.
Result<std::string> calibration_caution(const Store& store, const Project& project, const std::string& machine_json,
                                        const std::string& now);

} // namespace holdfast::study
