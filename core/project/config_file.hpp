// SPDX-License-Identifier: GPL-3.0-or-later
// One setting of a configuration file, read or replaced in place: comments, order, spacing and line ends are kept.
#pragma once

#include "core/project/error.hpp"
#include "core/project/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

enum class ConfigFormat {
    ini,        ///< key = value below [section]; key "section.key" or "key" before any section
    conf,       ///< "key value", "key=value" or "key: value" lines, # comments
    json,       ///< with comments; key is a JSON pointer "/a/b" or "a.b"
    yaml,       ///< block mappings of scalars; key "a.b"
    toml,       ///< key "table.key"
    postgresql, ///< postgresql.conf: the last setting counts, values quoted when needed
    redis,      ///< redis.conf: "directive value"
    text,       ///< template: a line of any text that ends in a comment `@key:BEFORE{}AFTER@`
};

/// The word of the project file: "ini", "conf", "json", "yaml", "toml", "postgresql", "redis", "template".
std::optional<ConfigFormat> config_format(std::string_view word);
std::string_view to_text(ConfigFormat format);
std::vector<std::string_view> config_format_words();

/// `text` with `key` set to `value`. A key that is only there as a comment ("#work_mem = 4MB"), or not at all, is added
/// where the format allows it: after its commented default, else at the end of its section. Setting the value that is
/// there gives the same bytes. Errors (kind failed) name the key and line: a key written twice where that is ambiguous,
/// a structure this editor does not understand, a value the format cannot hold (a line break).
Result<std::string> set_config(ConfigFormat format, std::string_view text, std::string_view key, const Value& value);

/// The value as it is written there, unquoted; nothing when the key is not set.
Result<std::optional<std::string>> get_config(ConfigFormat format, std::string_view text, std::string_view key);

/// JSON with comments: the bytes of the value at `pointer` (RFC 6901) replaced by `json`. Error when there is none.
Result<std::string> replace_json(std::string_view text, const std::string& pointer, std::string_view json);

} // namespace holdfast
