// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/effect.hpp"
#include "core/review/export_parts.hpp"
#include "core/review/markdown.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::review {

namespace {

std::string workload_table(const Sheet& sheet) {
    std::string text = "| role | workload | effect | rounds | check | |\n| --- | --- | --- | ---: | --- | --- |\n";
    for (const WorkloadRow& row : sheet.rows) {
        std::string notes;
        for (const std::string& note : row.notes)
            notes += (notes.empty() ? "" : "; ") + plain(note);
        text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", row.role == Role::tuning ? "tuning" : "held-out",
                            plain(row.name), plain(effect_text(row.effect)), row.effect.rounds,
                            !row.checked ? "none"
                            : row.right  ? "right"
                                         : "wrong or not run",
                            notes);
    }
    return text;
}

std::string objectives(const Sheet& sheet) {
    if (sheet.objectives.empty())
        return "";
    std::string text = "| objective | tuning | held-out | |\n| --- | --- | --- | --- |\n";
    for (const ObjectiveRow& row : sheet.objectives)
        text += fmt::format("| {} ({} is better) | {} | {} | {} |\n", plain(row.metric),
                            row.better == Better::lower ? "lower" : "higher", plain(effect_words(row.tuning)),
                            plain(effect_words(row.held_out)),
                            row.claimed  ? "claimed"
                            : row.traded ? "traded: shown worse"
                                         : "");
    return text;
}

std::string quality(const Sheet& sheet) {
    std::string text;
    for (const QualityRow& row : sheet.quality)
        text += fmt::format("- {}; {}\n", plain(row.text), plain(row.worst));
    return text;
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::string text;
    for (const auto& [what, value] : pairs)
        text += fmt::format("- {}: {}\n", plain(what), plain(value));
    return text;
}

std::string lines(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items)
        text += fmt::format("- {}\n", plain(item));
    return text;
}

std::string summary(const Sheet& sheet) {
    std::string text = fmt::format("**{}**", plain(sheet.verdict_sentence));
    std::vector<std::string> names;
    for (const Flag& flag : sheet.flags)
        names.push_back(flag.name);
    if (const std::string danger = danger_words(names); !danger.empty())
        text += fmt::format(" **{}**.", plain(danger));
    if (sheet.has_held_out)
        text += fmt::format(" Held-out: {}.", plain(effect_words(sheet.held_out)));
    if (sheet.has_tuning)
        text += fmt::format(" Tuning: {}.", plain(effect_words(sheet.tuning)));
    if (!sheet.gap.empty())
        text += fmt::format(" {}.", plain(sheet.gap));
    if (sheet.checks > 0)
        text += fmt::format(" Checks: {}.", sheet.checks_text);
    if (!sheet.resources.empty())
        text += fmt::format(" Worst resource: {}.", plain(sheet.resources.front().text));
    return text + "\n";
}

std::string decisions(const Sheet& sheet) {
    std::string text = fmt::format("Review: {}.\n", to_text(sheet.standing));
    for (const study::ReviewRecord& review : sheet.reviews)
        text += fmt::format("- {} by {} at {}{}{}\n", plain(review.decision), plain(review.reviewer_name),
                            plain(review.time), review.signature.empty() ? ", unsigned" : ", signed",
                            review.comment.empty() ? "" : ": " + plain(review.comment));
    return text;
}

std::string change(const Sheet& sheet) {
    std::string text = facts(sheet.knobs), diff;
    for (const git::DiffFile& file : sheet.files)
        diff += git::unified(file);
    return diff.empty() ? text : text + "\n" + code_block("diff", printable(diff, false));
}

} // namespace

std::string trial_markdown(const Sheet& sheet) {
    std::string text =
        fmt::format("# \\#{} {}\n\n{}\n\n{}", sheet.number, plain(sheet.title), plain(sheet.subtitle), summary(sheet));
    const auto section = [&](const char* title, const std::string& content) {
        if (!content.empty())
            text += fmt::format("\n## {}\n\n{}", title, content);
    };
    section("Why", lines(sheet.reasons));
    std::string flags;
    for (const Flag& flag : sheet.flags)
        flags += fmt::format("- {}: {}\n", plain(flag.name), plain(flag.evidence));
    section("Flags", flags);
    section("Workloads", sheet.rows.empty()
                             ? ""
                             : fmt::format("Change of {}, paired; {} is better. Up to ±{:.3g} % is no practical "
                                           "change.\n\n{}",
                                           plain(sheet.metric), sheet.better == Better::lower ? "lower" : "higher",
                                           100 * sheet.band, workload_table(sheet)));
    section("Objectives", objectives(sheet));
    section("Quality", quality(sheet));
    section("Change", change(sheet));
    section("Not tested", lines(sheet.not_tested));
    section("Cost", facts(sheet.cost));
    section("Provenance", facts(sheet.provenance));
    section("Decisions", decisions(sheet));
    section("Measure it again", sheet.reproduce.empty() ? "" : code_block("sh", printable(sheet.reproduce)));
    return text;
}

} // namespace holdfast::review
