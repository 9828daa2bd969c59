// SPDX-License-Identifier: GPL-3.0-or-later
// What the text of a changed file says of its lines where the tools that count runs say nothing, or too much.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::study {

enum class Language { compiled, python };

struct LineKinds {
    std::set<std::size_t> silent;  ///< nothing to run: blank, a comment, only brackets or a bare `else`, `do`, `try`
    std::set<std::size_t> partial; ///< holds code that does not run when the line does: lambdas, texts run as code
};

/// Of every line, from 1. In doubt a line is neither.
LineKinds line_kinds(std::string_view text, Language language);

/// Why no count of the file can be believed: what the lines `changed` say (attributes and directives that take lines
/// from the count or make the counting build another program), or "" without any. Printable.
std::string hides_lines(std::string_view text, Language language, const std::vector<std::size_t>& changed);

/// Why no count of any file of the language can be believed: lines are told under other numbers or names (`#line`), or
/// the trace is ended (`settrace`); else "". Printable.
std::string renames_lines(std::string_view text, Language language);

} // namespace holdfast::study
