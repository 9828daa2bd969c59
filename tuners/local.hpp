// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/tuner.hpp"

namespace holdfast::tuners {

/// Restarting local search over the lattice of lattice.hpp. Starts at the defaults when they are feasible.
std::unique_ptr<study::Tuner> make_local(study::SearchSpace space, std::uint64_t seed);

} // namespace holdfast::tuners
