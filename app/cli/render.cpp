// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/render.hpp"

#include "app/common/wording.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

using nlohmann::json;

json brief(const json& effects, const char* side) {
    const auto found = effects.find(side);
    if (found == effects.end() || found->is_null())
        return nullptr;
    return {{"estimate", found->at("estimate")},
            {"low", found->at("low")},
            {"high", found->at("high")},
            {"rounds", found->at("rounds")}};
}

std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

} // namespace

std::string standing_text(const study::TrialRecord& trial, const study::VerdictRecord* verdict,
                          const app::Records& records) {
    const std::string danger = records.danger(trial);
    return app::standing(trial, verdict) + (danger.empty() ? "" : " " + danger);
}

std::string review_text(review::Standing standing) {
    return std::string(review::to_text(standing == review::Standing::applied ? review::Standing::approved : standing));
}

json trial_document(const study::TrialRecord& trial, const app::Records& records) {
    const study::VerdictRecord* verdict = records.verdict(trial.id);
    const study::ApplicationRecord* application = records.application(trial.id);
    const bool applied = application != nullptr && application->action == "applied";
    json document = {{"id", trial.id},
                     {"number", trial.number},
                     {"study", trial.study.empty() ? json(nullptr) : json(trial.study)},
                     {"kind", trial.kind},
                     {"tuner", trial.tuner},
                     {"state", study::to_text(trial.state)},
                     {"verdict", nullptr},
                     {"reasons", json::array()},
                     {"flags", json::array()},
                     {"tuning", nullptr},
                     {"holdout", nullptr},
                     {"configuration", json::parse(trial.configuration_json)},
                     {"search", trial.search_json.empty() ? json(nullptr) : json::parse(trial.search_json)},
                     {"evidence", nullptr},
                     {"review", review_text(records.standing(trial.id))},
                     {"applied", applied ? json(application->commit) : json(nullptr)}};
    if (const auto flags = records.flags.find(trial.id); flags != records.flags.end())
        document["flags"] = flags->second;
    if (verdict != nullptr) {
        const json effects = json::parse(verdict->effects_json);
        document["verdict"] = verdict->verdict + (verdict->qualifier.empty() ? "" : " (" + verdict->qualifier + ")");
        document["reasons"] = json::parse(verdict->reasons_json);
        document["tuning"] = brief(effects, "tuning");
        document["holdout"] = brief(effects, "holdout");
        document["evidence"] = verdict->evidence_digest;
    }
    return document;
}

const study::TrialRecord* find_trial(const std::vector<study::TrialRecord>& trials, const std::string& id) {
    const auto found = std::find_if(trials.begin(), trials.end(), [&](const study::TrialRecord& trial) {
        return trial.id == id || std::to_string(trial.number) == id || "#" + std::to_string(trial.number) == id;
    });
    return found == trials.end() ? nullptr : &*found;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths.resize(std::max(widths.size(), i + 1));
            widths[i] = std::max(widths[i], width(row[i]));
        }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(i + 1 < row.size() ? widths[i] - width(row[i]) + 2 : 0, ' ');
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::pair<std::size_t, std::string>>& lines) {
    const std::string text = table(rows);
    std::string result;
    std::size_t at = 0, line = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (; line < lines.size() && lines[line].first <= row; ++line)
            result += lines[line].second;
        const std::size_t end = text.find('\n', at) + 1;
        result += text.substr(at, end - at);
        at = end;
    }
    return result;
}

} // namespace holdfast::cli
