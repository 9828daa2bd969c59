// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/error.hpp"

#include <filesystem>
#include <string>

namespace holdfast::cli {

/// Whether write_whole() would begin: invalid when the folder is missing, when a file is there and `force` does not
/// allow to replace it, and when anything but a regular file is there, whatever `force` says.
Result<void> check_target(const std::filesystem::path& file, bool force);

/// Writes the whole text or nothing, where check_target() allows it.
Result<void> write_whole(const std::filesystem::path& file, const std::string& text, bool force);

} // namespace holdfast::cli
