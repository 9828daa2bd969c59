// SPDX-License-Identifier: GPL-3.0-or-later
// Whether this machine can run studies, and how to mend what is missing.
#pragma once

#include "core/study/runner.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::app {

struct Finding {
    std::string what; ///< "isolation", "bwrap", "git identity", ...
    bool good = false;
    std::string found, remedy;
};

struct Examination {
    study::Isolation isolation;
    std::vector<Finding> findings; ///< isolation first
    std::string machine_json;      ///< Runner::machine(); "" when no runner could be started
    bool ready() const { return isolation.level >= 3; }
};

/// Runs the canaries, which takes some seconds. `folder`: whose git identity is looked at.
Examination examine(const std::filesystem::path& folder);

} // namespace holdfast::app
