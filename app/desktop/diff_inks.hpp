// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace holdfast::desktop {

/// The Ink of every byte of each line of `text`, found by the lexer for `path`; empty for a language without one, and
/// for texts too large to be read in colour. The whole text is lexed, since a hunk alone does not show whether it lies
/// in a comment.
std::vector<std::string> inks_of(const std::string& path, const std::string& text);

} // namespace holdfast::desktop
