// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/context.hpp"
#include "core/git/patch.hpp"
#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/study/bench.hpp"
#include "core/study/clock.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

Result<Queued> queue_candidate(const std::filesystem::path& folder, const CandidateArguments& arguments) {
    Common common;
    common.folder = folder;
    auto opened = open_project_and_repository(common);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto& [project, repository] = *opened;
    auto input = read_candidate(project, arguments);
    if (!input)
        return tl::unexpected(input.error());
    if (input->patch.empty() && input->configuration == project.defaults())
        return invalid("propose a candidate", "it changes nothing: no --patch, and every knob at its default",
                       "Give --patch FILE or --set NAME=VALUE");
    // Told now rather than in the study: nothing is queued that the first gate would refuse.
    if (!input->patch.empty()) {
        auto commit = repository.resolve();
        if (!commit)
            return tl::unexpected(commit.error());
        auto placed = git::place_patch(repository, *commit, input->patch, study::patch_rules(project, repository));
        if (!placed)
            return tl::unexpected(placed.error());
    }
    if (auto made = make_state_folder(project, repository); !made)
        return tl::unexpected(made.error());
    auto store = open_history(common, db::SqliteStore::Mode::append);
    if (!store)
        return tl::unexpected(store.error());
    auto earlier = (*store)->trials();
    if (!earlier)
        return tl::unexpected(earlier.error());
    const std::string configuration = to_json(input->configuration);
    for (const study::TrialRecord& other : *earlier) {
        if (other.configuration_json != configuration || other.patch != input->patch ||
            other.state != study::State::queued)
            continue;
        return invalid("propose a candidate", fmt::format("trial {} is the same one and still queued", other.number),
                       "Measure it with: holdfast run");
    }
    study::TrialRecord trial;
    trial.id = uuid_v7();
    trial.kind = input->kind;
    trial.tuner = "patch";
    trial.state = study::State::queued;
    trial.configuration_json = configuration;
    trial.patch = input->patch;
    trial.created = study::utc_now();
    if (auto added = (*store)->add_trial(trial); !added)
        return tl::unexpected(added.error());
    return Queued{trial.id, trial.number};
}

Result<int> propose(const Common& common, const CandidateArguments& arguments) {
    auto queued = queue_candidate(common.folder, arguments);
    if (!queued)
        return tl::unexpected(queued.error());
    if (common.json)
        print_document({{"schema", "holdfast/propose/1"}, {"id", queued->id}, {"number", queued->number}});
    else
        fmt::print("queued as {} ({}); the next `holdfast run` measures it\n", queued->number, queued->id);
    return Exit::done;
}

} // namespace holdfast::cli
