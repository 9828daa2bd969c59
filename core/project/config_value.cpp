// SPDX-License-Identifier: GPL-3.0-or-later
// How the formats write a value: words for true and false, quotes, escapes.
#include "core/project/config_outline.hpp"

#include "core/project/utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace holdfast::config {

namespace {

using Format = ConfigFormat;

struct Truth {
    std::string_view no, yes;
};
constexpr std::array truths{Truth{"false", "true"}, Truth{"no", "yes"}, Truth{"off", "on"}, Truth{"0", "1"},
                            Truth{"False", "True"}, Truth{"No", "Yes"}, Truth{"Off", "On"}, Truth{"FALSE", "TRUE"},
                            Truth{"NO", "YES"},     Truth{"OFF", "ON"}};

std::optional<bool> truth_of(std::string_view text) {
    for (const Truth& truth : truths)
        if (text == truth.no || text == truth.yes)
            return text == truth.yes;
    return std::nullopt;
}

Truth words_for(Format format, std::string_view present) {
    for (const Truth& truth : truths)
        if (present == truth.no || present == truth.yes)
            return truth;
    return format == Format::redis ? truths[1] : format == Format::postgresql ? truths[2] : truths[0];
}

template <class Number> std::optional<Number> number_in(std::string_view text) {
    std::string digits(text);
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end()); // TOML's 1_000
    Number number{};
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return code == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

/// YAML 1.1 takes 1e-05 for a text, and TOML 5 for an integer.
std::string with_point(std::string number) {
    if (number.find('.') != std::string::npos)
        return number;
    return number.insert(std::min(number.find('e'), number.size()), ".0");
}

std::string plain_text(Format format, const Value& value, std::string_view present) {
    if (const bool* truth = std::get_if<bool>(&value)) {
        const Truth words = words_for(format, present);
        return std::string(*truth ? words.yes : words.no);
    }
    const bool real = std::holds_alternative<double>(value);
    return real && (format == Format::toml || format == Format::yaml) ? with_point(to_text(value)) : to_text(value);
}

bool is_quoted(std::string_view written) {
    return written.size() >= 2 && (written[0] == '"' || written[0] == '\'') && written.back() == written[0];
}

std::string doubled(std::string_view text, std::string_view which) {
    std::string result;
    for (const char c : text)
        result.append(which.find(c) == std::string_view::npos ? 1 : 2, c);
    return result;
}

std::string halved(std::string_view text, char which) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        result += text[i];
        if (text[i] == which && i + 1 < text.size() && text[i + 1] == which)
            ++i;
    }
    return result;
}

/// The characters that postgresql.conf and redis.conf write with a backslash.
std::string unescaped(std::string_view text, char doubled_quote) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool more = i + 1 < text.size();
        if (text[i] == '\\' && more) {
            constexpr std::string_view letters = "bfnrta", meant = "\b\f\n\r\t\a";
            const auto known = letters.find(text[++i]);
            result += known == std::string_view::npos ? text[i] : meant[known];
        } else {
            result += text[i];
            if (text[i] == doubled_quote && more && text[i + 1] == doubled_quote)
                ++i;
        }
    }
    return result;
}

std::string json_text(std::string_view written) {
    const auto value = nlohmann::json::parse(written, nullptr, false);
    return value.is_string() ? value.get<std::string>() : std::string(written.substr(1, written.size() - 2));
}

/// A bare word in postgresql.conf: an identifier, or a number with or without a unit.
bool is_postgresql_word(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty())
        return false;
    if (letter(text[0]) || text[0] == '_')
        return std::all_of(text.begin(), text.end(), [&](char c) {
            return letter(c) || digit(c) || std::string_view("_-.:/").find(c) != std::string_view::npos;
        });
    if (number_in<double>(text))
        return text.find('_') == std::string_view::npos;
    const auto unit = text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0);
    return digit(text[text[0] == '-' ? 1 : 0]) && unit < text.size() &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(unit), text.end(), letter);
}

