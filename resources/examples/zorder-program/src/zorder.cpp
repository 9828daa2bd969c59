// SPDX-License-Identifier: GPL-3.0-or-later
#include "zorder.hpp"

#include <algorithm>
#include <utility>

namespace zorder {

std::vector<KeyBit> interleave(const Allocation& allocation, unsigned value_bits) {
    std::vector<KeyBit> key;
    for (std::size_t column = 0; column < allocation.size(); ++column)
        for (unsigned bit = 0; bit < std::min(allocation[column], value_bits); ++bit)
            key.push_back({column, bit});

    // Bit i of n sits at (2i + 1) / 2n of the key's length; compared as fractions, without rounding.
    std::stable_sort(key.begin(), key.end(), [&](const KeyBit& left, const KeyBit& right) {
        const unsigned left_count = std::min(allocation[left.column], value_bits);
        const unsigned right_count = std::min(allocation[right.column], value_bits);
        return (2 * left.bit + 1) * right_count < (2 * right.bit + 1) * left_count;
    });
    if (key.size() > key_bits)
        key.resize(key_bits);
    return key;
}

std::vector<std::uint32_t> z_order(const Table& table, const Allocation& allocation) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> keys(table.rows()); // key, row
    for (std::size_t row = 0; row < keys.size(); ++row)
        keys[row].second = static_cast<std::uint32_t>(row);
    for (const KeyBit& key_bit : interleave(allocation, table.value_bits)) {
        const auto& column = table.columns[key_bit.column];
        const unsigned shift = table.value_bits - 1 - key_bit.bit;
        for (std::size_t row = 0; row < keys.size(); ++row)
            keys[row].first = keys[row].first << 1 | (column[row] >> shift & 1);
    }
    std::sort(keys.begin(), keys.end());

    std::vector<std::uint32_t> order;
    order.reserve(keys.size());
    for (const auto& key : keys)
        order.push_back(key.second);
    return order;
}

} // namespace zorder
