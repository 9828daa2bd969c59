// SPDX-License-Identifier: GPL-3.0-or-later
// Small patches, and the flags that the look at them must give.
#pragma once

#include "core/review/look.hpp"
#include "tests/catch.h"

#include <string>
#include <vector>

namespace holdfast::test {

/// A patch of one file; every line begins with '+', '-' or ' '.
inline std::string patch(const std::string& path, const std::string& lines) {
    return "--- a/" + path + "\n+++ b/" + path + "\n@@ -10 +10 @@\n" + lines;
}

inline std::vector<std::string> names(const std::string& text) {
    std::vector<std::string> all;
    for (const review::Flag& flag : review::look_flags(text))
        all.push_back(flag.name);
    return all;
}

struct Row {
    const char* path;
    const char* lines;
    std::vector<std::string> flags;
};

inline void check_rows(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        INFO(row.path << "\n" << row.lines);
        CHECK(names(patch(row.path, row.lines)) == row.flags);
    }
}

} // namespace holdfast::test
