// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/execution.hpp"

#include "core/project/hash.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>

namespace holdfast::study {

namespace fs = std::filesystem;

const Places places = {{"source", "/source"},
                       {"build", "/build"},
                       {"out", "/out"},
                       {"inputs", "/inputs"},
                       {"expected", "/expected"},
                       {"prepared", "/prepared"},
                       {"generated", "/generated"},
                       {"scratch", "/scratch"},
                       {"variant", "/variant"},
                       {"restored", "/restored"},
                       {"stdout", "/answered/stdout"},
                       {"deps", "/deps"},
                       {"port", "24000"}};

Places places_with(std::int64_t seed) {
    Places all = places;
    all["seed"] = std::to_string(seed);
    return all;
}

std::vector<std::string> read_places(const Project& project) {
    std::vector<std::string> result;
    const char* home = std::getenv("HOME");
    for (const std::string& path : project.sandbox.read)
        result.push_back(path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path);
    return result;
}

std::vector<fs::path> hidden_places(const Project& project, const git::Repository& repository) {
    std::vector<fs::path> places{project.folder / ".holdfast", project.folder / project.holdout_file,
                                 repository.store()};
    for (const Workload* workload : project.with_role(Role::holdout))
        for (const std::string& input : workload->inputs)
            places.push_back(project.folder / input);
    for (fs::path& place : places) {
        std::error_code code;
        const fs::path real = fs::weakly_canonical(place, code);
        place = code ? place.lexically_normal() : real;
    }
    return places;
}

std::vector<std::pair<std::string, std::string>> passed_environment(const Project& project) {
    std::vector<std::pair<std::string, std::string>> result;
    for (const std::string& name : project.sandbox.environment)
        if (const char* value = std::getenv(name.c_str()))
            result.emplace_back(name, value);
    return result;
}

namespace {

constexpr std::size_t most_entries = 200'000; // past them a change shows in the count and sizes seen so far only

std::string stamp(const fs::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0)
        return "missing";
    return fmt::format("{:o} {} {}.{}", status.st_mode, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string tree_state(const fs::path& top) {
    std::vector<std::string> lines{top.string() + ' ' + stamp(top)};
    std::error_code code;
    auto entry = fs::recursive_directory_iterator(top, fs::directory_options::skip_permission_denied, code);
    for (; !code && entry != fs::recursive_directory_iterator() && lines.size() < most_entries; entry.increment(code))
        lines.push_back(entry->path().string() + ' ' + stamp(entry->path()));
    std::sort(lines.begin(), lines.end());
    return sha256(fmt::format("{}", fmt::join(lines, "\n")));
}

} // namespace

std::string outside_state(const Project& project) {
    std::string text;
    for (const std::string& path : read_places(project))
        text += path + ' ' + tree_state(path) + '\n';
    for (const auto& [name, value] : passed_environment(project))
        text.append(name).append(1, '=').append(value).append(1, '\0');
    return text;
}

Execution project_execution(const Project& project, const Workspace& workspace, Phase phase,
                            std::chrono::milliseconds time) {
    Execution execution;
    execution.phase = phase;
    execution.environment = passed_environment(project);
    execution.read = read_places(project);
    if (!execution.read.empty())
        execution.hidden = hidden_places(project, workspace.repository());
    if (!workspace.deps().empty())
        execution.mounts.push_back({workspace.deps(), "/deps", false});
    execution.limits.memory_bytes = project.sandbox.memory_bytes;
    execution.limits.processes = project.sandbox.processes;
    execution.limits.disk_bytes = project.sandbox.disk_bytes;
    execution.limits.file_bytes = project.sandbox.disk_bytes;
    execution.limits.time = time;
    return execution;
}

std::string tail_of(const ExecutionResult& result, std::size_t cap) {
    const auto tail = [cap](const std::string& text) {
        return text.size() <= cap ? text : "[...]" + text.substr(text.size() - cap);
    };
    const std::string server = tail(result.server_output);
    return tail(result.standard_output) + tail(result.standard_error) +
           (server.empty() ? "" : "\n[the server and the commands beside it]\n" + server);
}

tl::unexpected<Error> killed(const std::string& attempted, const Watch& watch) {
    const bool asked = watch.at_once.stop_requested() || watch.after_sample.stop_requested();
    return tl::unexpected(
        Error{Error::Kind::interrupted, attempted,
              asked ? "stopped on request"
                    : "the sandbox was killed from outside: by the system, short of memory, or by somebody",
              "Go on with: holdfast run --resume"});
}

} // namespace holdfast::study
