// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/sampler.hpp"

#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/cachegrind.hpp"
#include "core/study/clock.hpp"
#include "core/study/execution.hpp"
#include "core/study/files.hpp"
#include "core/study/fingerprint.hpp"
#include "core/study/judge.hpp"
#include "core/study/paired_values.hpp"
#include "core/study/sampler_parts.hpp"
#include "core/study/warm_inputs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

const char* in_our_words(Ending ending) {
    switch (ending) {
    case Ending::signalled:
        return "it was killed by a signal";
    case Ending::timeout:
        return "it took longer than its limit";
    case Ending::memory:
        return "it took more memory than its limit";
    case Ending::disk:
        return "it wrote more than its limit";
    case Ending::output:
        return "it printed more than its limit";
    case Ending::survivors:
        return "it left processes running";
    case Ending::server:
        return "its server did not run as it should";
    default:
        return "it did not end as it should";
    }
}

std::string key_of(const Arm& arm, const Workload& workload) {
    return arm.hash + workload.name;
}

bool keeps_server(const Workload& workload) {
    return workload.server && workload.server->keep;
}

} // namespace

bool uses_scratch(const Workload& workload) {
    const auto mentions = [](const Argv& argv) {
        return std::any_of(argv.begin(), argv.end(),
                           [](const std::string& word) { return word.find("{scratch}") != std::string::npos; });
    };
    return mentions(workload.run) || (workload.server && mentions(workload.server->start));
}

void withhold(Taken& taken, const Workload& workload) {
    if (workload.role != Role::holdout || taken.outcome == Taken::Outcome::ok)
        return;
    fail(taken, taken.outcome,
         fmt::format("workload {}: {}; what else there is to say is kept back with the workload",
                     printable(workload.name),
                     taken.outcome == Taken::Outcome::wrong ? "its answer is wrong" : in_our_words(taken.ended)));
}

std::int64_t seed_of(const std::vector<std::int64_t>& seeds, std::int64_t round) {
    const auto count = static_cast<std::int64_t>(seeds.size());
    return seeds[static_cast<std::size_t>(round < 1 ? 0 : (round - 1) % count)];
}

Sampler::Sampler(const Project& project, Workspace& workspace, Runner& runner, const Watch& watch,
                 const Counting& counting)
    : project_(&project), workspace_(&workspace), runner_(&runner), watch_(&watch), counting_(counting),
      machine_(runner.machine()) {}

std::string Sampler::machine_changes() const {
    return fmt::format("{}", fmt::join(machine_differences(machine_, runner_->machine()), "; "));
}

std::vector<Mount> Sampler::mounts_of(const Arm& arm, const Workload& workload, std::int64_t seed) const {
    std::vector<Mount> mounts{{arm.artifact.source, "/source", false},
                              {arm.artifact.build, "/build", false},
                              {inputs_.at(workload.name), "/inputs", false}};
    if (const auto made = generated_.find({workload.name, seed}); made != generated_.end())
        mounts.push_back({made->second, "/generated", false});
    return mounts;
}

/// A server that would fail a workload without "keep" is told here, where its runs have been stored already.
void Sampler::stop_server(const std::string& key) {
    const auto kept = kept_.find(key);
    if (kept == kept_.end())
        return;
    const auto stopped = kept->second.sandbox->stop(watch_->at_once);
    const auto& [sandbox, folders, workload, held_out] = kept->second;
    if (stopped && stopped->ending == Ending::server && unstopped_.insert(workload).second)
        watch_->say(fmt::format("workload {}: {}, which fails a workload without \"keep\"", printable(workload),
                                held_out ? "its server did not stop as it should" : printable(stopped->reason)));
    drop_server(key);
}

void Sampler::drop_server(const std::string& key) {
    const auto kept = kept_.find(key);
    kept->second.sandbox.reset();
    // What cannot be removed is removed when the workspace is opened again.
    for (const fs::path& folder : {kept->second.folders.out, kept->second.folders.scratch})
        if (!folder.empty())
            (void)remove_tree(folder);
    kept_.erase(kept);
}

void Sampler::stop_servers() {
    while (!kept_.empty())
        stop_server(kept_.begin()->first);
}

Result<std::optional<Taken>> Sampler::fill(Execution execution, const fs::path& folder, const char* place,
                                           std::vector<Mount> mounts, const std::string& what) {
    execution.folder = place;
    for (Mount& mount : mounts)
        execution.mounts.push_back(std::move(mount));
    execution.mounts.push_back({folder, place, true});
    auto result = runner_->execute(execution, watch_->at_once);
    if (!result)
        return tl::unexpected(result.error());
    if (result->ending == Ending::killed)
        return killed("prepare a workload", *watch_);
    if (result->ok())
        return std::optional<Taken>();
    Taken taken;
    fail(taken, Taken::Outcome::failed, what + ": " + printable(result->reason));
    taken.log = tail_of(*result);
    taken.ended = result->ending;
    return std::optional<Taken>(std::move(taken));
}

