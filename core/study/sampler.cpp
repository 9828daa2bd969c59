// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/sampler.hpp"

#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/project/pattern.hpp"
#include "core/project/text.hpp"
#include "core/study/clock.hpp"
#include "core/study/files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t max_output_file = 1ULL << 30;
constexpr std::uint64_t max_metric_file = 16ULL << 20;
const char* const standard_output_name = "standard output"; ///< among the output hashes

/// Beside the kept output folder, not in it: there a file of the program's could stand in its place.
fs::path kept_output(const fs::path& expected) {
    return expected.string() + ".stdout";
}

Result<double> from_output(const Metric& metric, const std::string& output) {
    const std::string attempted = "read the metric " + metric.name;
    const std::vector<std::string> found = match_lines(metric.pattern, output, 2);
    if (found.empty())
        return failed(attempted,
                      "its pattern matches no line of standard output (lines over 4096 bytes are passed over)",
                      "Check the pattern and the program");
    if (found.size() > 1)
        return failed(attempted, "its pattern matches more than one line of standard output", "Print it once");
    double value = 0;
    const auto [end, fault] = std::from_chars(found[0].data(), found[0].data() + found[0].size(), value);
    if (fault != std::errc() || end != found[0].data() + found[0].size())
        return failed(attempted, "'" + printable(found[0]) + "' is not a number", "Print a number");
    return value;
}

Result<double> from_json(const Metric& metric, const fs::path& out) {
    const std::string attempted = "read the metric " + metric.name;
    auto bytes = read_output(out, metric.file, max_metric_file);
    if (!bytes)
        return tl::unexpected(bytes.error());
    if (!bytes->has_value())
        return failed(attempted, "the run wrote no file " + printable(metric.file), "Check \"file\" and the program");
    // The same key twice would let a program show one value and be judged by another.
    std::vector<std::set<std::string>> open_objects;
    bool twice = false;
    const auto watch_keys = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        if (event == nlohmann::json::parse_event_t::object_start)
            open_objects.emplace_back();
        else if (event == nlohmann::json::parse_event_t::object_end)
            open_objects.pop_back();
        else if (event == nlohmann::json::parse_event_t::key)
            twice = !open_objects.back().insert(parsed.get<std::string>()).second || twice;
        return true;
    };
    const auto json = nlohmann::json::parse(**bytes, watch_keys, false);
    if (json.is_discarded())
        return failed(attempted, printable(metric.file) + " is not valid JSON", "Check the program");
    if (twice)
        return failed(attempted, printable(metric.file) + " holds the same key twice", "Write each key once");
    const nlohmann::json::json_pointer pointer(metric.path);
    if (!json.contains(pointer) || !json.at(pointer).is_number())
        return failed(attempted, printable(metric.file) + " has no number at " + printable(metric.path),
                      "Check \"path\"");
    return json.at(pointer).get<double>();
}

Taken& fail(Taken& taken, Taken::Outcome outcome, std::string reason) {
    taken.outcome = outcome;
    taken.reason = std::move(reason);
    taken.record.ending = taken.reason;
    return taken;
}

ExecutionLimits run_limits(const Project& project) {
    ExecutionLimits limits;
    limits.memory_bytes = project.sandbox.memory_bytes;
    limits.processes = project.sandbox.processes;
    limits.disk_bytes = project.sandbox.disk_bytes;
    limits.file_bytes = project.sandbox.disk_bytes;
    limits.time = project.timeouts.run;
    return limits;
}

} // namespace

bool needs_ratio(const Project& project, const std::string& metric) {
    return metric == project.objective ||
           std::any_of(project.limits.begin(), project.limits.end(),
                       [&](const Limit& limit) { return limit.metric == metric && limit.worse_by_at_most; });
}

bool reports(const Metric& metric, const Workload& workload) {
    return metric.workloads.empty() ||
           std::find(metric.workloads.begin(), metric.workloads.end(), workload.name) != metric.workloads.end();
}

Sampler::Sampler(const Project& project, Workspace& workspace, Runner& runner, const Watch& watch)
    : project_(&project), workspace_(&workspace), runner_(&runner), watch_(&watch) {}

