// SPDX-License-Identifier: GPL-3.0-or-later
// The folder for disposable trees, and who owns what in it.
#pragma once

#include "core/project/error.hpp"

#include <filesystem>
#include <sys/types.h>

namespace holdfast::sandbox {

/// Whom programs run as when Holdfast is root: a fixed number in the range that systemd keeps for dynamic users, so
/// that no person and no service has it.
constexpr uid_t dropped_user = 61987;

/// The absolute path that the environment variable `name` holds; empty when it is not set. Invalid when it is set to
/// anything else: whoever set it meant a place, and another one must not be worked on instead.
Result<std::filesystem::path> path_from(const char* name, const std::string& attempted);

/// Where make_cache() makes the folder; not looked at. Invalid: see path_from().
Result<std::filesystem::path> cache_path();

/// $HOLDFAST_CACHE, else as root /var/tmp/holdfast-0, else $XDG_CACHE_HOME/holdfast or ~/.cache/holdfast. Made when it
/// is missing: mode 0711 as root (the dropped user passes through), 0700 otherwise. Refused when it is a symbolic link
/// or somebody else's, or, as root, when the dropped user could not get to it.
Result<std::filesystem::path> make_cache();

/// Runner::give() for a tree below `cache`.
Result<void> give_tree(const std::filesystem::path& cache, const std::filesystem::path& tree);

/// Copies of the helper programs in CACHE/bin-HASH, where the dropped user can read them. `helpers` itself when not
/// root.
Result<std::filesystem::path> reachable_helpers(const std::filesystem::path& helpers,
                                                const std::filesystem::path& cache);

/// `path` without symbolic links when it is below `cache`; an error otherwise.
Result<std::filesystem::path> below_cache(const std::filesystem::path& cache, const std::filesystem::path& path);

} // namespace holdfast::sandbox
