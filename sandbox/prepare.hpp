// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/runner.hpp"

#include <filesystem>

namespace holdfast::sandbox {

/// Checks what holdfast-runner relies on, resolves the mounts below `cache` and the host's paths, and completes the
/// environment.
Result<study::Execution> prepared(const study::Execution& given, const std::filesystem::path& cache);

} // namespace holdfast::sandbox
