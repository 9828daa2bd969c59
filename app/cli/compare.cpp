// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/comparison.hpp"

#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/imported.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

using nlohmann::json;
using review::Comparison;
using review::EffectView;
using review::Sheet;

/// JSON has no infinity: an open end is null, as is what is unknown.
json number(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

json effect_document(const EffectView& effect) {
    if (effect.rounds == 0)
        return nullptr;
    return {{"estimate", number(effect.estimate)},
            {"low", number(effect.low)},
            {"high", number(effect.high)},
            {"rounds", effect.rounds},
            {"direction", review::to_text(effect.direction)}};
}

std::vector<std::string> flag_names(const Sheet& sheet) {
    std::vector<std::string> names;
    for (const review::Flag& flag : sheet.flags)
        names.push_back(flag.name);
    return names;
}

/// "! durability: fsync = off; over-stated": what costs safety comes first.
std::string flag_words(std::vector<std::string> names) {
    std::stable_partition(names.begin(), names.end(), review::is_danger);
    std::string words;
    for (const std::string& name : names)
        words += (words.empty() ? review::is_danger(name) ? "! " : "" : "; ") + printable(name);
    return words;
}

/// Other machines' evidence of each trial's candidate.
using Imports = std::vector<std::vector<study::ImportRecord>>;

json imports_document(const std::vector<study::ImportRecord>& imports) {
    json list = json::array();
    for (const study::ImportRecord& import : imports)
        list.push_back(review::import_document(import));
    return list;
}

json document_of(const Comparison& comparison, const Imports& imports) {
    json trials = json::array(), knobs = json::array(), workloads = json::array();
    for (const Sheet& sheet : comparison.trials)
        trials.push_back({{"number", sheet.number},
                          {"id", sheet.id},
                          {"title", sheet.title},
                          {"verdict", sheet.verdict},
                          {"sentence", sheet.verdict_sentence},
                          {"flags", flag_names(sheet)},
                          {"review", review::to_text(sheet.standing)},
                          {"metric", sheet.metric},
                          {"better", sheet.better == Better::lower ? "lower" : "higher"},
                          {"holdout", effect_document(sheet.held_out)},
                          {"tuning", effect_document(sheet.tuning)},
                          {"imported", imports_document(imports[trials.size()])}});
    for (const auto& [name, values] : comparison.knobs)
        knobs.push_back({{"name", name}, {"values", values}});
    for (const review::ComparedWorkload& workload : comparison.workloads) {
        json effects = json::array();
        for (const EffectView& effect : workload.effects)
            effects.push_back(effect_document(effect));
        workloads.push_back({{"name", workload.name},
                             {"role", workload.role == Role::tuning ? "tuning" : "holdout"},
                             {"effects", effects}});
    }
    return {{"schema", "holdfast/compare/1"},
            {"trials", trials},
            {"knobs", knobs},
            {"workloads", workloads},
            {"machines", comparison.machines},
            {"warnings", comparison.warnings}};
}

void print_comparison(const Comparison& comparison, const Imports& imports) {
    std::vector<std::vector<std::string>> rows{{""}, {"verdict"}, {"flagged"}, {"review"}, {"held-out"}, {"tuning"}};
    for (const Sheet& sheet : comparison.trials) {
        rows[0].push_back(fmt::format("#{}", sheet.number));
        rows[1].push_back(sheet.verdict);
        rows[2].push_back(flag_words(flag_names(sheet)));
        rows[3].emplace_back(review::to_text(sheet.standing));
        rows[4].push_back(review::effect_words(sheet.held_out));
        rows[5].push_back(review::effect_words(sheet.tuning));
    }
    for (const review::ComparedWorkload& workload : comparison.workloads) {
        std::vector<std::string> row{
            fmt::format("  {} {}", workload.role == Role::tuning ? "tuning" : "held-out", workload.name)};
        for (const EffectView& effect : workload.effects)
            row.push_back(review::effect_words(effect));
        rows.push_back(std::move(row));
    }
    for (const auto& [name, values] : comparison.knobs) {
        std::vector<std::string> row{name};
        row.insert(row.end(), values.begin(), values.end());
        rows.push_back(std::move(row));
    }
    fmt::print("{}", table(rows));
    for (std::size_t i = 0; i < imports.size(); ++i)
        for (const study::ImportRecord& import : imports[i])
            fmt::print("#{} {}\n", comparison.trials[i].number, review::import_words(import));
    for (std::size_t i = 0; i < comparison.machines.size(); ++i)
        for (const std::string& difference : comparison.machines[i])
            fmt::print("#{} on another machine than #{}: {}\n", comparison.trials[i].number,
                       comparison.trials.front().number, difference);
    for (const std::string& warning : comparison.warnings)
        fmt::print("warning: {}\n", warning);
}

} // namespace

Result<int> compare(const Common& common, const std::vector<std::string>& ids) {
    auto repository = git::Repository::open(common.folder);
    if (!repository)
        return tl::unexpected(repository.error());
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto all_imports = (*store)->imports();
    if (!all_imports)
        return tl::unexpected(all_imports.error());
    std::vector<review::Dossier> dossiers;
    Imports imports;
    for (const std::string& id : ids) {
        auto dossier = review::open_dossier(**store, *repository, common.folder, id);
        if (!dossier)
            return tl::unexpected(dossier.error());
        imports.emplace_back();
        for (const study::ImportRecord& import : *all_imports)
            if (review::same_candidate(import, dossier->study.baseline_commit, dossier->trial))
                imports.back().push_back(import);
        dossiers.push_back(std::move(*dossier));
    }
    auto comparison = review::compare(dossiers);
    if (!comparison)
        return tl::unexpected(comparison.error());
    if (common.json)
        print_document(document_of(*comparison, imports));
    else
        print_comparison(*comparison, imports);
    return Exit::done;
}

} // namespace holdfast::cli
