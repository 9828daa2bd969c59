// SPDX-License-Identifier: GPL-3.0-or-later
// A project ready to be measured: baseline exported, built, its inputs and outputs pinned.
#pragma once

#include "core/git/patch.hpp"
#include "core/git/repository.hpp"
#include "core/study/sampler.hpp"
#include "core/study/store.hpp"
#include "core/study/watch.hpp"
#include "core/study/workspace.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

namespace probes {
class KnownBaselines;
}

/// What the measured trees hold.
enum class Trees {
    with_knobs,   ///< the commit's files, with every knob that is passed through a file set in it
    as_committed, ///< the commit's files: for comparing revisions, whose files say what the knobs are
};

struct Bench {
    const Project* project = nullptr;
    const git::Repository* repository = nullptr;
    Runner* runner = nullptr;
    Store* store = nullptr;
    const Watch* watch = nullptr;
    git::Commit commit;
    Isolation isolation;
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<Sampler> sampler;
    Arm baseline;
    std::vector<Taken> pinned; ///< the pinning run of each workload, in the project's order
    Trees trees = Trees::with_knobs;
    std::shared_ptr<probes::KnownBaselines> sanitized = {}; ///< filled by the first probe
};

/// Checks the isolation level (below L3 and not accepted: refused), exports and builds `commit`, runs every workload in
/// `workloads` once and keeps its outputs, and refuses checks that a null program passes (null_programs.hpp).
Result<Bench> prepare_bench(const Project& project, const git::Repository& repository, Runner& runner, Store& store,
                            const Watch& watch, const git::Commit& commit,
                            const std::vector<const Workload*>& workloads, Trees trees = Trees::with_knobs);

/// Why a gate ended a trial.
struct GateStop {
    std::string gate;
    Taken::Outcome outcome = Taken::Outcome::failed;
    bool refused = false;
    std::string reason, log;
};

/// The candidate of `trial` admitted (gate 1) and built (gate 2), each leaving its row. Fills trial.result_tree.
Result<tl::expected<Arm, GateStop>> make_arm(Bench& bench, TrialRecord& trial);

/// The same for a candidate that is a commit's tree as it is, run with `configuration`. What a patch may touch is not
/// asked.
Result<tl::expected<Arm, GateStop>> make_arm(Bench& bench, TrialRecord& trial, const git::Commit& candidate,
                                             const Configuration& configuration);

/// The rules a patch to this project must keep.
git::PatchRules patch_rules(const Project& project, const git::Repository& repository);

/// Refused, with the differences named, when the machine is not the one that `study` began on.
Result<void> same_machine(const Runner& runner, const StudyRecord& study, const std::string& attempted);

/// The error every stop request ends in.
Error stopped_on_request(const std::string& attempted);

} // namespace holdfast::study
