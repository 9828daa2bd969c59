// SPDX-License-Identifier: GPL-3.0-or-later
// Unified diffs placed on full texts, or refused with a reason that names file and hunk.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/error.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::git {

/// What a patch may touch. Globs are relative to `prefix`.
struct PatchRules {
    std::string prefix;                       ///< Repository::prefix()
    std::vector<std::string> editable;        ///< a path must match one
    std::vector<std::string> protected_paths; ///< and none of these (holdfast.json and .holdfast are always protected)
    std::size_t max_bytes = 1 << 20;
    std::size_t max_files = 200;
};

struct PlacedFile {
    enum class Change { modified, added, removed };
    std::string path; ///< from the repository's root
    Change change = Change::modified;
    std::string before, after; ///< full texts
    bool executable = false;   ///< as in the base; a patch may not change it
};

struct PlacedPatch {
    std::vector<PlacedFile> files; ///< sorted by path
    std::string result_tree;       ///< id of the tree after it
    std::size_t lines_added = 0, lines_removed = 0;
};

/// Parses `text` and places every hunk on the files of `base`. A hunk goes where its line number says or, when the old
/// lines are not there, where they match exactly once in the whole file; counts in @@ may be wrong, `diff --git` and
/// a/ b/ may be missing, CRLF files and a missing final newline are respected. Refused (kind `refused`): a path that is
/// absolute, has `..`, `.git` (in any case) or control characters, goes through a symbolic link, is not editable or is
/// protected; symbolic links, mode changes, submodules, renames and copies, binary hunks or content with NUL; adding a
/// file that exists; an empty patch or one that changes nothing; sizes past the limits.
Result<PlacedPatch> place_patch(const Repository& repository, const Commit& base, std::string_view text,
                                const PatchRules& rules);

/// Whether `path` (from the root) is one that no patch may touch, whatever else the rules allow: Holdfast's own files
/// and the protected ones.
bool is_protected(const PatchRules& rules, const std::string& path);

/// Applies changes to an exported tree of their base, where a file keeps its mode. Never writes outside `tree`.
Result<void> write_changes(const Changes& changes, const std::filesystem::path& tree);

} // namespace holdfast::git
