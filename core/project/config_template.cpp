// SPDX-License-Identifier: GPL-3.0-or-later
// Any text file whose places are marked: a comment `@key:BEFORE{}AFTER@` at the end of a line says what stands before
// and behind the value in that line. The mark stays as it is, so the file can be set again.
#include "core/project/config_outline.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::config {

namespace {

tl::unexpected<Error> wrong_mark(std::string_view text, std::size_t mark, const std::string& found) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(mark), '\n') + 1;
    return failed("find the marked place", fmt::format("line {}: {}", line, found),
                  "Mark the line as `threads 4; # @key:threads {};@`");
}

} // namespace

Result<Found> find_marked(std::string_view text, std::string_view key) {
    const std::string opening = fmt::format("@{}:", key);
    Found found;
    const auto mark = text.find(opening);
    if (mark == std::string_view::npos) {
        found.absent = fmt::format("no line is marked with {}BEFORE{{}}AFTER@", printable(opening));
        return found;
    }
    if (text.find(opening, mark + 1) != std::string_view::npos)
        return wrong_mark(text, mark, "the mark is there a second time");
    const auto newline = text.rfind('\n', mark);
    const std::size_t line = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view rest =
        text.substr(mark + opening.size(), text.find_first_of("\r\n", mark) - mark - opening.size());
    const std::string_view inside = rest.substr(0, rest.find('@'));
    const auto gap = inside.find("{}");
    const std::string_view before = trimmed(inside.substr(0, gap));
    if (inside.size() == rest.size() || gap == std::string_view::npos || before.empty())
        return wrong_mark(text, mark, "the mark has no text and {} before its second @");
    const std::string_view after = trimmed(inside.substr(gap + 2));

    const std::string_view marked = text.substr(line, mark - line);
    const auto at = marked.find(before);
    if (at == std::string_view::npos || marked.find(before, at + 1) != std::string_view::npos)
        return wrong_mark(text, mark,
                          fmt::format("\"{}\" stands {} before the mark", printable(before),
                                      at == std::string_view::npos ? "nowhere" : "more than once"));
    const auto begin = std::min(marked.find_first_not_of(" \t", at + before.size()), marked.size());
    const auto end =
        after.empty() ? std::min(marked.find_first_of(" \t", begin), marked.size()) : marked.find(after, begin);
    if (end == std::string_view::npos || begin >= end)
        return wrong_mark(text, mark,
                          fmt::format("no value between \"{}\" and \"{}\"", printable(before), printable(after)));
    found.present = true;
    found.begin = line + begin;
    found.end = found.begin + trimmed(marked.substr(begin, end - begin)).size();
    return found;
}

} // namespace holdfast::config
