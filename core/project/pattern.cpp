// SPDX-License-Identifier: GPL-3.0-or-later
// g++ 12 to 14 report false -Wmaybe-uninitialized inside <regex> under -fsanitize=address (GCC bug 105616), so <regex>
// has a file of its own.
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
