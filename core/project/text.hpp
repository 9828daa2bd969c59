// SPDX-License-Identifier: GPL-3.0-or-later
// Text from candidates and files, made safe to show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

/// `text` with control characters (newline and tab too when `one_line`), terminal escapes, bidirectional controls,
/// characters that draw nothing and invalid UTF-8 replaced by visible escapes such as `\x1b` or `\u202e`.
std::string printable(std::string_view text, bool one_line = true);

/// The member of `candidates` nearest to `word` by edit distance, or "" when none is near (distance above a third of
/// its length).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// `word` as one word of a POSIX shell: as it is when nothing in it is special, else in single quotes.
std::string shell_quoted(std::string_view word);

} // namespace holdfast
