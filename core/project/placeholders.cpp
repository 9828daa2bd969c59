// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/placeholders.hpp"

namespace holdfast {

std::optional<Placeholder> next_placeholder(std::string_view word, std::size_t from) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    for (auto open = word.find('{', from); open != std::string_view::npos; open = word.find('{', open + 1)) {
        const auto close = word.find_first_not_of(letters, open + 1);
        if (close == std::string_view::npos || word[close] != '}' || close == open + 1)
            continue;
        return Placeholder{open, close + 1, word.substr(open + 1, close - open - 1), open > 0 && word[open - 1] == '$'};
    }
    return std::nullopt;
}

} // namespace holdfast
