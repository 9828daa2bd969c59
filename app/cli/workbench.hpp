// SPDX-License-Identifier: GPL-3.0-or-later
// Everything a command needs before it may measure: sandbox, history as its only writer, the machine to itself,
// progress and a way to stop.
#pragma once

#include "app/cli/context.hpp"
#include "app/cli/interrupts.hpp"
#include "app/cli/progress.hpp"
#include "core/study/watch.hpp"
#include "sandbox/machine_lock.hpp"

#include <memory>

namespace holdfast::cli {

class Workbench {
public:
    /// Waits for another study of this machine to end, until the user stops it. Marks what an earlier process left
    /// running as interrupted.
    static Result<std::unique_ptr<Workbench>> open(const Common& common, const Project& project,
                                                   const git::Repository& repository);

    study::Runner& runner() { return *runner_; }
    study::Store& store() { return *store_; }
    ProgressLine& line() { return line_; }
    study::Watch watch(); ///< refers to this object

private:
    Workbench() = default;

    const Interrupts interrupts_; ///< first, before any thread starts: a signal goes to a thread that does not block it
    ProgressLine line_;
    std::unique_ptr<study::Runner> runner_;
    std::unique_ptr<study::Store> store_;
    std::optional<sandbox::MachineLock> lock_;
};

} // namespace holdfast::cli
