// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/branches.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace holdfast::git {

namespace {

constexpr std::string_view heads = "refs/heads/";

std::string first_line_of(const std::filesystem::path& file) {
    std::string line;
    std::ifstream in(file);
    std::getline(in, line);
    return line;
}

/// Read from the file and not with libgit2, which gives a working tree's HEAD only when the branch has a commit and
/// the folder is there.
bool head_is_on(const std::filesystem::path& git_folder, const std::string& reference) {
    std::string_view line;
    const std::string text = first_line_of(git_folder / "HEAD");
    line = text;
    if (!line.starts_with("ref:"))
        return false;
    line.remove_prefix(4);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line == reference;
}

/// The main working tree's folder; nothing when the repository is bare and has linked working trees only.
Result<std::optional<std::filesystem::path>> main_folder(git_repository* repository, const std::string& attempted) {
    if (git_repository_is_worktree(repository) == 0)
        return std::filesystem::path(git_repository_workdir(repository));
    RepositoryHandle main;
    if (const int code = git_repository_open(out(main), git_repository_commondir(repository)); code < 0)
        return git_failed(attempted, code);
    const char* folder = git_repository_workdir(main.get());
    return folder == nullptr ? std::nullopt : std::optional<std::filesystem::path>(folder);
}

Result<std::optional<Commit>> tip_of(git_repository* repository, const std::string& reference,
                                     const std::string& attempted) {
    git_oid id;
    const int code = git_reference_name_to_id(&id, repository, reference.c_str());
    if (code == GIT_ENOTFOUND)
        return std::nullopt;
    if (code < 0)
        return git_failed(attempted, code);
    const auto commit = find_commit(repository, id_text(id), attempted);
    if (!commit)
        return tl::unexpected(commit.error());
    return Commit{id_text(id), id_text(*git_commit_tree_id(commit->get()))};
}

} // namespace

Result<std::string> branch_reference(const std::string& branch, const std::string& attempted) {
    int valid = 0;
    if (branch.find('\0') != std::string::npos || git_branch_name_is_valid(&valid, branch.c_str()) < 0 || valid == 0)
        return invalid(attempted, "'" + printable(branch) + "' is not a branch's name",
                       "Use letters, digits, '-', '_' and '/' (`git check-ref-format --branch NAME` tells).");
    return std::string(heads) + branch;
}

Result<std::vector<std::filesystem::path>> checkouts_of(git_repository* repository, const std::string& branch,
                                                        const std::string& attempted) {
    const auto reference = branch_reference(branch, attempted);
    if (!reference)
        return tl::unexpected(reference.error());
    const auto main = main_folder(repository, attempted);
    if (!main)
        return tl::unexpected(main.error());
    const std::filesystem::path common = git_repository_commondir(repository);
    std::vector<std::filesystem::path> found;
    if (*main && head_is_on(common, *reference))
        found.push_back(**main);
    std::error_code none; // no linked working trees
    for (const auto& linked : std::filesystem::directory_iterator(common / "worktrees", none))
        if (head_is_on(linked.path(), *reference))
            found.push_back(std::filesystem::path(first_line_of(linked.path() / "gitdir")).parent_path());
    return found;
}

Result<Head> find_head(git_repository* repository, const std::string& attempted) {
    ReferenceHandle reference;
    const int code = git_repository_head(out(reference), repository);
    if (code == GIT_EUNBORNBRANCH)
        return invalid(attempted, "the repository has no commit on its current branch yet",
                       "Commit the program first: `git add -A && git commit`.");
    if (code < 0)
        return git_failed(attempted, code);
    const auto commit = find_commit(repository, id_text(*git_reference_target(reference.get())), attempted);
    if (!commit)
        return tl::unexpected(commit.error());
    const std::string_view name = git_reference_name(reference.get());
    return Head{std::string(name.starts_with(heads) ? name.substr(heads.size()) : ""),
                {id_text(*git_commit_id(commit->get())), id_text(*git_commit_tree_id(commit->get()))}};
}

Result<Head> Repository::head() const {
    const std::lock_guard lock(handle_->guard);
    return find_head(handle_->repository.get(), "find out where HEAD is");
}

Result<std::optional<Commit>> Repository::branch(const std::string& name) const {
    const std::lock_guard lock(handle_->guard);
    const std::string attempted = "find the branch " + printable(name);
    const auto reference = branch_reference(name, attempted);
    if (!reference)
        return tl::unexpected(reference.error());
    return tip_of(handle_->repository.get(), *reference, attempted);
}

Result<std::vector<std::string>> Repository::branches(const std::string& prefix) const {
    const std::lock_guard lock(handle_->guard);
    const std::string attempted = "list the branches below " + printable(prefix);
    ReferencesHandle references;
    if (const int code = git_reference_iterator_new(out(references), handle_->repository.get()); code < 0)
        return git_failed(attempted, code);
    const std::string start = std::string(heads) + prefix;
    std::vector<std::string> names;
    const char* name = nullptr;
    int code = 0;
    while ((code = git_reference_next_name(&name, references.get())) == 0)
        if (std::string_view(name).starts_with(start))
            names.emplace_back(std::string_view(name).substr(heads.size()));
    if (code != GIT_ITEROVER)
        return git_failed(attempted, code);
    std::sort(names.begin(), names.end());
    return names;
}

Result<std::vector<Commit>> Repository::tips(std::size_t limit) const {
    const std::lock_guard lock(handle_->guard);
    const std::string attempted = "list what the repository's references name";
    ReferencesHandle references;
    if (const int code = git_reference_iterator_new(out(references), handle_->repository.get()); code < 0)
        return git_failed(attempted, code);
    std::vector<Commit> commits;
    git_reference* reference = nullptr;
    while (commits.size() < limit && git_reference_next(&reference, references.get()) == 0) {
        const ReferenceHandle owned(reference);
        ObjectHandle commit;
        if (git_reference_peel(out(commit), reference, GIT_OBJECT_COMMIT) != 0)
            continue; // a tag of a tree, a reference to what is not there
        const git_oid* const tree = git_commit_tree_id(reinterpret_cast<git_commit*>(commit.get()));
        commits.push_back({id_text(*git_object_id(commit.get())), id_text(*tree)});
    }
    return commits;
}

Result<bool> Repository::checked_out(const std::string& branch) const {
    const std::lock_guard lock(handle_->guard);
    return checkouts_of(handle_->repository.get(), branch, "find out whether " + printable(branch) + " is checked out")
        .map([](const auto& folders) { return !folders.empty(); });
}

} // namespace holdfast::git
