// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/demo_data.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace holdfast::app {

namespace {

constexpr std::uint32_t columns = 4;
constexpr std::uint32_t value_bits = 12;
constexpr std::uint32_t values = 1U << value_bits;
constexpr std::uint32_t narrowest = values / 50; // 2 %
constexpr std::uint32_t widest = values / 5;     // 20 %

/// splitmix64 (Steele, Lea and Flood, 2014). Not the generator of the statistics: what those draw may change with a
/// better method, while these bytes are what the examples' stories were checked on.
class Draw {
public:
    explicit Draw(std::uint64_t seed) : state_(seed) {}

    /// [0, n). The bias of taking the product's high half is below n / 2^32.
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }

private:
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return mixed ^ mixed >> 31;
    }

    std::uint64_t state_;
};

void append(std::string& bytes, std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>(number >> shift & 0xff);
}

} // namespace

std::string demo_table(std::uint64_t seed, std::uint32_t rows) {
    Draw draw(seed);
    std::string bytes = "ZTB1";
    bytes.reserve(16 + std::size_t{4} * columns * rows);
    append(bytes, rows);
    append(bytes, columns);
    append(bytes, value_bits);
    for (std::size_t i = 0; i < std::size_t{columns} * rows; ++i)
        append(bytes, draw.below(values));
    return bytes;
}

std::string demo_queries(std::uint64_t seed, std::size_t count) {
    Draw draw(seed);
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        std::array<std::uint32_t, columns> order{};
        std::iota(order.begin(), order.end(), 0U);
        const std::uint32_t ranges = 1 + draw.below(2);
        for (std::uint32_t j = 0; j < ranges; ++j)
            std::swap(order[j], order[j + draw.below(columns - j)]);
        std::sort(order.begin(), order.begin() + ranges);
        for (std::uint32_t j = 0; j < ranges; ++j) {
            const std::uint32_t width = narrowest + draw.below(widest - narrowest + 1);
            const std::uint32_t low = draw.below(values - width + 1);
            text += j == 0 ? "" : " ";
            text += static_cast<char>('a' + order[j]);
            text += ' ' + std::to_string(low) + ".." + std::to_string(low + width - 1);
        }
        text += '\n';
    }
    return text;
}

} // namespace holdfast::app
