// SPDX-License-Identifier: GPL-3.0-or-later
// An input of a workload, wherever it is kept.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"

#include <string>

namespace holdfast::study {

/// The bytes of `input`, one of Workload::inputs: as `commit` has it, else as it is in the project's folder, where
/// held-out inputs are. Error: it is in neither, no regular file, or too large.
Result<std::string> input_bytes(const Project& project, const git::Repository& repository, const git::Commit& commit,
                                const Workload& workload, const std::string& input);

} // namespace holdfast::study
