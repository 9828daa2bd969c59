// SPDX-License-Identifier: GPL-3.0-or-later
// A change as a mail that `git am` turns back into a commit.
#pragma once

#include "core/git/diff.hpp"
#include "core/git/repository.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::git {

/// One mail with the commit message (`subject`, a blank line, `body`; UTF-8), the author and the diffs of `files`
/// against `base`. `time`: shown in UTC. Errors (kind invalid): an empty name, email or subject, a line break in one
/// of them, a NUL in the body, or a binary file, which a text mail cannot carry.
Result<std::string> email_patch(const Repository& repository, const Commit& base, const std::vector<DiffFile>& files,
                                const Identity& author, const std::string& subject, const std::string& body,
                                std::chrono::system_clock::time_point time);

} // namespace holdfast::git
