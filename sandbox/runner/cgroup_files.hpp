// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel's texts about control groups, as values: cgroups(7), the kernel's admin-guide/cgroup-v1 and cgroup-v2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sandbox {

/// One mounted tree of groups.
struct Hierarchy {
    bool unified = false;                 ///< version 2; its groups themselves tell their controllers
    std::vector<std::string> controllers; ///< of version 1: "memory", "cpu" and "cpuacct" together, "name=systemd"
    std::string top;                      ///< the highest folder that can be seen
    std::string own;                      ///< the folder of this process's own group, `top` or below it

    bool has(std::string_view controller) const;
};

/// From /proc/self/mountinfo and /proc/self/cgroup. A tree in which the own group cannot be seen is left out, and so is
/// a second mount of the same one. Version 1 and 2 may stand side by side.
std::vector<Hierarchy> read_hierarchies(std::string_view mountinfo, std::string_view own_groups);

/// The number of the line "KEY NUMBER"; nothing when there is no such line or no number.
std::optional<std::uint64_t> number_of_key(std::string_view text, std::string_view key);

/// A file of one number and nothing else; nothing for "max".
std::optional<std::uint64_t> only_number(std::string_view text);

/// Whether a list of words separated by blanks holds `word`.
bool holds_word(std::string_view words, std::string_view word);

} // namespace holdfast::sandbox
