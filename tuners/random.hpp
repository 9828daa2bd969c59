// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/tuner.hpp"

namespace holdfast::tuners {

/// Random search: feasible configurations uniform in the scale of every knob, none twice (Bergstra and Bengio, 2012).
std::unique_ptr<study::Tuner> make_random(study::SearchSpace space, std::uint64_t seed);

} // namespace holdfast::tuners
