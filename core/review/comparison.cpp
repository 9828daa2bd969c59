// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/comparison.hpp"

#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/study/fingerprint.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace holdfast::review {

namespace {

using nlohmann::json;

constexpr std::size_t most_trials = 6;

Result<void> check(const std::vector<Dossier>& dossiers) {
    const std::string attempted = "compare trials";
    if (dossiers.size() < 2 || dossiers.size() > most_trials)
        return invalid(attempted, fmt::format("{} given", dossiers.size()), "Name two to six decided trials");
    std::set<std::string> seen;
    for (const Dossier& dossier : dossiers)
        if (!seen.insert(dossier.trial.id).second)
            return invalid(attempted, fmt::format("trial {} is named twice", dossier.trial.number),
                           "Name each trial once");
    return {};
}

/// The value as a person reads it; "-": the project of that time had no such knob.
std::string value_text(const json& configuration, const std::string& knob) {
    const auto value = configuration.is_object() ? configuration.find(knob) : configuration.end();
    if (!configuration.is_object() || value == configuration.end())
        return "-";
    return printable(value->is_string() ? value->get<std::string>() : value->dump());
}

void compare_knobs(const std::vector<Dossier>& dossiers, Comparison& comparison) {
    std::vector<json> configurations;
    std::set<std::string> names;
    for (const Dossier& dossier : dossiers) {
        configurations.push_back(json::parse(dossier.trial.configuration_json, nullptr, false));
        if (configurations.back().is_object())
            for (const auto& [name, value] : configurations.back().items())
                names.insert(name);
    }
    for (const std::string& name : names) {
        std::vector<std::string> values;
        for (const json& configuration : configurations)
            values.push_back(value_text(configuration, name));
        if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end())
            comparison.knobs.emplace_back(printable(name), std::move(values));
    }
}

void compare_workloads(Comparison& comparison) {
    for (std::size_t trial = 0; trial < comparison.trials.size(); ++trial)
        for (const WorkloadRow& row : comparison.trials[trial].rows) {
            auto& all = comparison.workloads;
            auto found = std::find_if(all.begin(), all.end(), [&](const ComparedWorkload& each) {
                return each.name == row.name && each.role == row.role;
            });
            if (found == all.end()) {
                const EffectView nothing = effect_view(nullptr, Better::lower, 0);
                const std::vector<std::vector<double>> no_values(comparison.trials.size());
                all.push_back({row.name, row.role, std::vector<EffectView>(comparison.trials.size(), nothing),
                               no_values, no_values});
                found = all.end() - 1;
            }
            found->effects[trial] = row.effect;
            found->baseline[trial] = row.baseline;
            found->candidate[trial] = row.candidate;
        }
    std::stable_sort(comparison.workloads.begin(), comparison.workloads.end(),
                     [](const ComparedWorkload& a, const ComparedWorkload& b) {
                         return a.role == Role::tuning && b.role == Role::holdout;
                     });
}

/// Adds `warning` unless `value` is the same of all dossiers.
template <class Value>
void warn(const std::vector<Dossier>& dossiers, Comparison& comparison, const char* warning, const Value& value) {
    for (const Dossier& dossier : dossiers)
        if (value(dossier) != value(dossiers.front())) {
            comparison.warnings.emplace_back(warning);
            return;
        }
}

/// What differs, where it is known: of fingerprints alone nobody learns what to change.
void warn_of_machines(const std::vector<Dossier>& dossiers, Comparison& comparison) {
    const std::string& first = dossiers.front().study.machine_json;
    bool differ = false;
    std::set<std::string> differences;
    for (const Dossier& dossier : dossiers) {
        const std::string& machine = dossier.study.machine_json;
        const auto found = study::machine_differences(first, machine);
        differences.insert(found.begin(), found.end());
        const std::string fingerprint = study::fingerprint_of(machine);
        differ = differ || !found.empty() ||
                 (fingerprint.empty() ? machine != first : fingerprint != study::fingerprint_of(first));
    }
    if (differ)
        comparison.warnings.push_back(
            fmt::format("measured on different machines: the changes are not on one scale{}",
                        differences.empty() ? "" : fmt::format(" ({})", fmt::join(differences, "; "))));
}

void add_warnings(const std::vector<Dossier>& dossiers, Comparison& comparison) {
    warn(dossiers, comparison, "measured against different baselines: the changes are not on one scale",
         [](const Dossier& d) { return d.study.baseline_tree; });
    warn_of_machines(dossiers, comparison);
    warn(dossiers, comparison, "measured with different objectives: the changes are not on one scale",
         [](const Dossier& d) { return d.project ? d.project->objective : ""; });
    warn(dossiers, comparison, "the project file was not the same: rules and workloads may differ",
         [](const Dossier& d) { return d.study.frozen_json; });
    warn(dossiers, comparison, "decided in different studies: each has its own share of false proposals",
         [](const Dossier& d) { return d.study.id; });
}

} // namespace

Result<Comparison> compare(const std::vector<Dossier>& dossiers) {
    if (auto checked = check(dossiers); !checked)
        return tl::unexpected(checked.error());
    Comparison comparison;
    for (const Dossier& dossier : dossiers)
        comparison.trials.push_back(make_sheet(dossier));
    compare_knobs(dossiers, comparison);
    compare_workloads(comparison);
    for (const Dossier& dossier : dossiers)
        comparison.machines.push_back(
            study::machine_differences(dossiers.front().study.machine_json, dossier.study.machine_json));
    add_warnings(dossiers, comparison);
    return comparison;
}

} // namespace holdfast::review
