// SPDX-License-Identifier: GPL-3.0-or-later
// Formats with one setting per line: ini, conf, postgresql.conf and redis.conf.
#include "core/project/config_outline.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::config {

namespace {

constexpr std::string_view spaces = " \t";

struct Dialect {
    std::string_view comments;        ///< start a comment line
    std::string_view inline_comments; ///< start a comment after a value and a space
    std::string_view separators;
    std::string_view quotes;
    bool space_separates = false, sections = false, escapes = false, doubled_quotes = false;
    bool one_word = false; ///< a bare value has no spaces
};

Dialect dialect_of(ConfigFormat format) {
    switch (format) {
    case ConfigFormat::ini:
        return {"#;", "#;", "=:", "\"'", false, true, false, false, false};
    case ConfigFormat::postgresql:
        return {"#", "#", "=", "'", true, false, true, true, true};
    case ConfigFormat::redis: // a '#' after a value is part of it
        return {"#", "", "", "\"'", true, false, true, false, true};
    default:
        return {"#;", "#", "=:", "\"'", true, false, false, false, false};
    }
}

bool one_of(char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
}

class LineReader {
public:
    LineReader(ConfigFormat format, std::string_view text) : dialect_(dialect_of(format)), text_(text) {}

    Result<Outline> read() {
        outline_.lines = lines_of(text_);
        outline_.sections.push_back({});
        for (std::size_t i = 0; i < outline_.lines.size(); ++i)
            if (auto done = read_line(i); !done)
                return tl::unexpected(done.error());
        mark_continued();
        return std::move(outline_);
    }

private:
    Result<void> read_line(std::size_t number) {
        const Line& line = outline_.lines[number];
        const std::size_t first = std::min(text_.find_first_not_of(spaces, line.begin), line.end);
        if (first == line.end)
            return {};
        const bool comment = one_of(text_[first], dialect_.comments);
        if (!dialect_.sections)
            touch(number);
        if (comment) {
            const std::size_t body =
                text_.find_first_not_of(std::string(dialect_.comments) + std::string(spaces), first);
            if (body < line.end)
                read_setting(number, first, body, true);
            return {};
        }
        if (dialect_.sections && text_[first] == '[')
            return read_header(number, first);
        read_setting(number, first, first, false);
        if (dialect_.sections)
            touch(number);
        return {};
    }

    void touch(std::size_t line) {
        outline_.sections.back().last_line = line;
        outline_.sections.back().has_lines = true;
    }

    Result<void> read_header(std::size_t number, std::size_t first) {
        const Line& line = outline_.lines[number];
        const auto close = text_.find(']', first);
        if (close >= line.end)
            return not_understood(number, "a section's name without its ]");
        if (!outline_.first_header)
            outline_.first_header = number;
        Section section;
        section.name = trimmed(text_.substr(first + 1, close - first - 1));
        outline_.sections.push_back(std::move(section));
        touch(number);
        return {};
    }

    /// `first`: of the line, a comment's mark included; `at`: of the key.
    void read_setting(std::size_t number, std::size_t first, std::size_t at, bool commented) {
        const Line& line = outline_.lines[number];
        const auto in_line = [&](std::string_view set) { return std::min(text_.find_first_of(set, at), line.end); };
        const std::string separators(dialect_.separators);
        std::size_t key_end = in_line(dialect_.space_separates ? separators + std::string(spaces) : separators);
        std::size_t value = key_end;
        value = std::min(text_.find_first_not_of(spaces, value), line.end);
        bool separated = value > key_end;
        if (value < line.end && one_of(text_[value], separators)) {
            separated = true;
            value = std::min(text_.find_first_not_of(spaces, value + 1), line.end);
        }
        const std::string_view key = trimmed(text_.substr(at, key_end - at));
        if (key.empty())
            return;
        key_end = at + key.size();
        Entry entry;
        entry.key = key;
        entry.name =
            outline_.sections.back().name.empty() ? entry.key : outline_.sections.back().name + '.' + entry.key;
        entry.line = number;
        entry.indent = text_.substr(line.begin, first - line.begin);
        entry.separator = text_.substr(key_end, value - key_end);
        entry.begin = value;
        entry.end = value;
        if (!separated)
            entry.trouble = "the key stands there without a value";
        else
            measure_value(entry, line);
        if (commented) {
            keep_commented(std::move(entry));
            return;
        }
        if (outline_.sections.back().indent.empty() && dialect_.sections)
            outline_.sections.back().indent = entry.indent;
        outline_.live.push_back(std::move(entry));
    }

