// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/imported.hpp"

#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/study/evidence_file.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

EffectView side_view(const study::ImportRecord& import, Role role) {
    const json effects = json::parse(import.effects_json, nullptr, false);
    const json side = effects.is_object() ? side_of(effects, role) : json(nullptr);
    return effect_view(side, Better::lower, 0); // only its numbers are shown
}

json side_document(const EffectView& effect) {
    if (effect.rounds == 0)
        return nullptr;
    const auto number = [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); };
    return {{"estimate", number(effect.estimate)},
            {"low", number(effect.low)},
            {"high", number(effect.high)},
            {"rounds", effect.rounds}};
}

std::string verdict_text(const study::ImportRecord& import) {
    return printable(import.verdict + (import.qualifier.empty() ? "" : " (" + import.qualifier + ")"));
}

} // namespace

Result<study::ImportRecord> check_import(std::string_view text) {
    auto file = study::read_evidence_file(text);
    if (!file)
        return tl::unexpected(file.error());
    const study::Recomputed again = study::recompute(*file);
    if (!again.fault.empty())
        return refused("import the evidence", again.fault, "Do not trust it; get it again from whoever measured.");
    study::ImportRecord import;
    import.digest = file->checksum;
    import.whole_digest = file->whole_digest;
    import.baseline_commit = file->study.baseline_commit;
    import.result_tree = file->trial.result_tree;
    import.configuration_json = canonical_json(file->trial.configuration_json);
    import.machine_json = file->study.machine_json;
    import.isolation_level = file->study.isolation_level;
    import.verdict = file->verdict.verdict;
    import.qualifier = file->verdict.qualifier;
    import.effects_json = file->verdict.effects_json;
    import.complete = file->complete;
    import.recomputed = again.done;
    import.document = text;
    return import;
}

std::vector<study::ImportRecord> measurements(std::vector<study::ImportRecord> imports) {
    std::vector<study::ImportRecord> kept;
    for (study::ImportRecord& import : imports) {
        const auto same = std::find_if(kept.begin(), kept.end(), [&](const study::ImportRecord& other) {
            return other.whole_digest == import.whole_digest;
        });
        if (same == kept.end())
            kept.push_back(std::move(import));
        else if (import.complete || !same->complete)
            *same = std::move(import);
    }
    return kept;
}

bool same_candidate(const study::ImportRecord& import, const std::string& baseline_commit,
                    const study::TrialRecord& trial) {
    return !trial.result_tree.empty() && import.result_tree == trial.result_tree &&
           import.baseline_commit == baseline_commit &&
           import.configuration_json == canonical_json(trial.configuration_json);
}

std::string import_words(const study::ImportRecord& import) {
    std::string text = fmt::format("also measured on {}: {}", machine_text(import.machine_json), verdict_text(import));
    for (const auto& [role, name] : {std::pair(Role::holdout, "held-out"), std::pair(Role::tuning, "tuning")})
        if (const EffectView effect = side_view(import, role); effect.rounds > 0)
            text += fmt::format(", {} {}", name, effect_text(effect));
    text += fmt::format(", isolation L{}", import.isolation_level);
    if (!import.complete)
        text += ", held-out samples left out";
    if (!import.recomputed)
        text += ", not computed again";
    return text + " (imported, not pooled)";
}

json import_document(const study::ImportRecord& import) {
    return {{"machine", machine_text(import.machine_json)},
            {"verdict", verdict_text(import)},
            {"tuning", side_document(side_view(import, Role::tuning))},
            {"holdout", side_document(side_view(import, Role::holdout))},
            {"isolation", import.isolation_level},
            {"complete", import.complete},
            {"recomputed", import.recomputed},
            {"commit", printable(import.baseline_commit)},
            {"evidence", import.whole_digest},
            {"time", import.time}};
}

} // namespace holdfast::review
