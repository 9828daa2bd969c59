// SPDX-License-Identifier: GPL-3.0-or-later
// Source text of C and its kin without its comments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast {

/// Line by line. A comment or a text may go on in the next line.
class Uncommented {
public:
    std::string next(std::string_view line);

private:
    void take_quote(std::string_view line, std::size_t& i, std::string& code);

    bool comment_ = false;
    char quote_ = 0;
};

} // namespace holdfast
