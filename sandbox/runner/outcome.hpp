// SPDX-License-Identifier: GPL-3.0-or-later
// From what was seen of an execution to its result in words.
#pragma once

#include "sandbox/init/protocol.hpp"
#include "sandbox/message.hpp"
#include "sandbox/runner/cgroup.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace holdfast::sandbox {

struct Evidence {
    bool began = false; ///< the program, or the server, was released
    pid_t init = -1;    ///< outside
    std::string output, error, server;
    std::uint64_t output_bytes = 0, error_bytes = 0, server_bytes = 0; ///< all that was printed, also past the cap
    std::string diagnosis;                                             ///< bubblewrap's standard error
    int bubblewrap_status = 0;
    std::optional<init::Record> record; ///< the last one, when init could send it
    std::optional<init::Record> ran;    ///< beside a server: the one about the program
    std::vector<init::SyncedFile> synced;
    std::uint64_t sampled_bytes = 0; ///< largest sum of proportional memory
    std::optional<GroupUse> group;   ///< what the control group counted, of all of a sandbox's life
    rusage reaped{};                 ///< of bubblewrap, init and everything that init reaped
    std::string unwatched;           ///< why limits on sums could not be watched; empty when they were

    std::optional<study::Ending> stopped; ///< the first reason for which the runner killed it
    std::string stop_reason;              ///< in words where the limit's own are not enough
    std::chrono::nanoseconds stopped_after{0};
};

/// `over`: nothing of the sandbox is left; otherwise its server is kept.
Reply conclude(const study::Execution& execution, Evidence& evidence, bool over);

} // namespace holdfast::sandbox
