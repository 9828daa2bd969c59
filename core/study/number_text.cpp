// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace holdfast::study {

namespace {

bool digit(char c) {
    return c >= '0' && c <= '9';
}

bool part_of_word(char c) {
    return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

bool same_word(std::string_view text, std::string_view lower) {
    return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
               return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
           });
}

} // namespace

std::optional<NumberText> number_at(std::string_view text, std::size_t at) {
    if (at >= text.size() || (at > 0 && part_of_word(text[at - 1])))
        return std::nullopt;
    const bool sign = text[at] == '-' || text[at] == '+';
    std::size_t first = at + (sign ? 1 : 0);
    if (first < text.size() && text[first] == '.')
        ++first;
    if (first >= text.size() || !digit(text[first]))
        return std::nullopt;
    const char* const begin = text.data() + at + (text[at] == '+' ? 1 : 0); // from_chars takes no plus
    NumberText number;
    const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), number.value);
    if (fault != std::errc() || !std::isfinite(number.value))
        return std::nullopt;
    number.size = static_cast<std::size_t>(end - (text.data() + at));
    return number;
}

std::optional<NumberText> not_finite_at(std::string_view text, std::size_t at) {
    if (at >= text.size() || (at > 0 && part_of_word(text[at - 1])))
        return std::nullopt;
    const bool sign = text[at] == '-' || text[at] == '+';
    const std::size_t first = at + (sign ? 1 : 0);
    std::size_t end = first;
    while (end < text.size() && part_of_word(text[end]))
        ++end;
    const std::string_view word = text.substr(first, end - first);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (same_word(word, "nan"))
        return NumberText{std::numeric_limits<double>::quiet_NaN(), end - at};
    if (same_word(word, "inf") || same_word(word, "infinity"))
        return NumberText{text[at] == '-' ? -infinity : infinity, end - at};
    return std::nullopt;
}

} // namespace holdfast::study
