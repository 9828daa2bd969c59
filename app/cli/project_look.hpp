// SPDX-License-Identifier: GPL-3.0-or-later
// What `validate` sees around a project file: the commit, the inputs, the history.
#pragma once

#include "app/cli/commands.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/leakage.hpp"
#include "core/study/metric_trust.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

/// What the file alone cannot tell: that its inputs exist, and whether there is a commit to measure.
struct Surroundings {
    std::vector<Problem> problems;
    std::vector<std::string> warnings;
    std::map<std::string, std::string> readable; ///< held-out workloads that tuners can read, and where
    std::vector<study::ProxyProof> proxies;
    std::optional<study::Split> split; ///< nothing: the inputs could not be compared
    std::optional<int> asked_by_hand;  ///< held-out questions; nothing: the history cannot be read
};

Surroundings look_around(const Project& project);

using Standings = std::vector<study::CalibrationStanding>;

/// What calibrations tell of the project's workloads; nothing without a history.
Standings calibrated(const Common& common, const Project& project, Surroundings& around);

} // namespace holdfast::cli
