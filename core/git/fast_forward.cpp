// SPDX-License-Identifier: GPL-3.0-or-later
// The one place that changes the user's files. Everything that can be refused is refused first; then the branch, then
// the files, so that a cut leaves files older than the branch, which `git reset --hard` brings up to it: nothing
// uncommitted was there to lose.
#include "core/git/branches.hpp"
#include "core/git/writer.hpp"
#include "core/project/text.hpp"

#include <algorithm>

namespace holdfast::git {

namespace {

constexpr std::size_t most_named = 5;

std::string listed(const std::vector<std::string>& paths) {
    std::string text;
    for (std::size_t i = 0; i < std::min(paths.size(), most_named); ++i)
        text += (text.empty() ? "" : ", ") + printable(paths[i]);
    return paths.size() > most_named ? text + " and more" : text;
}

Result<void> check_quiet(git_repository* repository, const std::string& attempted) {
    if (git_repository_state(repository) != GIT_REPOSITORY_STATE_NONE)
        return refused(attempted, "a merge, rebase or the like is in progress", "Finish or abort it (`git status`).");
    const auto lock = std::filesystem::path(git_repository_path(repository)) / "index.lock";
    std::error_code unreadable; // then writing the index fails with its own words
    if (std::filesystem::exists(lock, unreadable))
        return refused(attempted, "another git program works on this working tree",
                       "Let it end; if none runs, remove " + printable(lock.string()) + ".");
    return {};
}

Result<void> check_clean(git_repository* repository, const std::string& attempted) {
    const auto changed = changed_files(repository, most_named + 1, GIT_STATUS_OPT_EXCLUDE_SUBMODULES);
    if (!changed)
        return tl::unexpected(changed.error());
    if (!changed->empty())
        return refused(attempted, "there are uncommitted changes in " + listed(*changed),
                       "Commit them or run `git stash`.");
    return {};
}

extern "C" int holdfast_git_note_conflict(git_checkout_notify_t, const char* path, const git_diff_file*,
                                          const git_diff_file*, const git_diff_file*, void* paths) noexcept {
    auto& list = *static_cast<std::vector<std::string>*>(paths);
    if (list.size() <= most_named) // one more than are named
        list.emplace_back(path);
    return 0;
}

git_checkout_options options_from(git_tree* old_tree) {
    git_checkout_options options = GIT_CHECKOUT_OPTIONS_INIT;
    options.checkout_strategy = GIT_CHECKOUT_SAFE | GIT_CHECKOUT_DONT_OVERWRITE_IGNORED;
    options.baseline = old_tree;
    return options;
}

Result<void> check_untracked(git_repository* repository, git_tree* old_tree, const git_commit* target,
                             const std::string& attempted) {
    std::vector<std::string> conflicts;
    auto options = options_from(old_tree);
    // A dry run would write the index all the same.
    options.checkout_strategy |= GIT_CHECKOUT_DRY_RUN | GIT_CHECKOUT_DONT_UPDATE_INDEX;
    options.notify_flags = GIT_CHECKOUT_NOTIFY_CONFLICT;
    options.notify_cb = holdfast_git_note_conflict;
    options.notify_payload = &conflicts;
    const int code = git_checkout_tree(repository, reinterpret_cast<const git_object*>(target), &options);
    if (!conflicts.empty())
        return refused(attempted, "files that git does not track are in the way: " + listed(conflicts),
                       "Move or remove them.");
    if (code < 0)
        return git_failed(attempted, code);
    return {};
}

struct Step {
    Head head;
    TreeHandle old_tree;
    CommitHandle target;
};

/// The way from HEAD to `to`; refused when a fast-forward is not one or would surprise another working tree.
Result<Step> step_to(git_repository* repository, const std::string& to, const std::string& attempted) {
    auto head = find_head(repository, attempted);
    if (!head)
        return tl::unexpected(head.error());
    if (head->branch.empty())
        return refused(attempted, "HEAD is detached: no branch is checked out", "Run `git switch BRANCH` first.");
    auto target = find_commit(repository, to, attempted);
    if (!target)
        return tl::unexpected(target.error());
    const auto here = find_commit(repository, head->commit.id, attempted);
    auto old_tree = find_tree(repository, head->commit.tree);
    if (!here || !old_tree)
        return tl::unexpected((here ? old_tree.error() : here.error()));
    const auto onwards = reaches(repository, *git_commit_id(target->get()), *git_commit_id(here->get()), attempted);
    if (!onwards)
        return tl::unexpected(onwards.error());
    if (!*onwards)
        return refused(attempted, "it is not based on " + printable(head->branch) + ", which is at " + head->commit.id,
                       "Merge it yourself: `git merge " + printable(to) + "`.");
    const auto folders = checkouts_of(repository, head->branch, attempted);
    if (!folders)
        return tl::unexpected(folders.error());
    if (folders->size() > 1)
        return refused(attempted, printable(head->branch) + " is checked out in more than one working tree",
                       "Run `git switch` to another branch in the others.");
    return Step{std::move(*head), std::move(*old_tree), std::move(*target)};
}

Result<void> write_files(git_repository* repository, const Step& step) {
    const auto options = options_from(step.old_tree.get());
    const auto* object = reinterpret_cast<const git_object*>(step.target.get()); // the cast that libgit2 documents
    if (const int code = git_checkout_tree(repository, object, &options); code < 0)
        return git_failed("write the files of the commit to which " + printable(step.head.branch) + " has been moved",
                          code, "Remove the cause, then run `git reset --hard`.");
    return {};
}

} // namespace

Result<void> Writer::fast_forward(const std::string& to, const std::string& log) const {
    const std::lock_guard lock(repository_.handle_->guard);
    git_repository* repository = repository_.handle_->repository.get();
    const std::string attempted = "fast-forward the checked-out branch to " + printable(to);
    const auto step = step_to(repository, to, attempted);
    if (!step)
        return tl::unexpected(step.error());
    if (step->head.commit.id == to)
        return {};
    return check_quiet(repository, attempted)
        .and_then([&] { return check_clean(repository, attempted); })
        .and_then([&] { return check_untracked(repository, step->old_tree.get(), step->target.get(), attempted); })
        .and_then([&] {
            return move_branch(repository, step->head.branch, step->head.commit.id, *git_commit_id(step->target.get()),
                               log, attempted);
        })
        .and_then([&] { return write_files(repository, *step); });
}

} // namespace holdfast::git
