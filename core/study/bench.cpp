// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/bench.hpp"

#include "core/git/measured_changes.hpp"
#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/clock.hpp"
#include "core/study/fetch.hpp"
#include "core/study/fingerprint.hpp"
#include "core/study/growth.hpp"
#include "core/study/isolation.hpp"
#include "core/study/leakage.hpp"
#include "core/study/null_programs.hpp"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

/// A gate's row, timed from its construction.
class GateRow {
public:
    GateRow(Store& store, const TrialRecord& trial, const char* gate) : store_(&store) {
        row_.trial = trial.id;
        row_.gate = gate;
        row_.started = utc_now();
    }
    Result<void> write(const std::string& result, const std::string& reason, const std::string& log = "",
                       const std::string& detail = "{}") {
        row_.result = result;
        row_.reason = reason;
        row_.log = log;
        row_.detail_json = detail;
        row_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        return store_->add_gate(row_);
    }

private:
    Store* store_;
    GateRecord row_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

struct MeasuredTree {
    git::Changes changes; ///< from the commit's tree
    std::string id;
};

Result<MeasuredTree> measured_tree(const Bench& bench, const Configuration& configuration,
                                   const git::PlacedPatch* patch) {
    if (bench.trees == Trees::as_committed)
        return MeasuredTree{{}, bench.commit.tree};
    auto changes = git::measured_changes(*bench.project, *bench.repository, bench.commit, configuration, patch);
    if (!changes)
        return tl::unexpected(changes.error());
    auto id = bench.repository->tree_with(bench.commit, *changes);
    if (!id)
        return tl::unexpected(id.error());
    return MeasuredTree{std::move(*changes), std::move(*id)};
}

/// Files as they were committed may hold settings that the same programs read.
std::string arm_hash(const Bench& bench, const Artifact& artifact, const Configuration& configuration) {
    const std::string hash = behaviour_hash(*bench.project, artifact, configuration);
    return bench.trees == Trees::as_committed ? sha256(hash + artifact.tree) : hash;
}

using Made = tl::expected<Arm, GateStop>;

Result<Made> stop(GateRow& row, GateStop why) {
    if (auto written = row.write("fail", why.reason, why.log); !written)
        return tl::unexpected(written.error());
    return Made(tl::unexpected(std::move(why)));
}

/// An export's error, saying of which side; what a commit holds that cannot be exported is that side's failure.
Error export_error(const char* side, const git::Commit& commit, Error error) {
    error.kind = error.kind == Error::Kind::invalid ? Error::Kind::failed : error.kind;
    error.attempted = fmt::format("export the {} {}", side, commit.id);
    return error;
}

/// Gate 2: the tree of `commit` with `measured.changes`, built.
Result<Made> build_arm(Bench& bench, TrialRecord& trial, const git::Commit& commit, const MeasuredTree& measured,
                       const Configuration& configuration) {
    const Project& project = *bench.project;
    GateRow row(*bench.store, trial, "build");
    bench.watch->progress({"build", trial.number, 0, 0, {}});
    auto source = bench.workspace->tree(commit, measured.changes, measured.id);
    if (!source) {
        const Error error = export_error("candidate", commit, source.error());
        if (source.error().kind == Error::Kind::invalid)
            return stop(row, {"build", Taken::Outcome::failed, false, error.message(), ""});
        return tl::unexpected(error);
    }
    auto built = build(project, *bench.workspace, *bench.runner, *bench.watch, measured.id, *source, configuration,
                       Builder::candidate);
    if (!built)
        return tl::unexpected(built.error());
    if (!built->artifact)
        return stop(row, {"build", Taken::Outcome::failed, false, built->reason, built->log});
    Arm arm{*built->artifact, configuration, arm_hash(bench, *built->artifact, configuration)};
    const nlohmann::json detail = {{"executables", arm.artifact.executables},
                                   {"hash", arm.artifact.hash},
                                   {"behaviour", arm.hash},
                                   {"growth", growth_json(bench.baseline.artifact, arm.artifact)}};
    const std::string how = project.build.empty() ? "nothing to build" : built->cached ? "built before" : "built";
    if (auto written = row.write("pass", how, "", detail.dump()); !written)
        return tl::unexpected(written.error());
    return Made(std::move(arm));
}

} // namespace

Error stopped_on_request(const std::string& attempted) {
    return {Error::Kind::interrupted, attempted, "stopped on request", "Go on with: holdfast run --resume"};
}

Result<void> same_machine(const Runner& runner, const StudyRecord& study, const std::string& attempted) {
    const auto differences = machine_differences(study.machine_json, runner.machine());
    if (differences.empty())
        return {};
    return refused(
        attempted,
        fmt::format("the machine is not what study {} began on: {}", study.number, fmt::join(differences, "; ")),
        "Restore that and go on with: holdfast run --resume; or start a new study with: holdfast run");
}

git::PatchRules patch_rules(const Project& project, const git::Repository& repository) {
    git::PatchRules rules;
    rules.prefix = repository.prefix();
    rules.editable = project.code.editable;
    rules.protected_paths = project.code.protected_paths;
    if (!project.review.allowed_signers.empty())
        rules.protected_paths.push_back(project.review.allowed_signers);
    // What is left out of exported trees cannot be changed in them either.
    rules.protected_paths.push_back(project.holdout_file);
    for (const Workload* workload : project.with_role(Role::holdout))
        rules.protected_paths.insert(rules.protected_paths.end(), workload->inputs.begin(), workload->inputs.end());
    return rules;
}

