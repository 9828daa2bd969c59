// SPDX-License-Identifier: GPL-3.0-or-later
// Two texts compared line by line, as plain structures.
#pragma once

#include "core/project/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::git {

struct DiffLine {
    enum class Kind { context, added, removed };
    Kind kind = Kind::context;
    std::size_t old_line = 0, new_line = 0; ///< from 1; 0 on the side that has no such line
    std::string text;                       ///< without its newline, as in the file
    bool newline = true;                    ///< false: the file ends here without one
};

struct DiffHunk {
    std::size_t old_start = 0, old_count = 0, new_start = 0, new_count = 0;
    std::vector<DiffLine> lines;
};

struct DiffFile {
    std::string path;                         ///< from the repository's root
    std::optional<std::string> before, after; ///< full texts; nothing: the file is not there
    bool executable = false;
    std::vector<DiffHunk> hunks;
    std::size_t lines_added = 0, lines_removed = 0;
};

/// Fills hunks and counts from `before` and `after`, with `context` lines around each change (at most 1000). No hunks
/// when the texts are equal or when one is binary (has a NUL byte): then compare `before` and `after` themselves.
Result<DiffFile> diff_texts(std::string path, std::optional<std::string> before, std::optional<std::string> after,
                            unsigned context = 3);

/// As `git diff` prints it, which `git apply` accepts. "" when there is nothing to do. A binary file gives git's line
/// "Binary files ... differ", which `git apply` refuses.
std::string unified(const DiffFile& file);

} // namespace holdfast::git
