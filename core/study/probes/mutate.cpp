// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/mutate.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace holdfast::study::probes {

namespace {

enum class Kind { flip, cut, repeat, number, swap, malformed, flip_many, empty };

/// From 0 to `end` - 1. The standard's distributions differ between libraries.
std::size_t below(std::size_t end, std::mt19937_64& random) {
    return end == 0 ? 0 : static_cast<std::size_t>(random() % end);
}

bool is_text(std::string_view bytes) {
    return bytes.find('\0') == std::string_view::npos;
}

Mutation flip(std::string_view bytes, std::size_t count, std::mt19937_64& random) {
    std::string changed(bytes);
    for (std::size_t i = 0; i < count && !changed.empty(); ++i) {
        char& byte = changed[below(changed.size(), random)];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << below(8, random)));
    }
    return {fmt::format("{} bit{} flipped", count, count == 1 ? "" : "s"), std::move(changed)};
}

/// Where runs of digits begin and how long they are.
std::vector<std::pair<std::size_t, std::size_t>> numbers_of(std::string_view text) {
    std::vector<std::pair<std::size_t, std::size_t>> numbers;
    for (std::size_t at = text.find_first_of("0123456789"); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        numbers.emplace_back(at, end - at);
        at = text.find_first_of("0123456789", end);
    }
    return numbers;
}

Mutation change_number(std::string_view text, std::mt19937_64& random) {
    constexpr std::array values{"0", "-1", "2147483647", "4294967296", "9223372036854775807", "18446744073709551616"};
    const auto numbers = numbers_of(text);
    const auto [at, size] = numbers[below(numbers.size(), random)];
    const char* const value = values[below(values.size(), random)];
    std::string changed(text);
    changed.replace(at, size, value);
    return {fmt::format("the number at byte {} made {}", at, value), std::move(changed)};
}

Mutation swap_lines(std::string_view text, std::mt19937_64& random) {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        lines.push_back(text.substr(at, end - at));
        at = end;
    }
    const std::size_t one = below(lines.size(), random), other = below(lines.size(), random);
    std::swap(lines[one], lines[other]);
    std::string changed;
    for (const std::string_view line : lines)
        changed += line;
    return {fmt::format("lines {} and {} swapped", one + 1, other + 1), std::move(changed)};
}

Mutation repeat(std::string_view bytes, std::mt19937_64& random) {
    constexpr std::size_t longest = 1 << 16;
    const std::size_t at = below(bytes.size(), random), size = 1 + below(std::min(bytes.size() - at, longest), random);
    std::string changed(bytes);
    changed.insert(at + size, bytes.substr(at, size));
    return {fmt::format("{} bytes at {} repeated", size, at), std::move(changed)};
}

} // namespace

Mutation mutate(std::string_view bytes, std::size_t kind, std::mt19937_64& random) {
    const bool text = is_text(bytes);
    if (bytes.empty())
        return {"a byte put into the empty file", "x"};
    switch (Kind{static_cast<int>(kind % mutation_kinds)}) {
    case Kind::cut: {
        const std::size_t size = below(bytes.size(), random);
        return {fmt::format("cut off after {} bytes", size), std::string(bytes.substr(0, size))};
    }
    case Kind::repeat:
        return repeat(bytes, random);
    case Kind::number:
        if (text && !numbers_of(bytes).empty())
            return change_number(bytes, random);
        break;
    case Kind::swap:
        if (text && bytes.find('\n') < bytes.size() - 1)
            return swap_lines(bytes, random);
        break;
    case Kind::malformed: {
        if (!text)
            break;
        std::string changed(bytes);
        const std::size_t at = below(bytes.size(), random);
        changed.insert(at, "\xc3\x28\xff");
        return {fmt::format("malformed UTF-8 put in at byte {}", at), std::move(changed)};
    }
    case Kind::empty:
        return {"emptied", ""};
    case Kind::flip_many:
        return flip(bytes, 16, random);
    case Kind::flip:
        break;
    }
    return flip(bytes, 1, random);
}

} // namespace holdfast::study::probes