Result<Bench> prepare_bench(const Project& project, const git::Repository& repository, Runner& runner, Store& store,
                            const Watch& watch, const git::Commit& commit,
                            const std::vector<const Workload*>& workloads, Trees trees) {
    Bench bench{&project, &repository, &runner, &store, &watch, commit, {}, {}, {}, {}, {}, trees};
    auto isolation = runner.isolation();
    if (!isolation)
        return tl::unexpected(isolation.error());
    bench.isolation = *isolation;
    if (auto enough = sufficient(bench.isolation, watch.accepted_isolation); !enough)
        return tl::unexpected(enough.error());
    auto counting = counting_for(project, workloads, runner);
    if (!counting)
        return tl::unexpected(counting.error());
    auto workspace = Workspace::open(project, repository, runner);
    if (!workspace)
        return tl::unexpected(workspace.error());
    bench.workspace = std::make_unique<Workspace>(std::move(*workspace));
    bench.sampler = std::make_unique<Sampler>(project, *bench.workspace, runner, watch, *counting);

    watch.progress({"build", 0, 0, 0, {}});
    auto measured = measured_tree(bench, project.defaults(), nullptr);
    if (!measured)
        return tl::unexpected(measured.error());
    auto source = bench.workspace->tree(commit, measured->changes, measured->id);
    if (!source)
        return tl::unexpected(export_error("baseline", commit, source.error()));
    if (auto fetched = fetch(project, *bench.workspace, runner, watch, measured->id, *source); !fetched)
        return tl::unexpected(fetched.error());
    auto built =
        build(project, *bench.workspace, runner, watch, measured->id, *source, project.defaults(), Builder::baseline);
    if (!built)
        return tl::unexpected(built.error());
    if (!built->artifact)
        return failed("build the baseline", printable(built->reason) + "\n" + printable(built->log, false),
                      "Make the commit build with these commands in a clean checkout without network");
    bench.baseline = {*built->artifact, project.defaults(), arm_hash(bench, *built->artifact, project.defaults())};

    for (const Workload* workload : workloads) {
        watch.progress({"pin outputs", 0, bench.pinned.size(), workloads.size(), {}});
        if (watch.after_sample.stop_requested())
            return tl::unexpected(stopped_on_request("run the baseline"));
        auto taken = bench.sampler->pin(bench.baseline, *workload, commit);
        if (!taken)
            return tl::unexpected(taken.error());
        if (taken->outcome != Taken::Outcome::ok)
            return failed("run the baseline",
                          printable(taken->reason) + (taken->log.empty() ? "" : "\n" + printable(taken->log, false)),
                          "Make the baseline pass this workload and its check");
        bench.pinned.push_back(std::move(*taken));
    }
    const auto copies = [&] {
        const auto split = split_of_bench(bench); // best effort: what stops the start is the check
        return split ? fmt::to_string(fmt::join(split->near_copies(), "; ")) : "";
    };
    if (auto strict =
            refuse_null_programs(project, *bench.workspace, *bench.sampler, watch, bench.baseline, workloads, copies);
        !strict)
        return tl::unexpected(strict.error());
    return bench;
}

Result<tl::expected<Arm, GateStop>> make_arm(Bench& bench, TrialRecord& trial) {
    const Project& project = *bench.project;
    GateRow admit_row(*bench.store, trial, "admit");
    auto configuration = configuration_from_json(project, trial.configuration_json);
    if (!configuration)
        return stop(admit_row, {"admit", Taken::Outcome::failed, true, configuration.error().message(), ""});
    if (auto admitted = admit(project, *configuration); !admitted)
        return stop(admit_row, {"admit", Taken::Outcome::failed, true, admitted.error().message(), ""});
    std::optional<git::PlacedPatch> patch;
    if (const std::string why = code_refusal(bench.isolation); !trial.patch.empty() && !why.empty())
        return stop(admit_row, {"admit", Taken::Outcome::failed, true, why, ""});
    if (!trial.patch.empty()) {
        auto placed =
            git::place_patch(*bench.repository, bench.commit, trial.patch, patch_rules(project, *bench.repository));
        if (!placed)
            return stop(admit_row, {"admit", Taken::Outcome::failed, true, placed.error().message(), ""});
        patch = std::move(*placed);
    }
    auto measured = measured_tree(bench, *configuration, patch ? &*patch : nullptr);
    if (!measured)
        return stop(admit_row, {"admit", Taken::Outcome::failed, true, measured.error().message(), ""});
    trial.result_tree = measured->id;
    const std::string what =
        patch ? fmt::format("{} file(s), +{} -{} lines", patch->files.size(), patch->lines_added, patch->lines_removed)
              : std::string("every knob inside its domain");
    if (auto written = admit_row.write("pass", what); !written)
        return tl::unexpected(written.error());

    return build_arm(bench, trial, bench.commit, *measured, *configuration);
}

Result<tl::expected<Arm, GateStop>> make_arm(Bench& bench, TrialRecord& trial, const git::Commit& candidate,
                                             const Configuration& configuration) {
    GateRow admit_row(*bench.store, trial, "admit");
    trial.result_tree = candidate.tree;
    if (const std::string why = code_refusal(bench.isolation); !why.empty())
        return stop(admit_row, {"admit", Taken::Outcome::failed, true, why, ""});
    if (auto written = admit_row.write("pass", "the commit " + candidate.id + " as it is"); !written)
        return tl::unexpected(written.error());
    return build_arm(bench, trial, candidate, {{}, candidate.tree}, configuration);
}

} // namespace holdfast::study