bool is_yaml_plain(std::string_view text) {
    if (text.empty() || text == "~" || text == "null" || text.front() == ' ' || text.back() == ' ' ||
        text.back() == ':')
        return false;
    if (std::string_view("?:,[]{}#&*!|>'\"%@`\t").find(text[0]) != std::string_view::npos || text.starts_with("- ") ||
        text == "-" || text.starts_with("---"))
        return false;
    return text.find(": ") == std::string_view::npos && text.find(" #") == std::string_view::npos &&
           text.find('\t') == std::string_view::npos;
}

std::string in_quotes(Format format, std::string_view text, char quote) {
    if (quote == '\'' && format == Format::yaml)
        return '\'' + doubled(text, "'") + '\'';
    if (quote == '\'' && format == Format::toml && text.find('\'') == std::string_view::npos)
        return '\'' + std::string(text) + '\'';
    return nlohmann::json(text).dump();
}

/// JSON, YAML and TOML tell texts from numbers: the kind that is there stays where it can.
std::string typed(Format format, const Value& value, const std::string& text, std::string_view present) {
    if (is_quoted(present))
        return in_quotes(format, text, present[0]);
    if (!std::holds_alternative<std::string>(value))
        return text;
    const auto kind = nlohmann::json::parse(text, nullptr, false);
    const bool number = kind.is_number() && number_in<double>(present), truth = kind.is_boolean() && truth_of(present);
    const bool looks_other = !kind.is_discarded() || truth_of(text) || number_in<double>(text);
    const bool plain = format == Format::yaml && is_yaml_plain(text) && (!present.empty() || !looks_other);
    return number || truth || plain ? text : in_quotes(format, text, '"');
}

std::string redis_word(const std::string& text, std::string_view present) {
    const bool bare = !text.empty() && text.find_first_of(" \t\"'") == std::string::npos;
    if (bare && !is_quoted(present))
        return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + '"';
}

tl::unexpected<Error> cannot_hold(const std::string& what) {
    return failed("write the value", what, "Choose another value, or mark the place for the format \"template\"");
}

} // namespace

bool says(std::string_view text, const Value& value) {
    if (const bool* truth = std::get_if<bool>(&value))
        return truth_of(text) == *truth;
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return number_in<std::int64_t>(text) == *integer;
    if (const auto* real = std::get_if<double>(&value))
        return number_in<double>(text) == *real;
    return text == std::get<std::string>(value);
}

bool has_unit(std::string_view text) {
    const auto unit = text.find_first_not_of("0123456789.", text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    if (unit == std::string_view::npos || unit == 0 || number_in<double>(text.substr(0, unit)) == std::nullopt)
        return false;
    const std::string_view rest = trimmed(text.substr(unit));
    return !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%';
    });
}

std::string decoded(Format format, std::string_view written) {
    if (!is_quoted(written) || format == Format::text || (format == Format::postgresql && written[0] != '\''))
        return std::string(written);
    const std::string_view inside = written.substr(1, written.size() - 2);
    const bool single = written[0] == '\'';
    switch (format) {
    case Format::postgresql:
        return unescaped(inside, '\'');
    case Format::redis:
        return unescaped(inside, '\0');
    case Format::yaml:
        return single ? halved(inside, '\'') : json_text(written);
    case Format::toml:
    case Format::json:
        return single ? std::string(inside) : json_text(written);
    default:
        return std::string(inside);
    }
}

Result<std::string> encoded(Format format, const Value& value, std::string_view present) {
    const std::string text = plain_text(format, value, decoded(format, present));
    const bool control =
        std::any_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
    if (control)
        return cannot_hold("it has a line break or another control character");
    if (first_invalid_utf8(text))
        return cannot_hold("it is not UTF-8");
    switch (format) {
    case Format::ini:
    case Format::conf:
        if (!is_quoted(present))
            return text;
        if (text.find(present[0]) != std::string::npos || text.find('\\') != std::string::npos)
            return cannot_hold("programs disagree on how a quote or a backslash is written between quotes");
        return present[0] + text + present[0];
    case Format::postgresql:
        return is_quoted(present) || !is_postgresql_word(text) ? '\'' + doubled(text, "'\\") + '\'' : text;
    case Format::redis:
        return redis_word(text, present);
    case Format::json:
    case Format::yaml:
    case Format::toml:
        return typed(format, value, text, present);
    case Format::text:
        break;
    }
    return text;
}

} // namespace holdfast::config
