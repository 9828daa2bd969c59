// SPDX-License-Identifier: GPL-3.0-or-later
// Files that measuring needs and that HEAD, which is what is measured, may not have.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"

#include <string>
#include <vector>

namespace holdfast::app {

/// Paths that the project's commands name below {source}, each once, relative to the project's folder: as a whole word
/// and up to where a shell would end it. Whether such a file exists is not asked.
std::vector<std::string> named_in_source(const Project& project);

/// Tuning inputs and files named below {source} that are in the project's folder and not in `commit`. What lies below
/// .holdfast/ is meant to be outside.
Result<std::vector<std::string>> not_in_commit(const Project& project, const git::Repository& repository,
                                               const git::Commit& commit);

/// The paths as words of a shell's command line, taken by git as they are: no magic, no option.
std::string pathspecs(const std::vector<std::string>& paths);

/// The word for git that leaves `path` out.
std::string all_but(const std::string& path);

} // namespace holdfast::app
