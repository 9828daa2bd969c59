// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zorder {

using Value = std::uint32_t;
using Row = std::vector<Value>;

/// A table of unsigned numbers, stored column by column.
struct Table {
    unsigned value_bits = 0; ///< every value is below 2 to this power
    std::vector<std::vector<Value>> columns;

    std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
    Row row(std::size_t index) const;
};

/// Reads a table file: the bytes "ZTB1"; rows, columns and bits per value as 32-bit numbers; then each column's values,
/// 32 bits each. All numbers are little-endian. Throws std::runtime_error when the file is not one.
Table read_table(const std::string& path);

/// `table` with its rows in the order that `order` gives.
Table reordered(const Table& table, const std::vector<std::uint32_t>& order);

} // namespace zorder
