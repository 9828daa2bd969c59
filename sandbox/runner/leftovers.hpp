// SPDX-License-Identifier: GPL-3.0-or-later
// Ending processes of sandboxes that nobody waits for. bubblewrap's child arms its own parent-death signal only after
// it was released by its parent: when the parent is killed before that, the child would wait for ever.
#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::sandbox {

/// SIGKILL to every descendant of `ancestor`, the deepest first; not to `ancestor`. A process that appears meanwhile is
/// missed: of a subreaper, a later call finds it.
void kill_descendants(pid_t ancestor);

/// Kills and reaps until this process, which is a subreaper, has no child. False when `limit` is over before.
bool end_children(std::chrono::steady_clock::duration limit);

/// SIGKILL to the processes of this process's user whose command line is exactly `words` and whose parent is process 1.
/// A living bubblewrap has holdfast-runner or bubblewrap as parent: these are what a killed runner left.
void end_orphans(const std::vector<std::string>& words);

} // namespace holdfast::sandbox
