// SPDX-License-Identifier: GPL-3.0-or-later
// A calibration in words, for the terminal and the window.
#pragma once

#include "core/study/calibrate.hpp"

#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

/// The size of a log ratio as people read it, without a sign: "2.1 %"; "none" for an infinite one, "unknown" for NaN.
std::string size_text(double log_ratio, Better better);

/// "100 rounds in 4 sessions of the tuning workload".
std::string taken_text(const study::WorkloadCalibration& workload);

/// What → value: noise, difference of the arms, slot, neighbours, sessions, false verdicts.
std::vector<std::pair<std::string, std::string>> noise_lines(const study::WorkloadCalibration& workload,
                                                             double threshold);

/// "seen after 14 rounds; expected within 19. Measured +3.1 % [+1.2, +4.9], burnt 2.9 %".
std::string burden_text(const study::Burden& burden, Better better);

/// "3 % slower" → burden_text() of each; one line when none could be injected for the same reason.
std::vector<std::pair<std::string, std::string>> burden_lines(const study::WorkloadCalibration& workload);

/// "the noise of a pair is 1.9 %; 200 rounds prove 1.6 %": the workload in one line.
std::string brief_text(const study::WorkloadCalibration& workload);

/// The same of what holds now: with when and at which program it was made; "calibration FAILED: ..." where it did, why
/// there is none that holds, and "" where there never was one.
std::string standing_text(const study::CalibrationStanding& standing);

} // namespace holdfast::app
