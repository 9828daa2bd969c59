// SPDX-License-Identifier: GPL-3.0-or-later
// A control group for each sandbox, where this process may make some: of version 2, of version 1, or of both, where the
// controllers stand in version 1 and what is left of version 2 still counts and kills. Nothing rests on them alone: the
// limits of holdfast-init and the runner's own watch hold with and without.
//
// One parent group for each holdfast-runner, in which the sandboxes' groups come and go. It is locked (flock on its
// folder) as long as its runner lives: whoever gets the lock has found what a dead one left. The parent belongs to the
// user that the runner becomes, so that it is made before and used after the change of user.
#pragma once

#include "core/study/runner.hpp"
#include "sandbox/descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace holdfast::sandbox {

/// What a group counted.
struct GroupUse {
    std::optional<std::uint64_t> peak_bytes; ///< without the cache of files that was left at the end
    std::optional<std::chrono::nanoseconds> user, system;
    std::uint64_t memory_kills = 0; ///< processes that the kernel ended because of the limit on memory
};

/// The group of one sandbox, a folder in each tree that is used.
class ControlGroup {
public:
    ControlGroup(const ControlGroup&) = delete;
    ControlGroup& operator=(const ControlGroup&) = delete;
    ~ControlGroup();

    /// Where a new process enters: a folder of version 2 for clone3, or -1, ...
    int folder_to_enter() const;
    /// ... and files of version 1 to which it writes "0" as long as it has one thread. Moving other processes would
    /// stop the whole machine's forks for 20 ms and more.
    std::vector<int> files_to_enter() const;

    std::uint64_t memory_kills() const;
    GroupUse use() const;

    /// Makes the peak begin anew; false where the kernel has no such thing.
    bool forget_peak() const;

    /// SIGKILL to all of them, also to those that fork meanwhile.
    void kill() const;

    /// Kills what is left, waits until the group is empty and removes it. False when `limit` is over before.
    bool end(std::chrono::steady_clock::duration limit);

private:
    friend class ControlGroups;
    struct Place {
        bool unified, memory, pids, cpu, freezer;
        int parent; ///< of the ControlGroups
        Descriptor folder, tasks;
    };
    ControlGroup() = default;
    bool is_empty() const;

    std::string name_;
    std::vector<Place> places_;
};

class ControlGroups {
public:
    ControlGroups() = default;
    ControlGroups(const ControlGroups&) = delete;
    ControlGroups& operator=(const ControlGroups&) = delete;

    /// Makes the parent and hands it to `user`. Before the change of user.
    void prepare(uid_t user);

    /// After the change of user: a process is put into a group. When that fails no group is used at all.
    void try_out();

    bool usable() const { return !trees_.empty(); }

    /// Which controllers, of which version; or why there is none.
    const std::string& found() const { return found_; }

    /// A new empty group with the limits; null when none are used. `failure` says why it could not be made.
    std::unique_ptr<ControlGroup> make(const study::ExecutionLimits& limits, std::string& failure);

private:
    struct Tree {
        bool unified = false, memory = false, pids = false, cpu = false, freezer = false;
        Descriptor parent; ///< locked
    };
    void add_unified(const struct Hierarchy& hierarchy, uid_t user);
    void add_version_1(const struct Hierarchy& hierarchy, uid_t user);
    void describe();

    std::vector<Tree> trees_;
    std::string found_ = "switched off";
    unsigned made_ = 0;
};

/// Ends and removes the groups of runners that live no more, as far as this user may.
void sweep_groups();

/// A process like fork() would make it, which begins in `group` as far as version 2 is concerned. -1 with errno set.
pid_t fork_into(const ControlGroup& group);

} // namespace holdfast::sandbox
