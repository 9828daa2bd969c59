// SPDX-License-Identifier: GPL-3.0-or-later
// Starting one sandbox.
#pragma once

#include "core/study/runner.hpp"
#include "sandbox/descriptor.hpp"
#include "sandbox/runner/cgroup.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::sandbox {

struct Programs {
    std::string bubblewrap; ///< absolute path; "": there are no name spaces, and holdfast-init runs alone
    std::string init;       ///< holdfast-init, readable by this process's user
    bool alone() const { return bubblewrap.empty(); }
};

/// A sandbox that was started: bubblewrap and our ends of its pipes.
struct Started {
    pid_t bubblewrap = -1;    ///< alone: holdfast-init itself
    Descriptor output, error; ///< of the program
    Descriptor server;        ///< of start, ready and stop; with a server
    Descriptor orders;        ///< init::Order is written here; with a server
    Descriptor report;        ///< init::Record
    Descriptor status;        ///< bubblewrap's JSON: the process that became pid 1
    Descriptor diagnosis;     ///< bubblewrap's own standard error
    std::string failure;      ///< why it could not be started; empty when it was
};

/// The command line of what is started, the same for every sandbox.
std::vector<std::string> bubblewrap_words(const Programs& programs);

/// The time limit and the limits on sums are the caller's to enforce. `kept`: the program runs when ordered. `group`:
/// where everything of it begins; null without one.
Started start_sandbox(const study::Execution& execution, const Programs& programs, bool kept,
                      const ControlGroup* group);

} // namespace holdfast::sandbox
