// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/project/error.hpp"

#include <filesystem>
#include <string>

namespace holdfast::cli {

/// Writes the whole text or nothing. `force`: replaces a file that is there; else it is an error of kind invalid.
Result<void> write_whole(const std::filesystem::path& file, const std::string& text, bool force);

} // namespace holdfast::cli
