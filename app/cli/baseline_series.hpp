// SPDX-License-Identifier: GPL-3.0-or-later
// The baseline over time, as words and as a document.
#pragma once

#include "core/study/baseline_history.hpp"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace holdfast::cli {

/// "---- machine changed before study 2: kernel: 6.1 → 6.5".
std::string machine_change_line(std::int64_t study, const std::vector<std::string>& changes);

/// A table of the sessions with lines where the machine or the baseline changed, and a line of its medians.
std::string series_text(const study::BaselineSeries& series);

/// Without the workload's name.
nlohmann::json series_document(const study::BaselineSeries& series);

} // namespace holdfast::cli
