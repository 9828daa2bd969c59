// SPDX-License-Identifier: GPL-3.0-or-later
// A person's decision, written down and bound to what was measured.
#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/review/gates.hpp"
#include "core/review/reason.hpp"
#include "core/review/rules.hpp"
#include "core/study/clock.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::review {

namespace {

Result<void> check_identity(const git::Identity& reviewer, const std::string& attempted) {
    if (trimmed(reviewer.name).empty() || trimmed(reviewer.email).empty())
        return invalid(attempted, "nobody is named as the reviewer",
                       "Run `git config --global user.name \"Your Name\"` and "
                       "`git config --global user.email you@example.org`.");
    return {};
}

Result<void> check_presence(const Dossier& dossier, const Presence& presence, const std::string& attempted) {
    if (presence.place == Presence::Place::none)
        return refused(attempted, "no person is there to decide",
                       "Approve on a terminal with `holdfast approve`, or in the desktop.");
    if (presence.place == Presence::Place::terminal && presence.retyped != std::to_string(dossier.trial.number))
        return refused(attempted, fmt::format("the number typed is not {}", dossier.trial.number),
                       "Type the proposal's number.");
    return {};
}

/// What the person looked at may have been decided or applied by another process meanwhile.
Result<void> check_still_so(const study::Store& store, const Dossier& dossier, const std::string& attempted) {
    const auto reviews = store.reviews();
    if (!reviews)
        return tl::unexpected(reviews.error());
    const auto applications = store.applications();
    if (!applications)
        return tl::unexpected(applications.error());
    const auto count = [&](const auto& rows) {
        return static_cast<std::size_t>(
            std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.trial == dossier.trial.id; }));
    };
    if (count(*reviews) != dossier.reviews.size() || count(*applications) != dossier.applications.size())
        return refused(attempted, "somebody has decided about it since it was opened", "Open it again.");
    return {};
}

Statement statement_of(const Dossier& dossier, Decision decision, const git::Identity& reviewer,
                       const std::string& comment) {
    Statement statement;
    statement.decision = decision;
    statement.trial = dossier.trial.id;
    statement.number = dossier.trial.number;
    statement.reviewer = reviewer;
    statement.head = dossier.head.commit.id;
    statement.time = study::utc_now();
    statement.comment = comment;
    return statement;
}

/// The row of `statement`, its texts as the canonical statement has them.
Result<study::ReviewRecord> row_of(const Statement& statement) {
    study::ReviewRecord row;
    row.statement_json = to_json(statement);
    auto written = statement_from_json(row.statement_json);
    if (!written)
        return tl::unexpected(written.error());
    row.trial = written->trial;
    row.decision = to_text(written->decision);
    row.reviewer_name = written->reviewer.name;
    row.reviewer_email = written->reviewer.email;
    row.comment = written->comment;
    row.shared = written->shared;
    row.time = written->time;
    return row;
}

Result<void> sign(study::ReviewRecord& row, const Dossier& dossier, Signatures& signatures) {
    if (!signatures.can_sign())
        return {}; // the gates have seen that it may stay unsigned
    auto signature = signatures.sign(row.statement_json);
    if (!signature)
        return tl::unexpected(signature.error());
    row.signature = std::move(*signature);
    return signatures.verify(row.statement_json, row.signature, row.reviewer_email, dossier.signature.allowed_signers);
}

} // namespace

Result<study::ReviewRecord> approve(study::Store& store, const Dossier& dossier, const Approval& approval,
                                    Signatures& signatures) {
    const std::string attempted = fmt::format("approve trial {}", dossier.trial.number);
    if (auto present = check_presence(dossier, approval.presence, attempted); !present)
        return tl::unexpected(present.error());
    if (auto known = check_identity(approval.reviewer, attempted); !known)
        return tl::unexpected(known.error());
    const bool can_sign = signatures.can_sign();
    if (auto sound = check_answers(dossier, approval.answers, approval_gates(dossier, {}, can_sign), attempted); !sound)
        return tl::unexpected(sound.error());
    for (const Gate& gate : approval_gates(dossier, approval.answers, can_sign))
        if (!gate.held)
            return refused(attempted, fmt::format("{}: {}", gate.name, gate.found), gate.remedy);
    if (auto still = check_still_so(store, dossier, attempted); !still)
        return tl::unexpected(still.error());

    Statement statement = statement_of(dossier, Decision::approved, approval.reviewer, trimmed(approval.comment));
    statement.acknowledged = approval.answers.acknowledged;
    statement.overrides = approval.answers.overrides;
    for (Override& each : statement.overrides)
        each.reason = trimmed(each.reason);
    auto binding = dossier.binding();
    if (!binding)
        return tl::unexpected(binding.error());
    statement.binding = std::move(*binding);
    auto row = row_of(statement);
    if (!row)
        return row;
    if (auto is_signed = sign(*row, dossier, signatures); !is_signed)
        return tl::unexpected(is_signed.error());
    if (auto added = store.add_review(*row); !added)
        return tl::unexpected(added.error());
    return row;
}

Result<study::ReviewRecord> decline(study::Store& store, const Dossier& dossier, Decision decision,
                                    const std::string& reason, bool shared, const git::Identity& reviewer) {
    const std::string attempted =
        fmt::format("{} trial {}", decision == Decision::rework ? "ask for rework of" : "reject", dossier.trial.number);
    if (decision == Decision::approved)
        return refused(attempted, "an approval is no way to decline", "Approve it with `holdfast approve`.");
    if (shared && decision != Decision::rework)
        return invalid(attempted, "only the reason of a rework can be shared with the tuner", "Do not share it.");
    if (auto known = check_identity(reviewer, attempted); !known)
        return tl::unexpected(known.error());
    const std::string text = trimmed(reason);
    if (text.empty())
        return invalid(attempted, "no reason is given", "Say why.");
    if (dossier.standing == Standing::applied)
        return refused(attempted, "it is applied",
                       fmt::format("Take it back first: holdfast revert {}", dossier.trial.number));
    if (!dossier.unrecorded.empty())
        return refused(attempted,
                       fmt::format("the commit {:.10} on its branch is one of which the history does not know: an "
                                   "apply was cut off",
                                   dossier.unrecorded),
                       fmt::format("Finish it with `holdfast apply {0}` and take it back with `holdfast revert {0}`.",
                                   dossier.trial.number));
    if (auto still = check_still_so(store, dossier, attempted); !still)
        return tl::unexpected(still.error());

    Statement statement = statement_of(dossier, decision, reviewer, text);
    statement.shared = shared;
    // Declining needs no sound evidence: a reason to decline may be that there is none.
    statement.binding = dossier.binding().value_or(
        Binding{dossier.study.baseline_commit, "", dossier.trial.configuration_json, dossier.verdict.evidence_digest});
    auto row = row_of(statement);
    if (!row)
        return row;
    if (auto added = store.add_review(*row); !added)
        return tl::unexpected(added.error());
    return row;
}

} // namespace holdfast::review
