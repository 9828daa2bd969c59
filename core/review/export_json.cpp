// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/export_parts.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

/// A stored JSON text; null when it is damaged, which the dossier's evidence fault tells.
json stored(const std::string& text) {
    json value = json::parse(text, nullptr, false);
    return value.is_discarded() ? json(nullptr) : value;
}

json facts(const std::vector<std::pair<std::string, std::string>>& pairs) {
    json list = json::array();
    for (const auto& [what, value] : pairs)
        list.push_back({{"what", what}, {"value", value}});
    return list;
}

json decisions(const Dossier& dossier) {
    json list = json::array();
    for (const study::ReviewRecord& review : dossier.reviews)
        list.push_back({{"decision", review.decision},
                        {"time", review.time},
                        {"statement", stored(review.statement_json)},
                        {"signature", review.signature.empty() ? json(nullptr) : json(review.signature)}});
    return list;
}

json applications(const Dossier& dossier) {
    json list = json::array();
    for (const study::ApplicationRecord& each : dossier.applications)
        list.push_back({{"action", each.action},
                        {"commit", each.commit},
                        {"parent", each.parent},
                        {"branch", each.branch},
                        {"who", each.who},
                        {"time", each.time}});
    return list;
}

} // namespace

std::string trial_json(const Dossier& dossier, const Sheet& sheet) {
    json flags = json::array();
    for (const Flag& flag : sheet.flags)
        flags.push_back({{"name", flag.name}, {"evidence", flag.evidence}});
    const auto or_null = [](const std::string& text) { return text.empty() ? json(nullptr) : json(text); };
    const json document = {{"schema", "holdfast/trial/1"},
                           {"number", sheet.number},
                           {"id", dossier.trial.id},
                           {"kind", dossier.trial.kind},
                           {"tuner", dossier.trial.tuner},
                           {"title", sheet.title},
                           {"verdict", sheet.verdict},
                           {"sentence", sheet.verdict_sentence},
                           {"reasons", sheet.reasons},
                           {"flags", flags},
                           {"review", to_text(dossier.standing)},
                           {"configuration", stored(dossier.trial.configuration_json)},
                           {"patch", or_null(dossier.trial.patch)},
                           {"effects", stored(dossier.verdict.effects_json)},
                           {"evidence", stored(dossier.verdict.evidence_json)},
                           {"evidence-digest", dossier.verdict.evidence_digest},
                           {"evidence-fault", or_null(dossier.evidence_fault)},
                           {"decisions", decisions(dossier)},
                           {"applications", applications(dossier)},
                           {"not-tested", sheet.not_tested},
                           {"cost", facts(sheet.cost)},
                           {"provenance", facts(sheet.provenance)},
                           {"reproduce", sheet.reproduce}};
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace holdfast::review
