// SPDX-License-Identifier: GPL-3.0-or-later
// Order of the steps: objects; then record and branch in one transaction of the history; then the fast-forward. A cut
// between branch and record leaves a commit that the next call recognises, and that unrecorded() tells until then.
#include "core/review/apply.hpp"
#include "core/review/message.hpp"
#include "core/study/clock.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <set>

namespace holdfast::review {

namespace {

constexpr std::size_t anchored_commits = 20'000; ///< looked through for trailers

/// The commit of `plan`, which nothing names yet.
Result<std::string> write_commit(const Plan& plan, const git::Repository& repository, const std::string& chain,
                                 const std::string& log) {
    const git::Writer writer(repository);
    auto parent = repository.resolve(plan.parent);
    if (!parent)
        return tl::unexpected(parent.error());
    auto tree = writer.tree_with(*parent, plan.changes);
    if (!tree)
        return tl::unexpected(tree.error());
    if (*tree != plan.tree)
        return failed(log, fmt::format("the tree came out as {} instead of {}", *tree, plan.tree),
                      "Run: git fsck; holdfast audit");
    auto commit = writer.commit({*tree, {parent->id}, plan.author, with_chain(plan.message, chain)});
    if (!commit)
        return tl::unexpected(commit.error());
    return commit->id;
}

Result<void> move_branch(const Plan& plan, const git::Repository& repository, const std::string& commit,
                         const std::string& log) {
    const git::Writer writer(repository);
    // A revert with a fast-forward goes on the checked-out branch, which moves with its working tree.
    if (plan.branch == plan.fast_forward)
        return writer.fast_forward(commit, "holdfast: " + log);
    const auto expected = plan.expected.empty() ? std::nullopt : std::optional(plan.expected);
    return writer.set_branch(plan.branch, expected, commit, "holdfast: " + log);
}

study::ApplicationRecord record_of(const Plan& plan, const Dossier& dossier, const std::string& action,
                                   const std::string& commit) {
    study::ApplicationRecord record;
    record.trial = dossier.trial.id;
    record.action = action;
    record.review = action == "applied" ? dossier.approval()->id : dossier.application()->review;
    record.commit = commit;
    record.parent = plan.parent;
    record.branch = plan.branch;
    record.evidence = dossier.verdict.evidence_digest;
    record.who = fmt::format("{} <{}>", plan.author.name, plan.author.email);
    record.time = study::utc_now();
    return record;
}

struct Done {
    Plan plan;
    study::ApplicationRecord record;
};

/// `action`: "applied" or "reverted"; `plan_of` plans it for the dossier.
template <class PlanOf>
Result<Done> carry_out(study::Store& store, const git::Repository& repository, const std::filesystem::path& folder,
                       const std::string& trial, const std::string& action, const std::string& log,
                       const PlanOf& plan_of) {
    auto chain = store.verified_head();
    if (!chain)
        return tl::unexpected(chain.error());
    auto dossier = open_dossier(store, repository, folder, trial);
    if (!dossier)
        return tl::unexpected(dossier.error());
    Result<Plan> plan = plan_of(*dossier);
    if (!plan)
        return tl::unexpected(plan.error());
    const bool made = plan->done_already.empty();
    auto commit = made ? write_commit(*plan, repository, *chain, log) : Result<std::string>(plan->done_already);
    if (!commit)
        return tl::unexpected(commit.error());
    study::ApplicationRecord record = record_of(*plan, *dossier, action, *commit);
    bool moved = !made;
    auto added = store.add_application(record, [&]() -> Result<void> {
        if (moved)
            return {};
        auto done = move_branch(*plan, repository, *commit, log);
        moved = done.has_value();
        return done;
    });
    if (!added && moved)
        return failed(log,
                      fmt::format("the commit {:.10} is on {}, but the history could not take it: {}", *commit,
                                  plan->branch, added.error().found),
                      "Run the same command again: it finishes the work.");
    if (!added)
        return tl::unexpected(added.error());
    return Done{std::move(*plan), std::move(record)};
}

} // namespace

Result<study::ApplicationRecord> apply(study::Store& store, const git::Repository& repository,
                                       const std::filesystem::path& folder, const std::string& trial,
                                       Signatures& signatures, bool fast_forward) {
    const std::string log = "apply trial " + trial;
    auto done = carry_out(store, repository, folder, trial, "applied", log, [&](const Dossier& dossier) {
        return plan_apply(dossier, repository, signatures, fast_forward);
    });
    if (!done)
        return tl::unexpected(done.error());
    const auto& [plan, record] = *done;
    if (!plan.fast_forward.empty())
        if (auto moved = git::Writer(repository).fast_forward(record.commit, "holdfast: " + log); !moved)
            return failed(fmt::format("move {} to the commit", plan.fast_forward),
                          fmt::format("{}; the change is applied as {} on {}", moved.error().found,
                                      record.commit.substr(0, 10), plan.branch),
                          moved.error().remedy + " Then: git merge --ff-only " + plan.branch);
    return record;
}

Result<study::ApplicationRecord> revert(study::Store& store, const git::Repository& repository,
                                        const std::filesystem::path& folder, const std::string& trial,
                                        bool fast_forward) {
    auto done = carry_out(store, repository, folder, trial, "reverted", "revert trial " + trial,
                          [&](const Dossier& dossier) { return plan_revert(dossier, repository, fast_forward); });
    if (!done)
        return tl::unexpected(done.error());
    return done->record;
}

Result<std::vector<Anchor>> anchors(const git::Repository& repository, const std::vector<study::TrialRecord>& trials) {
    auto names = repository.branches("holdfast/");
    if (!names)
        return tl::unexpected(names.error());
    std::set<std::string> own; // trials
    for (const study::TrialRecord& trial : trials)
        own.insert(trial.id);
    std::deque<std::string> ahead;
    for (const std::string& name : *names)
        if (auto tip = repository.branch(name); tip && *tip) {
            ahead.push_back((*tip)->id);
            if (const auto details = repository.details(**tip))
                own.insert(trailer(details->message, "Holdfast-Trial"));
        }
    if (auto head = repository.head())
        ahead.push_back(head->commit.id);
    const auto tips = repository.tips(); // of tags and remotes too: a branch is soon removed
    if (!tips)
        return tl::unexpected(tips.error());
    for (const git::Commit& tip : *tips)
        ahead.push_back(tip.id);
    std::set<std::string> seen;
    std::vector<Anchor> found;
    while (!ahead.empty() && seen.size() < anchored_commits) {
        const std::string id = ahead.front();
        ahead.pop_front();
        if (!seen.insert(id).second)
            continue;
        const auto details = repository.details({id, ""});
        if (!details)
            continue; // a shallow clone ends somewhere
        Anchor anchor{id, trailer(details->message, "Holdfast-Chain"), trailer(details->message, "Holdfast-Trial")};
        if (!anchor.trial.empty() && own.contains(anchor.trial))
            found.push_back(std::move(anchor));
        ahead.insert(ahead.end(), details->parents.begin(), details->parents.end());
    }
    return found;
}

std::vector<Anchor> unrecorded(const std::vector<Anchor>& anchors,
                               const std::vector<study::ApplicationRecord>& applications) {
    std::vector<Anchor> missing;
    for (const Anchor& anchor : anchors)
        if (std::none_of(applications.begin(), applications.end(), [&](const study::ApplicationRecord& record) {
                // One that was picked, amended or rebased is a copy of what is recorded.
                return record.commit == anchor.commit || record.trial == anchor.trial;
            }))
            missing.push_back(anchor);
    return missing;
}

} // namespace holdfast::review
