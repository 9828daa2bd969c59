// SPDX-License-Identifier: GPL-3.0-or-later
// A run's outputs against the baseline's and before the project's judges, out of the candidate's reach.
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/execution.hpp"
#include "core/study/judge.hpp"
#include "core/study/quality.hpp"
#include "core/study/sampler_parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace fs = std::filesystem;

/// A judge command over a run's outputs, with the baseline's beside them. Killed is an error.
Result<ExecutionResult> Sampler::run_judge(const Workload& workload, const Argv& command, std::int64_t seed,
                                           const fs::path& out, const fs::path& expected, const Adjust& adjust) {
    if (auto given = runner_->give(expected); !given)
        return tl::unexpected(given.error());
    Execution execution = project_execution(*project_, *workspace_, Phase::judge, project_->timeouts.test);
    execution.argv = expand(command, places_with(seed), {});
    execution.folder = "/tmp";
    for (Mount& mount : mounts_of(baseline_, workload, seed))
        execution.mounts.push_back(std::move(mount));
    execution.mounts.push_back({expected, "/expected", false});
    execution.mounts.push_back({out, "/out", false});
    if (adjust)
        adjust(execution);
    auto result = runner_->execute(execution, watch_->at_once);
    if (result && result->ending == Ending::killed)
        return killed("judge an output", *watch_);
    return result;
}

Result<void> Sampler::judge_command(const Workload& workload, std::int64_t seed, const fs::path& out, Taken& taken) {
    auto& right = judged_right_[{workload.name, seed}];
    if (right.count(taken.record.output_hash) != 0)
        return {};
    auto result = run_judge(workload, workload.check.command, seed, out, workspace_->expected(workload, seed));
    if (!result)
        return tl::unexpected(result.error());
    if (result->ok()) {
        right.insert(taken.record.output_hash);
        return {};
    }
    fail(taken, Taken::Outcome::wrong,
         fmt::format("workload {}: the check command says no: {}", printable(workload.name), printable(result->reason)),
         tail_of(*result));
    return {};
}

/// The number that the quality command prints, among the run's metrics.
Result<void> Sampler::judge_quality(const Workload& workload, std::int64_t seed, const fs::path& out, Taken& taken) {
    const Quality& quality = *workload.check.quality;
    if (quality.command.empty())
        return {}; // a metric that was read already
    auto& known = judged_quality_[{workload.name, seed}];
    auto value = known.find(taken.record.output_hash);
    if (value == known.end()) {
        auto result = run_judge(workload, quality.command, seed, out, workspace_->expected(workload, seed));
        if (!result)
            return tl::unexpected(result.error());
        const auto number = result->ok() ? printed_number(result->standard_output) : std::nullopt;
        if (!number) {
            fail(taken, Taken::Outcome::wrong,
                 fmt::format("workload {}: the quality command {}", printable(workload.name),
                             result->ok() ? "prints no finite number alone on its standard output"
                                          : "gives no number: " + printable(result->reason)),
                 tail_of(*result));
            return {};
        }
        value = known.emplace(taken.record.output_hash, *number).first;
    }
    taken.metrics[quality_key(quality)] = value->second;
    taken.record.metrics_json = nlohmann::json(taken.metrics).dump();
    return {};
}

Result<void> Sampler::judge(const Workload& workload, std::int64_t seed, const fs::path& out,
                            const std::string& standard_output, Taken& taken) {
    if (const auto odd = odd_output(out, project_->sandbox.disk_bytes)) {
        fail(taken, Taken::Outcome::wrong, fmt::format("workload {}: {}", printable(workload.name), *odd));
        return {};
    }
    auto hash = output_hash(out, standard_output);
    if (!hash)
        return tl::unexpected(hash.error());
    taken.record.output_hash = *hash;
    auto difference = output_difference(workload.check, workspace_->expected(workload, seed), out, standard_output);
    if (!difference)
        return tl::unexpected(difference.error());
    if (*difference) {
        fail(taken, Taken::Outcome::wrong, fmt::format("workload {}: {}", printable(workload.name), **difference));
        return {};
    }
    if (!workload.check.command.empty())
        if (auto judged = judge_command(workload, seed, out, taken); !judged)
            return judged;
    if (workload.check.quality && taken.outcome == Taken::Outcome::ok)
        return judge_quality(workload, seed, out, taken);
    return {};
}

Result<Taken> Sampler::judge_outputs(const Workload& workload, std::int64_t seed, const fs::path& out,
                                     const std::string& standard_output) {
    Taken taken;
    taken.record.workload = workload.name;
    taken.record.ending = "ok";
    if (workload.check.quality && !workload.check.quality->metric.empty()) {
        auto value = read_metric(project_->metric(workload.check.quality->metric), out, standard_output);
        if (!value)
            return fail(taken, Taken::Outcome::failed, value.error().found);
        taken.metrics[workload.check.quality->metric] = *value;
    }
    auto judged = runner_->give(out);
    if (judged)
        judged = judge(workload, seed, out, standard_output, taken);
    if (!judged)
        return tl::unexpected(judged.error());
    return taken;
}

Result<Taken> Sampler::judge_aside(const Workload& workload, std::int64_t seed, const fs::path& expected,
                                   const Adjust& adjust, const fs::path& out, const std::string& standard_output) {
    Taken taken;
    if (auto odd = odd_output(out, project_->sandbox.disk_bytes))
        return fail(taken, Taken::Outcome::wrong, std::move(*odd));
    auto difference = output_difference(workload.check, expected, out, standard_output);
    if (!difference)
        return tl::unexpected(difference.error());
    if (*difference)
        return fail(taken, Taken::Outcome::wrong, **difference);
    if (workload.check.command.empty())
        return taken;
    auto result = run_judge(workload, workload.check.command, seed, out, expected, adjust);
    if (!result)
        return tl::unexpected(result.error());
    if (!result->ok())
        fail(taken, Taken::Outcome::wrong, "the check command says no: " + printable(result->reason), tail_of(*result));
    return taken;
}

} // namespace holdfast::study
