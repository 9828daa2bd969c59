// SPDX-License-Identifier: GPL-3.0-or-later
// The only code that writes to the user's repository: objects, which nothing refers to until a branch does, and
// branches by compare-and-swap. The working tree and the index change in fast_forward alone.
#pragma once

#include "core/git/repository.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::git {

struct NewCommit {
    std::string tree;
    std::vector<std::string> parents; ///< commit ids
    Identity author;                  ///< also the committer
    std::string message;              ///< UTF-8, with trailers
};

class Writer {
public:
    explicit Writer(Repository repository);

    /// Stores what Repository::tree_with computes, and gives the same id. Every blob and tree it needs is in the
    /// repository afterwards.
    Result<std::string> tree_with(const Commit& base, const Changes& changes) const;

    /// Stores a commit of now that no reference names yet. `tree` and `parents` must exist. Errors (kind invalid): an
    /// empty name, email or message, one that is not UTF-8.
    Result<Commit> commit(const NewCommit& commit) const;

    /// Sets refs/heads/`branch` to `commit` when it is still `expected` (nothing: when there is none). Refused, naming
    /// what was found, when it is not, when another writer is at it, when a branch of another name is in the way
    /// ("holdfast" of "holdfast/1/3"), or when a working tree has it checked out. `log`: the reflog's line.
    Result<void> set_branch(const std::string& branch, const std::optional<std::string>& expected,
                            const std::string& commit, const std::string& log) const;

    /// Moves the checked-out branch, its index and its working tree from HEAD to `to`, a descendant of HEAD. Refused
    /// before anything is written when HEAD is detached, a merge or the like is in progress, tracked files have
    /// uncommitted changes or untracked files, ignored ones too, are in the way. Submodules stay as they are. The
    /// branch moves first: a kill leaves the old commit and tree, or the new commit with files that `git reset --hard`
    /// brings up to it.
    Result<void> fast_forward(const std::string& to, const std::string& log) const;

private:
    Repository repository_;
};

} // namespace holdfast::git
