// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/wording.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::app {

using nlohmann::json;

namespace {

/// Null is an open end.
std::string percent(const json& fraction, bool open_end_is_low) {
    if (!fraction.is_number())
        return open_end_is_low ? "−∞" : "∞";
    return decision::percent_text(fraction.get<double>());
}

} // namespace

std::string effect_text(const json& effect) {
    if (effect.is_null())
        return "-";
    return fmt::format("{} % [{}, {}]", percent(effect.at("estimate"), true), percent(effect.at("low"), true),
                       percent(effect.at("high"), false));
}

std::string standing(const study::TrialRecord& trial, const study::VerdictRecord* verdict) {
    if (verdict != nullptr)
        return verdict->verdict + (verdict->qualifier.empty() ? "" : " (" + verdict->qualifier + ")");
    if (trial.tuner == "measure")
        return "measured by hand";
    if (trial.state == study::State::done)
        return "searched, not sent on";
    return std::string(study::to_text(trial.state));
}

std::string change_text(const study::TrialRecord& trial, const std::string& defaults_json) {
    const json configuration = json::parse(trial.configuration_json);
    const json defaults = json::parse(defaults_json);
    const auto word = [](const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
    std::string text = trial.patch.empty() ? "" : "patch";
    for (const auto& [name, value] : configuration.items())
        if (!defaults.contains(name) || defaults.at(name) != value)
            text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", name,
                                defaults.contains(name) ? word(defaults.at(name)) : "?", word(value));
    return text.empty() ? "nothing" : printable(text);
}

} // namespace holdfast::app
