// SPDX-License-Identifier: GPL-3.0-or-later
// Access to a study from a terminal: progress on standard error, Ctrl-C to stop.
#pragma once

#include "app/cli/commands.hpp"
#include "app/cli/interrupts.hpp"
#include "app/cli/progress.hpp"
#include "app/common/study_access.hpp"
#include "core/study/watch.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace holdfast::cli {

class Workbench {
public:
    /// As StudyAccess::open. Where the person has not agreed to the network, a terminal asks.
    static Result<std::unique_ptr<Workbench>> open(const Project& project, const git::Repository& repository,
                                                   const Consent& consent);

    study::Runner& runner() { return *access_->runner; }
    study::Store& store() { return *access_->store; }
    ProgressLine& line() { return line_; }
    study::Watch watch(); ///< refers to this object

private:
    Workbench() = default;
    bool may_fetch(const std::vector<Argv>& commands);

    const Interrupts interrupts_; ///< first, before any thread starts: a signal goes to a thread that does not block it
    ProgressLine line_;
    Consent consent_;
    std::optional<app::StudyAccess> access_;
};

} // namespace holdfast::cli
