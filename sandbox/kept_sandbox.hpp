// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/study/runner.hpp"

#include <filesystem>

namespace holdfast::sandbox {

/// Starts the server of `execution`, which is prepared, with a holdfast-runner of its own, and waits until it is ready.
Result<std::unique_ptr<study::KeptSandbox>> keep_sandbox(const study::Execution& execution,
                                                         const std::filesystem::path& helpers,
                                                         const std::filesystem::path& bubblewrap, bool groups,
                                                         const std::stop_token& kill);

} // namespace holdfast::sandbox
