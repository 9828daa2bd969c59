// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast {

/// The last `lines` lines of `text`.
inline std::string_view last_lines(std::string_view text, std::size_t lines) {
    std::size_t at = text.size() - (text.ends_with('\n') ? 1 : 0);
    for (; lines > 0; --lines) {
        at = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
        if (at == std::string_view::npos)
            return text;
    }
    return text.substr(at + 1);
}

} // namespace holdfast
