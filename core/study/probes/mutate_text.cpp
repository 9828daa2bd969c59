// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/mutate_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace holdfast::study::probes {

namespace {

constexpr std::string_view digits = "0123456789";

struct Span {
    std::size_t at = 0, size = 0;
    std::string_view of(std::string_view text) const { return text.substr(at, size); }
};

bool is_digit(char c) {
    return digits.find(c) != std::string_view::npos;
}

std::optional<Span> number_at(std::string_view text, std::size_t at) {
    std::size_t begin = text.find_first_of(digits, at);
    if (begin == std::string_view::npos)
        begin = text.find_first_of(digits);
    if (begin == std::string_view::npos)
        return std::nullopt;
    while (begin > 0 && is_digit(text[begin - 1]))
        --begin;
    const std::size_t end = std::min(text.find_first_not_of(digits, begin), text.size());
    return Span{begin, end - begin};
}

/// Without its end.
Span line_at(std::string_view text, std::size_t at) {
    const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    return {begin, std::min(text.find('\n', begin), text.size()) - begin};
}

std::size_t line_number(std::string_view text, std::size_t at) {
    return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string replaced(std::string_view text, Span span, std::string_view by) {
    std::string changed(text);
    return changed.replace(span.at, span.size, by);
}

/// What stands between a line's fields; 0: there is one.
char separator_of(std::string_view line) {
    for (const char separator : {'\t', ',', ';', '|', ' '})
        if (line.find(separator) != std::string_view::npos)
            return separator;
    return 0;
}

/// Where the last separator of a line's fields is.
std::size_t last_separator(std::string_view line) {
    const char separator = separator_of(line);
    return separator == 0 ? std::string_view::npos : line.rfind(separator);
}

/// The fields of a line, by their places in the text.
std::vector<Span> fields_of(std::string_view text, Span line) {
    const char separator = separator_of(line.of(text));
    std::vector<Span> fields;
    const std::size_t end = line.at + line.size;
    std::size_t begin = line.at;
    for (std::size_t at = begin; at < end; ++at)
        if (separator != 0 && text[at] == separator) {
            fields.push_back({begin, at - begin});
            begin = at + 1;
        }
    fields.push_back({begin, end - begin});
    if (separator == ' ') // of which several stand for one
        std::erase_if(fields, [](const Span& field) { return field.size == 0; });
    return fields;
}

struct Change {
    const char* how;
    std::string by;
};

Change number_changed(const std::string& old, std::size_t change) {
    if (change % field_changes == 1)
        return {"made huge", "99999999999"};
    if (change % field_changes == 2)
        return {"made a word", "word"};
    const std::size_t first = old.find_first_of("+-0123456789");
    const bool negative = old[first] == '-';
    return {negative ? "made positive" : "made negative",
            old.substr(0, first) + (negative ? "" : "-") + old.substr(first + (negative ? 1 : 0))};
}

Change word_changed(const std::string& old, std::size_t change) {
    if (change % field_changes == 0)
        return {"emptied", ""};
    if (change % field_changes == 2)
        return {"made a number", "7"};
    std::string longer;
    for (int i = 0; i < 100; ++i)
        longer += old.empty() ? "x" : old;
    return {"a hundred times as long", longer};
}

/// With a sign, a point, spaces around it: whatever has a digit and no letter.
bool is_number(std::string_view field) {
    return field.find_first_of(digits) != std::string_view::npos &&
           std::none_of(field.begin(), field.end(), [](unsigned char c) { return std::isalpha(c) != 0 || c >= 0x80; });
}

std::string doubled(std::string_view number) {
    std::string result(number);
    int carry = 0;
    for (std::size_t i = result.size(); i-- > 0;) {
        const int twice = 2 * (result[i] - '0') + carry;
        result[i] = static_cast<char>('0' + twice % 10);
        carry = twice / 10;
    }
    return carry == 0 ? result : "1" + result;
}

std::string_view without_zeros(std::string_view number) {
    return number.substr(std::min(number.find_first_not_of('0'), number.size()));
}

std::size_t copies_below(std::size_t most, std::size_t size, std::size_t more) {
    return more == 0 || size >= most ? 0 : (most - size) / more;
}

} // namespace

bool is_text(std::string_view bytes) {
    return bytes.find('\0') == std::string_view::npos;
}

std::optional<Mutation> number_to_word(std::string_view text, std::size_t at) {
    const auto number = number_at(text, at);
    if (!number)
        return std::nullopt;
    return Mutation{fmt::format("the number at byte {} made a word", number->at), replaced(text, *number, "word")};
}

std::optional<Mutation> turn_sign(std::string_view text, std::size_t at) {
    const auto number = number_at(text, at);
    if (!number)
        return std::nullopt;
    const bool negative = number->at > 0 && text[number->at - 1] == '-';
    const Span sign{negative ? number->at - 1 : number->at, negative ? 1U : 0U};
    return Mutation{fmt::format("the number at byte {} made {}", number->at, negative ? "positive" : "negative"),
                    replaced(text, sign, negative ? "" : "-")};
}

std::optional<Mutation> change_number(std::string_view text, std::size_t at, std::mt19937_64& random) {
    constexpr std::array values{"0", "-1", "2147483647", "4294967296", "9223372036854775807", "18446744073709551616"};
    const auto number = number_at(text, at);
    if (!number)
        return std::nullopt;
    const char* const value = values[below(values.size(), random)];
    return Mutation{fmt::format("the number at byte {} made {}", number->at, value), replaced(text, *number, value)};
}

std::optional<Mutation> enlarge_largest(std::string_view text, unsigned factor) {
    std::optional<Span> largest;
    for (std::size_t at = text.find_first_of(digits); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_not_of(digits, at), text.size());
        const Span span{at, end - at};
        const std::string_view value = without_zeros(span.of(text));
        const std::string_view known = largest ? without_zeros(largest->of(text)) : std::string_view();
        if (!largest || std::pair(value.size(), value) > std::pair(known.size(), known))
            largest = span;
        at = text.find_first_of(digits, end);
    }
    if (!largest)
        return std::nullopt;
    const std::string_view value = largest->of(text);
    return Mutation{fmt::format("the largest number (byte {}) times {}", largest->at, factor),
                    replaced(text, *largest, factor == 10 ? std::string(value) + "0" : doubled(value))};
}

