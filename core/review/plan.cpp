// SPDX-License-Identifier: GPL-3.0-or-later
// What apply and revert will do, worked out without writing anything.
#include "core/review/apply.hpp"
#include "core/review/message.hpp"

#include <fmt/format.h>

namespace holdfast::review {

namespace {

std::string short_id(const std::string& commit) {
    return commit.substr(0, 10);
}

Result<std::vector<git::DiffFile>> files_of(const git::Repository& repository, const git::Commit& parent,
                                            const git::Changes& changes) {
    std::vector<git::DiffFile> files;
    for (const auto& [path, after] : changes) {
        auto before = repository.read(parent, path);
        if (!before)
            return tl::unexpected(before.error());
        auto file = git::diff_texts(path, *before ? std::optional((*before)->content) : std::nullopt, after);
        if (!file)
            return tl::unexpected(file.error());
        file->executable = *before && (*before)->kind == git::Entry::Kind::executable;
        files.push_back(std::move(*file));
    }
    return files;
}

/// Fills files and tree from changes and parent.
Result<void> complete(Plan& plan, const git::Repository& repository, const git::Commit& parent) {
    plan.parent = parent.id;
    auto tree = repository.tree_with(parent, plan.changes);
    if (!tree)
        return tl::unexpected(tree.error());
    plan.tree = *tree;
    auto files = files_of(repository, parent, plan.changes);
    if (!files)
        return tl::unexpected(files.error());
    plan.files = std::move(*files);
    return {};
}

Result<void> want_fast_forward(Plan& plan, const git::Head& head, const std::string& attempted) {
    if (head.branch.empty())
        return refused(attempted + " with a fast-forward", "HEAD is detached: there is no branch to move",
                       "Check out a branch, or go without the fast-forward.");
    if (plan.parent != head.commit.id)
        return refused(attempted + " with a fast-forward",
                       fmt::format("the commit goes on {}, and {} is at {}", short_id(plan.parent), head.branch,
                                   short_id(head.commit.id)),
                       fmt::format("Go without the fast-forward, then merge {}.", plan.branch));
    plan.fast_forward = head.branch;
    return {};
}

/// Where the commit goes: on HEAD, or on what a former apply and revert left on the branch.
Result<git::Commit> parent_for_apply(Plan& plan, const Dossier& dossier, const git::Repository& repository,
                                     const std::string& attempted) {
    auto tip = repository.branch(plan.branch);
    if (!tip)
        return tl::unexpected(tip.error());
    const git::Commit& head = dossier.head.commit;
    if (!*tip)
        return head;
    plan.expected = (*tip)->id;
    const study::ApplicationRecord* last = dossier.application();
    if (last != nullptr && last->action == "reverted") {
        auto kept = repository.resolve(last->commit);
        auto holds = kept ? repository.descends(**tip, *kept) : Result<bool>(tl::unexpected(kept.error()));
        if (last->branch != plan.branch || (holds && *holds)) {
            auto on_head = repository.descends(head, **tip);
            if (!on_head)
                return tl::unexpected(on_head.error());
            return *on_head ? head : **tip;
        }
    }
    auto details = repository.details(**tip);
    if (!details)
        return tl::unexpected(details.error());
    const bool ours = trailer(details->message, "Holdfast-Trial") == dossier.trial.id &&
                      trailer(details->message, "Holdfast-Evidence") == dossier.verdict.evidence_digest;
    if (last == nullptr && ours && details->parents.size() == 1) {
        plan.done_already = (*tip)->id;
        return repository.resolve(details->parents.front());
    }
    return refused(
        attempted,
        fmt::format("the branch {} exists, at {}, and holds something else", plan.branch, short_id((*tip)->id)),
        fmt::format("Rename it: git branch -m {} NAME", plan.branch));
}

} // namespace

Result<Plan> plan_apply(const Dossier& dossier, const git::Repository& repository, Signatures& signatures,
                        bool fast_forward) {
    const std::string attempted = fmt::format("apply trial {}", dossier.trial.number);
    if (dossier.standing == Standing::applied) {
        const study::ApplicationRecord& last = *dossier.application();
        const bool there = dossier.head.commit.id == last.commit;
        return refused(attempted, fmt::format("it is applied, as {} on {}", short_id(last.commit), last.branch),
                       !fast_forward ? fmt::format("Take it back with: holdfast revert {}", dossier.trial.number)
                       : !there      ? fmt::format("Bring it to your branch with: git merge --ff-only {}", last.commit)
                                     : "Your branch is there. If the files are older, since an apply was killed, this "
                                       "brings them there, and takes away what is not committed: git reset --hard");
    }
    auto statement = check_approval(dossier, signatures);
    if (!statement)
        return tl::unexpected(statement.error());
    Plan plan;
    auto author = repository.identity();
    if (!author)
        return tl::unexpected(author.error());
    plan.author = *author;
    plan.branch = branch_of(dossier);
    plan.acknowledged = statement->acknowledged;
    auto parent = parent_for_apply(plan, dossier, repository, attempted);
    if (!parent)
        return tl::unexpected(parent.error());
    plan.changes = dossier.change->changes; // check_approval recomputed it
    plan.merged = parent->tree != dossier.study.baseline_tree;
    if (plan.merged) {
        auto merged = repository.merged({dossier.study.baseline_commit, dossier.study.baseline_tree}, *parent,
                                        dossier.change->changes);
        if (!merged)
            return tl::unexpected(merged.error());
        plan.changes = std::move(*merged);
        if (plan.changes.empty())
            return refused(attempted, fmt::format("{} holds the change already", short_id(parent->id)),
                           "Nothing needs to be done.");
    }
    if (auto done = complete(plan, repository, *parent); !done)
        return tl::unexpected(done.error());
    if (!plan.merged && plan.tree != statement->binding.result_tree)
        return refused(attempted,
                       fmt::format("the tree would be {}, approved was {}", plan.tree, statement->binding.result_tree),
                       "Review the trial again.");
    if (fast_forward)
        if (auto wanted = want_fast_forward(plan, dossier.head, attempted); !wanted)
            return tl::unexpected(wanted.error());
    plan.message = apply_message(dossier, *statement, plan.author);
    return plan;
}

Result<Plan> plan_revert(const Dossier& dossier, const git::Repository& repository, bool fast_forward) {
    const std::string attempted = fmt::format("revert trial {}", dossier.trial.number);
    const study::ApplicationRecord* last = dossier.application();
    if (last == nullptr || last->action != "applied")
        return refused(attempted, last == nullptr ? "it was never applied" : "it is reverted already",
                       last == nullptr ? "See what was applied with: holdfast trials"
                                       : fmt::format("See {} on {}.", short_id(last->commit), last->branch));
    auto applied = repository.resolve(last->commit);
    if (!applied)
        return tl::unexpected(applied.error());
    Plan plan;
    auto author = repository.identity();
    if (!author)
        return tl::unexpected(author.error());
    plan.author = *author;
    plan.branch = fast_forward ? dossier.head.branch : last->branch;
    git::Commit tip = dossier.head.commit;
    if (!fast_forward) {
        auto found = repository.branch(plan.branch);
        if (!found)
            return tl::unexpected(found.error());
        if (!*found)
            return refused(
                attempted, fmt::format("the branch {} is gone", plan.branch),
                fmt::format("Make it again with `git branch {} {}`, or with --fast-forward revert on the branch that "
                            "is checked out.",
                            plan.branch, last->commit));
        tip = **found;
    }
    auto contains = repository.descends(tip, *applied);
    if (!contains)
        return tl::unexpected(contains.error());
    if (!*contains)
        return refused(attempted,
                       fmt::format("{} does not contain the commit {}", plan.branch.empty() ? "HEAD" : plan.branch,
                                   short_id(applied->id)),
                       "Check out the branch that contains it, or go without the fast-forward.");
    auto details = repository.details(*applied), at_tip = repository.details(tip);
    if (!details || !at_tip)
        return tl::unexpected(details ? at_tip.error() : details.error());
    if (details->parents.empty())
        return failed(attempted, "the applied commit has no parent", "Run: holdfast audit");
    auto before = repository.resolve(details->parents.front());
    if (!before)
        return tl::unexpected(before.error());
    plan.expected = tip.id;
    if (at_tip->message.find(reverts_line(applied->id)) != std::string::npos &&
        trailer(at_tip->message, "Holdfast-Trial") == dossier.trial.id && !at_tip->parents.empty()) {
        plan.done_already = tip.id;
        auto below = repository.resolve(at_tip->parents.front());
        if (!below)
            return tl::unexpected(below.error());
        tip = *below;
    }
    auto inverse = repository.changes(*applied, *before);
    if (!inverse)
        return tl::unexpected(inverse.error());
    auto merged = repository.merged(*applied, tip, *inverse);
    if (!merged)
        return tl::unexpected(merged.error());
    plan.changes = std::move(*merged);
    if (plan.changes.empty())
        return refused(attempted, fmt::format("{} no longer holds the change", short_id(tip.id)),
                       "Nothing needs to be done.");
    if (auto done = complete(plan, repository, tip); !done)
        return tl::unexpected(done.error());
    if (fast_forward && plan.done_already.empty())
        if (auto wanted = want_fast_forward(plan, dossier.head, attempted); !wanted)
            return tl::unexpected(wanted.error());
    const std::string& message = details->message;
    plan.message = revert_message(dossier, applied->id, message.substr(0, message.find('\n')));
    if (!fast_forward)
        if (auto on_head = repository.descends(dossier.head.commit, *applied); on_head && *on_head)
            plan.note = fmt::format("{} contains the commit too and keeps it; take it back there with a fast-forward.",
                                    dossier.head.branch.empty() ? "HEAD" : dossier.head.branch);
    return plan;
}

} // namespace holdfast::review
