// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a stored approval still is what the person gave, for what they saw.
#include "core/project/text.hpp"
#include "core/review/gates.hpp"
#include "core/review/rules.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

std::string again(const Dossier& dossier) {
    return fmt::format("Review it again: in the desktop, or with `holdfast approve {}`.", dossier.trial.number);
}

/// What differs between the row and the statement in it; "" when nothing does.
std::string row_fault(const study::ReviewRecord& row, const Statement& statement, const Dossier& dossier) {
    if (statement.trial != dossier.trial.id || statement.number != dossier.trial.number)
        return "the statement is about another trial";
    if (statement.decision != Decision::approved)
        return "the statement does not approve";
    if (row.reviewer_name != statement.reviewer.name || row.reviewer_email != statement.reviewer.email)
        return "the row names another reviewer than its statement";
    if (row.comment != statement.comment)
        return "the row has another comment than its statement";
    if (row.time != statement.time || row.shared != statement.shared)
        return "the row has another time than its statement";
    return "";
}

std::string configuration_fault(const std::string& now_json, const std::string& approved_json) {
    const json now = json::parse(now_json, nullptr, false), approved = json::parse(approved_json, nullptr, false);
    if (now == approved)
        return "";
    if (!now.is_object() || !approved.is_object())
        return "the configuration is not the approved one";
    const auto value = [](const json& configuration, const std::string& knob) {
        const auto found = configuration.find(knob);
        return found == configuration.end() ? std::string("not set") : printable(found->dump());
    };
    json all = now;
    all.update(approved);
    for (const auto& [knob, unused] : all.items())
        if (value(now, knob) != value(approved, knob))
            return fmt::format("the knob {} is now {}, approved was {}", printable(knob), value(now, knob),
                               value(approved, knob));
    return "the configuration is not the approved one";
}

std::string binding_fault(const Binding& now, const Binding& approved) {
    const auto differs = [](const char* what, const std::string& is, const std::string& was) {
        return is == was ? std::string()
                         : fmt::format("the {} is now {}, approved was {}", what, printable(is), printable(was));
    };
    std::string fault = differs("baseline commit", now.baseline_commit, approved.baseline_commit);
    if (fault.empty())
        fault = configuration_fault(now.configuration_json, approved.configuration_json);
    if (fault.empty())
        fault = differs("result tree", now.result_tree, approved.result_tree);
    if (fault.empty())
        fault = differs("evidence", now.evidence_digest, approved.evidence_digest);
    return fault;
}

/// The gates that must still hold. An applied change has moved the base itself, and it is not waiting to be applied.
Result<void> check_gates(const Dossier& dossier, const Statement& statement, const std::string& attempted) {
    const bool there_already =
        dossier.standing == Standing::applied || (dossier.change && dossier.head.commit.tree == dossier.change->tree);
    const Answers answers{statement.acknowledged, statement.overrides};
    for (const Gate& gate : approval_gates(dossier, answers, true)) {
        if (gate.name == "not applied" || gate.name == "signature" || // which is one already, or is none
            (gate.name == "base" && there_already && dossier.base.commit))
            continue;
        if (!gate.held)
            return refused(attempted, fmt::format("{}: {}", gate.name, gate.found), gate.remedy);
        // The word was about that HEAD, whose merge the person could see.
        if (gate.name == "base" && !gate.override_reason.empty() && statement.head != dossier.head.commit.id)
            return refused(attempted,
                           fmt::format("HEAD is {:.12} now; `base moved` was said when it was {:.12}",
                                       dossier.head.commit.id, printable(statement.head)),
                           again(dossier));
    }
    return {};
}

Result<void> check_signature(const Dossier& dossier, const study::ReviewRecord& row, Signatures& signatures,
                             const std::string& attempted) {
    const bool is_signed = !row.signature.empty();
    if (!dossier.signature.fault.empty() && (is_signed || dossier.signature.required))
        return refused(attempted, "its signature cannot be checked: " + dossier.signature.fault, again(dossier));
    if (is_signed)
        return signatures.verify(row.statement_json, row.signature, row.reviewer_email,
                                 dossier.signature.allowed_signers);
    if (dossier.signature.required)
        return refused(attempted, "it is unsigned, and " + dossier.signature.because, again(dossier));
    return {};
}

} // namespace

Result<Statement> check_approval(const Dossier& dossier, Signatures& signatures) {
    const std::string attempted = fmt::format("rely on the approval of trial {}", dossier.trial.number);
    const study::ReviewRecord* row = dossier.approval();
    if (row == nullptr)
        return refused(attempted,
                       dossier.standing == Standing::none
                           ? fmt::format("its verdict is {}: it was not proposed", printable(dossier.verdict.verdict))
                           : fmt::format("it is {}, not approved", to_text(dossier.standing)),
                       dossier.standing == Standing::none
                           ? std::string("Only what was proposed can be approved; formats that carry no change (json, "
                                         "markdown, html, csv) need no approval.")
                           : fmt::format("Approve it first: in the desktop's review, or with `holdfast approve {}`.",
                                         dossier.trial.number));
    auto statement = statement_from_json(row->statement_json);
    if (!statement)
        return statement;
    if (const std::string fault = row_fault(*row, *statement, dossier); !fault.empty())
        return refused(attempted, fault, "Run `holdfast audit`.");
    // The binding first, as far as it can be told: what differs says more than that the evidence does not hold.
    if (dossier.change) {
        const Binding now{dossier.study.baseline_commit, dossier.change->tree, dossier.trial.configuration_json,
                          dossier.verdict.evidence_digest};
        if (const std::string fault = binding_fault(now, statement->binding); !fault.empty())
            return refused(attempted, fault, again(dossier));
    }
    auto binding = dossier.binding();
    if (!binding)
        return tl::unexpected(binding.error());
    if (*binding != statement->binding)
        return refused(attempted, binding_fault(*binding, statement->binding), again(dossier));
    if (auto hold = check_gates(dossier, *statement, attempted); !hold)
        return tl::unexpected(hold.error());
    if (auto verified = check_signature(dossier, *row, signatures, attempted); !verified)
        return tl::unexpected(verified.error());
    return statement;
}

} // namespace holdfast::review
