// SPDX-License-Identifier: GPL-3.0-or-later
// Other inputs out of one, without knowing what it holds. Pure; the same choices give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace holdfast::study::probes {

struct Mutation {
    std::string what; ///< "cut off after 12 bytes"
    std::string bytes;
};

/// Which change is made.
struct Turn {
    std::size_t number = 0; ///< the kinds come in turn, those that tell most of a program first
    std::size_t third =
        0; ///< of the file, modulo 3: where it is changed. What checks only how a file begins shows late
    std::size_t most_copies = 16;          ///< of the whole file that a larger one may hold; at least 2
    std::optional<std::size_t> field = {}; ///< of a line, from 0: that alone is changed, in one of field_changes ways
};

/// From 0 to `end` - 1. The standard's distributions differ between libraries.
std::size_t below(std::size_t end, std::mt19937_64& random);

constexpr std::size_t mutation_kinds = 16;
constexpr std::size_t field_changes = 3;
constexpr std::uint64_t largest_input = 16ULL << 20; ///< each is copied for each change; what grows stays below it

/// Without a zero byte.
bool is_text(std::string_view bytes);
/// Whether what is done in `turn` needs a text.
bool about_texts(const Turn& turn);

/// `bytes`, of which there are at most largest_input, changed in the way of `turn`. A text is changed as one where the
/// kind is about texts; anything else has bytes changed then. Never the same bytes again.
Mutation mutate(std::string_view bytes, const Turn& turn, std::mt19937_64& random);

} // namespace holdfast::study::probes
