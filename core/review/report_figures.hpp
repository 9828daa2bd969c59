// SPDX-License-Identifier: GPL-3.0-or-later
// The plots of a report.
#pragma once

#include "core/review/sheet.hpp"

#include <string>

namespace holdfast::review {

/// The effect by workload: dots are rounds, lines intervals, the mark's shape says the direction. `id` as in Svg.
std::string forest_figure(const Sheet& sheet, const std::string& id);

/// The share of runs at or below each value, the two arms of one workload.
std::string ecdf_figure(const Sheet& sheet, const WorkloadRow& row, const std::string& id);

} // namespace holdfast::review
