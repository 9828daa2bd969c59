// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/sheet.hpp"

#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/study/counting.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

std::vector<std::string> texts(const std::string& array) {
    std::vector<std::string> result;
    const json parsed = json::parse(array, nullptr, false);
    if (parsed.is_array())
        for (const json& entry : parsed)
            if (entry.is_string())
                result.push_back(printable(entry.get<std::string>()));
    return result;
}

void fill_effects(const Dossier& dossier, const json& effects, Sheet& sheet) {
    if (dossier.project) {
        const Metric& metric = claimed_metric(*dossier.project, effects);
        sheet.metric = printable(study::metric_label(metric.name, dossier.study.machine_json));
        sheet.unit = printable(metric.unit);
        sheet.better = metric.better;
        sheet.band = dossier.project->decision.minimum_effect;
    }
    const json &tuning = side_of(effects, Role::tuning), &held_out = side_of(effects, Role::holdout);
    sheet.tuning = effect_view(tuning, sheet.better, sheet.band);
    sheet.held_out = effect_view(held_out, sheet.better, sheet.band);
    sheet.has_tuning = sheet.tuning.rounds > 0;
    sheet.has_held_out = sheet.held_out.rounds > 0;
    sheet.gap = gap_words(effects);
    if (dossier.project) {
        sheet.rows = workload_rows(dossier, effects);
        sheet.resources = resource_changes(dossier);
        sheet.runs = run_points(dossier, claimed_metric(*dossier.project, effects).name);
        sheet.objectives = objective_rows(*dossier.project, effects);
        sheet.quality = quality_rows(dossier);
        count_checks(dossier, sheet);
    }
}

} // namespace

Sheet make_sheet(const Dossier& dossier) {
    Sheet sheet;
    sheet.number = dossier.trial.number;
    sheet.id = printable(dossier.trial.id);
    sheet.knobs = changed_knobs(dossier, true);
    sheet.title = title_of(dossier, changed_knobs(dossier, false));
    sheet.subtitle = subtitle_of(dossier);
    sheet.verdict = printable(dossier.verdict.verdict);
    if (!dossier.verdict.qualifier.empty())
        sheet.verdict += " (" + printable(dossier.verdict.qualifier) + ")";
    sheet.reasons = texts(dossier.verdict.reasons_json);
    json effects = json::parse(dossier.verdict.effects_json, nullptr, false);
    if (!effects.is_object())
        effects = json::object();
    fill_effects(dossier, effects, sheet);
    sheet.flags = flags_of(dossier);
    sheet.verdict_sentence = verdict_sentence(dossier, sheet);
    sheet.not_tested = not_tested(dossier);
    sheet.cost = cost_of(dossier);
    sheet.provenance = provenance_of(dossier);
    sheet.reproduce = reproduce_of(dossier);
    if (dossier.change)
        sheet.files = dossier.change->files;
    sheet.gates = dossier.gates;
    sheet.standing = dossier.standing;
    sheet.reviews = dossier.reviews;
    return sheet;
}

} // namespace holdfast::review
