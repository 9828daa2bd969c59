// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/fetch.hpp"

#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/study/execution.hpp"
#include "core/study/files.hpp"

#include <fmt/format.h>
#include <system_error>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

Result<void> run_commands(const Project& project, const Workspace& workspace, Runner& runner, const Watch& watch,
                          const fs::path& source, const fs::path& into) {
    for (const Argv& argv : project.fetch) {
        Execution execution = project_execution(project, workspace, Phase::build, project.timeouts.build);
        execution.argv = expand(argv, places, {});
        execution.network = true;
        execution.folder = "/deps";
        execution.mounts = {{source, "/source", false}, {into, "/deps", true}};
        auto result = runner.execute(execution, watch.at_once);
        if (!result)
            return tl::unexpected(result.error());
        if (result->ending == Ending::killed)
            return tl::unexpected(Error{Error::Kind::interrupted, "fetch what the project depends on",
                                        "stopped on request", "Start again"});
        if (!result->ok())
            return failed("fetch what the project depends on",
                          fmt::format("`{}` failed: {}\n{}", shown(argv), printable(result->reason),
                                      printable(tail_of(*result), false)),
                          "Make the command work in a clean checkout with {deps} as the only folder it may write");
    }
    return {};
}

} // namespace

Result<void> fetch(const Project& project, Workspace& workspace, Runner& runner, const Watch& watch,
                   const std::string& tree, const fs::path& source) {
    if (project.fetch.empty())
        return {};
    std::string key = tree;
    for (const Argv& argv : project.fetch)
        for (const std::string& word : argv)
            key.append(1, '\0').append(word);
    const fs::path place = workspace.fetched() / sha256(key).substr(0, 24);
    if (!fs::exists(place)) {
        if (!watch.may_fetch(project.fetch)) {
            std::string commands;
            for (const Argv& argv : project.fetch)
                commands += (commands.empty() ? "`" : ", `") + shown(argv) + "`";
            return refused("fetch what the project depends on",
                           fmt::format("its commands use the network, and nobody agreed to that: {}", commands),
                           "Agree with the option --fetch, or at a terminal, where it asks");
        }
        watch.progress({"fetch", 0, 0, 0, {}});
        const fs::path draft = place.string() + ".draft";
        auto done = remove_tree(draft);
        if (done)
            done = make_folder(draft, fs::perms::owner_all);
        if (done)
            done = runner.give(draft);
        if (done)
            done = run_commands(project, workspace, runner, watch, source, draft);
        if (!done)
            return done;
        std::error_code code;
        fs::rename(draft, place, code); // under its name only when it is whole
        if (code)
            return failed("keep what was fetched in " + place.string(), code.message(),
                          "Check the cache folder's permissions");
    }
    workspace.use_deps(place);
    return {};
}

} // namespace holdfast::study
