// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/tuner.hpp"

namespace holdfast::tuners {

/// Restarting local search: first improvement over the neighbours of lattice.hpp, in random order. A descent starts at
/// the best scout not used yet. Scouts are sent first, the defaults among them, and again at every local optimum, by
/// turns near the best point and anywhere. Nothing is proposed twice.
std::unique_ptr<study::Tuner> make_local(study::SearchSpace space, std::uint64_t seed);

} // namespace holdfast::tuners
