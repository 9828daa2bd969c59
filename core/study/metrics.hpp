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

/// Whether a ratio of this metric decides something in `project` (objective, or a limit relative to the baseline).
bool needs_ratio(const Project& project, const std::string& metric);

bool reports(const Metric& metric, const Workload& workload);

} // namespace holdfast::study
