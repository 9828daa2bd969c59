// SPDX-License-Identifier: GPL-3.0-or-later
// A unified diff as plain structures. Nothing here knows the files that it is for.
#pragma once

#include "core/git/patch.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::git {

struct HunkLine {
    enum class Kind { context, added, removed };
    Kind kind = Kind::context;
    std::string_view text; ///< without its newline; points into the patch
    bool newline = true;   ///< false after "\ No newline at end of file"
};

struct Hunk {
    std::optional<std::size_t> first;     ///< line number in the old file, as written after "@@ -"
    std::optional<std::size_t> old_count; ///< as written
    std::size_t patch_line = 0;           ///< where its "@@" is, from 1
    std::vector<HunkLine> lines;          ///< never empty
};

struct FilePatch {
    std::string path; ///< from the repository's root, checked by path_fault()
    PlacedFile::Change change = PlacedFile::Change::modified;
    std::size_t patch_line = 0;
    std::vector<Hunk> hunks;
};

/// Accepts what git, diff and people write: mail around it, missing `diff --git`, missing a/ b/, wrong counts. The
/// result's views point into `text`. Errors are of kind refused and name the patch's line.
Result<std::vector<FilePatch>> parse_patch(std::string_view text);

/// The text placed on one file; errors name the hunk. `path` is for messages.
Result<std::string> place_hunks(const std::string& path, std::string_view before, const std::vector<Hunk>& hunks);

} // namespace holdfast::git
