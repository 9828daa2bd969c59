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
#include <map>
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
    std::vector<Burden> burdens;                 ///< in the order of their shares; empty: not asked for
    double median = 0;                           ///< of the baseline's runs under both arms, in the metric's unit
    std::size_t session_rounds = 0;              ///< rounds of each session
    std::size_t least_rounds = 0;                ///< of a session, before which nothing can be called faster or slower
    bool prepares = false, keeps_server = false; ///< what its sessions have of their own

    /// What it says of false verdicts and of differences is not known: it is no calibration.
    bool too_few() const;
};

struct Calibration {
    std::string study;
    std::int64_t number = 0; ///< of the study its samples are kept under
    std::string machine_json, fingerprint, ended;
    std::string baseline_commit;
    double threshold = 0;                       ///< E-value of a study's first confirmation
    double minimum_effect = 0;                  ///< fraction
    std::vector<WorkloadCalibration> workloads; ///< each in every objective, the first one's slow-downs alone
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

/// What a study would measure now, to be held against what a calibration measured.
struct CalibrationSubject {
    std::string tree;                          ///< of the baseline's commit; "" where there is none
    std::map<std::string, std::string> inputs; ///< workload → digest of its inputs; without those that cannot be read
    std::string machine_json;
    std::string now; ///< UTC, ISO 8601
};

/// Inputs as they are in `commit`, else in the project's folder.
CalibrationSubject subject_of(const Project& project, const git::Repository& repository, const git::Commit& commit,
                              const std::string& machine_json, const std::string& now);
/// The same at HEAD of the repository that the project's folder is in.
CalibrationSubject subject_at_head(const Project& project, const std::string& machine_json, const std::string& now);

/// What is known of the noise of a workload as it is now.
struct CalibrationStanding {
    std::string workload, metric;
    /// The newest that holds: not older than 24 h, of this machine, with rounds enough, of the same commands, seeds,
    /// defaults and inputs.
    std::optional<WorkloadCalibration> calibration;
    std::string because;                  ///< without one: why the newest does not hold; "" when there is none
    std::vector<CalibrationFault> faults; ///< of `calibration`
    double minimum_effect = 0;            ///< that it was made for; a fraction
    std::int64_t study = 0;               ///< the number it is kept under
    std::string ended, commit;            ///< of its baseline
    /// The tree or the build commands are not those it measured. It still holds: whoever accepts a change is not asked
    /// to calibrate again, and drift_of() tells when the change was too much for it.
    bool program_changed = false;
};

/// Of every workload of the project in every objective, in their order.
Result<std::vector<CalibrationStanding>> calibration_standings(const Store& store, const Project& project,
                                                               const CalibrationSubject& subject);

/// "calibrated at commit 0123abcd; the program has changed since": for what shows its numbers; "" when it has not.
std::string changed_since(const CalibrationStanding& standing);

/// In words, that a calibration foresees something else than the baseline shows now; "" while it does not. `median`: of
/// the baseline's runs, in the metric's unit; `spread`: 1.4826 MAD of the pairs' log ratios, when there are some.
std::string drift_of(const CalibrationStanding& standing, double median, std::optional<double> spread);
constexpr double median_drift = 2; ///< as a ratio, either way
constexpr double spread_drift = 3; ///< likewise; twelve rounds tell a spread to a third of it

/// Why a study has no calibration to rest on, in words, of every workload that has none or one that failed; "" when all
/// have one.
std::string caution_of(const std::vector<CalibrationStanding>& standings);
Result<std::string> calibration_caution(const Store& store, const Project& project, const CalibrationSubject& subject);

} // namespace holdfast::study
