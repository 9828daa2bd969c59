// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/writer.hpp"

#include "core/git/branches.hpp"
#include "core/git/result_tree.hpp"
#include "core/project/text.hpp"
#include "core/project/utf8.hpp"

#include <algorithm>

namespace holdfast::git {

namespace {

tl::unexpected<Error> not_stored(git_repository* repository, const std::string& what, int code) {
    const std::string objects = std::string(git_repository_commondir(repository)) + "objects";
    return git_failed("store " + what + " in " + printable(objects), code,
                      "Check that you may write to this folder and that its disk has space.");
}

/// git's own names for people hold neither line breaks nor the brackets around the address.
Result<void> check_identity(const Identity& author, const std::string& attempted) {
    for (const auto* text : {&author.name, &author.email}) {
        const std::string what = text == &author.name ? "name" : "email";
        if (text->find_first_not_of(" .,:;\"'") == std::string::npos)
            return invalid(attempted, "the author's " + what + " is empty",
                           "Run `git config --global user." + what + " ...`.");
        const auto breaks = [](char c) { return c == '<' || c == '>' || c == '\n' || c == '\r' || c == '\0'; };
        if (std::any_of(text->begin(), text->end(), breaks))
            return invalid(attempted,
                           "the author's " + what + " '" + printable(*text) +
                               "' has '<', '>' or a line "
                               "break in it",
                           "Run `git config --global user." + what + " ...`.");
    }
    return {};
}

Result<void> check_message(const std::string& message, const std::string& attempted) {
    if (message.find_first_not_of(" \t\r\n") == std::string::npos)
        return invalid(attempted, "its message is empty", "Give a message.");
    if (first_invalid_utf8(message) || message.find('\0') != std::string::npos)
        return invalid(attempted, "its message has a NUL byte or is not UTF-8", "Give the message as UTF-8.");
    return {};
}

} // namespace

Writer::Writer(Repository repository) : repository_(std::move(repository)) {}

Result<std::string> Writer::tree_with(const Commit& base, const Changes& changes) const {
    const std::lock_guard lock(repository_.handle_->guard);
    git_repository* repository = repository_.handle_->repository.get();
    OdbHandle objects;
    if (const int code = git_repository_odb(out(objects), repository); code < 0)
        return not_stored(repository, "the changed files", code);
    return changed_tree(repository, base.tree, changes,
                        [&](std::string_view content, git_object_t type) -> Result<git_oid> {
                            git_oid id;
                            const int code = git_odb_write(&id, objects.get(), content.data(), content.size(), type);
                            if (code < 0)
                                return not_stored(repository, "the changed files", code);
                            return id;
                        });
}

Result<Commit> Writer::commit(const NewCommit& commit) const {
    const std::lock_guard lock(repository_.handle_->guard);
    git_repository* repository = repository_.handle_->repository.get();
    const std::string attempted = "make the commit";
    if (auto author = check_identity(commit.author, attempted); !author)
        return tl::unexpected(author.error());
    if (auto message = check_message(commit.message, attempted); !message)
        return tl::unexpected(message.error());
    const auto tree = find_tree(repository, commit.tree);
    if (!tree)
        return tl::unexpected(tree.error());
    std::vector<CommitHandle> owners;
    std::vector<const git_commit*> parents;
    for (const auto& id : commit.parents) {
        auto parent = find_commit(repository, id, attempted + " on its parent " + printable(id));
        if (!parent)
            return tl::unexpected(parent.error());
        parents.push_back(parent->get());
        owners.push_back(std::move(*parent));
    }
    SignatureHandle author;
    if (const int code = git_signature_now(out(author), commit.author.name.c_str(), commit.author.email.c_str());
        code < 0)
        return git_failed(attempted, code);
    git_oid id;
    if (const int code = git_commit_create(&id, repository, nullptr, author.get(), author.get(), nullptr,
                                           commit.message.c_str(), tree->get(), parents.size(), parents.data());
        code < 0)
        return not_stored(repository, "the commit", code);
    return Commit{id_text(id), commit.tree};
}

Result<void> Writer::set_branch(const std::string& branch, const std::optional<std::string>& expected,
                                const std::string& commit, const std::string& log) const {
    const std::lock_guard lock(repository_.handle_->guard);
    git_repository* repository = repository_.handle_->repository.get();
    const std::string attempted = "set the branch " + printable(branch) + " to " + printable(commit);
    const auto target = find_commit(repository, commit, attempted);
    if (!target)
        return tl::unexpected(target.error());
    const auto folders = checkouts_of(repository, branch, attempted);
    if (!folders)
        return tl::unexpected(folders.error());
    if (!folders->empty())
        return refused(attempted, "it is checked out in " + printable(folders->front().string()),
                       "Run `git switch` to another branch there, or `git worktree remove` it.");
    return move_branch(repository, branch, expected, *git_commit_id(target->get()), log, attempted);
}

} // namespace holdfast::git
