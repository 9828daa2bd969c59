// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/random.hpp"

#include <bit>
#include <cmath>

namespace holdfast::stats {

namespace {

/// The output function of splitmix64 (Steele, Lea and Flood, 2014).
std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;

std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

} // namespace

std::uint64_t derive(std::uint64_t seed, std::string_view label) {
    // The seed is mixed before the label joins it: neighbouring seeds with related labels must not meet.
    return mix((mix(seed + golden) ^ fnv1a(label)) + golden);
}

Random::Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_)
        word = mix(seed += golden);
}

std::uint64_t Random::next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

double Random::uniform() {
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::uint64_t Random::below(std::uint64_t n) {
    // The first 2^64 mod n values would make the small remainders likelier.
    const std::uint64_t skip = (0 - n) % n;
    std::uint64_t value = next();
    while (value < skip)
        value = next();
    return value % n;
}

bool Random::coin() {
    return (next() >> 63) != 0;
}

double Random::normal() {
    if (has_spare_) {
        has_spare_ = false;
        return spare_;
    }
    double u = 0, v = 0, square = 0;
    do {
        u = 2 * uniform() - 1;
        v = 2 * uniform() - 1;
        square = u * u + v * v;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    spare_ = v * factor;
    has_spare_ = true;
    return u * factor;
}

} // namespace holdfast::stats
