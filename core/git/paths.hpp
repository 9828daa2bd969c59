// SPDX-License-Identifier: GPL-3.0-or-later
// What a path from a patch or a tree may look like. Stricter than Linux needs: a result tree may be checked out on a
// file system that folds case, drops trailing dots or ignores code points, where ".GIT." is ".git".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::git {

/// Whether one path component is ".git" on some file system (NTFS and HFS+ rules of git's path.c and utf8.c).
bool names_git_folder(std::string_view component);

/// Why `path`, from the repository's root, may not be written, in words that follow the path; nothing when it may.
std::optional<std::string> path_fault(std::string_view path);

std::vector<std::string_view> components(std::string_view path);

/// The part before the last '/', or "".
std::string_view parent_of(std::string_view path);

} // namespace holdfast::git
