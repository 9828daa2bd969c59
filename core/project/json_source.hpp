// SPDX-License-Identifier: GPL-3.0-or-later
// JSON with comments as a tree that remembers where each value was written, so that an error can point at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace holdfast {

struct JsonNode {
    enum class Kind { null, boolean, integer, real, text, array, object };
    Kind kind = Kind::null;
    bool boolean = false;
    std::int64_t integer = 0;
    double real = 0;                ///< of an integer too
    std::string text;               ///< text: its value; integer and real: as written
    int line = 0, column = 0;       ///< 1-based, of the value's first character
    std::size_t begin = 0, end = 0; ///< of the value, as offsets in the text
    std::string key;                ///< of an object's member
    int key_line = 0, key_column = 0;
    std::vector<JsonNode> children; ///< array: its items; object: its members in the file's order, each key once

    const JsonNode* member(std::string_view name) const; ///< null when there is none, or this is no object
    /// "the text \"abc\"", "the number 2.9", "an array": shortened and safe to show.
    std::string description() const;
};

struct JsonFault {
    int line = 0, column = 0; ///< 0 when the whole text is meant
    std::string pointer, found, allowed;
};

struct JsonDocument {
    JsonNode root;
    std::vector<JsonFault> duplicates; ///< keys written twice; the first one counts
};

/// Reads `text`: UTF-8, `//` and `/* */` comments, a byte order mark tolerated. Refused: NUL bytes, more than 64
/// levels, more than 100 000 values, numbers outside double. Integers outside 64 bits become `real`.
tl::expected<JsonDocument, JsonFault> parse_json(std::string_view text);

/// One more step of a JSON pointer (RFC 6901).
std::string pointer_to(const std::string& pointer, std::string_view key);

} // namespace holdfast
