// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/report.hpp"

#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/gates.hpp"
#include "core/review/plot_scale.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace holdfast::review {

namespace {

/// A sentence begins with a capital.
std::string sentence(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text + ".";
}

std::vector<std::string> doubts_of(const Dossier& dossier) {
    std::vector<std::string> doubts;
    if (!dossier.evidence_fault.empty())
        doubts.push_back("The stored evidence does not hold: " + printable(dossier.evidence_fault));
    if (!dossier.change_error.empty())
        doubts.push_back("The change cannot be shown: " + printable(dossier.change_error));
    return doubts;
}

std::vector<std::string> summary_of(const Sheet& sheet) {
    std::vector<std::string> sentences;
    if (sheet.has_held_out)
        sentences.push_back(fmt::format("Held-out: {}.", effect_words(sheet.held_out)));
    if (sheet.has_tuning)
        sentences.push_back(fmt::format("Tuning: {}.", effect_words(sheet.tuning)));
    if (!sheet.gap.empty())
        sentences.push_back(sentence(sheet.gap));
    if (sheet.checks > 0)
        sentences.push_back(fmt::format("Checks: {}.", sheet.checks_text));
    if (!sheet.resources.empty())
        sentences.push_back(fmt::format("Worst resource: {}.", sheet.resources.front().text));
    return sentences;
}

ReportSection flags_section(const Dossier& dossier, const Sheet& sheet) {
    ReportSection section{
        "Flags", "", {}, {}, {"What a reviewer must have read", {"flag", "evidence", "acknowledged"}, {}}, "", ""};
    std::optional<Statement> statement;
    if (const study::ReviewRecord* approval = dossier.approval())
        if (auto read = statement_from_json(approval->statement_json))
            statement = std::move(*read);
    for (const Flag& flag : sheet.flags) {
        const bool read = statement && std::find(statement->acknowledged.begin(), statement->acknowledged.end(),
                                                 flag.name) != statement->acknowledged.end();
        section.table.rows.push_back({flag.name, flag.evidence, read ? "by " + statement->reviewer.name : "no"});
    }
    return section;
}

std::string notes_of(const WorkloadRow& row) {
    std::string notes;
    for (const std::string& note : row.notes)
        if (note != effect_words(row.effect)) // has a column of its own here
            notes += (notes.empty() ? "" : "; ") + note;
    if (!row.card.empty())
        notes += (notes.empty() ? "" : "; ") + row.card;
    return notes;
}

ReportSection workloads_section(const Sheet& sheet) {
    ReportSection section{
        "Workloads",
        fmt::format("Change of {}, paired; {} is better. Up to ±{:.3g} % is no practical change.", sheet.metric,
                    sheet.better == Better::lower ? "lower" : "higher", 100 * sheet.band),
        {},
        {},
        {"Effect by workload", {"role", "workload", "effect", "in words", "rounds", "check", "notes"}, {}},
        "",
        ""};
    for (const WorkloadRow& row : sheet.rows)
        section.table.rows.push_back({row.role == Role::tuning ? "tuning" : "held-out", row.name,
                                      is_known(row.effect) ? effect_text(row.effect) : "unknown",
                                      row.effect.direction == EffectView::Direction::better ||
                                              row.effect.direction == EffectView::Direction::worse
                                          ? std::string(to_text(row.effect.direction))
                                          : effect_words(row.effect),
                                      std::to_string(row.effect.rounds),
                                      !row.checked ? "none"
                                      : row.right  ? "right"
                                                   : "wrong or not run",
                                      notes_of(row)});
    return section;
}

ReportSection objectives_section(const Sheet& sheet) {
    ReportSection section{"Objectives", "", {}, {}, {"Each objective", {"objective", "tuning", "held-out", ""}, {}},
                          "",           ""};
    for (const ObjectiveRow& row : sheet.objectives)
        section.table.rows.push_back(
            {fmt::format("{} ({} is better)", row.metric, row.better == Better::lower ? "lower" : "higher"),
             effect_words(row.tuning), row.has_held_out ? effect_words(row.held_out) : "not measured",
             row.claimed  ? "claimed"
             : row.traded ? "traded: shown worse"
                          : ""});
    return section;
}

ReportSection quality_section(const Sheet& sheet) {
    ReportSection section{"Quality", "", {}, {}, {}, "", ""};
    for (const QualityRow& row : sheet.quality)
        section.lines.push_back(fmt::format("{}; {}", row.text, row.worst));
    return section;
}

ReportSection checks_section(const Sheet& sheet) {
    ReportSection section{
        "Checks and gates", "", {}, {}, {"Gates in the order passed", {"gate", "result", "reason"}, {}}, "", ""};
    for (const study::GateRecord& gate : sheet.gates)
        section.table.rows.push_back({gate.gate, result_word(gate), gate.reason});
    return section;
}

ReportSection change_section(const Sheet& sheet) {
    ReportSection section{"Change", "", {}, sheet.knobs, {}, "", "diff"};
    for (const git::DiffFile& file : sheet.files)
        section.code += git::unified(file);
    return section;
}

ReportSection decisions_section(const Dossier& dossier, const Sheet& sheet) {
    ReportSection section{"Decisions", fmt::format("Review: {}.", to_text(sheet.standing)), {}, {}, {}, "", ""};
    for (const study::ReviewRecord& review : sheet.reviews) {
        section.lines.push_back(fmt::format("{} by {} at {}{}{}", review.decision, review.reviewer_name, review.time,
                                            review.signature.empty() ? ", unsigned" : ", signed",
                                            review.comment.empty() ? "" : ": " + review.comment));
        if (const auto statement = statement_from_json(review.statement_json))
            for (const Override& passed : statement->overrides)
                section.lines.push_back(fmt::format("gate passed by word: {}: {}", passed.gate, passed.reason));
    }
    for (const study::ApplicationRecord& each : dossier.applications)
        section.lines.push_back(
            fmt::format("{} by {} at {}: commit {} on {}", each.action, each.who, each.time, each.commit, each.branch));
    if (section.lines.empty())
        section.lines.emplace_back("nobody has decided about it");
    return section;
}

} // namespace

