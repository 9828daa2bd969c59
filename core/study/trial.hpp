// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate through the gates, to a stored verdict.
#pragma once

#include "core/decision/verdict.hpp"
#include "core/study/bench.hpp"
#include "core/study/session.hpp"

namespace holdfast::study {

/// What one gate after another needs of the study.
struct StudyState {
    StudyRecord record;
    int confirmations = 0;       ///< used so far
    int passed = 0;              ///< trials so far that passed confirm and held-out
    std::string split_leak = {}; ///< leak_text() of the study's split
};

enum class TrialEnd {
    decided,
    queued, ///< the study's confirmations are spent; it stays queued
};

/// Takes `trial` through admit, build, correct, screen, confirm, probe and held-out, stores its verdict and updates
/// `state`. Calling it again after an interruption goes on from the stored rounds. `trial_order`: its place in the
/// study (see Series).
Result<TrialEnd> run_trial(Bench& bench, StudyState& state, TrialRecord& trial, std::int64_t trial_order);

/// What a trial is that a gate ended.
decision::VerdictKind verdict_of(const GateStop& stop);

/// Stores the verdict of a trial that a gate ended.
Result<void> end_at_gate(Bench& bench, const StudyState& state, TrialRecord& trial, const Arm* arm,
                         const GateStop& stop);

} // namespace holdfast::study
