// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine needs from a tuner of knobs. Implemented in tuners/.
#pragma once

#include "core/project/project.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// What a tuner may search: knobs (fixed ones already taken out) and a test for the constraints with the fixed knobs
/// filled in.
struct SearchSpace {
    std::vector<Knob> knobs;
    /// Whether a full assignment of `knobs` is allowed.
    std::function<bool(const Configuration&)> feasible;
};

class Tuner {
public:
    virtual ~Tuner() = default;
    /// The next configuration of the space's knobs, or nothing when the space is exhausted. Never one proposed before.
    virtual std::optional<Configuration> propose() = 0;
    /// What the last proposal gave on the tuning workloads: the mean log ratio (positive: better than the baseline), or
    /// nothing when it failed. The same seed and answers give the same proposals.
    virtual void tell(std::optional<double> log_ratio) = 0;
};

} // namespace holdfast::study