/// By the baseline, so that no candidate makes the inputs it is measured with.
Result<std::optional<Taken>> Sampler::generate(const Arm& baseline, const Workload& workload, std::int64_t seed) {
    if (workload.generate.empty())
        return std::optional<Taken>();
    generated_.erase({workload.name, seed});
    auto folder = workspace_->scratch();
    if (!folder)
        return tl::unexpected(folder.error());
    Execution execution = project_execution(*project_, *workspace_, Phase::build, project_->timeouts.test);
    execution.argv = expand(workload.generate, places_with(seed), {});
    auto failed = fill(std::move(execution), *folder, "/generated", mounts_of(baseline, workload, seed),
                       fmt::format("generate of workload {}, seed {}", printable(workload.name), seed));
    if (!failed || *failed)
        return failed;
    auto pinned = workspace_->generated(workload, seed, *folder);
    if (!pinned)
        return tl::unexpected(pinned.error());
    generated_[{workload.name, seed}] = *pinned;
    return std::optional<Taken>();
}

Result<std::optional<Taken>> Sampler::prepare(const Arm& arm, const Workload& workload) {
    const std::string key = key_of(arm, workload);
    stop_server(key);
    if (workload.prepare.empty())
        return std::optional<Taken>();
    if (auto old = prepared_.find(key); old != prepared_.end()) {
        if (auto removed = remove_tree(old->second); !removed)
            return tl::unexpected(removed.error());
        prepared_.erase(old);
    }
    auto folder = workspace_->scratch();
    if (!folder)
        return tl::unexpected(folder.error());
    auto failed = prepare_in(*folder, arm, workload, workload.seeds.front(), {});
    if (!failed || *failed)
        return failed;
    prepared_[key] = *folder;
    return std::optional<Taken>();
}

Result<std::optional<Taken>> Sampler::prepare_in(const fs::path& folder, const Arm& arm, const Workload& workload,
                                                 std::int64_t seed, const Adjust& adjust) {
    Execution execution = project_execution(*project_, *workspace_, Phase::run, project_->timeouts.test);
    execution.argv = expand(workload.prepare, places, {});
    for (auto& variable : knob_environment(*project_, arm.configuration))
        execution.environment.push_back(std::move(variable));
    for (Mount& mount : mounts_of(arm, workload, seed))
        execution.mounts.push_back(std::move(mount));
    if (adjust)
        adjust(execution);
    return fill(std::move(execution), folder, "/prepared", {}, "prepare of workload " + printable(workload.name));
}

/// A folder on disk, where fsync costs what it costs: a copy of what `prepare` made, or empty.
Result<fs::path> Sampler::scratch_for(const Arm& arm, const Workload& workload) const {
    auto scratch = workspace_->scratch();
    if (!scratch)
        return scratch;
    if (const auto prepared = prepared_.find(key_of(arm, workload)); prepared != prepared_.end()) {
        auto done = copy_tree(prepared->second, *scratch);
        if (done)
            done = runner_->give(*scratch);
        if (!done)
            return tl::unexpected(done.error());
    }
    return scratch;
}

Execution Sampler::execution_of(const Arm& arm, const Workload& workload, std::int64_t seed, const Folders& folders) {
    Execution execution = project_execution(*project_, *workspace_, Phase::run, project_->timeouts.run);
    execution.count_instructions = counting_.instructions == Counting::Instructions::kernel;
    const Places here = places_with(seed);
    ServedCommands commands = expand(workload, here, knob_arguments(*project_, arm.configuration));
    execution.argv = std::move(commands.run);
    if (workload.server)
        execution.server = Beside{std::move(commands.start), expand(workload.server->ready, here, {}),
                                  expand(workload.server->stop, here, {}), project_->timeouts.ready};
    for (auto& variable : knob_environment(*project_, arm.configuration))
        execution.environment.push_back(std::move(variable));
    execution.folder = "/out";
    for (Mount& mount : mounts_of(arm, workload, seed))
        execution.mounts.push_back(std::move(mount));
    execution.mounts.push_back({folders.out, "/out", true});
    if (const auto prepared = prepared_.find(key_of(arm, workload)); prepared != prepared_.end())
        execution.mounts.push_back({prepared->second, "/prepared", false});
    if (!folders.scratch.empty())
        execution.mounts.push_back({folders.scratch, "/scratch", true});
    if (arm.burdening)
        add_burdening(*arm.burdening, execution);
    return execution;
}

