// SPDX-License-Identifier: GPL-3.0-or-later
// Commands by which a person decides, and what follows from it.
#include "app/cli/command_line.hpp"

#include <memory>

namespace holdfast::cli {

namespace {

void add_approve(CommandLine& line) {
    const auto arguments = std::make_shared<ApproveArguments>();
    CLI::App* sub = line.command("approve", "Approve a proposal: at a terminal, by a person",
                                 "  holdfast approve 3\n  holdfast approve 3 --comment 'fits the new disks'\n"
                                 "  holdfast approve 3 --override 'base moved=only the docs changed since'");
    add_trial_id(sub, arguments->trial);
    sub->add_option("--comment", arguments->comment, "Kept with the approval and in the commit")->type_name("WORDS");
    sub->add_option("--override", arguments->overrides,
                    "Pass a gate on your word: 'base moved=REASON' or 'not held out=REASON'")
        ->expected(1)
        ->take_all();
    line.performs(sub, [&line, arguments] { return approve(line.common(), *arguments); });
}

void add_declining(CommandLine& line) {
    const auto arguments = std::make_shared<DeclineArguments>();
    CLI::App* reject = line.command("reject", "Reject a trial, with a reason",
                                    "  holdfast reject 16 --reason 'overfits the January queries'");
    add_trial_id(reject, arguments->trial);
    reject->add_option("--reason", arguments->reason, "Why; kept in the history")->type_name("WORDS")->required();
    line.performs(reject, [&line, arguments] { return decline(line.common(), *arguments, false); });

    CLI::App* rework = line.command("rework", "Ask for a better version of a trial, with a reason",
                                    "  holdfast rework 2 --reason 'keep the bounds check'\n"
                                    "  holdfast rework 2 --reason 'keep the bounds check' --share");
    add_trial_id(rework, arguments->trial);
    rework->add_option("--reason", arguments->reason, "What is missing; kept in the history")
        ->type_name("WORDS")
        ->required();
    rework->add_flag("--share", arguments->share, "The tuner may read the reason");
    line.performs(rework, [&line, arguments] { return decline(line.common(), *arguments, true); });
}

void add_applying(CommandLine& line) {
    const auto arguments = std::make_shared<ApplyArguments>();
    const auto add = [&](const char* name, const char* about, const char* examples, bool revert) {
        CLI::App* sub = line.command(name, about, examples);
        add_trial_id(sub, arguments->trial);
        sub->add_flag("--fast-forward", arguments->fast_forward,
                      "Also move the checked-out branch and the working tree");
        sub->add_flag("--dry-run", arguments->dry_run, "Show the exact commit and change nothing");
        line.performs(sub, [&line, arguments, revert] { return apply(line.common(), *arguments, revert); });
    };
    add("apply", "Commit an approved change on a branch of its own",
        "  holdfast apply 3 --dry-run\n  holdfast apply 3\n  holdfast apply 3 --fast-forward", false);
    add("revert", "Take an applied change back with a commit",
        "  holdfast revert 3\n  holdfast revert 3 --fast-forward", true);
}

} // namespace

void add_review_commands(CommandLine& line) {
    add_approve(line);
    add_declining(line);
    add_applying(line);
}

} // namespace holdfast::cli