std::optional<Mutation> add_field(std::string_view text, std::size_t at) {
    const Span line = line_at(text, at);
    const std::string_view fields = line.of(text);
    const std::size_t last = last_separator(fields);
    const std::string more =
        last == std::string_view::npos ? fmt::format(" {}", fields) : std::string(fields.substr(last));
    return Mutation{fmt::format("a field more in line {}", line_number(text, line.at)),
                    replaced(text, {line.at + line.size, 0}, more)};
}

std::optional<Mutation> drop_field(std::string_view text, std::size_t at) {
    const Span line = line_at(text, at);
    const std::size_t last = last_separator(line.of(text)), number = line_number(text, line.at);
    if (last == std::string_view::npos)
        return Mutation{fmt::format("line {} left out", number),
                        replaced(text, {line.at, std::min(line.size + 1, text.size() - line.at)}, "")};
    return Mutation{fmt::format("a field less in line {}", number),
                    replaced(text, {line.at + last, line.size - last}, "")};
}

std::size_t fields_at(std::string_view text, std::size_t at) {
    return std::max<std::size_t>(fields_of(text, line_at(text, at)).size(), 1);
}

std::optional<Mutation> change_field(std::string_view text, std::size_t at, std::size_t field, std::size_t change) {
    const Span line = line_at(text, at);
    const std::vector<Span> fields = fields_of(text, line);
    if (fields.empty()) // a line of spaces
        return std::nullopt;
    const std::size_t number = field % fields.size();
    const Span place = fields[number];
    const std::string old(place.of(text));
    const auto [how, by] = is_number(old) ? number_changed(old, change) : word_changed(old, change);
    if (by == old)
        return std::nullopt;
    return Mutation{fmt::format("field {} of line {} {}", number + 1, line_number(text, line.at), how),
                    replaced(text, place, by)};
}

std::optional<Mutation> swap_lines(std::string_view text, std::size_t at, std::size_t other) {
    Span first = line_at(text, at), second = line_at(text, other);
    if (first.at == second.at)
        return std::nullopt;
    if (first.at > second.at)
        std::swap(first, second);
    return Mutation{fmt::format("lines {} and {} swapped", line_number(text, first.at), line_number(text, second.at)),
                    replaced(replaced(text, second, first.of(text)), first, second.of(text))};
}

std::optional<Mutation> repeat_line(std::string_view text, std::size_t at, std::size_t copies, std::size_t most) {
    const Span line = line_at(text, at);
    const std::string one = std::string(line.of(text)) + '\n';
    const std::size_t lines = std::clamp<std::size_t>(line_number(text, text.size()) * (copies - 1), 100, 1000);
    const std::size_t more_lines = std::min(lines, copies_below(most, text.size(), one.size()));
    if (more_lines == 0)
        return std::nullopt;
    std::string more;
    more.reserve(more_lines * one.size());
    for (std::size_t i = 0; i < more_lines; ++i)
        more += one;
    return Mutation{fmt::format("line {} {} times more", line_number(text, line.at), more_lines),
                    replaced(text, {line.at, 0}, more)};
}

std::optional<Mutation> repeat_below_first(std::string_view text, std::size_t copies, std::size_t most) {
    const std::size_t first = text.find('\n');
    if (first == std::string_view::npos || first + 1 == text.size())
        return std::nullopt;
    auto rest = repeat_whole(text.substr(first + 1), copies, most - std::min(most, first + 1));
    if (!rest)
        return std::nullopt;
    return Mutation{"below the first line " + rest->what, std::string(text.substr(0, first + 1)) + rest->bytes};
}

std::optional<Mutation> repeat_whole(std::string_view bytes, std::size_t copies, std::size_t most) {
    std::string one(bytes);
    if (is_text(bytes) && !bytes.ends_with('\n'))
        one += '\n';
    const std::size_t more =
        std::min(std::max<std::size_t>(copies, 1) - 1, copies_below(most, bytes.size(), one.size()));
    if (more == 0)
        return std::nullopt;
    std::string changed;
    changed.reserve((more + 1) * one.size());
    for (std::size_t i = 0; i < more; ++i)
        changed += one;
    changed += bytes;
    return Mutation{fmt::format("all of it {} times", more + 1), std::move(changed)};
}

} // namespace holdfast::study::probes
