// SPDX-License-Identifier: GPL-3.0-or-later
// What a project depends on, fetched once per baseline tree: the only commands that see the network, and only after
// consent.
#pragma once

#include "core/study/watch.hpp"
#include "core/study/workspace.hpp"

#include <filesystem>
#include <string>

namespace holdfast::study {

/// Runs the project's `fetch` on the baseline's exported tree unless its result is kept from before, and makes it the
/// workspace's {deps}. Refused without consent (Watch::may_fetch).
Result<void> fetch(const Project& project, Workspace& workspace, Runner& runner, const Watch& watch,
                   const std::string& tree, const std::filesystem::path& source);

} // namespace holdfast::study
