// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/candidate.hpp"

#include "app/common/bounded_file.hpp"
#include "app/common/places.hpp"
#include "core/git/measured_changes.hpp"
#include "core/git/revision_patch.hpp"
#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/bench.hpp"
#include "core/study/clock.hpp"
#include "core/study/measure.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace holdfast::app {

namespace {

constexpr std::size_t max_patch_bytes = 16u << 20;

Result<std::string> read_patch(const std::string& file) {
    const std::string remedy = "Name a unified diff such as `git diff` prints, or - for standard input";
    return read_bounded(file, max_patch_bytes, "read the patch " + printable(file), remedy);
}

/// The patch applies and every file knob can be set in HEAD's files.
Result<void> admitted_files(const Project& project, const git::Repository& repository, const CandidateInput& input) {
    const bool file_knobs = std::any_of(project.knobs.begin(), project.knobs.end(),
                                        [](const Knob& knob) { return knob.through == Knob::Through::file; });
    if (input.patch.empty() && !file_knobs)
        return {};
    auto commit = repository.resolve();
    if (!commit)
        return tl::unexpected(commit.error());
    std::optional<git::PlacedPatch> patch;
    if (!input.patch.empty()) {
        auto placed = git::place_patch(repository, *commit, input.patch, study::patch_rules(project, repository));
        if (!placed)
            return tl::unexpected(placed.error());
        patch = std::move(*placed);
    }
    auto changes = git::measured_changes(project, repository, *commit, input.configuration, patch ? &*patch : nullptr);
    return changes ? Result<void>() : tl::unexpected(changes.error());
}

} // namespace

Result<CandidateInput> read_candidate(const Project& project, const git::Repository& repository,
                                      const CandidateArguments& arguments) {
    CandidateInput input;
    input.configuration = project.defaults();
    std::vector<std::string> names;
    for (const Knob& knob : project.knobs)
        names.push_back(knob.name);
    for (const std::string& text : arguments.set) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        const std::string attempted = "set knob " + printable(name);
        if (equals == std::string::npos)
            return invalid(attempted, "'" + printable(text) + "' has no value", "Write --set NAME=VALUE");
        const Knob* knob = project.knob(name);
        if (knob == nullptr) {
            const std::string near = nearest(name, names);
            return invalid(attempted, "the project has no knob of that name",
                           near.empty() ? "See the knobs with: holdfast validate" : "Did you mean " + near + "?");
        }
        auto value = parse_value(*knob, std::string_view(text).substr(equals + 1));
        if (!value)
            return tl::unexpected(value.error());
        input.configuration[name] = *value;
    }
    if (auto admitted = admit(project, input.configuration); !admitted)
        return tl::unexpected(admitted.error());
    if (!arguments.patch.empty()) {
        auto patch = read_patch(arguments.patch);
        if (!patch)
            return tl::unexpected(patch.error());
        input.patch = std::move(*patch);
    } else if (!arguments.revision.empty()) {
        auto patch = git::revision_patch(repository, arguments.revision);
        if (!patch)
            return tl::unexpected(patch.error());
        input.patch = std::move(patch->text);
    }
    const bool changes_knobs = input.configuration != project.defaults();
    input.kind = input.patch.empty() ? "knobs" : changes_knobs ? "both" : "patch";
    return input;
}

namespace {

Result<Queued> queue(const Opened& opened, const CandidateInput& input) {
    const auto& [project, repository] = opened;
    if (input.patch.empty() && input.configuration == project.defaults())
        return invalid("propose a candidate", "it changes nothing: no --patch, no --rev, and every knob at its default",
                       "Give --patch FILE, --rev BRANCH or --set NAME=VALUE");
    // Told now rather than in the study: nothing is queued that the first gate would refuse.
    if (auto admitted = admitted_files(project, repository, input); !admitted)
        return tl::unexpected(admitted.error());
    if (auto made = make_state_folder(project, repository); !made)
        return tl::unexpected(made.error());
    auto store = open_history(project.folder, db::SqliteStore::Mode::append);
    if (!store)
        return tl::unexpected(store.error());
    auto earlier = (*store)->trials();
    if (!earlier)
        return tl::unexpected(earlier.error());
    const std::string configuration = to_json(input.configuration);
    for (const study::TrialRecord& other : *earlier) {
        if (other.configuration_json != configuration || other.patch != input.patch ||
            other.state != study::State::queued)
            continue;
        return invalid("propose a candidate", fmt::format("trial {} is the same one and still queued", other.number),
                       "Measure it with: holdfast run");
    }
    study::TrialRecord trial;
    trial.id = uuid_v7();
    trial.kind = input.kind;
    trial.tuner = "patch";
    trial.state = study::State::queued;
    trial.configuration_json = configuration;
    trial.patch = input.patch;
    trial.created = study::utc_now();
    if (auto added = (*store)->add_trial(trial); !added)
        return tl::unexpected(added.error());
    return Queued{trial.id, trial.number};
}

/// What the trial `number` of the project's history proposed, as a candidate of the project as it is now.
Result<CandidateInput> candidate_of(const Project& project, std::int64_t number) {
    auto store = open_history(project.folder, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto trials = (*store)->trials();
    if (!trials)
        return tl::unexpected(trials.error());
    for (study::TrialRecord& trial : *trials) {
        if (trial.number != number)
            continue;
        if (study::compared_revisions(trial))
            return invalid(fmt::format("measure trial {} again", number), "it compared two revisions",
                           "Propose the revision with: holdfast propose --rev");
        auto configuration = configuration_from_json(project, trial.configuration_json);
        if (!configuration)
            return tl::unexpected(configuration.error());
        return CandidateInput{std::move(*configuration), std::move(trial.patch), std::move(trial.kind)};
    }
    return invalid(fmt::format("measure trial {} again", number), "the history has no such trial",
                   "See the trials with: holdfast trials");
}

} // namespace

Result<Queued> queue_candidate(const std::filesystem::path& folder, const CandidateArguments& arguments) {
    auto opened = open_project_and_repository(folder);
    if (!opened)
        return tl::unexpected(opened.error());
    auto input = read_candidate(opened->project, opened->repository, arguments);
    if (!input)
        return tl::unexpected(input.error());
    return queue(*opened, *input);
}

Result<Queued> queue_again(const std::filesystem::path& folder, std::int64_t number) {
    auto opened = open_project_and_repository(folder);
    if (!opened)
        return tl::unexpected(opened.error());
    auto input = candidate_of(opened->project, number);
    if (!input)
        return tl::unexpected(input.error());
    return queue(*opened, *input);
}

} // namespace holdfast::app
