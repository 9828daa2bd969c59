// SPDX-License-Identifier: GPL-3.0-or-later
// Where code gives up: by which words, and behind which conditions.
#pragma once

#include "core/review/look_lines.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::review::look {

/// Whether the `return` at `at` is that of a function that gives up: `return -1`, `return NULL`, `return err`, a bare
/// one.
bool returns_failure(const std::vector<std::string>& tokens, std::size_t at);
/// `throw`, `abort`, `exit`: ends more than the block.
bool ends_hard(const std::vector<std::string>& tokens);
/// That, `goto out`, or a return of failure.
bool gives_up(const std::vector<std::string>& tokens);

bool begins_with_if(const std::vector<std::string>& tokens);
/// An `if` after which the code gives up.
bool is_gate(const File& file, const Line& line);
/// A gate that asks how a call ended, a `catch`, `?`, `set -e`.
bool handles_errors(const File& file, const Line& line);
/// Another gate.
bool checks(const File& file, const Line& line);

} // namespace holdfast::review::look
