// SPDX-License-Identifier: GPL-3.0-or-later
// What a running sandbox uses, seen from outside.
#pragma once

#include "core/study/runner.hpp"
#include "sandbox/descriptor.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace holdfast::sandbox {

/// Bytes below the writable mounts, counted by blocks. A file or folder counts at least 1 KiB: millions of empty files
/// are a full disk too. No symbolic link is followed.
class TreeSize {
public:
    /// `repair` makes folders readable again that the program made unreadable; only once nothing runs any more.
    TreeSize(std::uint64_t stop_at, bool repair) : stop_at_(stop_at), repair_(repair) {}
    void add(const std::string& path);
    std::uint64_t bytes() const { return bytes_; }
    bool too_deep() const { return too_deep_; }

private:
    void add_folder(int folder, int depth);
    void add_entry(int folder, const char* name, int depth);

    std::uint64_t stop_at_, bytes_ = 0;
    bool repair_, too_deep_ = false;
    std::set<std::pair<dev_t, ino_t>> linked_; ///< files with several names count once
};

/// What processes have in memory; `shared` of it is in files or in memory that processes share as if it were one.
struct InMemory {
    std::uint64_t bytes = 0, shared = 0;
};

/// The processes of one sandbox, through the sandbox's own /proc: exactly its processes, wherever they were
/// reparented to, and nothing of the host.
class Watch {
public:
    /// Without name spaces its processes are those below `init`, and it has no memory file systems.
    void set_alone(bool alone) { alone_ = alone; }

    /// `init`: the process that is pid 1 inside. False when its /proc cannot be entered.
    bool open(pid_t init);
    bool is_open() const { return bool(processes_); }

    /// Proportional memory and swap summed over all processes but init, and what files in memory take beside it. Where
    /// one process runs whose resident size has not grown, its last sum is used: reading page tables of gigabytes
    /// disturbs the program that is measured. Unnamed files are those that unnamed_and_scratch_bytes() saw last.
    std::uint64_t memory();

    /// The memory file systems, and files that are open but have no name any more (memfds too).
    std::uint64_t unnamed_and_scratch_bytes();

private:
    std::vector<std::string> list() const;

    struct Scratch {
        std::uint64_t bytes = 0;
        std::set<dev_t> devices;
    };
    Scratch scratch() const;
    std::vector<std::string> below_init(const std::vector<std::string>& all) const;

    Descriptor root_, processes_;
    bool alone_ = false;
    pid_t init_ = -1;
    std::uint64_t last_resident_ = 0, unnamed_in_memory_ = 0;
    InMemory last_;
};

} // namespace holdfast::sandbox
