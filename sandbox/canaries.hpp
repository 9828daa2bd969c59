// SPDX-License-Identifier: GPL-3.0-or-later
// Isolation is what was tried and failed inside, not what was configured.
#pragma once

#include "core/study/runner.hpp"

#include <filesystem>

namespace holdfast::sandbox {

/// Runs holdfast-canary (at `program`) in a sandbox of `runner`; each attempt against a real target that this process
/// sets up outside. Level 3 when every attempt was stopped; 2 when only those got through that no name spaces leave
/// open; 1 when the limits held; 0 otherwise. Level 4 is never claimed: there is no cgroup.
Result<study::Isolation> run_canaries(study::Runner& runner, const std::filesystem::path& program);

} // namespace holdfast::sandbox
