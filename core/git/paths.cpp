// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/paths.hpp"

#include <algorithm>
#include <cstdint>

namespace holdfast::git {

namespace {

constexpr std::size_t longest_path = 1024;
constexpr std::size_t longest_component = 255;
constexpr std::size_t deepest_path = 64;

/// Takes one code point off the front of `text`; nothing when it is not well-formed UTF-8.
std::optional<std::uint32_t> take_code_point(std::string_view& text) {
    const auto first = static_cast<unsigned char>(text.front());
    std::size_t length = 1;
    std::uint32_t value = first, smallest = 0;
    if (first >= 0xF0 && first <= 0xF4) {
        length = 4, value = first & 0x07U, smallest = 0x10000;
    } else if (first >= 0xE0 && first < 0xF0) {
        length = 3, value = first & 0x0FU, smallest = 0x800;
    } else if (first >= 0xC2 && first < 0xE0) {
        length = 2, value = first & 0x1FU, smallest = 0x80;
    } else if (first >= 0x80) {
        return std::nullopt;
    }
    if (text.size() < length)
        return std::nullopt;
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0U) != 0x80)
            return std::nullopt;
        value = value << 6U | (next & 0x3FU);
    }
    if (value < smallest || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return std::nullopt;
    text.remove_prefix(length);
    return value;
}

/// Code points that HFS+ leaves out when it compares names.
bool ignorable(std::uint32_t code) {
    return (code >= 0x200C && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x206A && code <= 0x206F) || code == 0xFEFF;
}

bool control(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x2028 || code == 0x2029 ||
           (code >= 0x2066 && code <= 0x2069);
}

bool git_short_name(std::string_view name) {
    return name.size() > 4 && name.substr(0, 4) == "git~" &&
           name.find_first_not_of("0123456789", 4) == std::string_view::npos;
}

} // namespace

std::vector<std::string_view> components(std::string_view path) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= path.size();) {
        const auto end = std::min(path.find('/', begin), path.size());
        parts.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::string_view parent_of(std::string_view path) {
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool names_git_folder(std::string_view component) {
    std::string folded;
    while (!component.empty()) {
        const auto rest = component;
        const auto code = take_code_point(component);
        if (!code) {
            folded += component.front();
            component.remove_prefix(1);
        } else if (!ignorable(*code)) {
            folded += rest.substr(0, rest.size() - component.size());
        }
    }
    folded = folded.substr(0, folded.find(':'));
    while (!folded.empty() && (folded.back() == '.' || folded.back() == ' '))
        folded.pop_back();
    std::transform(folded.begin(), folded.end(), folded.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return folded == ".git" || git_short_name(folded);
}

std::optional<std::string> path_fault(std::string_view path) {
    if (path.empty())
        return "is empty";
    if (path.size() > longest_path)
        return "is longer than " + std::to_string(longest_path) + " bytes";
    if (path.front() == '/')
        return "is absolute";
    if (path.find('\\') != std::string_view::npos)
        return "has a backslash, which separates folders on other systems";
    for (auto rest = path; !rest.empty();) {
        const auto code = take_code_point(rest);
        if (!code)
            return "is not valid UTF-8";
        if (control(*code))
            return "has control characters";
        if (ignorable(*code))
            return "has invisible characters";
    }
    const auto parts = components(path);
    if (parts.size() > deepest_path)
        return "is more than " + std::to_string(deepest_path) + " folders deep";
    for (const auto part : parts) {
        if (part.empty())
            return "has an empty component";
        if (part == "." || part == "..")
            return "has '" + std::string(part) + "' in it";
        if (part.size() > longest_component)
            return "has a name longer than " + std::to_string(longest_component) + " bytes";
        if (names_git_folder(part))
            return "names git's own folder";
    }
    return std::nullopt;
}

} // namespace holdfast::git
