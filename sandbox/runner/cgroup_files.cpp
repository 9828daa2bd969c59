// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/runner/cgroup_files.hpp"

#include <algorithm>
#include <charconv>

namespace holdfast::sandbox {
namespace {

/// Takes the first part off `text`, which ends at `separator` or at the end.
std::string_view take_part(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty())
        if (const std::string_view part = take_part(text, separator); !part.empty())
            parts.emplace_back(part);
    return parts;
}

/// mountinfo writes blanks and backslashes as \ooo.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        int code = 0;
        if (text[i] == '\\' && i + 3 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 4, code, 8).ptr == text.data() + i + 4) {
            plain += static_cast<char>(code);
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

/// One line "ID:CONTROLLERS:PATH" of /proc/self/cgroup.
struct Membership {
    std::vector<std::string> controllers; ///< empty: version 2
    std::string path;
};

std::vector<Membership> memberships(std::string_view text) {
    std::vector<Membership> all;
    while (!text.empty()) {
        std::string_view line = take_part(text, '\n');
        take_part(line, ':');
        const std::string_view controllers = take_part(line, ':');
        if (line.starts_with('/'))
            all.push_back({parts_of(controllers, ','), std::string(line)});
    }
    return all;
}

/// `path` of the hierarchy as a folder below `mount`, which shows the group `root` of it; "" when it is not below.
std::string folder_of(const std::string& mount, const std::string& root, const std::string& path) {
    std::string rest = path;
    if (root != "/") {
        if (path != root && !path.starts_with(root + "/"))
            return "";
        rest = path.substr(root.size());
    }
    // A group outside of the own namespace is shown as "/../x".
    if ((rest + "/").find("/../") != std::string::npos)
        return "";
    return rest.empty() || rest == "/" ? mount : mount + rest;
}

} // namespace

bool Hierarchy::has(std::string_view controller) const {
    return std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
}

std::vector<Hierarchy> read_hierarchies(std::string_view mountinfo, std::string_view own_groups) {
    const std::vector<Membership> own = memberships(own_groups);
    std::vector<Hierarchy> found;
    while (!mountinfo.empty()) {
        // ID PARENT DEVICE ROOT PLACE OPTIONS [TAG...] - TYPE SOURCE OPTIONS
        const std::vector<std::string> fields = parts_of(take_part(mountinfo, '\n'), ' ');
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() < 6 || fields.end() - dash < 4)
            continue;
        Hierarchy hierarchy;
        hierarchy.unified = *(dash + 1) == "cgroup2";
        if (!hierarchy.unified && *(dash + 1) != "cgroup")
            continue;
        const std::vector<std::string> options = parts_of(*(dash + 3), ',');
        const auto mine = std::find_if(own.begin(), own.end(), [&](const Membership& each) {
            return hierarchy.unified
                       ? each.controllers.empty()
                       : !each.controllers.empty() &&
                             std::find(options.begin(), options.end(), each.controllers.front()) != options.end();
        });
        if (mine == own.end())
            continue;
        hierarchy.controllers = mine->controllers;
        hierarchy.top = unescaped(fields[4]);
        hierarchy.own = folder_of(hierarchy.top, unescaped(fields[3]), mine->path);
        const bool known = std::any_of(found.begin(), found.end(), [&](const Hierarchy& each) {
            return each.unified == hierarchy.unified && each.controllers == hierarchy.controllers;
        });
        if (!hierarchy.own.empty() && !known)
            found.push_back(std::move(hierarchy));
    }
    return found;
}

std::optional<std::uint64_t> only_number(std::string_view text) {
    while (text.ends_with('\n'))
        text.remove_suffix(1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

std::optional<std::uint64_t> number_of_key(std::string_view text, std::string_view key) {
    while (!text.empty()) {
        std::string_view line = take_part(text, '\n');
        if (take_part(line, ' ') == key)
            return only_number(line);
    }
    return std::nullopt;
}

bool holds_word(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const std::size_t end = std::min(words.find_first_of(" \n"), words.size());
        if (words.substr(0, end) == word)
            return true;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

} // namespace holdfast::sandbox
