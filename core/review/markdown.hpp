// SPDX-License-Identifier: GPL-3.0-or-later
// Text from anywhere in a Markdown document that others render.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::review {

/// Plain text that no renderer takes for markup or HTML, and that calls nobody: a person's name after an @ stays text.
std::string plain(std::string_view text);

/// `text` on one line in a code span: nothing in it is a link, a mention or a reference. Not for cells of a table.
std::string code_span(std::string_view text);

/// `text` in a fence that nothing in it can close.
std::string code_block(std::string_view language, const std::string& text);

} // namespace holdfast::review
