// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace zorder {

/// The values of one column from `low` to `high`, both included.
struct Range {
    std::size_t column = 0;
    Value low = 0;
    Value high = 0;

    bool contains(Value value) const { return low <= value && value <= high; }
};

/// The rows that lie in every range.
struct Query {
    std::vector<Range> ranges;

    bool matches(const Row& row) const;
};

/// Parses "a 120..300 c 5..90": a column's letter and its range, as many times as wanted. Throws std::runtime_error
/// saying what is wrong.
Query parse_query(const std::string& line, std::size_t columns);

/// Reads one query a line; empty lines and lines that start with # are skipped.
std::vector<Query> read_queries(const std::string& path, std::size_t columns);

} // namespace zorder