Result<std::optional<Taken>> Sampler::prepare(const Arm& arm, const Workload& workload) {
    if (workload.prepare.empty())
        return std::optional<Taken>();
    const std::string key = arm.hash + workload.name;
    if (auto old = prepared_.find(key); old != prepared_.end()) {
        if (auto removed = remove_tree(old->second); !removed)
            return tl::unexpected(removed.error());
        prepared_.erase(old);
    }
    auto folder = workspace_->scratch();
    if (!folder)
        return tl::unexpected(folder.error());
    Execution execution;
    execution.phase = Phase::run;
    execution.argv = expand(workload.prepare, places, {});
    execution.environment = knob_environment(*project_, arm.configuration);
    execution.folder = "/prepared";
    execution.mounts = {{arm.artifact.source, "/source", false},
                        {arm.artifact.build, "/build", false},
                        {inputs_.at(workload.name), "/inputs", false},
                        {*folder, "/prepared", true}};
    execution.limits = run_limits(*project_);
    auto result = runner_->execute(execution, watch_->at_once);
    if (!result)
        return tl::unexpected(result.error());
    if (!result->ok()) {
        Taken taken;
        fail(taken, Taken::Outcome::failed,
             fmt::format("prepare of workload {}: {}", printable(workload.name), printable(result->reason)));
        taken.log = tail_of(*result);
        return std::optional<Taken>(std::move(taken));
    }
    prepared_[key] = *folder;
    return std::optional<Taken>();
}

Result<Taken> Sampler::execute(const Arm& arm, const Workload& workload, const fs::path& out,
                               std::string& standard_output) {
    Execution execution;
    execution.phase = Phase::run;
    execution.argv = expand(workload.run, places, knob_arguments(*project_, arm.configuration));
    execution.environment = knob_environment(*project_, arm.configuration);
    execution.folder = "/out";
    execution.mounts = {{arm.artifact.source, "/source", false},
                        {arm.artifact.build, "/build", false},
                        {inputs_.at(workload.name), "/inputs", false},
                        {out, "/out", true}};
    if (auto prepared = prepared_.find(arm.hash + workload.name); prepared != prepared_.end())
        execution.mounts.push_back({prepared->second, "/prepared", false});
    execution.limits = run_limits(*project_);
    Taken taken;
    SampleRecord& record = taken.record;
    record.workload = workload.name;
    record.executable_hash = arm.artifact.hash;
    record.started = utc_now();
    record.before = runner_->reading();
    auto result = runner_->execute(execution, watch_->at_once);
    record.after = runner_->reading();
    if (!result)
        return tl::unexpected(result.error());
    if (result->ending == Ending::killed)
        return tl::unexpected(
            Error{Error::Kind::interrupted, "measure", "stopped on request", "Go on with: holdfast run --resume"});
    record.usage = result->usage;
    record.ending = "ok";
    if (!result->ok()) {
        fail(taken, Taken::Outcome::failed,
             fmt::format("workload {}: {}", printable(workload.name), printable(result->reason)));
        taken.log = tail_of(*result);
        return taken;
    }
    standard_output = std::move(result->standard_output);
    return taken;
}

Result<void> Sampler::read_metrics(const Workload& workload, const fs::path& out, const std::string& standard_output,
                                   Taken& taken) const {
    const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
    const Usage& usage = taken.record.usage;
    for (const Metric& metric : project_->metrics) {
        if (!reports(metric, workload))
            continue;
        Result<double> value = 0.0;
        switch (metric.source) {
        case Metric::Source::wall:
            value = seconds(usage.wall);
            break;
        case Metric::Source::cpu:
            value = seconds(usage.user + usage.system);
            break;
        case Metric::Source::peak_memory:
            value = static_cast<double>(usage.peak_memory_bytes);
            break;
        case Metric::Source::standard_output:
            value = from_output(metric, standard_output);
            break;
        case Metric::Source::json_file:
            value = from_json(metric, out);
            break;
        }
        if (!value) {
            fail(taken, Taken::Outcome::failed,
                 fmt::format("workload {}: missing metric {}: {}", printable(workload.name), metric.name,
                             value.error().found));
            return {};
        }
        if (!std::isfinite(*value) || (*value <= 0 && needs_ratio(*project_, metric.name))) {
            fail(taken, Taken::Outcome::failed,
                 fmt::format("workload {}: metric {} is {}, which is not a positive finite number",
                             printable(workload.name), metric.name, *value));
            return {};
        }
        taken.metrics[metric.name] = *value;
    }
    taken.record.metrics_json = nlohmann::json(taken.metrics).dump();
    return {};
}

Result<void> Sampler::judge_command(const Workload& workload, const fs::path& out, Taken& taken) {
    auto& right = judged_right_[workload.name];
    if (right.count(taken.record.output_hash) != 0)
        return {};
    const fs::path expected = workspace_->expected(workload);
    if (auto given = runner_->give(expected); !given)
        return given;
    Execution execution;
    execution.phase = Phase::judge;
    execution.argv = expand(workload.check.command, places, {});
    execution.folder = "/tmp";
    execution.mounts = {{baseline_.artifact.source, "/source", false},
                        {baseline_.artifact.build, "/build", false},
                        {inputs_.at(workload.name), "/inputs", false},
                        {expected, "/expected", false},
                        {out, "/out", false}};
    execution.limits = run_limits(*project_);
    execution.limits.time = project_->timeouts.test;
    auto result = runner_->execute(execution, watch_->at_once);
    if (!result)
        return tl::unexpected(result.error());
    if (result->ending == Ending::killed)
        return tl::unexpected(Error{Error::Kind::interrupted, "judge an output", "stopped on request",
                                    "Go on with: holdfast run --resume"});
    if (result->ok()) {
        right.insert(taken.record.output_hash);
        return {};
    }
    fail(
        taken, Taken::Outcome::wrong,
        fmt::format("workload {}: the check command says no: {}", printable(workload.name), printable(result->reason)));
    taken.log = tail_of(*result);
    return {};
}

