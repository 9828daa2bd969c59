// SPDX-License-Identifier: GPL-3.0-or-later
// What decides whether sandboxes can be made here: the kernel's settings, AppArmor, a container around us.
#pragma once

#include "core/project/error.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace holdfast::sandbox {

struct Surroundings {
    std::string container; ///< "docker", "podman", "kubernetes", "lxc", "systemd-nspawn", "container"; "": none is seen
    bool apparmor_restricts = false; ///< kernel.apparmor_restrict_unprivileged_userns is 1, as on Ubuntu 24.04
    bool bwrap_profile = false;      ///< AppArmor has a profile that lets bwrap make user namespaces
    bool no_user_namespaces = false; ///< the kernel was built without them
    std::optional<std::uint64_t> max_user_namespaces;
    std::optional<bool> unprivileged_allowed; ///< kernel.unprivileged_userns_clone; only some kernels have it
    bool seccomp = false;                     ///< a filter is on this process, as in containers
    bool masked_proc = false;                 ///< something is mounted over a part of /proc
};

/// Reads below `root` (tests give a folder with files of their own).
Surroundings read_surroundings(const std::filesystem::path& root = "/");

/// What the facts say keeps ordinary users from making namespaces, as an error of kind `refused`; nothing when they
/// say nothing. Facts can be wrong where a program's own attempt is not: they explain a failure and never make one.
std::optional<Error> obstacle(const Surroundings& here);

/// How the container is to be started for sandboxes to work in it. "" outside of one.
std::string container_remedy(const std::string& container);

constexpr const char* apparmor_file = "/etc/apparmor.d/bwrap";
constexpr const char* apparmor_load = "sudo apparmor_parser -r /etc/apparmor.d/bwrap";
constexpr const char* apparmor_save = "holdfast doctor --profile | sudo tee /etc/apparmor.d/bwrap";

/// The profile that lets this bubblewrap make user namespaces where AppArmor restricts them.
std::string apparmor_profile(const std::filesystem::path& bubblewrap);
std::string apparmor_remedy();

} // namespace holdfast::sandbox
