// SPDX-License-Identifier: GPL-3.0-or-later
// The knob search: a cheap look at many configurations, the leaders measured again, the best of those returned.
#pragma once

#include "core/study/engine.hpp"
#include "core/study/trial.hpp"

#include <chrono>
#include <vector>

namespace holdfast::study {

/// Looks at `options.trials` configurations (`deadline`: starts none after it), each a stored trial; measures the best
/// again with fresh rounds and returns those that stay better than the baseline, best first, at most `options.leaders`.
/// The observed best is never taken at its word: order and estimate of the result come from the fresh rounds only.
/// After an interruption the stored trials are told to the tuner again, which proposes the same ones.
Result<std::vector<TrialRecord>> search_knobs(Bench& bench, StudyState& state, const Options& options,
                                              const TunerFactory& tuners,
                                              std::optional<std::chrono::steady_clock::time_point> deadline);

} // namespace holdfast::study
