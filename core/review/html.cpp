// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/html.hpp"

#include "core/project/text.hpp"

#include <fmt/format.h>

namespace holdfast::review {

namespace {

/// U+FFFE and U+FFFF, which XML cannot hold at all.
bool is_no_character(std::string_view text) {
    return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
}

std::string_view entity(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return "";
    }
}

} // namespace

std::string html_text(std::string_view text, bool one_line) {
    const std::string shown = printable(text, one_line);
    std::string result;
    result.reserve(shown.size());
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const std::string_view rest = std::string_view(shown).substr(i);
        if (is_no_character(rest)) {
            result += rest[2] == '\xbe' ? "\\ufffe" : "\\uffff";
            i += 2;
        } else if (const std::string_view name = entity(shown[i]); !name.empty()) {
            result += name;
        } else {
            result += shown[i];
        }
    }
    return result;
}

std::string data_url(std::string_view media_type, std::string_view data) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string result = fmt::format("data:{};base64,", media_type);
    result.reserve(result.size() + (data.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < data.size(); i += 3) {
        const auto byte = [&](std::size_t at) {
            return at < data.size() ? static_cast<unsigned>(static_cast<unsigned char>(data[at])) : 0U;
        };
        const unsigned bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        result += digits[bits >> 18];
        result += digits[bits >> 12 & 63];
        result += i + 1 < data.size() ? digits[bits >> 6 & 63] : '=';
        result += i + 2 < data.size() ? digits[bits & 63] : '=';
    }
    return result;
}

} // namespace holdfast::review
