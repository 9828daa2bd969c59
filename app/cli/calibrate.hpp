// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/commands.hpp"

namespace holdfast::cli {

struct CalibrateArguments {
    std::vector<std::string> workloads;
    int sessions = 4, rounds = 25;
    bool no_burdens = false;
    bool last = false; ///< show what is stored, measure nothing
    std::optional<std::uint64_t> seed;
    Consent consent;
};

/// Exit::nothing_passed when a workload has faults.
Result<int> calibrate(const Common& common, const CalibrateArguments& arguments);

} // namespace holdfast::cli
