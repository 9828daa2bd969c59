// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/numeric.hpp"

#include "core/project/text.hpp"
#include "core/study/number_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace holdfast::study {

namespace {

bool digit(char c) {
    return c >= '0' && c <= '9';
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

/// How many steps from one double to the next lie between two finite ones; +0 and -0 are the same.
std::uint64_t places_apart(double one, double other) {
    // As integers, doubles of one sign are in their order.
    const auto place = [](double value) {
        const auto bits = std::bit_cast<std::int64_t>(value);
        return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
    };
    const std::int64_t a = place(one), b = place(other);
    return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                 : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

/// A number of a text, with what is written there.
struct Spelled {
    double value;
    std::string_view spelling;
};

bool within(const Spelled& wanted, const Spelled& found, const Tolerance& tolerance, double range) {
    if (tolerance.ulps && places_apart(wanted.value, found.value) <= *tolerance.ulps)
        return true;
    const double limit = tolerance.atol + tolerance.rtol * (tolerance.of_range ? range : std::abs(wanted.value));
    const double apart = std::abs(found.value - wanted.value);
    // Only where rounding may decide are the digits looked at.
    const double doubt = 4 * std::numeric_limits<double>::epsilon() *
                         (std::abs(found.value) / 2 + std::abs(wanted.value) / 2 + limit / 2);
    if (std::abs(apart - limit) > doubt)
        return apart < limit;
    return wanted.spelling == found.spelling || distance(exactly(wanted.spelling), exactly(found.spelling)) <= limit;
}

/// The largest less the smallest number of a text; 0 without any.
double range_of(std::string_view text) {
    double least = 0, most = 0;
    bool any = false;
    for (std::size_t i = 0; i < text.size();) {
        const auto number = number_at(text, i);
        if (number) {
            least = any ? std::min(least, number->value) : number->value;
            most = any ? std::max(most, number->value) : number->value;
            any = true;
        }
        i += number ? number->size : 1;
    }
    return std::min(most - least, std::numeric_limits<double>::max());
}

bool same_kind(double wanted, double found) {
    return wanted == found || (std::isnan(wanted) && std::isnan(found));
}

std::string around(std::string_view text, std::size_t at) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    return at >= text.size() ? "the end" : "'" + printable(text.substr(at, std::min<std::size_t>(end - at, 40))) + "'";
}

} // namespace

std::optional<std::string> numeric_difference(std::string_view expected, std::string_view made,
                                              const Tolerance& tolerance) {
    const double range = tolerance.of_range ? range_of(expected) : 0;
    std::size_t line = 1, i = 0, j = 0;
    while (i < expected.size() || j < made.size()) {
        const auto wanted = number_at(expected, i), found = number_at(made, j);
        const auto wanted_odd = not_finite_at(expected, i), found_odd = not_finite_at(made, j);
        if (wanted && found) {
            const Spelled right{wanted->value, expected.substr(i, wanted->size)};
            const Spelled seen{found->value, made.substr(j, found->size)};
            if (!within(right, seen, tolerance, range))
                return fmt::format("line {}: {} instead of {}", line, seen.spelling, right.spelling);
            i += wanted->size;
            j += found->size;
            continue;
        }
        if (wanted_odd && found_odd && same_kind(wanted_odd->value, found_odd->value)) {
            i += wanted_odd->size;
            j += found_odd->size;
            continue;
        }
        if (wanted && found_odd)
            return fmt::format("line {}: {} instead of the finite {}", line, made.substr(j, found_odd->size),
                               expected.substr(i, wanted->size));
        if (wanted || found || wanted_odd || found_odd || i >= expected.size() || j >= made.size() ||
            expected[i] != made[j])
            return fmt::format("line {}: {} instead of {}", line, around(made, j), around(expected, i));
        line += expected[i] == '\n' ? 1 : 0;
        ++i;
        ++j;
    }
    return std::nullopt;
}

} // namespace holdfast::study
