// SPDX-License-Identifier: GPL-3.0-or-later
// What the doctor makes of facts. Facts that could not be read give no finding.
#pragma once

#include "app/common/doctor.hpp"
#include "sandbox/conditions.hpp"
#include "sandbox/surroundings.hpp"

#include <cstdint>
#include <optional>

namespace holdfast::app {

/// Of the machine's noise: cores, frequency, heat, power, memory, load, clock.
std::vector<Finding> machine_findings(const sandbox::Conditions& seen);

/// Of the kernel's and a container's restrictions; they stop only where `isolated` is false.
std::vector<Finding> surroundings_findings(const sandbox::Surroundings& here, bool isolated);

/// What can be measured beside time and memory.
std::vector<Finding> counter_findings(const study::Counters& counters);

/// `version`: what `bwrap --version` printed.
Finding bubblewrap_finding(const std::filesystem::path& program, const std::string& version);

/// The folder for temporary trees. `free`: bytes, or none when it cannot be told.
std::vector<Finding> cache_findings(const std::filesystem::path& cache, const sandbox::FolderPlace& place,
                                    std::optional<std::uint64_t> free);

} // namespace holdfast::app
