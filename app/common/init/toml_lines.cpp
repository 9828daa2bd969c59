// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/toml_lines.hpp"

#include <algorithm>

namespace holdfast::app::init {

namespace {

std::string trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    return begin == std::string_view::npos
               ? ""
               : std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

std::string without_comment(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quote == 0 && line[i] == '#')
            return std::string(line.substr(0, i));
        if (quote == 0 && (line[i] == '"' || line[i] == '\''))
            quote = line[i];
        else if (line[i] == quote)
            quote = 0;
    }
    return std::string(line);
}

std::ptrdiff_t open_brackets(const std::string& value) {
    return std::count(value.begin(), value.end(), '[') - std::count(value.begin(), value.end(), ']');
}

} // namespace

std::vector<TomlLine> toml_lines(std::string_view text) {
    std::vector<TomlLine> lines;
    std::string table;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string line = trimmed(without_comment(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!lines.empty() && !lines.back().key.empty() && open_brackets(lines.back().value) > 0) {
            lines.back().value += " " + line;
        } else if (line.starts_with('[')) {
            table = trimmed(line.substr(line.find_first_not_of('['), line.find(']') - line.find_first_not_of('[')));
            lines.push_back({table, "", ""});
        } else if (const auto equals = line.find('='); equals != std::string::npos) {
            lines.push_back({table, toml_text(trimmed(line.substr(0, equals))), trimmed(line.substr(equals + 1))});
        }
    }
    return lines;
}

std::string toml_text(const std::string& value) {
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
        return value.substr(1, value.size() - 2);
    return value;
}

std::string toml_value(const std::vector<TomlLine>& lines, std::string_view table, std::string_view key) {
    for (const TomlLine& line : lines)
        if (line.table == table && line.key == key)
            return toml_text(line.value);
    return "";
}

} // namespace holdfast::app::init
