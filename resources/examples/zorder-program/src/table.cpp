// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace zorder {

namespace {

constexpr std::size_t header_size = 16;
constexpr Value max_columns = 26; // they are named a to z

Value number_at(const std::string& bytes, std::size_t offset) {
    Value value = 0;
    for (std::size_t i = 4; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
    return value;
}

} // namespace

Row Table::row(std::size_t index) const {
    Row values;
    values.reserve(columns.size());
    for (const auto& column : columns)
        values.push_back(column[index]);
    return values;
}

Table read_table(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error("cannot open the table " + path);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (bytes.size() < header_size || bytes.compare(0, 4, "ZTB1") != 0)
        throw std::runtime_error(path + " is not a table file");

    const std::size_t rows = number_at(bytes, 4);
    const std::size_t columns = number_at(bytes, 8);
    Table table;
    table.value_bits = number_at(bytes, 12);
    if (columns == 0 || columns > max_columns || table.value_bits == 0 || table.value_bits > 32 ||
        bytes.size() != header_size + 4 * rows * columns)
        throw std::runtime_error(path + " has a header that does not fit its size");

    table.columns.resize(columns);
    std::size_t offset = header_size;
    for (auto& column : table.columns) {
        column.resize(rows);
        for (Value& value : column) {
            value = number_at(bytes, offset);
            offset += 4;
            if (table.value_bits < 32 && value >> table.value_bits != 0)
                throw std::runtime_error(path + " holds a value with too many bits");
        }
    }
    return table;
}

Table reordered(const Table& table, const std::vector<std::uint32_t>& order) {
    Table result;
    result.value_bits = table.value_bits;
    for (const auto& column : table.columns) {
        auto& values = result.columns.emplace_back();
        values.reserve(order.size());
        for (const std::uint32_t index : order)
            values.push_back(column[index]);
    }
    return result;
}

} // namespace zorder
