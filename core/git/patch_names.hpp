// SPDX-License-Identifier: GPL-3.0-or-later
// File names in a diff's headers: quoting, and the prefixes that may or may not be there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::git {

/// The name in "--- name", "+++ name": quotes undone, a tab and what follows it (a time) cut off. Nothing when a quoted
/// name is broken.
std::optional<std::string> header_name(std::string_view text);

/// The path that two header names stand for: "a/x" and "b/x" are "x" (also i/ w/ c/ o/ of diff.mnemonicPrefix), "x"
/// and "x" are "x". Nothing when they are two files.
std::optional<std::string> common_path(std::string_view old_name, std::string_view new_name);

/// `name` without a prefix letter, or as it is: for a file whose other name is /dev/null.
std::string without_prefix(std::string_view name);

/// The two names after "diff --git ", as one path; nothing when they cannot be told apart or differ.
std::optional<std::string> path_of_git_line(std::string_view names);

/// `name` as git prints it in a diff's headers: in quotes with escapes when it has quotes, backslashes, control
/// characters or bytes above ASCII (core.quotePath's default).
std::string quoted_name(std::string_view name);

} // namespace holdfast::git
