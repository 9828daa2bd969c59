// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/text.hpp"

#include "core/project/utf8.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast {

CodePoint decode_utf8(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
    const unsigned first = byte(at);
    if (first < 0x80)
        return {first, 1};
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() - at < size)
        return {};
    char32_t value = first & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(at + i) & 0xc0U) != 0x80U)
            return {};
        value = (value << 6) | (byte(at + i) & 0x3fU);
    }
    constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < smallest[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return {};
    return {value, size};
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text, at);
        if (point.size == 0)
            return at;
        at += point.size;
    }
    return std::nullopt;
}

int column_of(std::string_view line, std::size_t offset) {
    const auto head = line.substr(0, offset);
    // Every byte that does not continue a code point starts one.
    return 1 + static_cast<int>(std::count_if(head.begin(), head.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool is_unsafe(char32_t c) {
    const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
    return c < 0x20 || within(0x7f, 0x9f) // C0, delete, C1
           || within(0x2028, 0x2029)      // line and paragraph separators
           || within(0xfff9, 0xfffb)      // annotations
           || within(0x202a, 0x202e)      // embeddings, overrides; isolates are below
           || c == 0x2800                 // a blank that is no white space
           || c == 0xad || c == 0x034f    // from here on: what Unicode has as Default_Ignorable_Code_Point, which
           || c == 0x061c                 // take no room, set a direction, or are blanks that a name may hold
           || within(0x115f, 0x1160) || c == 0x3164 || c == 0xffa0 // Hangul fillers
           || within(0x17b4, 0x17b5) || within(0x180b, 0x180f) || within(0x200b, 0x200f) || within(0x2060, 0x206f) ||
           within(0xfe00, 0xfe0f) || c == 0xfeff || within(0xfff0, 0xfff8) || within(0x1bca0, 0x1bca3) ||
           within(0x1d173, 0x1d17a) || within(0xe0000, 0xe0fff);
}

std::string printable(std::string_view text, bool one_line) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text, at);
        const char32_t c = point.value;
        if (point.size == 0) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
            ++at;
            continue;
        }
        if (!is_unsafe(c) || (!one_line && (c == '\n' || c == '\t')))
            out += text.substr(at, point.size);
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c < 0x80)
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
        else if (c <= 0xffff)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += fmt::format("\\U{:08x}", static_cast<unsigned>(c));
        at += point.size;
    }
    return out;
}

namespace {

// Optimal string alignment: a swap of two neighbours counts once, since that is how keys are mistyped.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({change, previous[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, previous);
        std::swap(previous, row);
    }
    return previous[b.size()];
}

} // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    const std::size_t limit = word.size() / 3;
    std::size_t best = limit + 1;
    std::string result;
    for (const std::string& candidate : candidates) {
        const std::size_t gap =
            candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
        if (gap >= best)
            continue;
        if (const std::size_t distance = edit_distance(word, candidate); distance < best) {
            best = distance;
            result = candidate;
        }
    }
    return result;
}

std::string shell_quoted(std::string_view word) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_./:,+@%=-").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), plain))
        return std::string(word);
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

} // namespace holdfast
