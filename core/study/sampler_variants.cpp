// SPDX-License-Identifier: GPL-3.0-or-later
// Seeds beside a workload's own, and its variants: other inputs whose answers must agree with the original's. What runs
// on a variant sees it where it sees its inputs, so that it cannot tell that it is one.
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/execution.hpp"
#include "core/study/files.hpp"
#include "core/study/judge.hpp"
#include "core/study/sampler_parts.hpp"

#include <fmt/format.h>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

/// Where a variant stands.
const char* place_of(const Workload& workload) {
    return workload.generate.empty() ? "/inputs" : "/generated";
}

void put_variant(std::vector<Mount>& mounts, const Workload& workload, const fs::path& made) {
    for (Mount& mount : mounts)
        if (mount.inside == place_of(workload))
            mount.host = made;
}

std::string variant_text(const Workload& workload, const Variant& variant) {
    return fmt::format("variant {} of workload {}", printable(variant.name), printable(workload.name));
}

void say_which(Taken& taken, const Workload& workload, const Variant& variant) {
    taken.reason =
        fmt::format("{}, which must give the original's answer: {}", variant_text(workload, variant), taken.reason);
    taken.record.ending = taken.reason;
}

} // namespace

fs::path Sampler::generated_of(const Workload& workload, std::int64_t seed) const {
    const auto made = generated_.find({workload.name, seed});
    return made == generated_.end() ? fs::path() : made->second;
}

Result<std::optional<Taken>> Sampler::pin_seeds(const Workload& workload, const std::vector<std::int64_t>& seeds) {
    for (const std::int64_t seed : seeds) {
        auto taken = pin_seed(baseline_, workload, seed);
        if (!taken)
            return tl::unexpected(taken.error());
        if (taken->outcome != Taken::Outcome::ok)
            return std::optional<Taken>(std::move(*taken));
    }
    stop_servers();
    return std::optional<Taken>();
}

Result<void> Sampler::forget_seeds(const Workload& workload, const std::vector<std::int64_t>& seeds) {
    Result<void> done;
    for (const std::int64_t seed : seeds) {
        generated_.erase({workload.name, seed});
        judged_right_.erase({workload.name, seed});
        for (const Variant& variant : workload.variants)
            varied_.erase({workload.name, seed, variant.name});
        if (auto forgotten = workspace_->forget(workload, seed); !forgotten)
            done = forgotten;
    }
    return done;
}

/// Whether what a variant's `make` wrote is what it stands in for.
Result<bool> Sampler::same_as_original(const Workload& workload, std::int64_t seed, const fs::path& made) const {
    auto original = hash_folder(workload.generate.empty() ? inputs_of(workload) : generated_of(workload, seed));
    auto varied = hash_folder(made);
    if (!original || !varied)
        return tl::unexpected(original ? varied.error() : original.error());
    return combined_hash(*original) == combined_hash(*varied);
}

/// By the baseline, which must agree with itself: else it is the project that is wrong.
Result<std::optional<Taken>> Sampler::make_variants(const Workload& workload, std::int64_t seed) {
    for (const Variant& variant : workload.variants) {
        auto folder = workspace_->scratch();
        if (!folder)
            return tl::unexpected(folder.error());
        Execution execution = project_execution(*project_, *workspace_, Phase::build, project_->timeouts.test);
        execution.argv = expand(variant.make, places_with(seed), {});
        auto failed = fill(std::move(execution), *folder, "/variant", mounts_of(baseline_, workload, seed),
                           "make of " + variant_text(workload, variant));
        if (!failed || *failed)
            return failed;
        auto same = same_as_original(workload, seed, *folder);
        if (!same)
            return tl::unexpected(same.error());
        if (*same)
            return invalid("pin " + variant_text(workload, variant),
                           "it has the bytes of the original, so whatever answers the one answers the other",
                           "Let \"make\" change the input, or leave the variant out");
        auto pinned = workspace_->varied(workload, seed, variant, *folder);
        if (!pinned)
            return tl::unexpected(pinned.error());
        varied_[{workload.name, seed, variant.name}] = *pinned;
        auto disagrees = try_variant(baseline_, workload, seed, variant);
        if (!disagrees || *disagrees)
            return disagrees;
    }
    return std::optional<Taken>();
}

Result<std::optional<Taken>> Sampler::try_variants(const Arm& arm, const Workload& workload, std::int64_t seed) {
    for (const Variant& variant : workload.variants) {
        auto disagrees = try_variant(arm, workload, seed, variant);
        if (disagrees && *disagrees && workload.role == Role::holdout) {
            Taken& taken = **disagrees;
            withhold(taken, workload);
            say_which(taken, workload, variant);
        }
        if (!disagrees || *disagrees)
            return disagrees;
    }
    return std::optional<Taken>();
}

Result<std::optional<Taken>> Sampler::try_variant(const Arm& arm, const Workload& workload, std::int64_t seed,
                                                  const Variant& variant) {
    const fs::path& made = varied_.at({workload.name, seed, variant.name});
    auto taken = run_aside(
        arm, workload, seed, [&](Execution& execution) { put_variant(execution.mounts, workload, made); },
        [&](const fs::path& out, const std::string& standard_output, Taken& judged) {
            return judge_variant(workload, seed, variant, out, standard_output, judged);
        });
    if (!taken)
        return tl::unexpected(taken.error());
    if (taken->outcome == Taken::Outcome::ok)
        return std::optional<Taken>();
    say_which(*taken, workload, variant);
    return std::optional<Taken>(std::move(*taken));
}

