// SPDX-License-Identifier: GPL-3.0-or-later
// Everything a verdict rests on, as canonical JSON with a digest.
#pragma once

#include "core/decision/verdict.hpp"
#include "core/study/bench.hpp"
#include "core/study/quality.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// SHA-256 over the rows of `samples`, in their order, as canonical JSON.
std::string samples_digest(const std::vector<SampleRecord>& samples);

/// What is shown of a trial's effects: {"tuning": {...}|null, "holdout": {...}|null, "gap": {...}|null}. Effects are
/// fractions of the metric (negative: less), low <= high. Of several objectives "metric", the sides and the gap are
/// those of the claimed one, and "objectives" tells all of them; "quality" is there when a check demands it.
std::string effects_json(const Project& project, const std::optional<decision::Assessment>& tuning,
                         const std::optional<decision::Assessment>& holdout,
                         const std::vector<decision::QualitySeen>& quality = {});

/// Of every workload with a quality check that `samples`, all of a trial, have runs of: tuning ones first.
std::vector<decision::QualitySeen> all_quality(const Project& project, const std::vector<SampleRecord>& samples);

/// What evidence holds beside the stored rows. By path or program name, SHA-256.
struct Executed {
    std::map<std::string, std::string> inputs;
    std::map<std::string, std::string> baseline;                 ///< executables
    std::optional<std::map<std::string, std::string>> candidate; ///< executables; nothing: it was not built
    std::string holdout_seeds = {}; ///< QuestionRecord::seeds_json of its held-out question; "" without any
};

/// Fills in the evidence of `record`, whose verdict, reasons, flags and effects are set, and its digest.
void seal_evidence(VerdictRecord& record, const StudyRecord& study, const TrialRecord& trial,
                   const std::vector<GateRecord>& gates, const std::vector<SampleRecord>& samples,
                   const Executed& executed);

/// Why the evidence of `verdict` is not what these rows, as they are stored now, make; "" when it is. `gates` and
/// `samples`: all of the trial; `rows`: what to call where they are from.
std::string evidence_fault(const VerdictRecord& verdict, const StudyRecord& study, const TrialRecord& trial,
                           const std::vector<GateRecord>& gates, const std::vector<SampleRecord>& samples,
                           const std::string& rows = "the history");

/// A verdict of `trial` ready for Store::add_verdict: effects, evidence and its digest filled in.
Result<VerdictRecord> make_verdict(const Bench& bench, const StudyRecord& study, const TrialRecord& trial,
                                   const Arm* candidate, const decision::Verdict& verdict,
                                   const std::optional<decision::Assessment>& tuning,
                                   const std::optional<decision::Assessment>& holdout);

} // namespace holdfast::study
