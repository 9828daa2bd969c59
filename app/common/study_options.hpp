// SPDX-License-Identifier: GPL-3.0-or-later
// What a study does when nothing else is asked of it.
#pragma once

#include "core/study/engine.hpp"

#include <cstdint>

namespace holdfast::app {

/// A seed from the system.
std::uint64_t random_seed();

/// The project's own search settings with a random seed.
study::Options default_options(const Project& project);

/// Refuses what no study can do; drops the tuner `patch`, which names the queue that runs first whatever is named.
Result<void> check_options(study::Options& options);

} // namespace holdfast::app
