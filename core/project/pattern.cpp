// SPDX-License-Identifier: GPL-3.0-or-later
// g++ 12 to 14 report false -Wmaybe-uninitialized inside <regex> under -fsanitize=address (GCC bug 105616), so <regex>
// has a file of its own.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "core/project/pattern.hpp"

#include <algorithm>
#include <regex>

namespace holdfast {

tl::expected<unsigned, std::string> count_groups(const std::string& pattern) {
    try {
        return std::regex(pattern, std::regex::ECMAScript).mark_count();
    } catch (const std::regex_error& error) {
        return tl::unexpected<std::string>(error.what());
    }
}

std::vector<std::string> match_lines(const std::string& pattern, std::string_view text, std::size_t most,
                                     std::size_t longest_line) {
    const std::regex compiled(pattern);
    std::vector<std::string> found;
    while (!text.empty() && found.size() < most) {
        const std::string line(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        std::smatch match;
        if (line.size() <= longest_line && std::regex_search(line, match, compiled) && match.size() > 1)
            found.push_back(match[1].str());
    }
    return found;
}

} // namespace holdfast
