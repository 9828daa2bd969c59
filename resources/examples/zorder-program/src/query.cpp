// SPDX-License-Identifier: GPL-3.0-or-later
#include "query.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace zorder {

bool Query::matches(const Row& row) const {
    for (const Range& range : ranges)
        if (!range.contains(row[range.column]))
            return false;
    return true;
}

Query parse_query(const std::string& line, std::size_t columns) {
    Query query;
    std::istringstream words(line);
    char column = 0;
    while (words >> column) {
        Range range;
        char dot = 0, second_dot = 0;
        if (!(words >> range.low >> dot >> second_dot >> range.high) || dot != '.' || second_dot != '.')
            throw std::runtime_error("not a range in the query '" + line + "'");
        if (column < 'a' || static_cast<std::size_t>(column - 'a') >= columns)
            throw std::runtime_error("no such column in the query '" + line + "'");
        if (range.low > range.high)
            throw std::runtime_error("a range that ends before it starts in the query '" + line + "'");
        range.column = static_cast<std::size_t>(column - 'a');
        query.ranges.push_back(range);
    }
    if (query.ranges.empty())
        throw std::runtime_error("a query without a range");
    return query;
}

std::vector<Query> read_queries(const std::string& path, std::size_t columns) {
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot open the queries " + path);
    std::vector<Query> queries;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line.front() != '#')
            queries.push_back(parse_query(line, columns));
    return queries;
}

} // namespace zorder
