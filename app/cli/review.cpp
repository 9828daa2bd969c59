// SPDX-License-Identifier: GPL-3.0-or-later
// approve, reject, rework: the rules are core/review's; here they are asked and answered.
#include "app/cli/output.hpp"
#include "app/cli/terminal.hpp"
#include "app/common/ssh_signatures.hpp"
#include "core/project/text.hpp"
#include "core/review/gates.hpp"
#include "core/review/rules.hpp"
#include "core/review/sheet.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

using review::Override;

void show(Terminal& terminal, const review::Sheet& sheet) {
    terminal.say(fmt::format("trial {}: {}\n{}\n", sheet.number, sheet.title, sheet.subtitle));
    terminal.say(sheet.verdict_sentence);
    if (sheet.has_held_out)
        terminal.say("  held-out  " + sheet.held_out.text);
    if (sheet.has_tuning)
        terminal.say("  tuning    " + sheet.tuning.text);
    terminal.say("  checks    " + sheet.checks_text);
    for (const auto& [name, change] : sheet.knobs)
        terminal.say(fmt::format("  {}: {}", printable(name), printable(change)));
    for (const review::WorkloadRow& row : sheet.rows)
        terminal.say(fmt::format("  {} {}  {}  n = {}{}", row.role == Role::tuning ? "tuning  " : "held-out",
                                 printable(row.name), row.effect.text, row.effect.rounds,
                                 !row.checked ? ""
                                 : row.right  ? "  ✓"
                                              : "  ✗"));
    for (const review::WorkloadRow& row : sheet.rows)
        if (!row.card.empty())
            terminal.say(fmt::format("    {}: {}", row.name, row.card));
    if (!sheet.gap.empty())
        terminal.say("  " + sheet.gap);
    terminal.say("  not tested:");
    for (const std::string& gap : sheet.not_tested)
        terminal.say("    - " + gap);
    terminal.say("");
    for (const git::DiffFile& file : sheet.files)
        terminal.say(printable(git::unified(file), false));
}

/// "base moved=the merge touches other files" and the like.
Result<std::vector<Override>> overrides_of(const std::vector<std::string>& texts) {
    std::vector<Override> overrides;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            return invalid("pass a gate", "'" + printable(text) + "' gives no reason",
                           "Write --override 'base moved=REASON' or --override 'not held out=REASON'");
        overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
    return overrides;
}

/// Asks until the answer is one of both.
Result<bool> ask_yes_or_no(Terminal& terminal, const std::string& question) {
    auto answer = terminal.ask(question + " [yes/no]");
    while (answer) {
        std::transform(answer->begin(), answer->end(), answer->begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (*answer == "y" || *answer == "yes")
            return true;
        if (*answer == "n" || *answer == "no")
            return false;
        answer = terminal.ask("Answer yes or no:");
    }
    return tl::unexpected(answer.error());
}

/// Each flag is shown and answered on its own.
Result<std::vector<std::string>> acknowledge(Terminal& terminal, const std::vector<review::Flag>& flags,
                                             const std::vector<Override>& overrides) {
    std::vector<std::string> acknowledged;
    for (const review::Flag& flag : flags) {
        if (std::any_of(overrides.begin(), overrides.end(),
                        [&](const Override& passed) { return passed.gate == flag.name; }))
            continue;
        terminal.say(fmt::format("\nflag: {}\n  {}", flag.name, flag.evidence));
        auto answer = ask_yes_or_no(terminal, "Have you read it?");
        if (!answer)
            return tl::unexpected(answer.error());
        if (!*answer)
            return refused("approve", fmt::format("the flag \"{}\" was not acknowledged", flag.name),
                           "Read it and answer yes, or reject the trial.");
        acknowledged.push_back(flag.name);
    }
    return acknowledged;
}

nlohmann::json document_of(const char* schema, const review::Dossier& dossier, const study::ReviewRecord& review) {
    return {{"schema", schema},
            {"id", dossier.trial.id},
            {"number", dossier.trial.number},
            {"decision", review.decision},
            {"reviewer", fmt::format("{} <{}>", review.reviewer_name, review.reviewer_email)},
            {"comment", review.comment},
            {"shared", review.shared},
            {"signed", !review.signature.empty()},
            {"time", review.time},
            {"statement", nlohmann::json::parse(review.statement_json)}};
}

struct Desk {
    app::Opened opened;
    std::unique_ptr<study::Store> store;
    review::Dossier dossier;
    git::Identity reviewer;
};

Result<Desk> open_desk(const Common& common, const std::string& trial) {
    auto opened = app::open_project_and_repository(common.folder);
    if (!opened)
        return tl::unexpected(opened.error());
    auto reviewer = opened->repository.identity();
    if (!reviewer)
        return tl::unexpected(reviewer.error());
    auto store = open_history(common, db::SqliteStore::Mode::append);
    if (!store)
        return tl::unexpected(store.error());
    auto dossier = review::open_dossier(**store, opened->repository, opened->project.folder, trial);
    if (!dossier)
        return tl::unexpected(dossier.error());
    return Desk{std::move(*opened), std::move(*store), std::move(*dossier), std::move(*reviewer)};
}

} // namespace

