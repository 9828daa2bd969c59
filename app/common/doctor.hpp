// SPDX-License-Identifier: GPL-3.0-or-later
// Whether this machine can run studies, what makes its measurements worse, and how to mend both.
#pragma once

#include "core/study/runner.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::app {

struct Finding {
    enum class Severity {
        stops,  ///< nothing can be measured while it is not good
        widens, ///< noise: intervals get wider and studies longer
        know,   ///< a fact that a reader of the results should know
    };
    std::string group; ///< "sandbox", "programs", "machine" or "project"
    std::string what;  ///< "isolation", "governor", "git identity", ...; no two findings share one
    Severity severity = Severity::know;
    bool good = false;
    std::string found;
    std::string effect; ///< what it does to results; empty when good
    std::string remedy; ///< how to change it; may be empty when good
};

/// "stops", "widens", "know".
const char* to_text(Finding::Severity severity);

struct Examination {
    study::Isolation isolation;
    std::vector<Finding> findings; ///< by group; isolation first
    std::string machine_json;      ///< Runner::machine(); "" when no runner could be started

    /// The first finding that stops; null when studies can run.
    const Finding* obstacle() const;
    bool ready() const { return obstacle() == nullptr; }
};

/// Where bubblewrap is, or where its package would put it.
std::filesystem::path bubblewrap_place();

/// Runs the canaries, which takes some seconds. `folder`: whose git identity is looked at.
Examination examine(const std::filesystem::path& folder);

} // namespace holdfast::app
