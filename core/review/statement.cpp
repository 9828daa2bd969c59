// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/statement.hpp"

#include "core/project/hash.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

constexpr std::string_view schema = "holdfast/review/1";
constexpr std::array all_decisions{Decision::approved, Decision::rejected, Decision::rework};

/// The text exactly as it is stored and signed: bytes that are no UTF-8 become U+FFFD before anybody signs them.
std::string canonical(const json& value) {
    return canonical_json(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

Statement read(const json& root) {
    Statement statement;
    const auto word = root.at("decision").get<std::string>();
    for (Decision decision : all_decisions)
        if (word == to_text(decision))
            statement.decision = decision;
    root.at("trial").get_to(statement.trial);
    root.at("number").get_to(statement.number);
    root.at("reviewer").at("name").get_to(statement.reviewer.name);
    root.at("reviewer").at("email").get_to(statement.reviewer.email);
    root.at("head").get_to(statement.head);
    root.at("time").get_to(statement.time);
    root.at("comment").get_to(statement.comment);
    root.at("shared").get_to(statement.shared);
    root.at("acknowledged").get_to(statement.acknowledged);
    for (const json& item : root.at("overrides"))
        statement.overrides.push_back({item.at("gate").get<std::string>(), item.at("reason").get<std::string>()});
    const json& binding = root.at("binding");
    binding.at("baseline-commit").get_to(statement.binding.baseline_commit);
    binding.at("result-tree").get_to(statement.binding.result_tree);
    binding.at("evidence").get_to(statement.binding.evidence_digest);
    const json& configuration = binding.at("configuration");
    statement.binding.configuration_json = configuration.is_null() ? "" : canonical(configuration);
    return statement;
}

} // namespace

std::string_view to_text(Decision decision) {
    switch (decision) {
    case Decision::approved:
        return "approved";
    case Decision::rejected:
        return "rejected";
    case Decision::rework:
        return "rework";
    }
    return "";
}

std::string to_json(const Statement& statement) {
    json overrides = json::array();
    for (const Override& each : statement.overrides)
        overrides.push_back({{"gate", each.gate}, {"reason", each.reason}});
    // A decline may be about a trial whose stored configuration is damaged: it is bound to none then.
    auto configuration = json::parse(statement.binding.configuration_json, nullptr, false);
    if (configuration.is_discarded())
        configuration = nullptr;
    return canonical({{"schema", schema},
                      {"decision", to_text(statement.decision)},
                      {"trial", statement.trial},
                      {"number", statement.number},
                      {"reviewer", {{"name", statement.reviewer.name}, {"email", statement.reviewer.email}}},
                      {"head", statement.head},
                      {"time", statement.time},
                      {"comment", statement.comment},
                      {"shared", statement.shared},
                      {"acknowledged", statement.acknowledged},
                      {"overrides", std::move(overrides)},
                      {"binding",
                       {{"baseline-commit", statement.binding.baseline_commit},
                        {"result-tree", statement.binding.result_tree},
                        {"configuration", std::move(configuration)},
                        {"evidence", statement.binding.evidence_digest}}}});
}

Result<Statement> statement_from_json(const std::string& text) {
    const std::string attempted = "read what was decided";
    const std::string remedy = "Run `holdfast audit`, and decide again.";
    try {
        Statement statement = read(json::parse(text));
        // Canonical JSON has one spelling. Anything else (an unknown decision, another schema, a key written twice or
        // one too many) does not come back the same.
        if (to_json(statement) == text)
            return statement;
        return refused(attempted, "the stored statement is not of the form that holdfast writes", remedy);
    } catch (const json::exception&) {
        return refused(attempted, "the stored statement is damaged", remedy);
    }
}

} // namespace holdfast::review
