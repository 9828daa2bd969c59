// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/project_document.hpp"

#include "core/decision/rule.hpp"
#include "core/project/card.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <variant>

namespace holdfast::cli {

std::string range_of(const Knob& knob) {
    switch (knob.type) {
    case Knob::Type::boolean:
        return "true, false";
    case Knob::Type::categorical: {
        std::string text;
        for (const std::string& value : knob.values)
            text += (text.empty() ? "" : ", ") + value;
        return text;
    }
    case Knob::Type::integer:
    case Knob::Type::real:
        return fmt::format("{} to {}{}", knob.min, knob.max, knob.log_scale ? ", log scale" : "");
    }
    return "";
}

std::string place_of(const Knob& knob) {
    return knob.through == Knob::Through::file ? fmt::format("; {} in {}", knob.key, knob.target) : "";
}

std::vector<std::string> variant_names(const Workload& workload) {
    std::vector<std::string> names;
    for (const Variant& variant : workload.variants)
        names.push_back(printable(variant.name));
    return names;
}

namespace {

nlohmann::json through_document(const Knob& knob) {
    switch (knob.through) {
    case Knob::Through::argument:
        return {{"argument", knob.target}};
    case Knob::Through::environment:
        return {{"environment", knob.target}};
    case Knob::Through::cmake:
        return {{"cmake", knob.target}};
    case Knob::Through::make:
        return {{"make", knob.target}};
    case Knob::Through::file:
        return {{"file", knob.target}, {"format", to_text(knob.format)}, {"key", knob.key}, {"value", knob.text}};
    }
    return {};
}

nlohmann::json knob_document(const Knob& knob) {
    nlohmann::json document = {{"name", knob.name}, {"through", through_document(knob)}};
    std::visit([&](const auto& value) { document["default"] = value; }, knob.default_value);
    switch (knob.type) {
    case Knob::Type::boolean:
        document["type"] = "boolean";
        break;
    case Knob::Type::categorical:
        document["type"] = "categorical";
        document["values"] = knob.values;
        break;
    case Knob::Type::integer:
        document["type"] = "integer";
        document["min"] = static_cast<std::int64_t>(knob.min);
        document["max"] = static_cast<std::int64_t>(knob.max);
        document["scale"] = knob.log_scale ? "log" : "linear";
        break;
    case Knob::Type::real:
        document["type"] = "real";
        document["min"] = knob.min;
        document["max"] = knob.max;
        document["scale"] = knob.log_scale ? "log" : "linear";
        break;
    }
    return document;
}

nlohmann::json proxies_document(const std::vector<study::ProxyProof>& proxies) {
    nlohmann::json list = nlohmann::json::array();
    for (const study::ProxyProof& proof : proxies) {
        const stats::Correlation& found = proof.correlation;
        const bool known = std::isfinite(found.value);
        list.push_back({{"metric", proof.metric},
                        {"for", proof.stands_for},
                        {"correlation", known ? nlohmann::json(found.value) : nlohmann::json()},
                        {"low", known ? nlohmann::json(found.interval.low) : nlohmann::json()},
                        {"high", known ? nlohmann::json(found.interval.high) : nlohmann::json()},
                        {"trials", found.pairs},
                        {"proven", proof.proven()}});
    }
    return list;
}

/// Pairs that share nothing are left out.
nlohmann::json split_document(const std::optional<study::Split>& split) {
    if (!split)
        return nullptr;
    nlohmann::json pairs = nlohmann::json::array();
    for (const study::SplitPair& pair : split->pairs)
        if (pair.content > 0)
            pairs.push_back({{"tuning", printable(pair.tuning)},
                             {"holdout", printable(pair.holdout)},
                             {"similarity", pair.content},
                             {"near-copy", pair.near_copy()},
                             {"how", pair.how}});
    return {{"leakage", split->leakage}, {"leaky", split->leaky()}, {"pairs", std::move(pairs)}};
}

nlohmann::json card_document(const WorkloadCard& card) {
    if (card_text(card).empty())
        return nullptr;
    return {{"about", printable(card.about)},
            {"use", printable(card.use)},
            {"size", printable(card.size)},
            {"sensitivity", printable(card.sensitivity)}};
}

const study::CalibrationStanding* standing_of(const Standings& standings, const std::string& workload,
                                              const std::string& metric) {
    const auto found = std::find_if(standings.begin(), standings.end(), [&](const auto& standing) {
        return standing.workload == workload && standing.metric == metric;
    });
    return found == standings.end() ? nullptr : &*found;
}

/// The effect that a study of as many rounds as it may take proves in eight of ten.
nlohmann::json provable_document(const study::CalibrationStanding* known) {
    if (known == nullptr || !known->calibration || !known->faults.empty() || known->calibration->self.provable.empty())
        return nullptr;
    const stats::Provable& last = known->calibration->self.provable.back();
    const double effect = std::abs(decision::as_change(last.effect, known->calibration->better));
    return {{"rounds", last.rounds},
            {"effect", std::isfinite(last.effect) ? nlohmann::json(effect) : nlohmann::json()}};
}

} // namespace

nlohmann::json project_document(const Project& project, const Surroundings& around, double threshold,
                                const Standings& known) {
    nlohmann::json workloads = nlohmann::json::array(), knobs = nlohmann::json::array();
    for (const Workload& workload : project.workloads)
        workloads.push_back(
            {{"name", workload.name},
             {"role", workload.role == Role::tuning ? "tuning" : "holdout"},
             {"readable",
              workload.role == Role::tuning || workload.readable_holdout || around.readable.contains(workload.name)},
             {"fresh-seeds", workload.fresh_seeds},
             {"variants", variant_names(workload)},
             {"card", card_document(workload.card)},
             {"smallest-provable", provable_document(standing_of(known, workload.name, project.objective))}});
    for (const Knob& knob : project.knobs)
        knobs.push_back(knob_document(knob));
    const DecisionSettings& rule = project.decision;
    return {{"schema", "holdfast/validate/1"},
            {"valid", true},
            {"problems", nlohmann::json::array()},
            {"name", project.name},
            {"objective", project.objective},
            {"objectives", project.objectives},
            {"better", project.metric(project.objective).better == Better::lower ? "lower" : "higher"},
            {"workloads", std::move(workloads)},
            {"knobs", std::move(knobs)},
            {"self-reported", project.metric(project.objective).self_reported()},
            {"proxies", proxies_document(around.proxies)},
            {"threshold", threshold},
            {"split", split_document(around.split)},
            {"questions",
             {{"budget", rule.holdout_questions},
              {"asked-by-hand", around.asked_by_hand ? nlohmann::json(*around.asked_by_hand) : nlohmann::json()}}},
            {"decision",
             {{"minimum-effect", rule.minimum_effect},
              {"harm-margin", rule.harm_margin},
              {"false-proposal-rate", rule.false_proposal_rate},
              {"max-confirmations", rule.max_confirmations},
              {"max-pairs", rule.max_pairs},
              {"holdout-pairs", rule.holdout_pairs ? nlohmann::json(*rule.holdout_pairs) : nlohmann::json()},
              {"holdout-questions", rule.holdout_questions},
              {"quarantine", rule.quarantine}}}};
}

} // namespace holdfast::cli
