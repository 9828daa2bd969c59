// SPDX-License-Identifier: GPL-3.0-or-later
// The tuners by name.
#pragma once

#include "core/project/error.hpp"
#include "core/study/tuner.hpp"

namespace holdfast::tuners {

/// The names that make() knows.
std::vector<std::string> names();

/// The tuner called `name`. Kind `invalid` when there is none; the error names the nearest.
Result<std::unique_ptr<study::Tuner>> make(const std::string& name, study::SearchSpace space, std::uint64_t seed);

} // namespace holdfast::tuners
