// SPDX-License-Identifier: GPL-3.0-or-later
// A file that a person names on the command line.
#pragma once

#include "core/project/error.hpp"

#include <cstddef>
#include <string>

namespace holdfast::app {

/// The bytes of a regular file or a pipe, or of standard input when `file` is "-". Kind invalid: there is none, it is
/// empty, or longer than `cap` bytes. `attempted` and `remedy` as in Error.
Result<std::string> read_bounded(const std::string& file, std::size_t cap, const std::string& attempted,
                                 const std::string& remedy);

} // namespace holdfast::app
