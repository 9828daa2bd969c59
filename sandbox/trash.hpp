// SPDX-License-Identifier: GPL-3.0-or-later
// Removing trees of the cache that programs of candidates wrote. A tree is first renamed into CACHE/.trash, in one
// step, and taken apart there: a kill at any moment leaves it whole in its place or in the trash, which the next
// clean-up empties. No symbolic link is followed, no name is trusted, and no depth or length of a path is too much.
#pragma once

#include "core/project/error.hpp"
#include "sandbox/descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace holdfast::sandbox {

/// What is below a name, links not followed, other file systems not entered.
struct TreeSize {
    std::uint64_t bytes = 0;  ///< on disk; a file with several names counts once
    std::int64_t changed = 0; ///< seconds since 1970 of the newest thing in it; a program cannot move it past the
                              ///< moment it wrote
    bool folder = false;
    bool whole = true; ///< false: a part could not be read or lies more than 200 folders deep, so there is more
};

/// A folder opened without following a link in its last part; empty when it is none.
Descriptor open_folder(const std::filesystem::path& folder);
Descriptor open_folder(int parent, const std::string& name);

/// Of `name` in the folder `parent`. An error when it is not there.
Result<TreeSize> measure_tree(int parent, const std::string& name);

class Trash {
public:
    static constexpr const char* name = ".trash";

    /// Makes CACHE/.trash (mode 0700) when it is missing. `cache` as from make_cache(). Refused when something else
    /// stands in its place.
    static Result<Trash> open(const std::filesystem::path& cache);

    /// Moves `name` of the folder `parent`, which is on the cache's file system, into the trash.
    Result<void> take(int parent, const std::string& name);

    /// Removes what is in the trash, also what an earlier process left there.
    Result<void> empty();

private:
    explicit Trash(Descriptor folder) : folder_(std::move(folder)) {}
    Result<void> take_apart(const std::string& entry);
    std::string unused_name();

    Descriptor folder_;
    std::uint64_t next_ = 0;
};

} // namespace holdfast::sandbox
