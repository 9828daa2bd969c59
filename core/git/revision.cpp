// SPDX-License-Identifier: GPL-3.0-or-later
// From a revision's name to its commit. A clone made for one job of a CI server has few branches and little history:
// what is missing there, and how to fetch it, is told.
#include "core/git/handles.hpp"
#include "core/git/revision_patch.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace holdfast::git {

namespace {

/// Short names of branches, branches of remotes and tags, as git takes them: "main", "origin/main", "v1".
std::vector<std::string> names_in(git_repository* repository) {
    std::vector<std::string> names;
    ReferencesHandle all;
    if (git_reference_iterator_new(out(all), repository) < 0)
        return names; // only a suggestion is lost
    const char* name = nullptr;
    while (git_reference_next_name(&name, all.get()) == 0)
        for (const std::string_view folder : {"refs/heads/", "refs/remotes/", "refs/tags/"})
            if (const std::string_view full = name; full.starts_with(folder))
                names.emplace_back(full.substr(folder.size()));
    return names;
}

/// The name that was meant: the same one at a remote, else the nearest.
std::string meant(git_repository* repository, const std::string& revision) {
    const auto names = names_in(repository);
    const auto remote = std::find_if(names.begin(), names.end(),
                                     [&](const std::string& name) { return name.ends_with("/" + revision); });
    return remote != names.end() ? *remote : nearest(revision, names);
}

tl::unexpected<Error> unknown(git_repository* repository, const std::string& attempted, const std::string& revision) {
    const std::string found = "there is no branch, tag or commit of that name in this clone";
    if (git_repository_head_unborn(repository) == 1)
        return invalid(attempted, "the repository has no commit on its current branch yet",
                       "Commit the program first: `git add -A && git commit`.");
    const std::string near = meant(repository, revision);
    if (!near.empty())
        return invalid(attempted, found, "Did you mean " + printable(near) + "?");
    if (git_repository_is_shallow(repository) == 1)
        return invalid(attempted, found, fetch_remedy(revision));
    return invalid(attempted, found, "Name a branch, a tag or a commit; `git log` and `git branch -a` list them.");
}

/// The commit of a whole reference name, or nothing.
std::optional<std::string> commit_of(git_repository* repository, const std::string& reference) {
    git_oid id;
    ObjectHandle object, commit;
    if (git_reference_name_to_id(&id, repository, reference.c_str()) < 0)
        return std::nullopt;
    if (git_object_lookup(out(object), repository, &id, GIT_OBJECT_ANY) < 0)
        return std::nullopt;
    if (git_object_peel(out(commit), object.get(), GIT_OBJECT_COMMIT) < 0)
        return std::nullopt;
    return id_text(*git_object_id(commit.get()));
}

/// git takes the tag and only warns; here the wrong one would be measured for an hour.
bool both_branch_and_tag(git_repository* repository, const std::string& revision) {
    const auto branch = commit_of(repository, "refs/heads/" + revision);
    const auto tag = commit_of(repository, "refs/tags/" + revision);
    return branch && tag && *branch != *tag;
}

/// Every commit of the clone that `start` rests on, itself included, and its parents.
using Ancestors = std::map<std::string, std::vector<git_oid>>;
Ancestors ancestors_of(git_repository* repository, const git_oid& start) {
    Ancestors found;
    std::vector<git_oid> pending{start};
    while (!pending.empty()) {
        const git_oid id = pending.back();
        pending.pop_back();
        CommitHandle commit;
        if (found.contains(id_text(id)) || git_commit_lookup(out(commit), repository, &id) < 0)
            continue; // not in the clone
        auto& parents = found[id_text(id)];
        for (unsigned i = 0; i < git_commit_parentcount(commit.get()); ++i)
            parents.push_back(*git_commit_parent_id(commit.get(), i));
        pending.insert(pending.end(), parents.begin(), parents.end());
    }
    return found;
}

/// libgit2's own search fails at the first parent that a shallow clone does not have.
std::optional<std::string> merge_base_in_shallow(git_repository* repository, const git_oid& one, const git_oid& other) {
    const Ancestors ours = ancestors_of(repository, one), theirs = ancestors_of(repository, other);
    for (const auto& each_of_ours : ours) {
        const std::string& candidate = each_of_ours.first; // clang captures no part of a structured binding
        if (!theirs.contains(candidate))
            continue;
        // The newest: no other commit of both rests on it.
        const bool covered = std::any_of(ours.begin(), ours.end(), [&](const auto& each) {
            return theirs.contains(each.first) &&
                   std::any_of(each.second.begin(), each.second.end(),
                               [&](const git_oid& parent) { return id_text(parent) == candidate; });
        });
        if (!covered)
            return candidate;
    }
    return std::nullopt;
}

} // namespace

