// SPDX-License-Identifier: GPL-3.0-or-later
// `measure`: one comparison now, a fixed number of rounds, no approval in sight.
#pragma once

#include "core/decision/quality.hpp"
#include "core/decision/verdict.hpp"
#include "core/git/repository.hpp"
#include "core/study/runner.hpp"
#include "core/study/store.hpp"
#include "core/study/watch.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

struct MeasureRequest {
    std::optional<git::Commit> base;      ///< nothing: HEAD
    std::optional<git::Commit> candidate; ///< its tree, and the base's, as they are; then no configuration and no patch
    Configuration configuration;          ///< the candidate's; every knob
    /// Of a `candidate` whose knobs have other values than the base's defaults; every knob.
    std::optional<Configuration> candidate_knobs;
    bool stack = false;                 ///< what accepted changes give together: the phase of its samples
    std::string patch;                  ///< "" without one
    std::vector<std::string> workloads; ///< names; empty: every tuning workload
    std::size_t rounds = 40;
    std::uint64_t seed = 0;
};

struct Measured {
    std::int64_t number = 0;            ///< of the trial the samples are kept under
    std::string stopped;                ///< why no comparison was possible, in words; else ""
    std::string log;                    ///< the end of what the candidate printed then, any text; "" without any
    std::string verdict;                ///< of that: "refused", "failed", "incorrect", "not-comparable"; else ""
    std::vector<std::string> workloads; ///< in the assessment's order
    decision::Assessment assessment;
    std::optional<decision::Assessment> tuning, holdout; ///< the same of each role alone, where workloads of it are
    std::vector<decision::QualitySeen> quality;          ///< of the measured workloads that check it
    decision::Verdict trust; ///< flags and reasons of add_metric_trust() alone: it is no verdict
    /// A guard is shown worse, any of several objectives is, or quality is shown lost.
    bool regresses = false;
    std::string machine_json;
    int isolation_level = 0;
    std::string isolation_gaps; ///< gaps_text() of what was accepted; "" from L3 on
};

/// Whether the study is one comparison of `measure`, or a calibration: none that can be resumed.
bool by_hand(const StudyRecord& study);

/// Whether the trial was a comparison of two revisions: what it measured is a commit's tree, which the trial's patch
/// and configuration do not give.
bool compared_revisions(const TrialRecord& trial);

/// The workloads of those names (empty: every tuning workload); the error names an unknown one and the nearest.
Result<std::vector<const Workload*>> choose_workloads(const Project& project, const std::vector<std::string>& names);

/// Compares the candidate with the base. Every sample is stored; a held-out workload is logged as a question first. A
/// comparison that ends in an error is over: it gets the verdict "not-comparable", or "interrupted" when it was
/// stopped.
Result<Measured> measure(const Project& project, const git::Repository& repository, Runner& runner, Store& store,
                         const Watch& watch, const MeasureRequest& request);

} // namespace holdfast::study