/// The folders that a run may write; a kept server's stay with it.
Result<Sampler::Folders> Sampler::folders_for(const Arm& arm, const Workload& workload) {
    if (const auto kept = kept_.find(key_of(arm, workload)); kept != kept_.end())
        return kept->second.folders;
    auto out = workspace_->scratch();
    if (!out)
        return tl::unexpected(out.error());
    Folders folders{*out, {}};
    if (uses_scratch(workload)) {
        auto scratch = scratch_for(arm, workload);
        if (!scratch)
            return tl::unexpected(scratch.error());
        folders.scratch = *scratch;
    }
    return folders;
}

Result<ExecutionResult> Sampler::run(const Arm& arm, const Workload& workload, const Execution& execution,
                                     const Folders& folders) {
    if (!keeps_server(workload))
        return runner_->execute(execution, watch_->at_once);
    const std::string key = key_of(arm, workload);
    auto kept = kept_.find(key);
    if (kept == kept_.end()) {
        auto sandbox = runner_->keep(execution, watch_->at_once);
        if (!sandbox)
            return tl::unexpected(sandbox.error());
        kept =
            kept_.emplace(key, Kept{std::move(*sandbox), folders, workload.name, workload.role == Role::holdout}).first;
    }
    auto result = kept->second.sandbox->run(watch_->at_once);
    if (!result || !result->ok())
        drop_server(key); // whatever state the server is in, nothing more is measured with it
    return result;
}

Result<Taken> Sampler::execute(const Arm& arm, const Workload& workload, std::int64_t seed, const Folders& folders,
                               std::string& standard_output) {
    const Execution execution = execution_of(arm, workload, seed, folders);
    Taken taken;
    SampleRecord& record = taken.record;
    record.workload = workload.name;
    record.executable_hash = arm.artifact.hash;
    record.started = utc_now();
    warm(input_folders(workload, seed)); // both arms read the same files, and either may have thrown them out
    record.before = runner_->reading();
    auto result = run(arm, workload, execution, folders);
    record.after = runner_->reading();
    const std::uint64_t slowed = record.after.throttled - std::min(record.after.throttled, record.before.throttled);
    if (!result)
        return tl::unexpected(result.error());
    if (result->ending == Ending::killed)
        return killed("measure", *watch_);
    record.usage = result->usage;
    record.usage.throttled = slowed;
    record.ending = "ok";
    if (!result->ok()) {
        fail(taken, Taken::Outcome::failed,
             fmt::format("workload {}: {}", printable(workload.name), printable(result->reason)));
        taken.log = tail_of(*result);
        taken.ended = result->ending;
        return taken;
    }
    standard_output = std::move(result->standard_output);
    Meters meters{std::nullopt, counting_.instructions == Counting::Instructions::simulated};
    if (counting_.energy && record.before.joules && record.after.joules)
        meters.joules = *record.after.joules - *record.before.joules;
    auto metrics = read_metrics(*project_, workload, folders.out, standard_output, record.usage, meters);
    if (!metrics)
        return fail(taken, Taken::Outcome::failed, metrics.error());
    taken.metrics = std::move(*metrics);
    if (record.usage.background > record.usage.background.zero())
        taken.metrics[background_metric] = std::chrono::duration<double>(record.usage.background).count();
    if (arm.burdening) {
        auto burnt = take_burnt(*arm.burdening, record.usage.wall);
        if (!burnt)
            return tl::unexpected(burnt.error());
        taken.metrics[burnt_metric] = std::chrono::duration<double>(*burnt).count();
    }
    record.metrics_json = nlohmann::json(taken.metrics).dump();
    return taken;
}

std::vector<fs::path> Sampler::input_folders(const Workload& workload, std::int64_t seed) const {
    std::vector<fs::path> folders{inputs_.at(workload.name)};
    if (const auto made = generated_.find({workload.name, seed}); made != generated_.end())
        folders.push_back(made->second);
    return folders;
}

const Taken* Sampler::pinned(const Workload& workload, std::int64_t seed) const {
    const auto found = pinned_.find({workload.name, seed});
    return found == pinned_.end() ? nullptr : &found->second;
}

