// SPDX-License-Identifier: GPL-3.0-or-later
// The compare-and-swap. git_reference_create looks for an existing branch before it takes the lock, so two that create
// one can both succeed; a transaction compares under the lock, for a new branch as for an old one.
#include "core/git/branches.hpp"
#include "core/git/paths.hpp"
#include "core/project/text.hpp"

namespace holdfast::git {

namespace {

/// git keeps "a" as a file and "a/b" in a folder of that name, so there is only one of them.
Result<void> check_neighbours(git_repository* repository, const std::string& branch, const std::string& attempted) {
    const auto in_the_way = [&](const std::string& other) {
        return refused(attempted,
                       "git can hold no branch beside '" + printable(other) +
                           "' of which one name is the "
                           "other's folder",
                       "Rename that branch: `git branch -m '" + printable(other) + "' NEW-NAME`.");
    };
    for (auto parent = parent_of(branch); !parent.empty(); parent = parent_of(parent)) {
        ReferenceHandle other;
        if (git_reference_lookup(out(other), repository, ("refs/heads/" + std::string(parent)).c_str()) == 0)
            return in_the_way(std::string(parent));
    }
    ReferencesHandle below;
    if (const int code = git_reference_iterator_new(out(below), repository); code < 0)
        return git_failed(attempted, code);
    const std::string heads = "refs/heads/";
    const char* name = nullptr;
    while (git_reference_next_name(&name, below.get()) == 0)
        if (const std::string other = name; other.starts_with(heads + branch + '/'))
            return in_the_way(other.substr(heads.size()));
    return {};
}

/// Under the lock: whether the branch is what the caller saw.
Result<void> compare(git_repository* repository, const std::string& name, const std::optional<std::string>& expected,
                     const std::string& attempted) {
    ReferenceHandle present;
    const int code = git_reference_lookup(out(present), repository, name.c_str());
    if (code < 0 && code != GIT_ENOTFOUND)
        return git_failed(attempted, code);
    const std::string remedy = "Look at it with `git log` and try again.";
    if (code == GIT_ENOTFOUND)
        return expected ? refused(attempted, "the branch is gone; it was at " + printable(*expected), remedy)
                        : Result<void>();
    if (git_reference_type(present.get()) != GIT_REFERENCE_DIRECT)
        return refused(attempted, "it is another name for " + printable(git_reference_symbolic_target(present.get())),
                       "Remove the alias: `git symbolic-ref -d " + printable(name) + "`.");
    const std::string tip = id_text(*git_reference_target(present.get()));
    if (!expected)
        return refused(attempted, "the branch exists already, at " + tip, remedy);
    if (tip != *expected)
        return refused(attempted, "the branch has moved from " + printable(*expected) + " to " + tip, remedy);
    return {};
}

} // namespace

Result<void> move_branch(git_repository* repository, const std::string& branch,
                         const std::optional<std::string>& expected, const git_oid& commit, const std::string& log,
                         const std::string& attempted) {
    const auto name = branch_reference(branch, attempted);
    if (!name)
        return tl::unexpected(name.error());
    if (auto free = check_neighbours(repository, branch, attempted); !free)
        return free;
    TransactionHandle transaction;
    if (const int code = git_transaction_new(out(transaction), repository); code < 0)
        return git_failed(attempted, code);
    if (const int code = git_transaction_lock_ref(transaction.get(), name->c_str()); code < 0) {
        const std::string file = git_repository_commondir(repository) + *name + ".lock";
        if (code == GIT_ELOCKED)
            return refused(attempted, "another program is moving the branch right now",
                           "Try again; if no git program runs, remove " + printable(file) + ".");
        return git_failed(attempted, code, "Check that you may write there and that the disk has space.");
    }
    if (auto same = compare(repository, *name, expected, attempted); !same)
        return same;
    int code = git_transaction_set_target(transaction.get(), name->c_str(), &commit, nullptr, printable(log).c_str());
    if (code == 0)
        code = git_transaction_commit(transaction.get());
    if (code < 0)
        return git_failed(attempted, code, "Check that you may write there and that the disk has space.");
    return {};
}

} // namespace holdfast::git