std::string fetch_remedy(const std::string& revision) {
    return "The clone is shallow: run `git fetch --unshallow`, or `git fetch --depth=1000 origin " +
           printable(revision) + "`; in a workflow of GitHub set `fetch-depth: 0`, in GitLab `GIT_DEPTH: 0`.";
}

Result<Commit> Repository::resolve(const std::string& revision) const {
    const std::lock_guard lock(handle_->guard);
    const std::string attempted = "find the commit " + printable(revision);
    git_repository* repository = handle_->repository.get();
    if (revision.empty() || revision.find('\0') != std::string::npos)
        return invalid(attempted, "that is not a revision", "Name a branch, a tag or a commit.");
    if (both_branch_and_tag(repository, revision))
        return invalid(attempted, "a branch and a tag of that name are different commits",
                       "Write heads/" + printable(revision) + " or tags/" + printable(revision) + ".");
    ObjectHandle object, commit;
    if (const int code = git_revparse_single(out(object), repository, revision.c_str()); code < 0) {
        if (code == GIT_EAMBIGUOUS)
            return invalid(attempted, "several objects have ids that begin like this",
                           "Write more of its digits; `git log` shows whole ids.");
        if (code == GIT_ENOTFOUND)
            return unknown(repository, attempted, revision);
        auto error = git_failed(attempted, code, "Name a branch, a tag or a commit; `git log` lists them.");
        error.value().kind = Error::Kind::invalid;
        return error;
    }
    if (const int code = git_object_peel(out(commit), object.get(), GIT_OBJECT_COMMIT); code < 0)
        return invalid(attempted, "it names no commit", "Name a branch, a tag or a commit.");
    const auto* as_commit = reinterpret_cast<const git_commit*>(commit.get()); // the cast that libgit2 documents
    return Commit{id_text(*git_object_id(commit.get())), id_text(*git_commit_tree_id(as_commit))};
}

bool Repository::shallow() const {
    const std::lock_guard lock(handle_->guard);
    return git_repository_is_shallow(handle_->repository.get()) == 1;
}

Result<std::optional<Commit>> Repository::merge_base(const Commit& one, const Commit& other) const {
    const std::lock_guard lock(handle_->guard);
    git_repository* repository = handle_->repository.get();
    const std::string attempted = "find what " + printable(one.id) + " and " + printable(other.id) + " have in common";
    git_oid left, right, base;
    for (const auto& [id, text] : {std::pair(&left, &one.id), std::pair(&right, &other.id)})
        if (const int code = git_oid_fromstr(id, text->c_str()); code < 0)
            return git_failed(attempted, code);
    std::string found;
    if (git_repository_is_shallow(repository) == 1) {
        const auto in_clone = merge_base_in_shallow(repository, left, right);
        if (!in_clone)
            return std::nullopt;
        found = *in_clone;
    } else {
        const int code = git_merge_base(&base, repository, &left, &right);
        if (code == GIT_ENOTFOUND)
            return std::nullopt;
        if (code < 0)
            return git_failed(attempted, code);
        found = id_text(base);
    }
    auto commit = find_commit(repository, found, attempted);
    if (!commit)
        return tl::unexpected(commit.error());
    return Commit{found, id_text(*git_commit_tree_id(commit->get()))};
}

} // namespace holdfast::git
