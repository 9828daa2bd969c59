// SPDX-License-Identifier: GPL-3.0-or-later
// Z-order: rows that are near each other in several columns at once are stored near each other.
#pragma once

#include "table.hpp"

#include <cstdint>
#include <vector>

namespace zorder {

/// How many of its most significant bits each column wants in the key.
using Allocation = std::vector<unsigned>;

/// One bit of the key: which bit of which column, 0 being the column's most significant.
struct KeyBit {
    std::size_t column = 0;
    unsigned bit = 0;
};

constexpr std::size_t key_bits = 24;

/// The key's bits, most significant first. A column's bits are spread evenly over the key, so that a column with twice
/// the bits splits the table twice as often from the start. What goes past `key_bits` is cut off.
std::vector<KeyBit> interleave(const Allocation& allocation, unsigned value_bits);

/// The table's row numbers in key order; rows with equal keys stay as they are.
std::vector<std::uint32_t> z_order(const Table& table, const Allocation& allocation);

} // namespace zorder
