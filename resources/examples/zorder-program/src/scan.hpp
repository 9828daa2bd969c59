// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query.hpp"
#include "table.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zorder {

/// What a query asks for. Neither number depends on the order of the rows.
struct Answer {
    std::uint64_t rows = 0;     ///< matching rows
    std::uint64_t checksum = 0; ///< a hash of each matching row, added up
};

/// What answering took.
struct Work {
    std::uint64_t filters = 0; ///< block filters looked at
    std::uint64_t rows = 0;    ///< rows scanned
};

/// A stretch of rows and, per column, the smallest and the largest value in it.
struct Block {
    std::size_t first = 0, last = 0; ///< rows first to last - 1
    std::vector<Value> min, max;

    /// False when no row of the block can match; `work` counts the filters it took to tell.
    bool may_match(const Query& query, Work& work) const;
};

/// A table cut into blocks.
class BlockedTable {
public:
    BlockedTable(Table table, std::size_t block_rows);

    Answer answer(const Query& query, Work& work) const;

private:
    void scan(const Block& block, const Query& query, Answer& answer) const;

    Table table_;
    std::vector<Block> blocks_;
};

} // namespace zorder
