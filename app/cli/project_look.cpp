// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/project_look.hpp"

#include "app/cli/output.hpp"
#include "app/common/places.hpp"
#include "app/common/uncommitted.hpp"
#include "core/git/measured_changes.hpp"
#include "core/project/text.hpp"
#include "core/study/clock.hpp"
#include "core/study/execution.hpp"
#include "core/study/questions.hpp"
#include "core/study/readable_holdout.hpp"
#include "sandbox/folders.hpp"
#include "sandbox/machine.hpp"
#include "sandbox/read_paths.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>

namespace holdfast::cli {

namespace {

/// What measuring would say to "sandbox.read". Rights and files that are missing here may be there on the machine that
/// measures, so they are warnings.
void look_at_read_places(const Project& project, const git::Repository& repository, Surroundings& seen) {
    if (project.sandbox.read.empty())
        return;
    const auto cache = sandbox::cache_path();
    if (!cache) {
        seen.warnings.push_back("nothing can be measured yet: " + cache.error().found + ". " + cache.error().remedy);
        return;
    }
    study::Execution execution;
    execution.hidden = study::hidden_places(project, repository);
    const std::vector<std::string> places = study::read_places(project);
    for (std::size_t i = 0; i < places.size(); ++i) {
        execution.read = {places[i]};
        const auto readable = sandbox::readable_paths(execution, *cache);
        if (readable)
            continue;
        const Error& error = readable.error();
        if (error.kind == Error::Kind::failed)
            seen.warnings.push_back(fmt::format("nothing can be measured yet: cannot {}: {}. {}", error.attempted,
                                                error.found, error.remedy));
        else
            seen.problems.push_back({project.folder / "holdfast.json", 0, 0, fmt::format("/sandbox/read/{}", i),
                                     fmt::format("\"{}\": {}", printable(places[i]), error.found),
                                     "a folder or file that programs may see. " + error.remedy});
    }
}

/// By inputs and commands alone; `run` compares what is generated, too.
Result<void> look_for_copies(const Project& project, const git::Repository& repository, const git::Commit& commit,
                             Surroundings& seen) {
    auto split = study::split_of_inputs(project, repository, commit);
    if (!split)
        return tl::unexpected(split.error());
    if (const std::string leak = study::leak_text(*split); !leak.empty())
        seen.warnings.push_back(leak + " Trials will carry the flag leaky split. Hold out other data: another week's, "
                                       "another user's, another size");
    seen.split = std::move(*split);
    return {};
}

/// What trials would be flagged for, and what measuring would miss.
Result<void> look_into_commit(const Project& project, const git::Repository& repository, const git::Commit& commit,
                              Surroundings& seen) {
    auto readable = study::readable_holdouts(project, repository, commit);
    if (!readable)
        return tl::unexpected(readable.error());
    for (const auto& [workload, where] : *readable) {
        seen.readable[workload->name] = where;
        seen.warnings.push_back(fmt::format(
            "whoever writes patches can read the held-out workload \"{}\" ({}{}): trials will carry the flag readable "
            "held-out. Move it to {}, which is not in git, with inputs below .holdfast/",
            workload->name, where, workload->readable_holdout ? "" : " is in the commit", project.holdout_file));
    }
    if (seen.problems.empty()) // else an input is missing
        if (auto looked = look_for_copies(project, repository, commit, seen); !looked)
            return looked;
    auto missing = app::not_in_commit(project, repository, commit);
    if (!missing)
        return tl::unexpected(missing.error());
    if (!missing->empty())
        seen.warnings.push_back(
            fmt::format("HEAD is what is measured, and it does not have {}. Commit with: git add {}",
                        fmt::join(*missing, ", "), app::pathspecs(*missing)));
    return {};
}

/// What measuring would say to metrics that need a meter or a counter. Another machine may have it, so it is a warning.
void look_at_meters(const Project& project, Surroundings& seen) {
    const auto needs = [](const Metric& metric) {
        return metric.source == Metric::Source::energy || metric.source == Metric::Source::instructions;
    };
    if (std::none_of(project.metrics.begin(), project.metrics.end(), needs))
        return;
    std::vector<const Workload*> workloads;
    for (const Workload& workload : project.workloads)
        workloads.push_back(&workload);
    auto runner = app::start_runner();
    const auto counting = runner ? study::counting_for(project, workloads, **runner)
                                 : Result<study::Counting>(tl::unexpected(runner.error()));
    if (!counting)
        seen.warnings.push_back(fmt::format("nothing can be measured on this machine: cannot {}: {}. {}",
                                            counting.error().attempted, counting.error().found,
                                            counting.error().remedy));
}

/// How far the history shows that a proxy stands for what it stands for.
void look_at_proxies(const Project& project, Surroundings& seen) {
    for (const Metric& metric : project.metrics)
        if (!metric.proxy_for.empty())
            seen.proxies.push_back({metric.name, metric.proxy_for, {}});
    std::error_code code;
    if (seen.proxies.empty() || !std::filesystem::exists(app::history_file(project.folder), code))
        return;
    auto store = app::open_existing_history(project.folder, db::SqliteStore::Mode::read);
    auto proofs = store ? study::proxy_proofs(project, **store) : tl::unexpected(store.error());
    if (proofs)
        seen.proxies = std::move(*proofs);
    else
        seen.warnings.push_back("proxies cannot be told: " + proofs.error().found + ". " + proofs.error().remedy);
}

/// 0 where nothing was ever measured; nothing where it cannot be told.
std::optional<int> asked_by_hand(const Project& project, const Result<git::Repository>& repository,
                                 const Result<git::Commit>& commit) {
    std::error_code code;
    if (!std::filesystem::exists(app::history_file(project.folder), code))
        return code ? std::nullopt : std::optional(0);
    if (!commit)
        return std::nullopt;
    auto digests = study::asked_digests(project, *repository, *commit, project.with_role(Role::holdout));
    auto store = app::open_existing_history(project.folder, db::SqliteStore::Mode::read);
    if (!digests || !store)
        return std::nullopt;
    const auto asked = study::questions_by_hand(**store, project.canonical, *digests);
    return asked ? std::optional(*asked) : std::nullopt;
}

} // namespace

Surroundings look_around(const Project& project) {
    Surroundings seen;
    look_at_proxies(project, seen);
    look_at_meters(project, seen);
    for (const Workload* workload : project.with_role(Role::holdout))
        if (workload->readable_holdout)
            seen.readable[workload->name] = "holdfast.json";
    auto repository = git::Repository::open(project.folder);
    auto commit = repository ? repository->resolve() : Result<git::Commit>(tl::unexpected(repository.error()));
    seen.asked_by_hand = asked_by_hand(project, repository, commit);
    if (!commit)
        seen.warnings.push_back("nothing can be measured yet: " + commit.error().found + ". " + commit.error().remedy);
    for (const Workload& workload : project.workloads)
        for (const std::string& input : workload.inputs) {
            std::error_code code;
            bool there = std::filesystem::is_regular_file(project.folder / input, code);
            if (!there && commit) {
                auto tracked = repository->read(*commit, repository->prefix() + input);
                there = tracked && tracked->has_value();
            }
            if (!there)
                seen.problems.push_back(
                    {project.folder / "holdfast.json", 0, 0, "/workloads",
                     fmt::format("the input \"{}\" of workload \"{}\", which is neither in the commit nor in "
                                 "the folder",
                                 printable(input), printable(workload.name)),
                     "a file that exists"});
        }
    if (repository)
        look_at_read_places(project, *repository, seen);
    if (!commit)
        return seen;
    if (auto looked = look_into_commit(project, *repository, *commit, seen); !looked)
        seen.warnings.push_back("no way to " + looked.error().attempted + ": " + looked.error().found);
    if (auto set = git::measured_changes(project, *repository, *commit, project.defaults(), nullptr); !set)
        seen.problems.push_back({project.folder / "holdfast.json", 0, 0, "/knobs",
                                 printable("no way to " + set.error().attempted + ": " + set.error().found),
                                 "files of the commit that hold the knobs' keys"});
    if (auto committed = repository->read(*commit, repository->prefix() + "holdfast.json"); committed) {
        std::ifstream file(project.folder / "holdfast.json", std::ios::binary);
        if (!*committed)
            seen.warnings.push_back("holdfast.json is not in git: the one in the folder rules, and nobody who has the "
                                    "commit can measure by it. Run: git add holdfast.json && git commit");
        else if ((*committed)->content != std::string(std::istreambuf_iterator<char>(file), {}))
            seen.warnings.push_back(
                "holdfast.json differs from HEAD's: the one in the folder rules. Commit it with: git "
                "commit holdfast.json");
    }
    return seen;
}

Standings calibrated(const Common& common, const Project& project, Surroundings& around) {
    std::error_code code;
    if (!std::filesystem::exists(app::history_file(project.folder), code))
        return {};
    const auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store) // told by other means
        return {};
    auto standings = study::calibration_standings(
        **store, project, study::subject_at_head(project, sandbox::describe_machine(), study::utc_now()));
    if (!standings) {
        around.warnings.push_back("calibrations cannot be told: " + standings.error().found + ". " +
                                  standings.error().remedy);
        return {};
    }
    for (const study::CalibrationStanding& standing : *standings)
        if (!standing.faults.empty())
            around.warnings.push_back(fmt::format("the calibration of study {} failed on {}: {}. {}", standing.study,
                                                  standing.workload, standing.faults.front().what,
                                                  standing.faults.front().remedy));
    return std::move(*standings);
}

} // namespace holdfast::cli
