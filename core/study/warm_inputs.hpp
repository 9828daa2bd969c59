// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs in the same state of the page cache before every timed run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace holdfast::study {

constexpr std::uint64_t most_warmed = 1ULL << 30; ///< bytes; reading more would push out what it brings in

/// Reads every regular file below `folders`, so that a run that throws them out of memory slows no run after it but its
/// own. Nothing when they are larger than most_warmed together: then the cache holds what it holds. Best effort: what
/// cannot be read is the run's to tell.
void warm(const std::vector<std::filesystem::path>& folders);

/// Bytes of all regular files below `folders`.
std::uint64_t bytes_below(const std::vector<std::filesystem::path>& folders);

} // namespace holdfast::study
