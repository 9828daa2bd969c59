// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/uncommitted.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace holdfast::app {

namespace {

std::vector<Argv> commands_of(const Project& project) {
    std::vector<Argv> commands = project.fetch;
    commands.insert(commands.end(), project.build.begin(), project.build.end());
    commands.insert(commands.end(), project.code.test.begin(), project.code.test.end());
    for (const Workload& workload : project.workloads) {
        commands.insert(commands.end(), {workload.generate, workload.prepare, workload.run, workload.check.command});
        if (workload.server)
            commands.insert(commands.end(), {workload.server->start, workload.server->ready, workload.server->stop});
    }
    return commands;
}

void add_once(std::string path, std::vector<std::string>& paths) {
    path = std::filesystem::path(path).lexically_normal().string();
    while (path.ends_with('/'))
        path.pop_back();
    const bool below = !path.empty() && path != "." && !path.starts_with("..") && !path.starts_with('/');
    if (below && std::find(paths.begin(), paths.end(), path) == paths.end())
        paths.push_back(path);
}

} // namespace

std::vector<std::string> named_in_source(const Project& project) {
    constexpr std::string_view place = "{source}/";
    std::vector<std::string> paths;
    for (const Argv& argv : commands_of(project))
        for (const std::string& word : argv)
            for (auto at = word.find(place); at != std::string::npos; at = word.find(place, at + 1)) {
                const std::string rest = word.substr(at + place.size());
                add_once(rest, paths);
                add_once(rest.substr(0, rest.find_first_of(" \t\n'\"`;|&<>()$*?:,{}")), paths);
            }
    return paths;
}

Result<std::vector<std::string>> not_in_commit(const Project& project, const git::Repository& repository,
                                               const git::Commit& commit) {
    std::vector<std::string> wanted = named_in_source(project), missing;
    for (const Workload* workload : project.with_role(Role::tuning))
        for (const std::string& input : workload->inputs)
            add_once(input, wanted);
    for (const std::string& path : wanted) {
        std::error_code code;
        if (path.starts_with(".holdfast/") || !std::filesystem::exists(project.folder / path, code))
            continue;
        auto tracked = repository.read(commit, repository.prefix() + path);
        if (!tracked)
            return tl::unexpected(tracked.error());
        if (!tracked->has_value())
            missing.push_back(path);
    }
    return missing;
}

std::string pathspecs(const std::vector<std::string>& paths) {
    std::string text;
    for (const std::string& path : paths) {
        const bool magic = path.find_first_of("*?[\\") != std::string::npos || path.starts_with(':');
        const std::string word = magic ? ":(literal)" + path : path.starts_with('-') ? "./" + path : path;
        const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   std::string_view("._-/+").find(c) != std::string_view::npos;
        });
        text += (text.empty() ? "" : " ") + (plain ? word : shell_quoted(word));
    }
    return text;
}

std::string all_but(const std::string& path) {
    return shell_quoted(":(exclude,literal)" + path);
}

} // namespace holdfast::app
