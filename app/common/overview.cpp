// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/overview.hpp"

#include "app/common/records.hpp"
#include "app/common/wording.hpp"
#include "core/decision/rule.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"

#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::app {

namespace {

using nlohmann::json;

struct Objective {
    std::int64_t study = 0;
    std::string metric;
    Better better = Better::lower;
    double band = 0;
};

/// What the study froze; a project that cannot be read any more has no objective to show.
Objective objective_of(const study::StudyRecord& study) {
    Objective objective;
    objective.study = study.number;
    if (const auto project = project_from_frozen(".", study.frozen_json))
        objective = {study.number, printable(project->objective), project->metric(project->objective).better,
                     project->decision.minimum_effect};
    return objective;
}

std::optional<review::EffectView> effect_of(const json& effects, const char* side, const Objective& objective) {
    if (!effects.is_object() || !effects.contains(side) || !effects.at(side).is_object())
        return std::nullopt;
    return review::effect_view(effects.at(side), objective.better, objective.band);
}

void add_verdict(const study::VerdictRecord& verdict, const Objective& objective, TrialSummary& summary) {
    const json effects = json::parse(verdict.effects_json, nullptr, false);
    summary.tuning = effect_of(effects, "tuning", objective);
    summary.held_out = effect_of(effects, "holdout", objective);
    const json flags = json::parse(verdict.flags_json, nullptr, false);
    if (flags.is_array())
        for (const json& flag : flags)
            if (flag.is_string())
                summary.flags.push_back(printable(flag.get<std::string>()));
    summary.proposal = verdict.proposal;
}

std::optional<double> looked(const study::TrialRecord& trial, Better better) {
    const json seen = json::parse(trial.search_json, nullptr, false);
    if (!seen.is_object() || !seen.contains("estimate") || !seen.at("estimate").is_number())
        return std::nullopt;
    return decision::as_change(seen.at("estimate").get<double>(), better);
}

TrialSummary summary_of(const study::TrialRecord& trial, const Records& records, const Objective& objective,
                        const std::string& defaults_json) {
    const study::VerdictRecord* verdict = records.verdict(trial.id);
    TrialSummary summary;
    summary.id = trial.id;
    summary.number = trial.number;
    summary.study = objective.study;
    summary.kind = printable(trial.kind);
    summary.tuner = printable(trial.tuner);
    summary.state = trial.state;
    summary.outcome = printable(standing(trial, verdict));
    summary.looked = looked(trial, objective.better);
    summary.change = change_text(trial, defaults_json);
    summary.standing = records.standing(trial.id);
    summary.created = trial.created;
    summary.ended = trial.ended;
    if (verdict != nullptr)
        add_verdict(*verdict, objective, summary);
    if (const study::ApplicationRecord* application = records.application(trial.id)) {
        summary.commit = printable(application->commit);
        summary.branch = printable(application->branch);
    }
    return summary;
}

/// A comparison by hand is a study that cannot be resumed.
bool by_hand(const study::StudyRecord& study) {
    const json options = json::parse(study.options_json, nullptr, false);
    return options.is_object() && options.contains("kind") && options.at("kind") == "measure";
}

} // namespace

Result<Overview> load_overview(const study::Store& store, const std::string& defaults_json) {
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    auto records = read_records(store);
    if (!records)
        return tl::unexpected(records.error());

    Overview overview;
    std::map<std::string, Objective> objectives; // by the study's id
    for (study::StudyRecord& study : *studies) {
        const Objective& objective = objectives[study.id] = objective_of(study);
        overview.metric = objective.metric;
        overview.better = objective.better;
        if (study.state == study::State::running)
            overview.running_study = study.number;
        if (study.state == study::State::interrupted && !by_hand(study))
            overview.interrupted_study = study.number;
        study.frozen_json.clear();
    }
    for (const study::TrialRecord& trial : records->trials) {
        TrialSummary summary = summary_of(trial, *records, objectives[trial.study], defaults_json);
        overview.queued += trial.state == study::State::queued ? 1 : 0;
        overview.waiting += summary.standing == review::Standing::waiting ? 1 : 0;
        overview.trials.push_back(std::move(summary));
    }
    overview.studies = std::move(*studies);
    return overview;
}

} // namespace holdfast::app
