// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/config_outline.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::config {

namespace {

std::string folded(std::string_view text, bool fold) {
    std::string result(text);
    if (fold)
        std::transform(result.begin(), result.end(), result.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

std::string_view line_end_of(const std::vector<Line>& lines) {
    return !lines.empty() && lines[0].next - lines[0].end == 2 ? "\r\n" : "\n";
}

Found new_line(std::string_view text, const std::vector<Line>& lines, std::size_t at, std::string head) {
    Found found;
    const std::string end(line_end_of(lines));
    found.begin = found.end = at;
    // A file whose last line has no newline keeps that.
    const bool unfinished = at == text.size() && !lines.empty() && lines.back().next == lines.back().end;
    found.before = (unfinished ? end : "") + std::move(head);
    found.after = unfinished ? "" : end;
    return found;
}

const Section* section_for(const Outline& outline, std::string_view key) {
    const Section* best = &outline.sections.front();
    for (const Section& section : outline.sections)
        if (!section.name.empty() && key.size() > section.name.size() && key.starts_with(section.name) &&
            key[section.name.size()] == '.' && section.name.size() > best->name.size())
            best = &section;
    return best;
}

/// The separator that the settings before `line` use, or else the ones after it.
std::string separator_near(const Outline& outline, std::size_t line, std::string_view otherwise) {
    const Entry* nearest = nullptr;
    for (const Entry& entry : outline.live)
        if (nearest == nullptr || entry.line <= line)
            nearest = &entry;
    // A setting without a value may lack the space.
    return nearest == nullptr || nearest->begin == nearest->end ? std::string(otherwise) : nearest->separator;
}

/// Before the first section's header and the comment that stands right above it.
std::size_t before_header(std::string_view text, const Outline& outline) {
    std::size_t line = *outline.first_header;
    while (line > 0) {
        const Line& above = outline.lines[line - 1];
        if (trimmed(text.substr(above.begin, above.end - above.begin)).empty())
            break;
        --line;
    }
    return outline.lines[line].begin;
}

Found add(std::string_view text, const Outline& outline, std::string_view key, const Rules& rules) {
    const Section* section = section_for(outline, key);
    const std::string_view rest = section->name.empty() ? key : key.substr(section->name.size() + 1);
    Found found;
    if (!rules.dots_in_keys && rest.find('.') != std::string_view::npos) {
        found.absent = fmt::format("there is no section \"{}\"", printable(key.substr(0, key.rfind('.'))));
        return found;
    }
    const auto head = [&](std::size_t line) {
        return section->indent + std::string(rest) + separator_near(outline, line, rules.separator);
    };
    if (!section->has_lines && outline.first_header)
        return new_line(text, outline.lines, before_header(text, outline), head(0));
    if (!section->has_lines)
        return new_line(text, outline.lines, text.size(), head(0));
    return new_line(text, outline.lines, outline.lines[section->last_line].next, head(section->last_line));
}

} // namespace

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    for (std::size_t at = text.starts_with(byte_order_mark) ? 3 : 0; at < text.size();) {
        const auto newline = text.find('\n', at);
        Line line{at, std::min(newline, text.size()), newline == std::string_view::npos ? text.size() : newline + 1};
        if (newline != std::string_view::npos && line.end > at && text[line.end - 1] == '\r')
            --line.end;
        at = line.next;
        lines.push_back(line);
    }
    return lines;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::size_t after_quotes(std::string_view text, std::size_t at, bool escapes, bool doubles) {
    const char quote = text[at];
    for (++at; at < text.size(); ++at) {
        if (escapes && text[at] == '\\')
            ++at;
        else if (text[at] == quote && doubles && at + 1 < text.size() && text[at + 1] == quote)
            ++at;
        else if (text[at] == quote)
            return at + 1;
        else if (text[at] == '\n')
            break;
    }
    return std::string_view::npos;
}

tl::unexpected<Error> not_understood(std::size_t line, const std::string& found) {
    return failed("read the file", fmt::format("line {}: {}", line + 1, found),
                  "Write the line in a simpler form, or mark the place for the format \"template\"");
}

Result<Found> locate(std::string_view text, const Outline& outline, std::string_view key, const Rules& rules) {
    const std::string wanted = folded(key, rules.fold_case);
    const auto is_wanted = [&](const Entry& entry) { return folded(entry.name, rules.fold_case) == wanted; };
    const Entry* match = nullptr;
    for (const Entry& entry : outline.live) {
        if (!is_wanted(entry))
            continue;
        if (match != nullptr && !rules.last_counts)
            return failed("find the key",
                          fmt::format("it is set in line {} and again in line {}", match->line + 1, entry.line + 1),
                          "Leave one of them");
        match = &entry;
    }
    if (match != nullptr && !match->trouble.empty())
        return not_understood(match->line, match->trouble);
    if (match != nullptr)
        return Found{true, match->begin, match->end, "", "", "", std::nullopt};
    const auto commented = std::find_if(outline.commented.begin(), outline.commented.end(), is_wanted);
    if (commented == outline.commented.end())
        return add(text, outline, key, rules);
    Found found = new_line(text, outline.lines, outline.lines[commented->line].next,
                           commented->indent + commented->key + commented->separator);
    found.sample = text.substr(commented->begin, commented->end - commented->begin);
    return found;
}

} // namespace holdfast::config
