// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/config_outline.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::config {

namespace {

constexpr std::string_view spaces = " \t";
// A step that no key can spell: what is below it cannot be named.
constexpr const char* unnamed = "\n";

class TomlReader {
public:
    explicit TomlReader(std::string_view text) : text_(text) {}

    Result<Outline> read() {
        outline_.lines = lines_of(text_);
        outline_.sections.push_back({});
        while (line_ < outline_.lines.size()) {
            auto done = read_line();
            if (!done)
                return tl::unexpected(done.error());
            ++line_;
        }
        return std::move(outline_);
    }

private:
    bool at_end(std::size_t at) const { return at >= outline_.lines[line_].end || text_[at] == '#'; }
    std::size_t skip(std::size_t at) const {
        return std::min(text_.find_first_not_of(spaces, at), outline_.lines[line_].end);
    }

    Result<void> read_line() {
        const std::size_t first = skip(outline_.lines[line_].begin);
        if (first == outline_.lines[line_].end)
            return {};
        if (text_[first] == '#') {
            read_commented(first);
            return {};
        }
        return text_[first] == '[' ? read_header(first) : read_setting(first);
    }

    /// "a . \"b.c\"" as "a.b.c"; `at` moves behind it. Nothing when it is no key.
    std::optional<std::string> read_key(std::size_t& at) const {
        constexpr std::string_view bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
        std::string name;
        for (;;) {
            at = skip(at);
            if (at >= text_.size())
                return std::nullopt;
            std::size_t end = std::min(text_.find_first_not_of(bare, at), text_.size());
            if (text_[at] == '"' || text_[at] == '\'') {
                end = after_quotes(text_, at, text_[at] == '"', false);
                if (end == std::string_view::npos)
                    return std::nullopt;
                name += decoded(ConfigFormat::toml, text_.substr(at, end - at));
            } else if (end == at)
                return std::nullopt;
            else
                name += text_.substr(at, end - at);
            at = skip(end);
            if (at >= text_.size() || text_[at] != '.')
                return name;
            name += '.';
            ++at;
        }
    }

    Result<void> read_header(std::size_t first) {
        const bool array = text_.substr(first, 2) == "[[";
        std::size_t at = first + (array ? 2 : 1);
        auto name = read_key(at);
        const std::string_view close = array ? "]]" : "]";
        if (!name || text_.substr(at, close.size()) != close || !at_end(skip(at + close.size())))
            return not_understood(line_, "no table's name in brackets");
        if (!outline_.first_header)
            outline_.first_header = line_;
        const bool below_array = std::any_of(arrays_.begin(), arrays_.end(), [&](const std::string& each) {
            return *name == each || name->starts_with(each + '.');
        });
        if (array)
            arrays_.push_back(*name);
        Section section;
        section.name = array || below_array ? *name + unnamed : *name;
        outline_.sections.push_back(std::move(section));
        touch();
        return {};
    }

    void touch() {
        outline_.sections.back().last_line = line_;
        outline_.sections.back().has_lines = true;
    }

    std::optional<Entry> entry_at(std::size_t first, std::size_t key_at) const {
        std::size_t at = key_at;
        auto key = read_key(at);
        if (!key || at >= outline_.lines[line_].end || text_[at] != '=')
            return std::nullopt;
        const std::string_view written = text_.substr(key_at, at - key_at);
        Entry entry;
        entry.key = trimmed(written);
        entry.name = outline_.sections.back().name.empty() ? *key : outline_.sections.back().name + '.' + *key;
        entry.line = line_;
        entry.indent = text_.substr(outline_.lines[line_].begin, first - outline_.lines[line_].begin);
        entry.begin = entry.end = skip(at + 1);
        const std::size_t key_end = key_at + entry.key.size();
        entry.separator = text_.substr(key_end, entry.begin - key_end);
        return entry;
    }

    void read_commented(std::size_t first) {
        auto entry = entry_at(first, text_.find_first_not_of("# \t", first));
        if (!entry)
            return;
        const auto end = value_end(entry->begin);
        if (!end || *end > outline_.lines[line_].end || !at_end(skip(*end)))
            return;
        entry->end = *end;
        outline_.commented.push_back(std::move(*entry));
    }

    Result<void> read_setting(std::size_t first) {
        auto entry = entry_at(first, first);
        if (!entry)
            return not_understood(line_, "neither a table nor `key = value`");
        const auto end = value_end(entry->begin);
        if (!end || *end == entry->begin)
            return not_understood(line_, "a value that does not end");
        const char opens = text_[entry->begin];
        const std::size_t line_end = outline_.lines[line_].end;
        if (opens == '[' || opens == '{')
            entry->trouble = "its value is an array or a table";
        else if (*end > line_end || text_.substr(entry->begin, 3) == "\"\"\"" || text_.substr(entry->begin, 3) == "'''")
            entry->trouble = "its value is a text of several lines";
        entry->end = *end;
        while (outline_.lines[line_].end < *end)
            ++line_;
        if (!at_end(skip(*end)))
            return not_understood(line_, "more than one value");
        touch();
        if (outline_.sections.back().indent.empty())
            outline_.sections.back().indent = entry->indent;
        outline_.live.push_back(std::move(*entry));
        return {};
    }

    /// The offset behind the value at `at`; nothing when it does not end.
    std::optional<std::size_t> value_end(std::size_t at) const {
        std::size_t depth = 0;
        while (at < text_.size()) {
            const char c = text_[at];
            if (c == '"' || c == '\'') {
                const auto end = text_end(at);
                if (!end)
                    return std::nullopt;
                at = *end;
            } else if (c == '[' || c == '{') {
                ++depth;
                ++at;
            } else if (c == ']' || c == '}') {
                depth -= depth > 0 ? 1 : 0;
                ++at;
            } else if (depth == 0) {
                const auto end = std::min(text_.find_first_of("#\r\n", at), text_.size());
                return at + trimmed(text_.substr(at, end - at)).size();
            } else
                at = c == '#' ? text_.find('\n', at) : at + 1;
            if (depth == 0)
                return at;
        }
        return std::nullopt;
    }

    std::optional<std::size_t> text_end(std::size_t at) const {
        const char quote = text_[at];
        const std::string three(3, quote);
        if (text_.substr(at, 3) != three) {
            const auto end = after_quotes(text_, at, quote == '"', false);
            return end == std::string_view::npos ? std::nullopt : std::optional(end);
        }
        for (at += 3; at < text_.size(); ++at) {
            if (quote == '"' && text_[at] == '\\')
                ++at;
            else if (text_.substr(at, 3) == three) {
                at += 3;
                while (at < text_.size() && text_[at] == quote) // up to two more belong to the text
                    ++at;
                return at;
            }
        }
        return std::nullopt;
    }

    std::string_view text_;
    std::size_t line_ = 0;
    Outline outline_;
    std::vector<std::string> arrays_;
};

} // namespace

Result<Outline> outline_toml(std::string_view text) {
    return TomlReader(text).read();
}

} // namespace holdfast::config
