// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace holdfast {

/// The number of groups in an ECMAScript regular expression, or what is wrong with it.
tl::expected<unsigned, std::string> count_groups(const std::string& pattern);

/// What the pattern's first group holds in each line of `text` that the pattern matches, the first `most` of them.
/// Lines longer than `longest_line` bytes are passed over: the matcher recurses once a character.
std::vector<std::string> match_lines(const std::string& pattern, std::string_view text, std::size_t most,
                                     std::size_t longest_line = 4096);

} // namespace holdfast
