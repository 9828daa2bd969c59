// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/numeric.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace holdfast::study {

namespace {

bool digit(char c) {
    return c >= '0' && c <= '9';
}

bool part_of_word(char c) {
    return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

struct Number {
    double value = 0;
    std::size_t size = 0; ///< bytes it takes
};

/// The number that starts at `at`; nothing when none does, or when it is too large for a double.
std::optional<Number> number_at(std::string_view text, std::size_t at) {
    if (at >= text.size() || (at > 0 && part_of_word(text[at - 1])))
        return std::nullopt;
    const bool sign = text[at] == '-' || text[at] == '+';
    std::size_t first = at + (sign ? 1 : 0);
    if (first < text.size() && text[first] == '.')
        ++first;
    if (first >= text.size() || !digit(text[first]))
        return std::nullopt;
    const char* const begin = text.data() + at + (text[at] == '+' ? 1 : 0); // from_chars takes no plus
    Number number;
    const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), number.value);
    if (fault != std::errc() || !std::isfinite(number.value))
        return std::nullopt;
    number.size = static_cast<std::size_t>(end - (text.data() + at));
    return number;
}

std::string around(std::string_view text, std::size_t at) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    return at >= text.size() ? "the end" : "'" + printable(text.substr(at, std::min<std::size_t>(end - at, 40))) + "'";
}

} // namespace

std::optional<std::string> numeric_difference(std::string_view expected, std::string_view made,
                                              const Tolerance& tolerance) {
    std::size_t line = 1, i = 0, j = 0;
    while (i < expected.size() || j < made.size()) {
        const auto wanted = number_at(expected, i), found = number_at(made, j);
        if (wanted && found) {
            if (!(std::abs(found->value - wanted->value) <= tolerance.atol + tolerance.rtol * std::abs(wanted->value)))
                return fmt::format("line {}: {} instead of {}", line, made.substr(j, found->size),
                                   expected.substr(i, wanted->size));
            i += wanted->size;
            j += found->size;
            continue;
        }
        if (wanted || found || i >= expected.size() || j >= made.size() || expected[i] != made[j])
            return fmt::format("line {}: {} instead of {}", line, around(made, j), around(expected, i));
        line += expected[i] == '\n' ? 1 : 0;
        ++i;
        ++j;
    }
    return std::nullopt;
}

} // namespace holdfast::study