    /// "# cache is what this sets" is a sentence; only one word after a space can be a default.
    void keep_commented(Entry entry) {
        const std::string_view value = text_.substr(entry.begin, entry.end - entry.begin);
        const bool mark = entry.separator.find_first_not_of(spaces) != std::string::npos;
        const bool word = !value.empty() && value.find_first_of(spaces) == std::string_view::npos;
        if (entry.trouble.empty() && (mark || word))
            outline_.commented.push_back(std::move(entry));
    }

    void measure_value(Entry& entry, const Line& line) const {
        const std::string_view rest = text_.substr(entry.begin, line.end - entry.begin);
        entry.end = entry.begin + trimmed(rest).size();
        if (rest.empty())
            return;
        if (one_of(rest[0], dialect_.quotes)) {
            const auto close = after_quotes(rest, 0, dialect_.escapes, dialect_.doubled_quotes);
            if (close != std::string_view::npos && ends_there(rest, close)) {
                entry.end = entry.begin + close;
                return;
            }
            if (dialect_.one_word)
                entry.trouble = "quotes that do not end the value";
            return;
        }
        const std::size_t end = comment_in(rest);
        const std::string_view value = trimmed(rest.substr(0, end));
        entry.end = entry.begin + value.size();
        if (dialect_.one_word && value.find_first_of(spaces) != std::string_view::npos)
            entry.trouble = "it has several values, of which one knob cannot set one";
        else if (value.ends_with('\\'))
            entry.trouble = "its value goes on in the next line";
        else if (value.ends_with(';') || value.ends_with('{'))
            entry.trouble = "it is written in a language with ; or {";
    }

    bool ends_there(std::string_view rest, std::size_t at) const {
        const std::string_view more = trimmed(rest.substr(at));
        return more.empty() || one_of(more[0], dialect_.inline_comments);
    }

    /// Where a comment after a bare value starts, or the end.
    std::size_t comment_in(std::string_view rest) const {
        for (std::size_t i = 0; i < rest.size(); ++i) {
            if (!one_of(rest[i], dialect_.inline_comments))
                continue;
            if (dialect_.doubled_quotes) // PostgreSQL: wherever it stands outside quotes
                return i;
            // "#fff" as a whole value is a colour, "# text" a comment on a value that is empty.
            const bool first = i == 0 && (rest[i] == ';' || i + 1 == rest.size() || one_of(rest[i + 1], spaces));
            if (first || (i > 0 && one_of(rest[i - 1], spaces)))
                return i;
        }
        return rest.size();
    }

    /// In an ini file a line that stands deeper than the setting above it may belong to that setting's value.
    void mark_continued() {
        if (!dialect_.sections)
            return;
        for (std::size_t i = 1; i < outline_.live.size(); ++i) {
            Entry& above = outline_.live[i - 1];
            Entry& below = outline_.live[i];
            if (below.line != above.line + 1 || below.indent.size() <= above.indent.size())
                continue;
            above.trouble = "its value goes on in the next line";
            below.trouble = "it may belong to the value above it";
        }
    }

    Dialect dialect_;
    std::string_view text_;
    Outline outline_;
};

} // namespace

Result<Outline> outline_lines(ConfigFormat format, std::string_view text) {
    return LineReader(format, text).read();
}

} // namespace holdfast::config
