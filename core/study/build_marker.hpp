// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept beside a finished build: what it is recognised by, and how long it took.
#pragma once

#include "core/project/error.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace holdfast::study {

struct BuildMarker {
    std::string hash;                  ///< Artifact::hash
    std::chrono::milliseconds time{0}; ///< that the build commands took
};

std::filesystem::path marker_of(const std::filesystem::path& build);
Result<void> write_marker(const std::filesystem::path& build, const BuildMarker& marker);
/// Nothing where there is none that can be read.
std::optional<BuildMarker> read_marker(const std::filesystem::path& build);

} // namespace holdfast::study
