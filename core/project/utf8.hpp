// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace holdfast {

struct CodePoint {
    char32_t value = 0;
    std::size_t size = 0; ///< bytes it takes; 0 when the bytes are not UTF-8
};

/// The code point that starts at `text[at]`, which must exist. Overlong forms, surrogates and values above U+10FFFF are
/// not UTF-8 (RFC 3629).
CodePoint decode_utf8(std::string_view text, std::size_t at);

/// Offset of the first byte that is not UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// 1-based column of `offset` in one line, counted in code points as editors do.
int column_of(std::string_view line, std::size_t offset);

/// Control characters, and the invisible ones that hide or reorder their neighbours.
bool is_unsafe(char32_t code_point);

} // namespace holdfast
