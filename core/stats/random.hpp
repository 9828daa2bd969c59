// SPDX-License-Identifier: GPL-3.0-or-later
// Seeded randomness that gives the same numbers on every platform, whatever else runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::stats {

/// A seed for the stream called `label` under `seed` (splitmix64 over FNV-1a of the label): streams do not disturb each
/// other.
std::uint64_t derive(std::uint64_t seed, std::string_view label);

/// xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64.
class Random {
public:
    explicit Random(std::uint64_t seed);
    std::uint64_t next();
    double uniform();                     ///< [0, 1), 53 bits
    std::uint64_t below(std::uint64_t n); ///< [0, n), without bias; n > 0
    bool coin();
    double normal(); ///< standard normal (Marsaglia's polar method)
    template <class T> void shuffle(std::vector<T>& items) {
        for (std::size_t i = items.size(); i > 1; --i)
            std::swap(items[i - 1], items[below(i)]);
    }

private:
    std::uint64_t state_[4];
    double spare_ = 0; // the polar method gives normals in twos
    bool has_spare_ = false;
};

} // namespace holdfast::stats
