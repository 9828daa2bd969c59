// SPDX-License-Identifier: GPL-3.0-or-later
// What lies in the cache folder, what of it is worth freeing, and freeing it. All of it is disposable: a study that
// needs it makes it again. Histories are not in it.
#pragma once

#include "core/project/error.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::app {

struct CacheItem {
    std::string kind;               ///< "exported trees", "builds", ...
    std::vector<std::string> place; ///< folders below the cache in which it lies; none: the cache itself
    std::vector<std::string> names; ///< entries there, in the order in which they go
    std::uint64_t bytes = 0;
    bool whole = true;           ///< false: at least `bytes`
    std::chrono::seconds age{0}; ///< since anything in it was made or changed
    bool free = false;           ///< to be freed
    std::string why;             ///< it stays though it is old: "process 12 runs it"; "" otherwise
};

struct CacheSurvey {
    std::filesystem::path cache;
    std::vector<CacheItem> items;
    std::vector<std::filesystem::path> projects; ///< whose trees are here and whose folders are there
    std::vector<std::string> foreign;            ///< names that Holdfast did not make: never touched
};

/// "0", "90m", "12h", "7d", "2w": at most ten years. Invalid otherwise.
Result<std::chrono::seconds> parse_age(const std::string& text);

/// Looks only. Items older than `keep` are to be freed, also those of a project folder that is not there; what an
/// earlier clean-up left in the trash, whatever its age.
Result<CacheSurvey> survey_cache(const std::filesystem::path& cache, std::chrono::seconds keep);

/// Frees what the survey, made again under the locks, says. Refused, with the holder's name, while a study runs on this
/// machine or a history of one of the cache's projects is being written. Returns what was freed and what stayed.
Result<CacheSurvey> free_cache(const std::filesystem::path& cache, std::chrono::seconds keep);

} // namespace holdfast::app
