// SPDX-License-Identifier: GPL-3.0-or-later
// What about this machine moves or scatters measurements.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace holdfast::sandbox {

/// What could not be read is empty; sizes in bytes are 0 then.
struct Conditions {
    int cores = 0;                             ///< online
    std::string fast_cores, slow_cores;        ///< lists such as "0-7"; both empty when the cores are alike
    std::string allowed_list;                  ///< the cores that this process may run on: "0-3"
    std::optional<int> allowed_cores;          ///< how many those are
    std::optional<double> quota_cores;         ///< the smallest CPU quota of the control groups around this process
    std::optional<std::uint64_t> memory_limit; ///< the smallest memory limit of those groups, in bytes
    std::optional<bool> on_battery;
    std::optional<std::uint64_t> throttled;      ///< times a core or package was slowed for its heat since the start
    std::optional<double> celsius, trip_celsius; ///< of the zone that is closest to the temperature that slows it
    std::string governor;                        ///< the first core's that is not "performance", else that
    std::string energy_preference, platform_profile; ///< "balance_performance", ...; "low-power", "balanced", ...
    std::string microcode;
    std::string mitigations; ///< what the kernel does about the processor's flaws: a digest, "" when it does not say
    std::optional<bool> turbo, smt, virtualised, aslr;
    std::string clock_source, huge_pages; ///< "always", "madvise", "never"
    std::uint64_t memory = 0, memory_available = 0, swap_used = 0;
    std::optional<double> load; ///< over the last minute
};

/// Reads below `root` (tests give a folder with files of their own).
Conditions read_conditions(const std::filesystem::path& root = "/");

struct FolderPlace {
    bool no_programs = false; ///< mounted noexec
    std::string file_system;  ///< "ext4", "tmpfs", "nfs4", ...
};

/// From `root`/proc/self/mountinfo: the mount that holds `folder` (absolute).
FolderPlace place_of(const std::filesystem::path& folder, const std::filesystem::path& root = "/");

} // namespace holdfast::sandbox
