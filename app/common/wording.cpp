// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/wording.hpp"

#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/study/measure.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::app {

using nlohmann::json;

std::string effect_text(const json& effect) {
    return effect.is_null() ? "-" : review::effect_view(effect, Better::lower, 0).text;
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
    std::string text = study::compared_revisions(trial) ? "a commit" : trial.patch.empty() ? "" : "patch";
    for (const auto& [name, value] : configuration.items())
        if (!defaults.contains(name) || defaults.at(name) != value)
            text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", name,
                                defaults.contains(name) ? word(defaults.at(name)) : "?", word(value));
    return text.empty() ? "nothing" : printable(text);
}

} // namespace holdfast::app
