// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/build.hpp"

#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/build_marker.hpp"
#include "core/study/execution.hpp"
#include "core/study/files.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

std::string joined(const Argv& argv) {
    std::string text;
    for (const std::string& word : argv)
        text += word + '\0';
    return text + '\n';
}

/// Changes when a package or a shared library of the system does: a compiler must not build one arm and its successor
/// the other.
std::string system_state() {
    std::string text;
    for (const char* file : {"/var/lib/dpkg/status", "/etc/ld.so.cache"}) {
        struct stat status {};
        if (::stat(file, &status) == 0)
            text += fmt::format("{} {} {}.{} ", file, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    }
    return text;
}

/// What a sample starts, and what makes what it reads.
std::vector<const Argv*> programs_of(const Workload& workload) {
    std::vector<const Argv*> programs{&workload.run, &workload.prepare};
    if (workload.server)
        programs.insert(programs.end(), {&workload.server->start, &workload.server->ready, &workload.server->stop});
    return programs;
}

/// The programs that run and are not built: argv[0] of every run and prepare outside {build} and {source}.
std::map<std::string, std::string> outside_programs(const Project& project) {
    std::map<std::string, std::string> hashes;
    for (const Workload& workload : project.workloads)
        for (const Argv* argv : programs_of(workload)) {
            if (argv->empty() || argv->front().find('{') != std::string::npos)
                continue;
            const fs::path name = argv->front();
            for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"}) {
                const fs::path program = name.is_absolute() ? name : fs::path(folder) / name;
                std::error_code code;
                const fs::path real = fs::canonical(program, code);
                if (code)
                    continue;
                if (auto hash = sha256_file(real))
                    hashes[program.string()] = *hash;
                break;
            }
        }
    return hashes;
}

/// A run that reads the tree itself depends on all of it.
bool runs_from_source(const Project& project) {
    const auto mentions = [](const Argv& argv) {
        return std::any_of(argv.begin(), argv.end(),
                           [](const std::string& word) { return word.find("{source}") != std::string::npos; });
    };
    return project.build.empty() ||
           std::any_of(
               project.workloads.begin(), project.workloads.end(),
               [&](const Workload& workload) { // An interpreter runs what the build hash of executables may not hold.
                   const auto programs = programs_of(workload);
                   return std::any_of(programs.begin(), programs.end(),
                                      [&](const Argv* argv) { return mentions(*argv); }) ||
                          workload.run.front().rfind("{build}", 0) != 0;
               });
}

Result<Artifact> describe(const Project& project, const std::string& tree, const fs::path& source,
                          const fs::path& build) {
    Artifact artifact{tree, source, build, {}, {}};
    auto hashes = hash_executables(build);
    if (!hashes)
        return tl::unexpected(hashes.error());
    artifact.executables = std::move(*hashes);
    artifact.executables.merge(outside_programs(project));
    artifact.hash = combined_hash(artifact.executables);
    if (runs_from_source(project))
        artifact.hash = sha256(artifact.hash + tree);
    return artifact;
}

/// Runs the build commands in an empty `place`; a failure is left in `outcome`.
Result<void> run_commands(const Project& project, const Workspace& workspace, Runner& runner, const Watch& watch,
                          const std::vector<Argv>& commands, const fs::path& source, const fs::path& place,
                          Builder builder, const Variables& more, const std::vector<Mount>& mounts,
                          BuildOutcome& outcome) {
    auto done = remove_tree(place);
    if (done)
        done = make_folder(place, fs::perms::owner_all);
    if (done)
        done = runner.give(place);
    if (!done)
        return done;
    for (const Argv& argv : commands) {
        Execution execution = project_execution(project, workspace, Phase::build, project.timeouts.build);
        execution.argv = expand(argv, places, {});
        execution.folder = "/build";
        execution.mounts.push_back({source, "/source", false});
        execution.mounts.push_back({place, "/build", true});
        execution.mounts.insert(execution.mounts.end(), mounts.begin(), mounts.end());
        execution.environment.insert(execution.environment.end(), more.begin(), more.end());
        // What another compiler made must not be taken for this one's work.
        if (auto shared = mounts.empty() ? share_compilations(execution, workspace, runner, builder) : Result<void>();
            !shared)
            return shared;
        auto result = runner.execute(execution, watch.at_once);
        if (!result)
            return tl::unexpected(result.error());
        if (result->ending == Ending::killed)
            return killed("build", watch);
        if (!result->ok()) {
            outcome.reason = fmt::format("the build command `{}` failed: {}", shown(argv), printable(result->reason));
            outcome.log = tail_of(*result);
            return {};
        }
    }
    return {};
}

} // namespace

