// SPDX-License-Identifier: GPL-3.0-or-later
// Other inputs out of one, without knowing what it holds. Pure; the same choices give the same bytes.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace holdfast::study::probes {

struct Mutation {
    std::string what; ///< "cut off after 12 bytes"
    std::string bytes;
};

constexpr std::size_t mutation_kinds = 8;

/// `bytes` changed in the way `kind` (modulo mutation_kinds). A text is changed as one where the kind is about texts;
/// anything else has bytes flipped then. May give the same bytes back when there is nothing to change.
Mutation mutate(std::string_view bytes, std::size_t kind, std::mt19937_64& random);

} // namespace holdfast::study::probes
