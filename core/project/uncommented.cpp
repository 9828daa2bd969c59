// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/uncommented.hpp"

#include <cctype>

namespace holdfast {

std::string Uncommented::next(std::string_view line) {
    std::string code;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool pair = i + 1 < line.size();
        if (comment_) {
            comment_ = !(line[i] == '*' && pair && line[i + 1] == '/');
            i += comment_ ? 0 : 1;
            continue;
        }
        if (quote_ == 0 && line[i] == '/' && pair && line[i + 1] == '/')
            return code;
        if (quote_ == 0 && line[i] == '/' && pair && line[i + 1] == '*') {
            comment_ = true;
            ++i;
            continue;
        }
        code += line[i];
        take_quote(line, i, code);
    }
    if (!line.ends_with('\\')) // else the text goes on
        quote_ = 0;
    return code;
}

void Uncommented::take_quote(std::string_view line, std::size_t& i, std::string& code) {
    if (quote_ != 0 && line[i] == '\\' && i + 1 < line.size())
        code += line[++i];
    else if (quote_ != 0)
        quote_ = line[i] == quote_ ? '\0' : quote_;
    else if (line[i] == '"' || (line[i] == '\'' && (i == 0 || std::isxdigit(line[i - 1]) == 0))) // not of 1'000
        quote_ = line[i];
}

} // namespace holdfast
