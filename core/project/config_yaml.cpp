// SPDX-License-Identifier: GPL-3.0-or-later
// Block mappings of scalars. Everything else (sequences, flow collections, block texts) is stepped over, and what could
// be mistaken for a mapping is refused.
#include "core/project/config_outline.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::config {

namespace {

// A step that no key can spell: what is below it cannot be named.
constexpr const char* unnamed = "\n";

class YamlReader {
public:
    explicit YamlReader(std::string_view text) : text_(text) {}

    Result<Outline> read() {
        outline_.lines = lines_of(text_);
        outline_.sections.push_back({});
        for (line_ = 0; line_ < outline_.lines.size(); ++line_)
            if (auto done = read_line(); !done)
                return tl::unexpected(done.error());
        return std::move(outline_);
    }

private:
    /// A mapping or sequence that the current line is in.
    struct Level {
        std::size_t indent = 0;
        bool sequence = false;
        std::string name;
        std::size_t section = 0; ///< in outline_.sections
        std::size_t entry = 0;   ///< in outline_.live; of a mapping
    };

    std::string_view line_text() const {
        const Line& line = outline_.lines[line_];
        return text_.substr(line.begin, line.end - line.begin);
    }

    Result<void> read_line() {
        const std::string_view line = line_text();
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        const std::string_view content = trimmed(line);
        if (content.empty())
            return {};
        if (block_indent_ && indent > *block_indent_) {
            touch();
            return {};
        }
        block_indent_.reset();
        if (content[0] == '#') {
            read_comment(indent, content);
            return {};
        }
        if (line[indent] == '\t')
            return not_understood(line_, "a tab before the key");
        if (indent == 0 && (content.starts_with("---") || content.starts_with("...")))
            return read_mark(content);
        if (content[0] == '%' && indent == 0 && outline_.live.empty())
            return {};
        if (scalar_indent_ && indent > *scalar_indent_) {
            outline_.live.back().trouble = "its value goes on in the next line";
            touch();
            return {};
        }
        scalar_indent_.reset();
        return read_content(indent);
    }

    Result<void> read_mark(std::string_view content) {
        if (content != "---" || outline_.sections.front().has_lines)
            return not_understood(line_, "more than one document");
        return {};
    }

    Result<void> read_content(std::size_t indent) {
        const std::string_view line = line_text();
        while (line[indent] == '-' && (indent + 1 == line.size() || line[indent + 1] == ' ')) {
            leave(indent, true);
            if (!levels_.empty() && !levels_.back().sequence) {
                outline_.live[levels_.back().entry].trouble = "it is a list, not a value";
                outline_.sections[levels_.back().section].name = unnamed;
            }
            levels_.push_back({indent, true, path_of(unnamed), 0, 0});
            indent = line.find_first_not_of(' ', indent + 1);
            if (indent == std::string_view::npos) {
                touch();
                return {};
            }
        }
        const bool in_sequence = !levels_.empty() && levels_.back().sequence && levels_.back().indent < indent;
        const auto colon = colon_after_key(line, indent);
        if (!colon && in_sequence) {
            touch();
            return {};
        }
        if (!colon || line[indent] == '?' || line[indent] == '{' || line[indent] == '[')
            return not_understood(line_, "neither `key: value` nor an item of a sequence");
        leave(indent, false);
        return read_setting(indent, *colon);
    }

    /// Leaves the levels that do not hold a key or a sequence's dash at `indent`.
    void leave(std::size_t indent, bool dash) {
        while (!levels_.empty()) {
            const Level& top = levels_.back();
            // A sequence may stand as deep as the key it belongs to.
            const bool holds = top.indent < indent || (dash && top.indent == indent && !top.sequence);
            if (holds)
                return;
            levels_.pop_back();
        }
    }

    std::string path_of(std::string_view key) const {
        return levels_.empty() ? std::string(key) : levels_.back().name + '.' + std::string(key);
    }

    /// The offset in the line of the colon that ends the key at `at`.
    static std::optional<std::size_t> colon_after_key(std::string_view line, std::size_t at) {
        std::size_t from = at;
        if (line[at] == '"' || line[at] == '\'') {
            from = after_quotes(line, at, line[at] == '"', line[at] == '\'');
            if (from == std::string_view::npos)
                return std::nullopt;
            from = line.find_first_not_of(' ', from);
            if (from == std::string_view::npos || line[from] != ':')
                return std::nullopt;
        }
        for (std::size_t i = from; i < line.size(); ++i) {
            if (line[i] == '#' && i > from && line[i - 1] == ' ')
                return std::nullopt;
            if (line[i] == ':' && (i + 1 == line.size() || line[i + 1] == ' ' || line[i + 1] == '\t'))
                return i;
        }
        return std::nullopt;
    }

