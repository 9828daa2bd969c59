// SPDX-License-Identifier: GPL-3.0-or-later
// Everything a verdict rests on, as canonical JSON with a digest.
#pragma once

#include "core/decision/verdict.hpp"
#include "core/study/bench.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// SHA-256 over the rows of `samples`, in their order, as canonical JSON.
std::string samples_digest(const std::vector<SampleRecord>& samples);

/// What is shown of a trial's effects: {"tuning": {...}|null, "holdout": {...}|null, "gap": {...}|null}. Effects are
/// fractions of the metric (negative: less), low <= high.
std::string effects_json(const Project& project, const std::optional<decision::Assessment>& tuning,
                         const std::optional<decision::Assessment>& holdout);

/// A verdict of `trial` ready for Store::add_verdict: effects, evidence and its digest filled in.
Result<VerdictRecord> make_verdict(const Bench& bench, const StudyRecord& study, const TrialRecord& trial,
                                   const Arm* candidate, const decision::Verdict& verdict,
                                   const std::optional<decision::Assessment>& tuning,
                                   const std::optional<decision::Assessment>& holdout);

} // namespace holdfast::study
