// SPDX-License-Identifier: GPL-3.0-or-later
// As much of TOML as package descriptions need to be looked at: tables, keys, and values as they are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app::init {

struct TomlLine {
    std::string table; ///< "package"; of [[bin]]: "bin"
    std::string key;   ///< "" where a table begins
    std::string value; ///< as written, an array of several lines joined; comments removed outside of quotes
};

std::vector<TomlLine> toml_lines(std::string_view text);

/// "\"abc\"" as abc; what is no quoted text as it is.
std::string toml_text(const std::string& value);

/// The value of `key` in `table` without quotes; "" when there is none.
std::string toml_value(const std::vector<TomlLine>& lines, std::string_view table, std::string_view key);

} // namespace holdfast::app::init