bool ReportSection::empty() const {
    return lines.empty() && facts.empty() && table.rows.empty() && code.empty();
}

Result<Report> trial_report(const Dossier& dossier, const Sheet& sheet) {
    if (sheet.not_tested.empty())
        return failed(fmt::format("write the report of trial {}", sheet.number),
                      "its section \"Not tested\" is empty, and no measurement tests everything: it is not complete",
                      report_defect);
    std::vector<std::string> flags;
    for (const Flag& flag : sheet.flags)
        flags.push_back(flag.name);
    Report report{sheet.number,        sheet.title,        sheet.subtitle,    sheet.verdict_sentence,
                  danger_words(flags), doubts_of(dossier), summary_of(sheet), {}};
    const auto add = [&](ReportSection section) {
        if (!section.empty())
            report.sections.push_back(std::move(section));
    };
    add({"Why", "", sheet.reasons, {}, {}, "", ""});
    add(flags_section(dossier, sheet));
    add(workloads_section(sheet));
    add(objectives_section(sheet));
    add(quality_section(sheet));
    add({"Rule", "", rule_words(dossier), {}, {}, "", ""});
    add({"Error budget", "", {}, error_budget(dossier), {}, "", ""});
    add(checks_section(sheet));
    add(change_section(sheet));
    add({"Not tested", "", sheet.not_tested, {}, {}, "", ""});
    add({"Environment", "", {}, environment_of(dossier), {}, "", ""});
    add({"Cost", "", {}, sheet.cost, {}, "", ""});
    add({"Provenance", "", {}, sheet.provenance, {}, "", ""});
    add(decisions_section(dossier, sheet));
    add({"Measure it again", "", {}, {}, {}, sheet.reproduce, "sh"});
    return report;
}

} // namespace holdfast::review
