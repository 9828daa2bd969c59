// SPDX-License-Identifier: GPL-3.0-or-later
// A sheet's rows of several objectives and of quality.
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/study/evidence.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

bool harmed(const json& side) {
    const json& guards = member(side, "guards");
    return guards.is_array() && std::any_of(guards.begin(), guards.end(), [](const json& guard) {
               return member(guard, "kind") == "harm" && member(guard, "worse") == true;
           });
}

} // namespace

std::size_t claimed_objective(const Project& project, const json& effects) {
    const json& metric = member(effects, "metric");
    const auto found = std::find_if(project.objectives.begin(), project.objectives.end(),
                                    [&](const std::string& name) { return metric == name; });
    return found == project.objectives.end() ? 0 : static_cast<std::size_t>(found - project.objectives.begin());
}

const Metric& claimed_metric(const Project& project, const json& effects) {
    const std::size_t claimed = claimed_objective(project, effects);
    return project.metric(claimed == 0 ? project.objective : project.objectives[claimed]);
}

std::vector<ObjectiveRow> objective_rows(const Project& project, const json& effects) {
    std::vector<ObjectiveRow> rows;
    const json& objectives = member(effects, "objectives");
    if (!objectives.is_array())
        return rows;
    for (const json& objective : objectives) {
        const json& name = member(objective, "metric");
        if (!name.is_string() || std::find(project.objectives.begin(), project.objectives.end(),
                                           name.get<std::string>()) == project.objectives.end())
            continue; // a damaged record, which the evidence fault tells
        const Metric& metric = project.metric(name.get<std::string>());
        const json &tuning = member(objective, "tuning"), &held_out = member(objective, "holdout");
        ObjectiveRow row;
        row.metric = printable(metric.name);
        row.unit = printable(metric.unit);
        row.better = metric.better;
        row.claimed = member(objective, "claimed") == true;
        row.tuning = effect_view(tuning, metric.better, project.decision.minimum_effect);
        row.held_out = effect_view(held_out, metric.better, project.decision.minimum_effect);
        row.has_held_out = row.held_out.rounds > 0;
        row.traded = !row.claimed && (harmed(tuning) || harmed(held_out));
        rows.push_back(std::move(row));
    }
    // Without an accepted one nothing is traded.
    if (std::none_of(rows.begin(), rows.end(), [](const ObjectiveRow& row) { return row.claimed; }))
        for (ObjectiveRow& row : rows)
            row.traded = false;
    return rows;
}

std::vector<QualityRow> quality_rows(const Dossier& dossier) {
    std::vector<QualityRow> rows;
    for (const decision::QualitySeen& seen : study::all_quality(*dossier.project, dossier.samples)) {
        QualityRow row;
        row.workload = printable(seen.workload);
        for (const Workload& workload : dossier.project->workloads)
            if (workload.name == seen.workload)
                row.role = workload.role;
        row.metric = seen.metric.empty() ? "quality" : printable(seen.metric);
        row.kept = seen.kept;
        row.lost = seen.lost;
        row.seeds = seen.seeds.size();
        row.text = printable(decision::describe(seen));
        row.worst = printable(decision::worst_words(seen));
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace holdfast::review
