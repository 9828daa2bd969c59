// SPDX-License-Identifier: GPL-3.0-or-later
// A branch as a candidate: what it changed since it left HEAD's history, as a patch to HEAD.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/error.hpp"

#include <string>

namespace holdfast::git {

struct RevisionPatch {
    std::string text;    ///< a unified diff against HEAD
    Commit commit, base; ///< the revision, and where it left HEAD's history
    bool behind = false; ///< HEAD has commits that the revision lacks; the patch leaves them alone
};

/// The changes from the merge base to `revision`, merged into HEAD: what others committed meanwhile stays. Refused,
/// naming the path: conflicts with HEAD, and what a patch cannot carry (binary files, links, submodules, executable
/// bits). Kind invalid: an unknown revision, no common history, nothing that HEAD does not have.
Result<RevisionPatch> revision_patch(const Repository& repository, const std::string& revision);

/// What to do when a shallow clone lacks `revision` or the history that leads to it.
std::string fetch_remedy(const std::string& revision);

} // namespace holdfast::git
