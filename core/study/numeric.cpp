// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/numeric.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

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

/// digits * 10^exponent; no leading zeros, so no digits for zero.
struct Decimal {
    bool negative = false;
    std::string digits;
    long exponent = 0;
};

/// What `spelling`, which number_at() has accepted, says; nothing is rounded.
Decimal exactly(std::string_view spelling) {
    Decimal number;
    std::size_t i = 0;
    bool fraction = false;
    if (spelling[0] == '-' || spelling[0] == '+')
        number.negative = spelling[i++] == '-';
    for (; i < spelling.size() && (digit(spelling[i]) || spelling[i] == '.'); ++i) {
        if (spelling[i] == '.') {
            fraction = true;
            continue;
        }
        if (spelling[i] != '0' || !number.digits.empty())
            number.digits += spelling[i];
        number.exponent -= fraction ? 1 : 0;
    }
    if (number.digits.empty())
        return {};
    long power = 0;
    if (i < spelling.size()) { // "e-5", "E+5"
        const std::size_t first = i + (spelling[i + 1] == '+' ? 2 : 1);
        std::from_chars(spelling.data() + first, spelling.data() + spelling.size(), power);
    }
    number.exponent += power;
    return number;
}

/// Of numbers without sign and point, of the same length.
std::string sum(const std::string& one, const std::string& other) {
    std::string result(one.size() + 1, '0');
    int carry = 0;
    for (std::size_t i = one.size(); i-- > 0; carry /= 10) {
        carry += (one[i] - '0') + (other[i] - '0');
        result[i + 1] = static_cast<char>('0' + carry % 10);
    }
    result[0] = static_cast<char>('0' + carry);
    return result;
}

/// Likewise; `larger` is not the smaller one.
std::string rest(const std::string& larger, const std::string& smaller) {
    std::string result(larger.size(), '0');
    int borrowed = 0;
    for (std::size_t i = larger.size(); i-- > 0;) {
        const int left = larger[i] - smaller[i] - borrowed;
        borrowed = left < 0 ? 1 : 0;
        result[i] = static_cast<char>('0' + left + 10 * borrowed);
    }
    return result;
}

/// |one - other|, rounded once: doubles of the two would hide what is below their last place.
double distance(Decimal one, Decimal other) {
    const long exponent = std::min(one.exponent, other.exponent);
    for (Decimal* each : {&one, &other}) // both are doubles' neighbours, so this adds some hundred digits at most
        if (!each->digits.empty())
            each->digits.append(static_cast<std::size_t>(each->exponent - exponent), '0');
    const std::size_t length = std::max(one.digits.size(), other.digits.size());
    for (Decimal* each : {&one, &other})
        each->digits.insert(0, length - each->digits.size(), '0');
    const std::string text = '0' +
                             (one.negative != other.negative
                                  ? sum(one.digits, other.digits)
                                  : rest(std::max(one.digits, other.digits), std::min(one.digits, other.digits))) +
                             'e' + std::to_string(exponent);
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault == std::errc())
        return value;
    const bool large = static_cast<long>(length) + exponent > 0;
    return large ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::denorm_min();
}

bool within(const Number& wanted, std::string_view wanted_spelling, const Number& found,
            std::string_view found_spelling, const Tolerance& tolerance) {
    const double limit = tolerance.atol + tolerance.rtol * std::abs(wanted.value);
    const double apart = std::abs(found.value - wanted.value);
    // Only where rounding may decide are the digits looked at.
    const double doubt = 4 * std::numeric_limits<double>::epsilon() *
                         (std::abs(found.value) / 2 + std::abs(wanted.value) / 2 + limit / 2);
    if (std::abs(apart - limit) > doubt)
        return apart < limit;
    return wanted_spelling == found_spelling || distance(exactly(wanted_spelling), exactly(found_spelling)) <= limit;
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
            const std::string_view wanted_spelling = expected.substr(i, wanted->size);
            const std::string_view found_spelling = made.substr(j, found->size);
            if (!within(*wanted, wanted_spelling, *found, found_spelling, tolerance))
                return fmt::format("line {}: {} instead of {}", line, found_spelling, wanted_spelling);
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