    Entry entry_at(std::size_t indent, std::size_t key_at, std::size_t colon) const {
        const std::string_view line = line_text();
        Entry entry;
        entry.key = trimmed(line.substr(key_at, colon - key_at));
        entry.name = path_of(decoded(ConfigFormat::yaml, entry.key));
        entry.line = line_;
        entry.indent = std::string(indent, ' ');
        const std::size_t value = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
        entry.separator = line.substr(key_at + entry.key.size(), value - key_at - entry.key.size());
        entry.begin = entry.end = outline_.lines[line_].begin + value;
        return entry;
    }

    Result<void> read_setting(std::size_t indent, std::size_t colon) {
        const std::string_view line = line_text();
        Entry entry = entry_at(indent, indent, colon);
        const std::string_view rest = line.substr(entry.begin - outline_.lines[line_].begin);
        if (!levels_.empty() && !levels_.back().sequence) {
            outline_.live[levels_.back().entry].trouble = "it is a mapping, not a value";
            outline_.sections[levels_.back().section].indent = entry.indent;
        } else if (levels_.empty())
            outline_.sections.front().indent = entry.indent;
        const char first = rest.empty() ? '#' : rest[0];
        if (first == '#') {
            // The value, should there be one, goes right behind the colon.
            entry.begin = entry.end = outline_.lines[line_].begin + colon + 1;
        } else if (first == '|' || first == '>') {
            entry.trouble = "its value is a text of several lines";
            block_indent_ = indent;
        } else if (first == '&' || first == '!' || first == '*') {
            entry.trouble = "its value has an anchor, an alias or a tag";
        } else if (auto measured = measure_value(entry, rest); !measured)
            return measured;
        else
            scalar_indent_ = indent;
        const bool only_mark = (first == '&' || first == '!') && rest.find_first_of(" \t") == std::string_view::npos;
        const bool opens = first == '#' || only_mark;
        if (opens) {
            outline_.sections.push_back({entry.name, line_, true, entry.indent + "  "});
            levels_.push_back({indent, false, entry.name, outline_.sections.size() - 1, outline_.live.size()});
        }
        outline_.live.push_back(std::move(entry));
        touch();
        return {};
    }

    Result<void> measure_value(Entry& entry, std::string_view rest) const {
        const char first = rest[0];
        std::size_t end = rest.size();
        if (first == '"' || first == '\'') {
            end = after_quotes(rest, 0, first == '"', first == '\'');
            if (end == std::string_view::npos)
                return not_understood(line_, "a quoted text that does not end on its line");
            const std::string_view more = trimmed(rest.substr(end));
            if (!more.empty() && more[0] != '#')
                return not_understood(line_, "something after a quoted text");
        } else {
            for (std::size_t i = 1; i < rest.size() && end == rest.size(); ++i)
                if (rest[i] == '#' && (rest[i - 1] == ' ' || rest[i - 1] == '\t'))
                    end = i;
            end = trimmed(rest.substr(0, end)).size();
            if (first == '[' || first == '{') {
                if (rest[end - 1] != (first == '[' ? ']' : '}'))
                    return not_understood(line_, "a list or mapping in brackets that does not end on its line");
                entry.trouble = "its value is a list or a mapping";
            }
        }
        entry.end = entry.begin + end;
        return {};
    }

    /// A setting that is commented out, as deep as its mark.
    void read_comment(std::size_t indent, std::string_view content) {
        const std::size_t at = content.find_first_not_of("# \t");
        if (at == std::string_view::npos)
            return;
        const std::size_t key_at = indent + at;
        const auto colon = colon_after_key(line_text(), key_at);
        if (!colon)
            return;
        const std::vector<Level> all = levels_;
        leave(indent, false);
        Entry entry = entry_at(indent, key_at, *colon);
        levels_ = all;
        const std::size_t begin = entry.begin - outline_.lines[line_].begin;
        const std::string_view rest = line_text().substr(begin);
        if (rest.empty() || entry.key.find(' ') != std::string::npos || !measure_value(entry, rest) ||
            !entry.trouble.empty())
            return;
        outline_.commented.push_back(std::move(entry));
    }

    /// Every mapping that the line is in ends here or later.
    void touch() {
        const auto extend = [this](std::size_t section) {
            outline_.sections[section].last_line = line_;
            outline_.sections[section].has_lines = true;
        };
        extend(0);
        for (const Level& level : levels_)
            if (!level.sequence)
                extend(level.section);
    }

    std::string_view text_;
    std::size_t line_ = 0;
    Outline outline_;
    std::vector<Level> levels_;
    std::optional<std::size_t> block_indent_;  ///< inside a text that | or > opened
    std::optional<std::size_t> scalar_indent_; ///< after a value that deeper lines would continue
};

} // namespace

Result<Outline> outline_yaml(std::string_view text) {
    return YamlReader(text).read();
}

} // namespace holdfast::config