/// From a run of its own under cachegrind, never from the timed one. It must give the right answer too: a program that
/// notices and does less is wrong.
Result<void> Sampler::add_instructions(const Arm& arm, const Workload& workload, std::int64_t seed, Taken& taken) {
    if (counting_.instructions != Counting::Instructions::simulated || taken.outcome != Taken::Outcome::ok)
        return {};
    auto folders = folders_for(arm, workload);
    if (!folders)
        return tl::unexpected(folders.error());
    auto counts = workspace_->scratch();
    if (!counts)
        return tl::unexpected(counts.error());
    const std::string token = uuid_v7();
    auto result = runner_->execute(under_cachegrind(execution_of(arm, workload, seed, *folders), *counts, token),
                                   watch_->at_once);
    if (!result)
        return tl::unexpected(result.error());
    if (result->ending == Ending::killed)
        return killed("count instructions", *watch_);
    const std::string timed_output = taken.record.output_hash;
    if (!result->ok()) {
        fail(taken, Taken::Outcome::failed,
             fmt::format("workload {} under cachegrind: {}", printable(workload.name), printable(result->reason)));
        taken.log = tail_of(*result);
    } else if (auto judged = judge(workload, seed, folders->out, result->standard_output, taken); !judged)
        return judged;
    const auto count = cachegrind_instructions(*counts, token);
    if (taken.outcome == Taken::Outcome::ok && !count)
        fail(taken, Taken::Outcome::failed,
             fmt::format("workload {}: {}", printable(workload.name), printable(count.error().message())));
    if (taken.outcome == Taken::Outcome::ok) {
        taken.record.output_hash = timed_output; // two right outputs need not be the same bytes
        taken.metrics["instructions"] = static_cast<double>(*count);
        taken.record.metrics_json = nlohmann::json(taken.metrics).dump();
    }
    auto done = clear(arm, workload, *folders);
    return done ? remove_tree(*counts) : done;
}

/// A kept server writes to the same folder again.
Result<void> Sampler::clear(const Arm& arm, const Workload& workload, const Folders& folders) {
    if (kept_.contains(key_of(arm, workload)))
        return empty_folder(folders.out);
    auto done = remove_tree(folders.out);
    if (done && !folders.scratch.empty())
        done = remove_tree(folders.scratch);
    return done;
}

Result<Taken> Sampler::take(const Arm& arm, const Workload& workload, std::int64_t seed) {
    auto folders = folders_for(arm, workload);
    if (!folders)
        return tl::unexpected(folders.error());
    std::string standard_output;
    auto taken = execute(arm, workload, seed, *folders, standard_output);
    if (taken && taken->outcome == Taken::Outcome::ok)
        if (auto judged = judge(workload, seed, folders->out, standard_output, *taken); !judged)
            taken = tl::unexpected(judged.error());
    if (auto cleared = clear(arm, workload, *folders); !cleared && taken)
        return tl::unexpected(cleared.error());
    if (taken)
        if (auto counted = add_instructions(arm, workload, seed, *taken); !counted)
            return tl::unexpected(counted.error());
    return taken;
}

Result<Taken> Sampler::pin_seed(const Arm& baseline, const Workload& workload, std::int64_t seed) {
    auto generated = generate(baseline, workload, seed);
    if (!generated)
        return tl::unexpected(generated.error());
    if (*generated)
        return std::move(**generated);
    if (seed == workload.seeds.front()) {
        auto prepared = prepare(baseline, workload);
        if (!prepared)
            return tl::unexpected(prepared.error());
        if (*prepared)
            return std::move(**prepared);
    }
    auto folders = folders_for(baseline, workload);
    if (!folders)
        return tl::unexpected(folders.error());
    std::string standard_output;
    auto taken = execute(baseline, workload, seed, *folders, standard_output);
    if (!taken || taken->outcome != Taken::Outcome::ok)
        return taken;
    auto fault = keep_expected(workload.check, folders->out, standard_output, workspace_->expected(workload, seed));
    if (!fault)
        return tl::unexpected(fault.error());
    if (*fault)
        return fail(*taken, Taken::Outcome::failed, fmt::format("workload {}: {}", printable(workload.name), **fault));
    auto done = judge(workload, seed, folders->out, standard_output, *taken);
    if (done)
        done = clear(baseline, workload, *folders);
    if (done)
        done = add_instructions(baseline, workload, seed, *taken);
    if (!done)
        return tl::unexpected(done.error());
    if (taken->outcome != Taken::Outcome::ok)
        return taken;
    pinned_[{workload.name, seed}] = *taken;
    auto disagrees = make_variants(workload, seed);
    if (!disagrees)
        return tl::unexpected(disagrees.error());
    return *disagrees ? std::move(**disagrees) : std::move(*taken);
}

Result<Taken> Sampler::pin(const Arm& baseline, const Workload& workload, const git::Commit& commit) {
    baseline_ = baseline;
    auto inputs = workspace_->inputs(workload, commit);
    if (!inputs)
        return tl::unexpected(inputs.error());
    inputs_[workload.name] = *inputs;
    std::optional<Taken> first;
    for (const std::int64_t seed : workload.seeds) {
        auto taken = pin_seed(baseline, workload, seed);
        if (!taken || taken->outcome != Taken::Outcome::ok)
            return taken;
        if (!first)
            first = std::move(*taken);
    }
    stop_servers();
    return std::move(*first);
}

} // namespace holdfast::study
