// SPDX-License-Identifier: GPL-3.0-or-later
// Branches, for this room only.
#pragma once

#include "core/git/handles.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::git {

/// "refs/heads/`branch`"; an error (kind invalid) when git allows no such name.
Result<std::string> branch_reference(const std::string& branch, const std::string& attempted);

/// The working trees whose HEAD is on the branch, also while it has no commit yet.
Result<std::vector<std::filesystem::path>> checkouts_of(git_repository* repository, const std::string& branch,
                                                        const std::string& attempted);

/// Sets the branch to `commit` when its tip is `expected` (nothing: when there is none); refused otherwise. The
/// comparison happens under the reference's lock, so of several writers one wins.
Result<void> move_branch(git_repository* repository, const std::string& branch,
                         const std::optional<std::string>& expected, const git_oid& commit, const std::string& log,
                         const std::string& attempted);

} // namespace holdfast::git
