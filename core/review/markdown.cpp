// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/markdown.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::review {

namespace {

/// More backquotes than stand together anywhere in `text`, and at least `least`.
std::string fence_for(std::string_view text, std::size_t least) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(std::max(least, longest + 1), '`');
}

} // namespace

std::string plain(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) {
        if (std::string_view("\\`*_[]<>|#~&$!").find(c) != std::string_view::npos)
            result += '\\';
        result += c;
        if (c == '@')
            result += "\u200b"; // a backslash would not keep a server from calling whoever has that name
    }
    return result;
}

std::string code_span(std::string_view text) {
    const std::string shown = printable(text);
    const std::string fence = fence_for(shown, 1);
    return fmt::format("{0} {1} {0}", fence, shown);
}

std::string code_block(std::string_view language, const std::string& text) {
    const std::string fence = fence_for(text, 3);
    return fmt::format("{}{}\n{}{}{}\n", fence, language, text, text.ends_with('\n') ? "" : "\n", fence);
}

} // namespace holdfast::review
