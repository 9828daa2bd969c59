// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::review {

/// A text, quoted where it must be. One that a spreadsheet would take for a formula gets an apostrophe in front.
std::string text_cell(std::string_view text);

/// The shortest text that reads back as the same number; empty for what is not finite.
std::string number_cell(double value);

/// `cells` with commas between and CR LF at the end.
std::string csv_line(const std::vector<std::string>& cells);

} // namespace holdfast::review
