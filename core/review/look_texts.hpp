// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in quotes, as the program will have it. A text that is put together at run time, out of numbers or by a
// loop, is not seen.
#pragma once

#include "core/review/look_lines.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::review::look {

/// Fills Line::texts of both sides of all hunks: every quoted text with its escapes decoded, and the whole of those
/// that are put together by standing side by side or by `+`, in a line or over lines, names of texts that the patch
/// shows (`#define A "x"`, `A = "x"`) among them.
void read_texts(std::vector<File>& files);

/// `\x2f`, `\057`, `\u002f`, `\n` and their kin as the characters that they mean, in UTF-8; others as they are.
std::string decoded(std::string_view quoted);

} // namespace holdfast::review::look