Result<void> Sampler::judge(const Workload& workload, const fs::path& out, const std::string& standard_output,
                            Taken& taken) {
    auto hashes = hash_folder(out);
    if (!hashes)
        return tl::unexpected(hashes.error());
    (*hashes)[standard_output_name] = sha256(standard_output);
    taken.record.output_hash = combined_hash(*hashes);
    const fs::path expected = workspace_->expected(workload);
    if (workload.check.standard_output) {
        const fs::path place = kept_output(expected);
        auto kept = read_output(place.parent_path(), place.filename().string(), max_output_file);
        if (!kept)
            return tl::unexpected(kept.error());
        if (!*kept || **kept != standard_output) {
            fail(taken, Taken::Outcome::wrong,
                 fmt::format("workload {}: standard output differs from the baseline's", printable(workload.name)));
            return {};
        }
    }
    for (const auto& [file, numeric] : workload.check.files) {
        auto kept = read_output(expected, file, max_output_file);
        if (!kept)
            return tl::unexpected(kept.error());
        auto made = read_output(out, file, max_output_file);
        if (!made || !*made || !*kept || **made != **kept) {
            fail(taken, Taken::Outcome::wrong,
                 fmt::format("workload {}: output file {} {}", printable(workload.name), printable(file),
                             !made    ? "cannot be read: " + made.error().found
                             : !*made ? "is missing"
                                      : "differs from the baseline's"));
            return {};
        }
    }
    if (!workload.check.command.empty())
        return judge_command(workload, out, taken);
    return {};
}

Result<Taken> Sampler::take(const Arm& arm, const Workload& workload) {
    auto out = workspace_->scratch();
    if (!out)
        return tl::unexpected(out.error());
    std::string standard_output;
    auto taken = execute(arm, workload, *out, standard_output);
    if (taken && taken->outcome == Taken::Outcome::ok) {
        auto done = read_metrics(workload, *out, standard_output, *taken);
        if (done && taken->outcome == Taken::Outcome::ok)
            done = judge(workload, *out, standard_output, *taken);
        if (!done)
            taken = tl::unexpected(done.error());
    }
    if (auto removed = remove_tree(*out); !removed && taken)
        return tl::unexpected(removed.error());
    return taken;
}

Result<Taken> Sampler::pin(const Arm& baseline, const Workload& workload, const git::Commit& commit) {
    baseline_ = baseline;
    auto inputs = workspace_->inputs(workload, commit);
    if (!inputs)
        return tl::unexpected(inputs.error());
    inputs_[workload.name] = *inputs;
    auto prepared = prepare(baseline, workload);
    if (!prepared)
        return tl::unexpected(prepared.error());
    if (*prepared)
        return std::move(**prepared);
    auto out = workspace_->scratch();
    if (!out)
        return tl::unexpected(out.error());
    std::string standard_output;
    auto taken = execute(baseline, workload, *out, standard_output);
    if (!taken || taken->outcome != Taken::Outcome::ok)
        return taken;
    if (auto done = read_metrics(workload, *out, standard_output, *taken); !done)
        return tl::unexpected(done.error());
    if (taken->outcome != Taken::Outcome::ok)
        return taken;
    const fs::path expected = workspace_->expected(workload);
    std::size_t bytes = workload.check.standard_output ? standard_output.size() : 0;
    auto done = remove_tree(expected);
    if (done)
        done = make_folder(expected, fs::perms::owner_all);
    if (done)
        done = copy_tree(*out, expected);
    if (done)
        done = write_file(kept_output(expected), standard_output);
    if (!done)
        return tl::unexpected(done.error());
    for (const auto& [file, numeric] : workload.check.files) {
        auto made = read_output(*out, file, max_output_file);
        if (!made)
            return tl::unexpected(made.error());
        if (!*made)
            return fail(
                *taken, Taken::Outcome::failed,
                fmt::format("workload {}: the baseline writes no file {}", printable(workload.name), printable(file)));
        bytes += (*made)->size();
    }
    if (bytes == 0 && workload.check.command.empty())
        return fail(*taken, Taken::Outcome::failed,
                    fmt::format("workload {}: the checked output of the baseline is empty, so no check could ever fail",
                                printable(workload.name)));
    done = judge(workload, *out, standard_output, *taken);
    if (done)
        done = remove_tree(*out);
    if (!done)
        return tl::unexpected(done.error());
    return taken;
}

} // namespace holdfast::study
