// SPDX-License-Identifier: GPL-3.0-or-later
// An approved change as a commit on a branch of its own, and the way back.
#pragma once

#include "core/git/writer.hpp"
#include "core/review/dossier.hpp"
#include "core/review/rules.hpp"

#include <string>
#include <vector>

namespace holdfast::review {

/// Exactly what `apply` or `revert` will do, for the person to see first.
struct Plan {
    std::string branch;   ///< "holdfast/1/3"
    std::string expected; ///< its tip now; "" when it will be made
    std::string parent;   ///< the commit it goes on
    git::Changes changes; ///< against the parent's tree
    std::vector<git::DiffFile> files;
    std::string tree;    ///< id of the tree it will have
    std::string message; ///< with trailers; apply() and revert() fill in Holdfast-Chain
    git::Identity author;
    std::vector<std::string> acknowledged; ///< flags that the person has read, by name; none of a revert
    bool merged = false;                   ///< the base has moved and the change was merged into the new one
    std::string fast_forward;              ///< the checked-out branch that will be moved too; "" for none
    std::string done_already; ///< commit that does all this already (an earlier run was cut off); "" for none
    std::string note;         ///< what the person should know besides; "" for nothing
};

/// Refused, in words, when the approval no longer holds, the change is applied already, or it does not merge.
Result<Plan> plan_apply(const Dossier& dossier, const git::Repository& repository, Signatures& signatures,
                        bool fast_forward);
/// Refused when the trial is not applied, is reverted already, or later commits touch the same lines. With
/// `fast_forward` the revert goes on the checked-out branch, which must contain the applied commit.
Result<Plan> plan_revert(const Dossier& dossier, const git::Repository& repository, bool fast_forward);

/// Checks the whole history against its chain, writes the commit and moves the branch by compare-and-swap, then stores
/// that it was done. Cut off anywhere, calling it again finishes the work without a second commit.
Result<study::ApplicationRecord> apply(study::Store& store, const git::Repository& repository,
                                       const std::filesystem::path& folder, const std::string& trial,
                                       Signatures& signatures, bool fast_forward);
Result<study::ApplicationRecord> revert(study::Store& store, const git::Repository& repository,
                                        const std::filesystem::path& folder, const std::string& trial,
                                        bool fast_forward);

/// A commit that apply or revert wrote.
struct Anchor {
    std::string commit;
    std::string chain; ///< the head of the chain of events that its trailer names
    std::string trial; ///< id
};

/// Those that HEAD, branches, tags and remote branches reach, among the newest 20,000 commits, and that this history
/// must know: of one of its `trials`, or at the tip of a branch that was made here. Others are a colleague's, who has a
/// history of their own. Their heads must be in the chain of events.
Result<std::vector<Anchor>> anchors(const git::Repository& repository, const std::vector<study::TrialRecord>& trials);

/// Those of whose trial the history does not say that it was applied: an apply that was cut off, or a history that was
/// put back. A copy (picked, amended, rebased) of what is recorded is none.
std::vector<Anchor> unrecorded(const std::vector<Anchor>& anchors,
                               const std::vector<study::ApplicationRecord>& applications);

} // namespace holdfast::review
