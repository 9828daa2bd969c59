// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/patch_names.hpp"

#include <cstddef>

namespace holdfast::git {

namespace {

bool has_prefix(std::string_view name) {
    return name.size() > 2 && name[1] == '/' && std::string_view("abciow").find(name[0]) != std::string_view::npos;
}

bool octal(char c) {
    return c >= '0' && c <= '7';
}

constexpr std::string_view letters = "abtnvfr\"\\", meanings = "\a\b\t\n\v\f\r\"\\"; // after a backslash

/// Undoes git's quote_c_style from the opening quote on and moves `text` past the closing one.
std::optional<std::string> take_quoted(std::string_view& text) {
    std::string name;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') {
            text.remove_prefix(i + 1);
            return name;
        }
        if (text[i] != '\\') {
            name += text[i];
            continue;
        }
        if (++i == text.size())
            return std::nullopt;
        if (const auto letter = letters.find(text[i]); letter != std::string_view::npos) {
            name += meanings[letter];
        } else if (i + 2 < text.size() && text[i] <= '3' && octal(text[i]) && octal(text[i + 1]) &&
                   octal(text[i + 2])) {
            name += static_cast<char>((text[i] - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0'));
            i += 2;
        } else {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> header_name(std::string_view text) {
    if (text.starts_with('"'))
        return take_quoted(text);
    return std::string(text.substr(0, text.find('\t')));
}

std::optional<std::string> common_path(std::string_view old_name, std::string_view new_name) {
    if (old_name == new_name)
        return std::string(old_name);
    if (has_prefix(old_name) && has_prefix(new_name) && old_name.substr(2) == new_name.substr(2))
        return std::string(old_name.substr(2));
    return std::nullopt;
}

std::string without_prefix(std::string_view name) {
    return std::string(has_prefix(name) ? name.substr(2) : name);
}

std::optional<std::string> path_of_git_line(std::string_view names) {
    if (names.starts_with('"')) {
        const auto first = take_quoted(names);
        if (!first || !names.starts_with(' '))
            return std::nullopt;
        names.remove_prefix(1);
        const auto second = header_name(names);
        return second ? common_path(*first, *second) : std::nullopt;
    }
    if (const auto quote = names.find(" \""); quote != std::string_view::npos && names.ends_with('"')) {
        const auto second = header_name(names.substr(quote + 1));
        return second ? common_path(names.substr(0, quote), *second) : std::nullopt;
    }
    // Names may hold spaces, but both are equally long whether they have a prefix or not.
    const auto middle = names.size() / 2;
    if (names.size() % 2 == 0 || names[middle] != ' ')
        return std::nullopt;
    return common_path(names.substr(0, middle), names.substr(middle + 1));
}

std::string quoted_name(std::string_view name) {
    std::string text;
    bool plain = true;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (const auto meaning = meanings.find(c); meaning != std::string_view::npos) {
            text += {'\\', letters[meaning]};
            plain = false;
        } else if (byte < 0x20 || byte >= 0x7F) {
            text += {'\\', static_cast<char>('0' + (byte >> 6U)), static_cast<char>('0' + (byte >> 3U & 7U)),
                     static_cast<char>('0' + (byte & 7U))};
            plain = false;
        } else {
            text += c;
        }
    }
    return plain ? text : '"' + text + '"';
}

} // namespace holdfast::git
