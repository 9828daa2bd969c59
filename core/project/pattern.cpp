// SPDX-License-Identifier: GPL-3.0-or-later
// g++ 12 reports false -Wmaybe-uninitialized inside <regex> with sanitizers (GCC bug 105562), so <regex> has a file to
// itself.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "core/project/pattern.hpp"

#include <regex>

namespace holdfast {

tl::expected<unsigned, std::string> count_groups(const std::string& pattern) {
    try {
        return std::regex(pattern, std::regex::ECMAScript).mark_count();
    } catch (const std::regex_error& error) {
        return tl::unexpected<std::string>(error.what());
    }
}

} // namespace holdfast
