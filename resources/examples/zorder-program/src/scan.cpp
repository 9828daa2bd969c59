// SPDX-License-Identifier: GPL-3.0-or-later
#include "scan.hpp"

#include <algorithm>
#include <utility>

namespace zorder {

namespace {

/// FNV-1a over the row's values.
std::uint64_t hash(const Row& row) {
    std::uint64_t state = 0xcbf29ce484222325;
    for (const Value value : row)
        state = (state ^ value) * 0x100000001b3;
    return state;
}

} // namespace

bool Block::may_match(const Query& query, Work& work) const {
    for (const Range& range : query.ranges) {
        ++work.filters;
        if (max[range.column] < range.low || min[range.column] > range.high)
            return false;
    }
    return true;
}

BlockedTable::BlockedTable(Table table, std::size_t block_rows) : table_(std::move(table)) {
    for (std::size_t first = 0; first < table_.rows(); first += block_rows) {
        Block block;
        block.first = first;
        block.last = std::min(first + block_rows, table_.rows());
        for (const auto& column : table_.columns) {
            const auto begin = column.begin();
            const auto [min, max] = std::minmax_element(begin + static_cast<std::ptrdiff_t>(block.first),
                                                        begin + static_cast<std::ptrdiff_t>(block.last));
            block.min.push_back(*min);
            block.max.push_back(*max);
        }
        blocks_.push_back(std::move(block));
    }
}

Answer BlockedTable::answer(const Query& query, Work& work) const {
    Answer answer;
    for (const Block& block : blocks_) {
        if (!block.may_match(query, work))
            continue;
        work.rows += block.last - block.first;
        scan(block, query, answer);
    }
    return answer;
}

void BlockedTable::scan(const Block& block, const Query& query, Answer& answer) const {
    for (std::size_t index = block.first; index < block.last; ++index) {
        const Row row = table_.row(index);
        if (query.matches(row)) {
            ++answer.rows;
            answer.checksum += hash(row);
        }
    }
}

} // namespace zorder