Result<Taken> Sampler::judge_restored(const Workload& workload, std::int64_t seed, const Variant& variant,
                                      const fs::path& out, const std::string& standard_output) {
    Taken taken;
    auto done = runner_->give(out);
    if (done)
        done = judge_variant(workload, seed, variant, out, standard_output, taken);
    if (!done)
        return tl::unexpected(done.error());
    return taken;
}

Result<Taken> Sampler::run_aside(const Arm& arm, const Workload& workload, std::int64_t seed, const Adjust& adjust,
                                 const Judge& judge, ExecutionResult* result) {
    Folders folders;
    fs::path prepared;
    const std::pair<fs::path*, bool> wanted[] = {
        {&folders.out, true}, {&folders.scratch, uses_scratch(workload)}, {&prepared, !workload.prepare.empty()}};
    for (const auto& [folder, needed] : wanted) {
        auto made = needed ? workspace_->scratch() : Result<fs::path>(fs::path());
        if (!made)
            return tl::unexpected(made.error());
        *folder = *made;
    }
    ExecutionResult did;
    auto taken = run_in(folders, prepared, arm, workload, seed, adjust, did);
    if (taken && taken->outcome == Taken::Outcome::ok && judge)
        if (auto judged = judge(folders.out, did.standard_output, *taken); !judged)
            taken = tl::unexpected(judged.error());
    if (result != nullptr)
        *result = std::move(did);
    for (const auto& [folder, needed] : wanted)
        if (auto removed = needed ? remove_tree(*folder) : Result<void>(); !removed && taken)
            taken = tl::unexpected(removed.error());
    return taken;
}

Result<Taken> Sampler::run_in(const Folders& folders, const fs::path& prepared, const Arm& arm,
                              const Workload& workload, std::int64_t seed, const Adjust& adjust, ExecutionResult& did) {
    Execution execution = execution_of(arm, workload, seed, folders);
    std::erase_if(execution.mounts, [](const Mount& mount) { return mount.inside == "/prepared"; });
    if (!prepared.empty()) {
        auto failed = prepare_in(prepared, arm, workload, seed, adjust);
        if (!failed)
            return tl::unexpected(failed.error());
        if (*failed)
            return std::move(**failed);
        execution.mounts.push_back({prepared, "/prepared", false});
    }
    if (!prepared.empty() && !folders.scratch.empty()) {
        auto done = copy_tree(prepared, folders.scratch);
        if (done)
            done = runner_->give(folders.scratch);
        if (!done)
            return tl::unexpected(done.error());
    }
    adjust(execution);
    auto result = runner_->execute(execution, watch_->at_once);
    if (!result)
        return tl::unexpected(result.error());
    if (result->ending == Ending::killed)
        return killed("run a workload", *watch_);
    Taken taken;
    if (!result->ok())
        fail(taken, Taken::Outcome::failed, printable(result->reason), tail_of(*result));
    taken.ended = result->ending;
    did = std::move(*result);
    return taken;
}

Result<void> Sampler::judge_variant(const Workload& workload, std::int64_t seed, const Variant& variant,
                                    const fs::path& out, const std::string& standard_output, Taken& taken) {
    if (variant.restore.empty())
        return judge(workload, seed, out, standard_output, taken);
    if (auto odd = odd_output(out, project_->sandbox.disk_bytes)) {
        fail(taken, Taken::Outcome::wrong, std::move(*odd));
        return {};
    }
    auto restored = workspace_->scratch();
    auto answered = workspace_->scratch();
    if (!restored || !answered)
        return tl::unexpected(restored ? answered.error() : restored.error());
    auto done = write_file(*answered / "stdout", standard_output);
    if (done)
        done = runner_->give(*answered);
    if (!done)
        return done;
    Execution execution = project_execution(*project_, *workspace_, Phase::judge, project_->timeouts.test);
    execution.argv = expand(variant.restore, places_with(seed), {});
    execution.folder = "/restored";
    for (Mount& mount : mounts_of(baseline_, workload, seed))
        execution.mounts.push_back(std::move(mount));
    execution.mounts.push_back({varied_.at({workload.name, seed, variant.name}), "/variant", false});
    execution.mounts.push_back({out, "/out", false});
    execution.mounts.push_back({*answered, "/answered", false});
    execution.mounts.push_back({*restored, "/restored", true});
    auto result = runner_->execute(execution, watch_->at_once);
    if (!result)
        return tl::unexpected(result.error());
    if (result->ending == Ending::killed)
        return killed("restore a variant's answer", *watch_);
    if (!result->ok())
        fail(taken, Taken::Outcome::wrong, "its \"restore\" says no: " + printable(result->reason), tail_of(*result));
    else
        done = judge(workload, seed, *restored, result->standard_output, taken);
    for (const fs::path& folder : {*restored, *answered})
        if (auto removed = remove_tree(folder); !removed && done)
            done = removed;
    return done;
}

} // namespace holdfast::study