Result<BuildOutcome> build(const Project& project, const Workspace& workspace, Runner& runner, const Watch& watch,
                           const std::string& tree, const fs::path& source, const Configuration& configuration,
                           Builder builder) {
    const std::vector<Argv> commands = build_commands(project, configuration);
    std::string key = source.string() + '\n' + system_state() + '\n' + workspace.deps().string() + '\n' +
                      outside_state(project) + '\n';
    for (const Argv& argv : commands)
        key += joined(argv);
    const fs::path place = workspace.builds() / sha256(key).substr(0, 24);
    BuildOutcome outcome;
    outcome.cached = fs::exists(marker_of(place));
    const auto began = std::chrono::steady_clock::now();
    if (!outcome.cached) {
        auto ran = run_commands(project, workspace, runner, watch, commands, source, place, builder, {}, {}, outcome);
        if (!ran)
            return tl::unexpected(ran.error());
        if (!outcome.reason.empty())
            return outcome;
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    auto artifact = describe(project, tree, source, place);
    if (!artifact)
        return tl::unexpected(artifact.error());
    // The marker holds the hash, so that a cached build that was changed since is noticed and built again.
    if (outcome.cached) {
        const auto recorded = read_marker(place);
        if (!recorded || recorded->hash != artifact->hash) {
            std::error_code ignored;
            fs::remove(marker_of(place), ignored);
            return build(project, workspace, runner, watch, tree, source, configuration, builder);
        }
    } else if (auto written = write_marker(place, {artifact->hash, took}); !written)
        return tl::unexpected(written.error());
    outcome.artifact = std::move(*artifact);
    return outcome;
}

Result<std::string> build_beside(const Project& project, const Workspace& workspace, Runner& runner, const Watch& watch,
                                 const fs::path& source, const Configuration& configuration,
                                 const Variables& environment, const fs::path& place,
                                 const std::vector<Mount>& mounts) {
    BuildOutcome outcome;
    auto ran = run_commands(project, workspace, runner, watch, build_commands(project, configuration), source, place,
                            Builder::candidate, environment, mounts, outcome);
    if (!ran)
        return tl::unexpected(ran.error());
    return outcome.reason;
}

Result<bool> unchanged(const Project& project, const Artifact& artifact) {
    auto now = describe(project, artifact.tree, artifact.source, artifact.build);
    if (!now)
        return tl::unexpected(now.error());
    return now->hash == artifact.hash;
}

std::string behaviour_hash(const Project& project, const Artifact& artifact, const Configuration& configuration) {
    std::string all = artifact.hash + '\n' + outside_state(project) + '\n';
    for (const Workload& workload : project.workloads) {
        const ServedCommands commands = expand(workload, places, knob_arguments(project, configuration));
        all += joined(expand(workload.prepare, places, {})) + joined(commands.start) + joined(commands.run);
        if (workload.server)
            all +=
                joined(expand(workload.server->ready, places, {})) + joined(expand(workload.server->stop, places, {}));
    }
    for (const auto& [name, value] : knob_environment(project, configuration))
        all.append(name).append(1, '=').append(value).append(1, '\0');
    // Not told by the executables: a build may copy the file to where the program reads it.
    for (const auto& [place, value] : knob_files(project, configuration))
        all.append(place).append(1, '=').append(value).append(1, '\0');
    return sha256(all);
}

Result<std::optional<TestFailure>> run_tests(const Project& project, const Workspace& workspace, Runner& runner,
                                             const Watch& watch, const Artifact& artifact,
                                             const std::function<void(Execution&)>& adjust) {
    if (project.code.test.empty())
        return std::optional<TestFailure>();
    // On a copy, because test programs write beside what they test and the artifact must stay as built.
    auto copy = workspace.scratch();
    if (!copy)
        return tl::unexpected(copy.error());
    auto done = copy_tree(artifact.build, *copy);
    if (done)
        done = runner.give(*copy);
    if (!done)
        return tl::unexpected(done.error());
    std::optional<TestFailure> failure;
    for (const Argv& argv : project.code.test) {
        Execution execution = project_execution(project, workspace, Phase::judge, project.timeouts.test);
        execution.argv = expand(argv, places, {});
        execution.folder = "/build";
        execution.mounts.push_back({artifact.source, "/source", false});
        execution.mounts.push_back({*copy, "/build", true});
        if (adjust)
            adjust(execution);
        auto result = runner.execute(execution, watch.at_once);
        if (!result)
            return tl::unexpected(result.error());
        if (result->ending == Ending::killed)
            return killed("run the tests", watch);
        if (!result->ok()) {
            failure =
                TestFailure{fmt::format("the project's test `{}` failed: {}", shown(argv), printable(result->reason)),
                            tail_of(*result)};
            break;
        }
    }
    if (auto removed = remove_tree(*copy); !removed)
        return tl::unexpected(removed.error());
    return failure;
}

} // namespace holdfast::study
