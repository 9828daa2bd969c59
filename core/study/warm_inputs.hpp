// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs in the same state of the page cache before every timed run.
#pragma once

#include <filesystem>
#include <vector>

namespace holdfast::study {

/// Reads every regular file below `folders`, so that a run that throws them out of memory slows no run after it but its
/// own. Nothing when they are larger than 1 GiB together: reading more would push out what it brings in. Best effort:
/// what cannot be read is the run's to tell.
void warm(const std::vector<std::filesystem::path>& folders);

} // namespace holdfast::study
