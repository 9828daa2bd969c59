// SPDX-License-Identifier: GPL-3.0-or-later
// What lies between two commits.
#include "core/git/handles.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <set>

namespace holdfast::git {

namespace {

/// libgit2's own search fails at the first parent that a shallow clone does not have.
bool reaches_in_shallow(git_repository* repository, const git_oid& descendant, const git_oid& ancestor) {
    std::vector<git_oid> pending{descendant};
    std::set<std::string> seen;
    while (!pending.empty()) {
        const git_oid id = pending.back();
        pending.pop_back();
        if (git_oid_equal(&id, &ancestor) == 1)
            return true;
        CommitHandle commit;
        if (!seen.insert(id_text(id)).second || git_commit_lookup(out(commit), repository, &id) < 0)
            continue; // not in the clone
        for (unsigned i = 0; i < git_commit_parentcount(commit.get()); ++i)
            pending.push_back(*git_commit_parent_id(commit.get(), i));
    }
    return false;
}

/// Why Changes cannot say what `delta` does; "" when they can.
std::string unsayable(const git_diff_delta& delta) {
    const auto is_file = [](unsigned mode) {
        return mode == 0 || mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
    };
    const unsigned before = delta.old_file.mode, after = delta.new_file.mode;
    if (!is_file(before) || !is_file(after))
        return "it is a symbolic link or a submodule in one of the two commits";
    if (after != 0 && after != (before == 0 ? unsigned{GIT_FILEMODE_BLOB} : before))
        return "its executable bit differs";
    return "";
}

std::string compare_attempt(const Commit& from, const Commit& to) {
    return "compare the files of " + printable(from.id) + " and " + printable(to.id);
}

Result<DiffHandle> difference(git_repository* repository, const Commit& from, const Commit& to,
                              const std::string& attempted) {
    const auto before = find_tree(repository, from.tree), after = find_tree(repository, to.tree);
    if (!before || !after)
        return tl::unexpected((before ? after : before).error());
    git_diff_options options = GIT_DIFF_OPTIONS_INIT;
    options.flags = GIT_DIFF_SKIP_BINARY_CHECK | GIT_DIFF_INCLUDE_TYPECHANGE;
    DiffHandle diff;
    if (const int code = git_diff_tree_to_tree(out(diff), repository, before->get(), after->get(), &options); code < 0)
        return git_failed(attempted, code);
    return diff;
}

} // namespace

Result<bool> reaches(git_repository* repository, const git_oid& descendant, const git_oid& ancestor,
                     const std::string& attempted) {
    if (git_oid_equal(&descendant, &ancestor) == 1)
        return true;
    if (git_repository_is_shallow(repository) == 1)
        return reaches_in_shallow(repository, descendant, ancestor);
    const int code = git_graph_descendant_of(repository, &descendant, &ancestor);
    if (code < 0)
        return git_failed(attempted, code);
    return code == 1;
}

Result<bool> Repository::descends(const Commit& descendant, const Commit& ancestor) const {
    const std::lock_guard lock(handle_->guard);
    const std::string attempted =
        "find out whether " + printable(descendant.id) + " is based on " + printable(ancestor.id);
    const auto below = find_commit(handle_->repository.get(), descendant.id, attempted);
    if (!below)
        return tl::unexpected(below.error());
    git_oid above;
    if (const int code = git_oid_fromstr(&above, ancestor.id.c_str()); code < 0)
        return git_failed(attempted, code);
    return reaches(handle_->repository.get(), *git_commit_id(below->get()), above, attempted);
}

Result<Repository::Details> Repository::details(const Commit& commit) const {
    const std::lock_guard lock(handle_->guard);
    const auto found = find_commit(handle_->repository.get(), commit.id, "read the commit " + printable(commit.id));
    if (!found)
        return tl::unexpected(found.error());
    Details details{git_commit_message_raw(found->get()), {}};
    for (unsigned i = 0; i < git_commit_parentcount(found->get()); ++i)
        details.parents.push_back(id_text(*git_commit_parent_id(found->get(), i)));
    return details;
}

Result<std::vector<std::string>> Repository::changed_paths(const Commit& from, const Commit& to) const {
    const std::lock_guard lock(handle_->guard);
    const auto diff = difference(handle_->repository.get(), from, to, compare_attempt(from, to));
    if (!diff)
        return tl::unexpected(diff.error());
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < git_diff_num_deltas(diff->get()); ++i)
        paths.emplace_back(git_diff_get_delta(diff->get(), i)->new_file.path);
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
}

Result<Changes> Repository::changes(const Commit& from, const Commit& to) const {
    const std::lock_guard lock(handle_->guard);
    git_repository* repository = handle_->repository.get();
    const std::string attempted = compare_attempt(from, to);
    const auto diff = difference(repository, from, to, attempted);
    if (!diff)
        return tl::unexpected(diff.error());
    Changes changes;
    for (std::size_t i = 0; i < git_diff_num_deltas(diff->get()); ++i) {
        const git_diff_delta& delta = *git_diff_get_delta(diff->get(), i);
        const std::string path = delta.new_file.path;
        if (const auto why = unsayable(delta); !why.empty())
            return refused(attempted, printable(path) + ": " + why,
                           "Make this change by hand (`git revert` and `git cherry-pick` keep such entries).");
        if (delta.new_file.mode == 0) {
            changes.emplace_back(path, std::nullopt);
            continue;
        }
        const auto blob = find_blob(repository, delta.new_file.id, path);
        if (!blob)
            return tl::unexpected(blob.error());
        changes.emplace_back(path, std::string(bytes_of(blob->get())));
    }
    std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return changes;
}

} // namespace holdfast::git
