// SPDX-License-Identifier: GPL-3.0-or-later
// Folders and files of the host that a project names to be seen inside.
#pragma once

#include "core/study/runner.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::sandbox {

/// `execution.read` without what is there anyway (below /usr and its like). Refused: a path that is missing or not
/// absolute, a top folder, what the kernel or running services make (/proc, /sys, /dev, /run), sockets and devices,
/// what contains `cache` or lies below it, what does so with one of `execution.hidden`, what covers a mount, and what
/// programs cannot read.
Result<std::vector<std::string>> readable_paths(const study::Execution& execution, const std::filesystem::path& cache);

} // namespace holdfast::sandbox
