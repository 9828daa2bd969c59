// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/overview.hpp"

#include "app/common/records.hpp"
#include "app/common/wording.hpp"
#include "core/decision/rule.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/study/counting.hpp"
#include "core/study/engine.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::app {

namespace {

using nlohmann::json;

std::optional<review::EffectView> effect_of(const json& effects, const char* side, const Frozen& frozen) {
    if (!effects.is_object() || !effects.contains(side) || !effects.at(side).is_object())
        return std::nullopt;
    return review::effect_view(effects.at(side), frozen.better, frozen.band);
}

void add_verdict(const study::VerdictRecord& verdict, const Frozen& frozen, TrialSummary& summary) {
    const json effects = json::parse(verdict.effects_json, nullptr, false);
    summary.tuning = effect_of(effects, "tuning", frozen);
    summary.held_out = effect_of(effects, "holdout", frozen);
    summary.proposal = verdict.proposal;
}

std::optional<double> looked(const study::TrialRecord& trial, Better better) {
    const json seen = json::parse(trial.search_json, nullptr, false);
    if (!seen.is_object() || !seen.contains("estimate") || !seen.at("estimate").is_number())
        return std::nullopt;
    return decision::as_change(seen.at("estimate").get<double>(), better);
}

TrialSummary summary_of(const study::TrialRecord& trial, const Records& records) {
    const Frozen& frozen = records.frozen_of(trial);
    const study::VerdictRecord* verdict = records.verdict(trial.id);
    TrialSummary summary;
    summary.id = trial.id;
    summary.number = trial.number;
    summary.study = frozen.number;
    summary.kind = printable(trial.kind);
    summary.tuner = printable(trial.tuner);
    summary.state = trial.state;
    summary.outcome = printable(standing(trial, verdict));
    summary.looked = looked(trial, frozen.better);
    summary.change = records.change(trial);
    summary.standing = records.standing(trial.id);
    summary.danger = records.danger(trial);
    if (const auto flags = records.flags.find(trial.id); flags != records.flags.end())
        for (const std::string& flag : flags->second)
            summary.flags.push_back(printable(flag));
    summary.created = trial.created;
    summary.ended = trial.ended;
    if (verdict != nullptr)
        add_verdict(*verdict, frozen, summary);
    if (const study::ApplicationRecord* application = records.application(trial.id)) {
        summary.commit = printable(application->commit);
        summary.branch = printable(application->branch);
    }
    return summary;
}

} // namespace

Result<Overview> load_overview(const study::Store& store, const std::string& defaults_json) {
    auto records = read_records(store, defaults_json);
    if (!records)
        return tl::unexpected(records.error());
    Overview overview;
    for (const study::StudyRecord& study : records->studies) {
        const Frozen& frozen = records->frozen.at(study.id);
        overview.metric = printable(study::metric_label(frozen.metric, study.machine_json));
        overview.better = frozen.better;
        if (study.state == study::State::running)
            overview.running_study = study.number;
        if (study::resumable(study))
            overview.interrupted_study = study.number;
    }
    for (const study::TrialRecord& trial : records->trials) {
        TrialSummary summary = summary_of(trial, *records);
        overview.queued += trial.state == study::State::queued ? 1 : 0;
        overview.waiting += summary.standing == review::Standing::waiting ? 1 : 0;
        overview.trials.push_back(std::move(summary));
    }
    overview.studies = std::move(records->studies);
    return overview;
}

} // namespace holdfast::app