Result<int> approve(const Common& common, const ApproveArguments& arguments) {
    const std::string attempted = "approve trial " + printable(arguments.trial);
    auto overrides = overrides_of(arguments.overrides);
    if (!overrides)
        return tl::unexpected(overrides.error());
    auto terminal = Terminal::open(attempted);
    if (!terminal)
        return tl::unexpected(terminal.error());
    auto desk = open_desk(common, arguments.trial);
    if (!desk)
        return tl::unexpected(desk.error());
    auto signatures = app::SshSignatures::of(desk->opened.repository);
    if (!signatures)
        return tl::unexpected(signatures.error());

    show(*terminal, review::make_sheet(desk->dossier));
    const std::vector<review::Flag> flags = review::flags_of(desk->dossier);
    const auto none = review::approval_gates(desk->dossier, {}, signatures->can_sign());
    if (auto sound = review::check_answers(desk->dossier, {{}, *overrides}, none, attempted); !sound)
        return tl::unexpected(sound.error());
    // What only a rework of the trial can mend is told before the person reads and answers anything.
    review::Answers all{{}, *overrides};
    for (const review::Flag& flag : flags)
        all.acknowledged.push_back(flag.name);
    for (const review::Gate& gate : review::approval_gates(desk->dossier, all, signatures->can_sign()))
        if (!gate.held && gate.name != "flags")
            return refused(attempted, fmt::format("{}: {}", gate.name, gate.found), gate.remedy);
    auto acknowledged = acknowledge(*terminal, flags, *overrides);
    if (!acknowledged)
        return tl::unexpected(acknowledged.error());
    auto retyped = terminal->ask(fmt::format("\nTo approve exactly this as {} <{}>, type the proposal's number:",
                                             printable(desk->reviewer.name), printable(desk->reviewer.email)));
    if (!retyped)
        return tl::unexpected(retyped.error());
    review::Approval approval;
    approval.answers = {*acknowledged, *overrides};
    approval.comment = arguments.comment;
    approval.presence = {review::Presence::Place::terminal, *retyped};
    approval.reviewer = desk->reviewer;
    auto review = review::approve(*desk->store, desk->dossier, approval, *signatures);
    if (!review)
        return tl::unexpected(review.error());
    if (common.json)
        print_document(document_of("holdfast/approve/1", desk->dossier, *review));
    else
        fmt::print("approved ({}); nothing is on a branch yet\nNext: holdfast apply {}\n",
                   review->signature.empty() ? "unsigned" : "signed", desk->dossier.trial.number);
    return Exit::done;
}

Result<int> decline(const Common& common, const DeclineArguments& arguments, bool rework) {
    auto desk = open_desk(common, arguments.trial);
    if (!desk)
        return tl::unexpected(desk.error());
    auto review =
        review::decline(*desk->store, desk->dossier, rework ? review::Decision::rework : review::Decision::rejected,
                        arguments.reason, arguments.share, desk->reviewer);
    if (!review)
        return tl::unexpected(review.error());
    if (common.json)
        print_document(document_of(rework ? "holdfast/rework/1" : "holdfast/reject/1", desk->dossier, *review));
    else if (rework)
        fmt::print("trial {} needs work; the tuner {} the reason\n", desk->dossier.trial.number,
                   review->shared ? "may read" : "does not see");
    else
        fmt::print("trial {} is rejected\n", desk->dossier.trial.number);
    return Exit::done;
}

} // namespace holdfast::cli
