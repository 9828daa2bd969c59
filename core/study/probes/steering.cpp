// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/steering.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace holdfast::study::probes {

namespace {

constexpr std::array<std::string_view, 17> names{"no_sanitize",      "no_address_safety_analysis",
                                                 "__SANITIZE_",      "disable_sanitizer_instrumentation",
                                                 "-fno-sanitize",    "-fsanitize",
                                                 "SAN_OPTIONS",      "address_sanitizer",
                                                 "leak_sanitizer",   "undefined_behavior_sanitizer",
                                                 "thread_sanitizer", "__sanitizer_",
                                                 "__asan_",          "__lsan_",
                                                 "__ubsan_",         "__tsan_",
                                                 "/sanitizer"}; // where its reports go

/// That ask which sanitizer a part is translated for.
constexpr std::array<std::string_view, 5> asks{"__SANITIZE_", "address_sanitizer", "thread_sanitizer",
                                               "undefined_behavior_sanitizer", "leak_sanitizer"};

std::size_t count(std::string_view text, std::string_view name) {
    std::size_t found = 0;
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + name.size()))
        ++found;
    return found;
}

/// A file as the compiler puts it together: a line that ends in a backslash goes on in the next.
std::string joined_lines(std::string_view text) {
    std::string joined;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t end = i + 1 < text.size() && text[i + 1] == '\r' ? i + 2 : i + 1;
        if (text[i] == '\\' && end < text.size() && text[end] == '\n')
            i = end;
        else
            joined += text[i];
    }
    return joined;
}

std::string_view directive_of(std::string_view line) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string_view::npos || line[hash] != '#')
        return {};
    const std::size_t begin = line.find_first_not_of(" \t", hash + 1);
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

/// What stands between an #if that asks for a sanitizer and its #endif.
std::string guarded(std::string_view text) {
    std::string inside;
    std::size_t depth = 0; // below such an #if
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::string_view directive = directive_of(line);
        if (depth > 0) {
            inside.append(line).push_back('\n');
            depth += directive.starts_with("if") ? 1 : 0;
            depth -= directive.starts_with("endif") ? 1 : 0;
        } else if (directive.starts_with("if") || directive.starts_with("elif")) {
            for (const std::string_view name : asks)
                if (line.find(name) != std::string_view::npos)
                    depth = 1;
        }
    }
    return inside;
}

} // namespace

std::string steers_sanitizers(const git::PlacedPatch& patch) {
    for (const git::PlacedFile& file : patch.files) {
        const bool added = file.change == git::PlacedFile::Change::added;
        const std::string before = added ? "" : joined_lines(file.before), after = joined_lines(file.after);
        for (const std::string_view name : names)
            if (count(after, name) > count(before, name))
                return printable(fmt::format("{} brings {}", file.path, name));
        if (guarded(before) != guarded(after))
            return printable(fmt::format("{} changes what only a sanitizer's build has or lacks", file.path));
    }
    return "";
}

} // namespace holdfast::study::probes
