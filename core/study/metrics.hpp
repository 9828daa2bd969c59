// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of one run: what the harness measured and what the program reported.
#pragma once

#include "core/project/project.hpp"
#include "core/study/runner.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace holdfast::study {

using Metrics = std::map<std::string, double>;

/// What is measured beside the run's own usage.
struct Meters {
    std::optional<double> joules;    ///< that the machine used meanwhile
    bool instructions_later = false; ///< counted by a run of their own
};

/// Every metric that the workload reports. The error's text names a metric that is missing, not finite, or not positive
/// where a ratio of it decides something.
tl::expected<Metrics, std::string> read_metrics(const Project& project, const Workload& workload,
                                                const std::filesystem::path& out, const std::string& standard_output,
                                                const Usage& usage, const Meters& meters = {});

/// One metric that the program itself reports. Errors: missing, not a number, not finite.
Result<double> read_metric(const Metric& metric, const std::filesystem::path& out, const std::string& standard_output);

/// The one finite number that `output` consists of, white space around it aside; nothing for anything else.
std::optional<double> printed_number(const std::string& output);

/// Whether a ratio of this metric decides something in `project` (an objective, or a limit relative to the baseline).
bool needs_ratio(const Project& project, const std::string& metric);

bool reports(const Metric& metric, const Workload& workload);

} // namespace holdfast::study
