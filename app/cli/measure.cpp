// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/measure.hpp"

#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "app/cli/workbench.hpp"
#include "app/common/study_options.hpp"
#include "core/decision/verdict.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/evidence.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

void print_measured(const Project& project, const study::Measured& measured) {
    if (!measured.stopped.empty()) {
        fmt::print("{}: {}\n", measured.verdict, printable(measured.stopped));
        return;
    }
    const Better better = project.metric(project.objective).better;
    std::vector<std::vector<std::string>> rows{{"workload", project.objective, "rounds", ""}};
    for (std::size_t i = 0; i < measured.workloads.size(); ++i)
        rows.push_back({printable(measured.workloads[i]), decision::describe(measured.assessment.workloads[i], better),
                        std::to_string(measured.assessment.workloads[i].rounds), ""});
    rows.push_back({"all", decision::describe(measured.assessment.objective, better),
                    std::to_string(measured.assessment.rounds), ""});
    fmt::print("{}\n{} is better; the interval holds however often one looks.\n", table(rows),
               better == Better::lower ? "Lower" : "Higher");
    for (const decision::Guard& guard : measured.assessment.guards)
        if (guard.worse)
            fmt::print("regresses: shown not to hold: {}\n", printable(decision::describe(guard)));
}

nlohmann::json effects_document(const Project& project, const study::Measured& measured) {
    nlohmann::json all = nlohmann::json::parse(study::effects_json(project, measured.assessment, std::nullopt));
    nlohmann::json effects = std::move(all.at("tuning"));
    effects["metric"] = all.at("metric");
    effects["better"] = all.at("better");
    // A fixed number of rounds accepts nothing, whatever the evidence.
    effects.erase("accepted");
    effects.erase("headline-rounds");
    // The names are those of a study's workloads; here they were chosen.
    for (std::size_t i = 0; i < measured.workloads.size(); ++i)
        effects.at("workloads").at(i)["name"] = measured.workloads[i];
    return effects;
}

/// What a trial proposed, to be measured once more.
Result<app::CandidateInput> candidate_of(const Common& common, const Project& project, const std::string& id) {
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto trials = (*store)->trials();
    if (!trials)
        return tl::unexpected(trials.error());
    const study::TrialRecord* trial = find_trial(*trials, id);
    if (trial == nullptr)
        return invalid("measure trial " + printable(id), "there is no such trial", "List them with: holdfast trials");
    auto configuration = configuration_from_json(project, trial->configuration_json);
    if (!configuration)
        return tl::unexpected(configuration.error());
    return app::CandidateInput{std::move(*configuration), trial->patch, trial->kind};
}

} // namespace

Result<int> measure(const Common& common, const MeasureArguments& arguments) {
    auto opened = app::open_project_and_repository(common.folder);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto& [project, repository] = *opened;
    auto input = arguments.trial.empty() ? app::read_candidate(project, repository, arguments.candidate)
                                         : candidate_of(common, project, arguments.trial);
    if (!input)
        return tl::unexpected(input.error());
    if (auto known = study::choose_workloads(project, arguments.workloads); !known)
        return tl::unexpected(known.error());
    auto bench = Workbench::open(project, repository);
    if (!bench)
        return tl::unexpected(bench.error());
    const study::Watch watch = (*bench)->watch();
    auto measured =
        study::measure(project, repository, (*bench)->runner(), (*bench)->store(), watch,
                       {input->configuration, input->patch, arguments.workloads,
                        static_cast<std::size_t>(arguments.rounds), arguments.seed.value_or(app::random_seed())});
    (*bench)->line().finish();
    if (!measured)
        return tl::unexpected(measured.error());
    if (common.json) {
        nlohmann::json document = {
            {"schema", "holdfast/measure/1"},
            {"trial", measured->number},
            {"verdict", measured->verdict.empty() ? nlohmann::json(nullptr) : nlohmann::json(measured->verdict)},
            {"stopped",
             measured->stopped.empty() ? nlohmann::json(nullptr) : nlohmann::json(printable(measured->stopped))},
            {"regresses", measured->regresses},
            {"effects", nullptr}};
        if (measured->stopped.empty())
            document["effects"] = effects_document(project, *measured);
        print_document(document);
    } else
        print_measured(project, *measured);
    if (measured->verdict == "refused")
        return Exit::gate_refused;
    if (!measured->stopped.empty())
        return arguments.fail_on.empty() ? Exit::error : Exit::nothing_passed;
    return measured->regresses && arguments.fail_on == "regresses" ? Exit::nothing_passed : Exit::done;
}

} // namespace holdfast::cli
