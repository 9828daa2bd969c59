// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tuners/lattice.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace holdfast::tuners {

/// Draws feasible points that were not given before. Three ways, because each fails where another works: rejection,
/// enumeration once rejections are frequent in a space that can be enumerated, and a walk from known feasible points in
/// one that cannot.
class Sampler {
public:
    /// `lattice` must outlive the sampler.
    Sampler(const Lattice& lattice, std::uint64_t seed);

    /// A fresh feasible point, now given; nothing when the space is exhausted or, where it cannot be enumerated, when
    /// a long search finds no fresh point.
    std::optional<Configuration> next();

    /// Notes that the feasible `point` was given by other means; false when it had been given before.
    bool take(const Configuration& point);

    bool given(const Configuration& point) const { return given_.contains(point); }

    stats::Random& random() { return random_; }

private:
    std::optional<Configuration> reject(int tries);
    std::optional<Configuration> walk(int sweeps);
    std::optional<Configuration> from_list();

    const Lattice& lattice_;
    stats::Random random_;
    std::set<Configuration> given_;
    std::optional<Configuration> seat_;              ///< where the walk stands; feasible
    std::optional<std::vector<std::uint64_t>> list_; ///< numbers of feasible points not looked at yet, shuffled
};

} // namespace holdfast::tuners
