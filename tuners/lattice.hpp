// SPDX-License-Identifier: GPL-3.0-or-later
// A search space seen as a lattice: a few levels per knob, moves of one knob at a time, single values and points.
#pragma once

#include "core/stats/random.hpp"
#include "core/study/tuner.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace holdfast::tuners {

/// Levels per numeric knob. Sixteen make a neighbour of a knob over four decades differ by a factor of 1.8 at most,
/// which is near what a noisy measurement can tell apart, and keep a pass over all neighbours short.
inline constexpr std::size_t max_levels = 16;

/// The levels of an integer or real knob: ascending, even in its scale, integers rounded and without duplicates, at
/// most `max_levels`, with both ends of the domain and the default among them. Empty when the domain is empty.
std::vector<double> levels(const Knob& knob);

class Lattice {
public:
    explicit Lattice(study::SearchSpace space);

    const std::vector<Knob>& knobs() const { return space_.knobs; }
    bool feasible(const Configuration& point) const { return space_.feasible(point); }

    /// Every knob at its default, when that is in the domains and feasible.
    std::optional<Configuration> defaults() const;

    /// Whether some knob's domain holds no value.
    bool empty() const;

    /// The number of configurations in the domains, feasible or not; nothing when a real knob makes them uncountable
    /// or they are more than `limit`.
    std::optional<std::uint64_t> count(std::uint64_t limit) const;

    /// The feasible neighbours of a feasible point. A numeric knob moves to the next level above and below that is
    /// feasible once snapped, a categorical one to any other value, a boolean one to the other.
    std::vector<Configuration> neighbours(const Configuration& point) const;

    /// A value of knob `index`, uniform in its scale.
    Value draw(std::size_t index, stats::Random& random) const;

    /// A point of the domains, uniform in each knob's scale, feasible or not.
    Configuration draw(stats::Random& random) const;

    /// Configuration `number` of those that count() counted, feasible or not.
    Configuration at(std::uint64_t number) const;

private:
    std::optional<Configuration> step(const Configuration& point, std::size_t index, bool upwards) const;
    std::optional<double> snap(Configuration& point, std::size_t index, std::size_t level) const;

    study::SearchSpace space_;
    std::vector<std::vector<double>> levels_; ///< by knob; empty for those that are not numeric
};

} // namespace holdfast::tuners
