// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/message.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

const std::string unknown_chain = "Holdfast-Chain: (the head of the history when it is done)\n";

std::string percent(const json& value, const char* open_end) {
    return value.is_number() ? decision::percent_text(value.get<double>()) : open_end;
}

std::string side(const json& effects, const char* name, const char* title) {
    const auto found = effects.find(name);
    if (found == effects.end() || found->is_null())
        return "";
    return fmt::format("{} {} % [{}, {}] over {} rounds.\n", title, percent(found->value("estimate", json()), "?"),
                       percent(found->value("low", json()), "−∞"), percent(found->value("high", json()), "∞"),
                       found->value("rounds", 0));
}

/// At most 72 characters of what changes: a subject line.
std::string subject_of(const Dossier& dossier) {
    std::string knobs;
    if (dossier.change)
        for (const KnobChange& knob : dossier.change->knobs)
            knobs += fmt::format("{}{} to {}", knobs.empty() ? "" : ", ", knob.knob->name,
                                 printable(holdfast::to_text(knob.after)));
    std::string text =
        dossier.trial.patch.empty() ? "Set " + knobs : fmt::format("Apply the patch of trial {}", dossier.trial.number);
    if (!dossier.trial.patch.empty() && !knobs.empty())
        text += ", " + knobs;
    constexpr std::size_t longest = 72; // bytes; UTF-8 is cut between characters
    if (text.size() > longest) {
        std::size_t end = longest - 3;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
            --end;
        text = text.substr(0, end) + "…";
    }
    return text;
}

std::string person(const git::Identity& identity) {
    return printable(fmt::format("{} <{}>", identity.name, identity.email));
}

} // namespace

std::string apply_message(const Dossier& dossier, const Statement& statement, const git::Identity& author) {
    const json effects = json::parse(dossier.verdict.effects_json, nullptr, false);
    std::string text = subject_of(dossier) + "\n\n";
    text += fmt::format("Verdict: {}.\n", dossier.verdict.verdict);
    if (effects.is_object())
        text += side(effects, "holdout", "Held-out") + side(effects, "tuning", "Tuning");
    if (!statement.comment.empty())
        text += "\n" + printable(statement.comment, false) + "\n";
    text += fmt::format("\nHoldfast-Trial: {}\nHoldfast-Evidence: {}\n", dossier.trial.id,
                        statement.binding.evidence_digest);
    text += unknown_chain;
    for (const std::string& flag : statement.acknowledged)
        text += fmt::format("Acknowledged: {}\n", printable(flag));
    for (const Override& passed : statement.overrides)
        text += fmt::format("Holdfast-Override: {}: {}\n", passed.gate, printable(passed.reason));
    text += fmt::format("Reviewed-by: {}\n", person(statement.reviewer));
    if (person(author) != person(statement.reviewer))
        text += fmt::format("Applied-by: {}\n", person(author));
    // A tuner called AGENT:MODEL is a model; the built-in searches are not.
    if (dossier.trial.tuner.find(':') != std::string::npos)
        text += fmt::format("Assisted-by: {}\n", printable(dossier.trial.tuner));
    return text;
}

namespace {

std::string replace_chain(std::string message, const std::string& line) {
    const std::size_t at = message.rfind(unknown_chain);
    return at == std::string::npos ? message : message.replace(at, unknown_chain.size(), line);
}

} // namespace

std::string with_chain(std::string message, const std::string& chain) {
    return replace_chain(std::move(message), "Holdfast-Chain: " + chain + "\n");
}

std::string without_chain(std::string message) {
    return replace_chain(std::move(message), "");
}

std::string branch_of(const Dossier& dossier) {
    return fmt::format("holdfast/{}/{}", dossier.study.number, dossier.trial.number);
}

std::string reverts_line(const std::string& commit) {
    return fmt::format("This reverts commit {}.", commit);
}

std::string revert_message(const Dossier& dossier, const std::string& commit, std::string_view subject) {
    return fmt::format("Revert \"{}\"\n\n{}\n\nHoldfast-Trial: {}\nHoldfast-Evidence: {}\n{}", subject,
                       reverts_line(commit), dossier.trial.id, dossier.verdict.evidence_digest, unknown_chain);
}

std::string trailer(std::string_view message, std::string_view name) {
    while (message.ends_with('\n'))
        message.remove_suffix(1);
    const std::size_t paragraph = message.rfind("\n\n");
    if (paragraph == std::string_view::npos)
        return "";
    message.remove_prefix(paragraph + 2);
    while (!message.empty()) {
        const std::size_t end = std::min(message.find('\n'), message.size());
        std::string_view line = message.substr(0, end);
        message.remove_prefix(std::min(end + 1, message.size()));
        if (line.starts_with(name) && line.substr(name.size()).starts_with(": "))
            return std::string(line.substr(name.size() + 2));
    }
    return "";
}

} // namespace holdfast::review
