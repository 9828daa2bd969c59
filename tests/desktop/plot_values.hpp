// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison, a baseline's history and fronts as they are read from a project's history.
#pragma once

#include "app/desktop/compare_screen.hpp"
#include "app/desktop/history_screen.hpp"
#include "core/review/front.hpp"

#include <memory>
#include <vector>

namespace holdfast::test {

/// Trials 184 (generalises), 185 (overfits) and 186 (on a machine with another governor).
desktop::Compared compared();

/// Workload report-join: 30 sessions whose median rises by 8 % at the 19th, another kernel at the 10th; and its peak
/// memory. Workload sort-spill: one session. One import, one results file.
std::shared_ptr<const desktop::History> baseline_history();

/// Study 2 with three objectives, study 5 with two: a baseline and five trials, three of them on the front.
std::vector<review::Front> fronts();

} // namespace holdfast::test
