// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/reason.hpp"

#include "core/project/utf8.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast::review {

namespace {

constexpr std::size_t least_characters = 10;

/// White space of Unicode, and characters that draw nothing.
bool is_blank(char32_t c) {
    return is_unsafe(c) || c == ' ' || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f ||
           c == 0x205f || c == 0x3000;
}

/// Calls `use(position, size, blank)` for each character; a byte that is no UTF-8 is one that is seen.
template <class Use> void each_character(std::string_view text, const Use& use) {
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text, at);
        const std::size_t size = std::max<std::size_t>(point.size, 1);
        use(at, size, point.size != 0 && is_blank(point.value));
        at += size;
    }
}

std::string letters(std::string_view text) {
    std::string result;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0)
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

} // namespace

std::string trimmed(std::string_view text) {
    std::size_t begin = text.size(), end = 0;
    each_character(text, [&](std::size_t at, std::size_t size, bool blank) {
        if (blank)
            return;
        begin = std::min(begin, at);
        end = at + size;
    });
    return begin < end ? std::string(text.substr(begin, end - begin)) : "";
}

std::string override_reason_fault(std::string_view reason, std::string_view gate) {
    const std::string text = trimmed(reason);
    if (text.empty())
        return "no reason is given";
    std::size_t characters = 0;
    bool after_blank = false;
    each_character(text, [&](std::size_t, std::size_t, bool blank) {
        characters += blank && after_blank ? 0 : 1;
        after_blank = blank;
    });
    if (letters(text) == letters(gate))
        return "the reason only repeats the gate's name";
    if (characters < least_characters)
        return "the reason has fewer than ten characters";
    return "";
}

} // namespace holdfast::review
