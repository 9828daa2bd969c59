// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/revision_patch.hpp"

#include "core/git/diff.hpp"
#include "core/project/text.hpp"

namespace holdfast::git {

namespace {

const char* const by_hand = "A patch carries text files and their lines only: commit this change by hand, or leave it "
                            "out of the branch.";

bool binary(const std::optional<std::string>& text) {
    return text && text->find('\0') != std::string::npos;
}

/// The changes as one patch to the files of `head`.
Result<std::string> as_patch(const Repository& repository, const Commit& head, Changes changes,
                             const std::string& attempted) {
    std::string text;
    for (auto& [path, after] : changes) {
        auto entry = repository.read(head, path);
        if (!entry)
            return tl::unexpected(entry.error());
        std::optional<std::string> before;
        bool executable = false;
        if (*entry) {
            before = std::move((*entry)->content);
            executable = (*entry)->kind == Entry::Kind::executable;
        }
        if (binary(before) || binary(after))
            return refused(attempted, printable(path) + " is a binary file", by_hand);
        if (!before && after && after->empty())
            return refused(attempted, printable(path) + " is a new file without a line", by_hand);
        auto file = diff_texts(path, std::move(before), std::move(after));
        if (!file)
            return tl::unexpected(file.error());
        file->executable = executable;
        text += unified(*file);
    }
    return text;
}

} // namespace

Result<RevisionPatch> revision_patch(const Repository& repository, const std::string& revision) {
    const std::string attempted = "make a candidate of " + printable(revision);
    auto head = repository.resolve();
    if (!head)
        return tl::unexpected(head.error());
    auto commit = repository.resolve(revision);
    if (!commit)
        return tl::unexpected(commit.error());
    auto base = repository.merge_base(*head, *commit);
    if (!base)
        return tl::unexpected(base.error());
    if (!*base)
        return invalid(attempted, "it has no commit in common with HEAD in this clone",
                       repository.shallow() ? fetch_remedy(revision) : "Name a branch that was made from this one.");
    const std::string nothing = "HEAD has everything that it changes";
    const std::string remedy = "Name a branch with commits of its own.";
    if ((*base)->id == commit->id)
        return invalid(attempted, nothing, remedy);
    auto changes = repository.changes(**base, *commit);
    if (!changes)
        return changes.error().kind == Error::Kind::refused ? refused(attempted, changes.error().found, by_hand)
                                                            : tl::unexpected(changes.error());
    auto merged = repository.merged(**base, *head, *changes);
    if (!merged)
        return merged.error().kind == Error::Kind::refused
                   ? refused(attempted, "it does not merge into HEAD: " + merged.error().found,
                             "Bring the branch up to date: `git rebase " + printable(head->id.substr(0, 12)) + ' ' +
                                 printable(revision) + "`, or merge HEAD into it.")
                   : tl::unexpected(merged.error());
    if (merged->empty())
        return invalid(attempted, nothing, remedy);
    auto text = as_patch(repository, *head, std::move(*merged), attempted);
    if (!text)
        return tl::unexpected(text.error());
    return RevisionPatch{std::move(*text), *commit, **base, (*base)->id != head->id};
}

} // namespace holdfast::git
