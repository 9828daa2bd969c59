// SPDX-License-Identifier: GPL-3.0-or-later
// Text from anywhere in a document that is HTML and well-formed XML at once.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::review {

/// `text` for an element or a quoted attribute: nothing in it is markup, a control or a bidirectional character.
std::string html_text(std::string_view text, bool one_line = true);

/// `data` as a data: URL of this media type, base64.
std::string data_url(std::string_view media_type, std::string_view data);

} // namespace holdfast::review
