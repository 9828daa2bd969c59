// SPDX-License-Identifier: GPL-3.0-or-later
// The command line: arguments in, exit code out. The commands are in files of their own.
#include "app/cli/output.hpp"
#include "core/project/text.hpp"
#include "core/review/exports.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

namespace {

using namespace holdfast;
using namespace holdfast::cli;

using Action = std::function<Result<int>()>;

CLI::App* command(CLI::App& app, const char* name, const char* about, const char* examples, Common& common) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->footer(std::string("Examples:\n") + examples);
    sub->add_flag("--json", common.json, "Print one JSON document on standard output");
    return sub;
}

/// Digits only: CLI11 itself takes -1 and saturates what is too large.
std::string check_seed(const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size()
               ? ""
               : "a seed is a number from 0 to 18446744073709551615";
}

void candidate_options(CLI::App* sub, app::CandidateArguments& candidate) {
    sub->add_option("--set", candidate.set, "A knob's value, NAME=VALUE; the others keep their defaults")
        ->expected(1)
        ->take_all();
    sub->add_option("--patch", candidate.patch, "A unified diff against HEAD; - reads standard input");
}

CLI::App* export_options(CLI::App* sub, ExportArguments& arguments) {
    std::string list;
    for (const review::Format& format : review::formats())
        list += fmt::format("\n  {:<14} {}{}", format.name, format.about, format.carries_change ? " *" : "");
    sub->add_option("ID", arguments.id, "A trial's number or id")->required();
    sub->add_option("--format", arguments.format, "Which format, see below")->required();
    sub->add_option("-o,--output", arguments.file, "The file to write; default: standard output");
    sub->add_flag("--force", arguments.force, "Replace the file when there is one");
    sub->footer(fmt::format("Formats (* only for an approved trial):{}\n\n{}", list, sub->get_footer()));
    return sub;
}

int report(const Error& error, const Common& common) {
    std::fflush(stdout);
    fmt::print(stderr, "holdfast: {}\n", error.message());
    if (common.json)
        print_document({{"schema", "holdfast/error/1"},
                        {"kind", kind_text(error.kind)},
                        {"attempted", printable(error.attempted)},
                        {"found", printable(error.found, false)},
                        {"remedy", printable(error.remedy)}});
    return exit_code(error.kind);
}

/// The command's exit code. Nothing below throws on purpose; a library that does must neither end in a core dump nor
/// leave a script without its document.
int perform(const Action& action, const Common& common) {
    int code = Exit::error;
    try {
        auto result = action();
        code = result ? *result : report(result.error(), common);
    } catch (const std::exception& error) {
        code = report({Error::Kind::failed, "finish", std::string("unexpected: ") + error.what(), ""}, common);
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        fmt::print(stderr, "holdfast: standard output could not be written whole.\n");
        return Exit::error;
    }
    return code;
}

/// The command's name as given: the first word that is no option nor -C's folder.
const char* first_word(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "-C")
            ++i;
        else if (argv[i][0] != '-')
            return argv[i];
    }
    return nullptr;
}

/// A command line that is wrong may not have told yet that it wants documents.
int misused(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
    if (error.get_exit_code() == 0) { // --help, --version
        app.exit(error);
        return Exit::done;
    }
    std::string found = error.what(), remedy = "See: holdfast --help";
    std::vector<std::string> commands;
    for (const CLI::App* sub : app.get_subcommands({}))
        commands.push_back(sub->get_name());
    if (const char* word = first_word(argc, argv);
        word != nullptr && std::find(commands.begin(), commands.end(), word) == commands.end()) {
        found = "'" + printable(word) + "' is no command";
        const std::string near = nearest(word, commands);
        if (!near.empty())
            remedy = "Did you mean " + near + "? See: holdfast --help";
    } else if (word != nullptr)
        remedy = fmt::format("See: holdfast {} --help", word);
    fmt::print(stderr, "holdfast: Cannot read the command line: {}. {}\n", printable(found), remedy);
    if (std::find(argv + 1, argv + argc, std::string_view("--json")) != argv + argc)
        print_document({{"schema", "holdfast/error/1"},
                        {"kind", kind_text(Error::Kind::invalid)},
                        {"attempted", "read the command line"},
                        {"found", printable(found, false)},
                        {"remedy", remedy}});
    return Exit::usage;
}

int start(int argc, char** argv) {
    CLI::App app("Holdfast measures proposed performance changes in a sandbox, on workloads their author never saw,\n"
                 "and lets nothing reach your branch without your approval.",
                 "holdfast");
    app.footer(
        "Exit codes: 0 done; 1 error; 2 usage or invalid project; 3 nothing passed; 4 refused; 130 interrupted.\n"
        "First steps: holdfast demo zorder && holdfast -C zorder run && holdfast -C zorder trials");
    app.set_version_flag("--version", std::string("holdfast ") + HOLDFAST_VERSION);
    app.require_subcommand(1);
    app.fallthrough();

    Common common;
    std::string folder = ".";
    app.add_option("-C", folder, "The project folder (default: here)");
    Action action;

    command(app, "validate", "Check the project file and print the decision rule",
            "  holdfast validate\n  holdfast -C zorder validate --json", common)
        ->callback([&] { action = [&] { return validate(common); }; });
    command(app, "doctor", "Check this machine: isolation, tools, git identity, load", "  holdfast doctor", common)
        ->callback([&] { action = [&] { return doctor(common); }; });

    InitArguments init_arguments;
    auto* init_command =
        command(app, "init", "Write a commented holdfast.json from what is in the folder and at most five answers",
                "  holdfast init\n  holdfast init ~/mytool --dry-run\n  holdfast init --yes --try", common);
    init_command->add_option("DIR", init_arguments.folder, "The folder of the program; default: here");
    init_command->add_flag("--yes", init_arguments.yes, "Ask nothing: take what is proposed");
    init_command->add_flag("--force", init_arguments.force, "Replace the project file and the held-out workloads");
    init_command->add_flag("--dry-run", init_arguments.dry_run, "Show what would be written and write nothing");
    init_command->add_flag("--try", init_arguments.try_once, "With --yes: run the program once in the sandbox");
    init_command->callback([&] { action = [&] { return init(common, init_arguments); }; });

    DemoArguments demo_arguments;
    auto* demo_command =
        command(app, "demo", "Make a bundled example a real project; without NAME list them",
                "  holdfast demo\n  holdfast demo zorder\n  holdfast demo zorder-code ~/tryout", common);
    demo_command->add_option("NAME", demo_arguments.name, "Which example");
    demo_command->add_option("DIR", demo_arguments.folder, "Where; default: a new folder NAME here");
    demo_command->callback([&] { action = [&] { return demo(common, demo_arguments); }; });

    app::CandidateArguments proposed;
    auto* propose_command = command(app, "propose", "Queue one candidate for the next study",
                                    "  holdfast propose --set block_rows=128\n  holdfast propose --patch faster.patch\n"
                                    "  git diff | holdfast propose --patch -",
                                    common);
    candidate_options(propose_command, proposed);
    propose_command->callback([&] { action = [&] { return propose(common, proposed); }; });

    RunArguments run_arguments;
    auto* run_command = command(app, "run", "Run a study: queued candidates, then a knob search, through every gate",
                                "  holdfast run\n  holdfast run --tuner local,random --trials 80 --budget 10m\n"
                                "  holdfast run --fix block_rows --seed 7\n  holdfast run --resume",
                                common);
    run_command->add_option("--tuner", run_arguments.tuners, "Knob tuners: local, random; patch: the queue only")
        ->delimiter(',');
    run_command->add_option("--trials", run_arguments.trials, "Configurations the search looks at");
    run_command->add_option("--leaders", run_arguments.leaders, "Of them at most this many go through the gates");
    run_command
        ->add_option("--fix", run_arguments.fixed,
                     "A knob the search leaves alone: NAME (at its default) or NAME=VALUE")
        ->expected(1)
        ->take_all();
    run_command->add_option("--budget", run_arguments.budget, "Start no trial after this time: 90s, 10m, 2h");
    run_command->add_option("--seed", run_arguments.seed, "Seed of coins and tuners; default: random, printed")
        ->check(check_seed);
    CLI::Option* resume = run_command->add_flag("--resume", run_arguments.resume, "Go on with the interrupted study");
    // A resumed study keeps what it was started with.
    for (const char* option : {"--tuner", "--trials", "--leaders", "--fix", "--budget", "--seed"})
        resume->excludes(run_command->get_option(option));
    run_command->callback([&] { action = [&] { return run(common, run_arguments); }; });

    command(app, "trials", "List the trials and their verdicts", "  holdfast trials\n  holdfast trials --json", common)
        ->callback([&] { action = [&] { return trials(common); }; });

    std::string shown;
    auto* show_command = command(app, "show", "Show one trial: verdict, effects, gates, change",
                                 "  holdfast show 3\n  holdfast show 3 --json", common);
    show_command->add_option("ID", shown, "A trial's number or id")->required();
    show_command->callback([&] { action = [&] { return show(common, shown); }; });

    MeasureArguments measured;
    auto* measure_command =
        command(app, "measure", "Compare a candidate with HEAD now; nothing is proposed",
                "  holdfast measure --set block_rows=128\n  holdfast measure --patch faster.patch --fail-on regresses\n"
                "  holdfast measure --set opt=-O3 --workload skewed --rounds 100",
                common);
    candidate_options(measure_command, measured.candidate);
    auto* measured_trial =
        measure_command->add_option("--trial", measured.trial, "The candidate of this trial: a number or id");
    measured_trial->excludes("--set")->excludes("--patch");
    measure_command
        ->add_option("--workload", measured.workloads, "Only this workload (a held-out one is logged as a question)")
        ->expected(1)
        ->take_all();
    measure_command->add_option("--rounds", measured.rounds, "Pairs per workload (default 40)")
        ->check(CLI::Range(6, 10000));
    measure_command->add_option("--seed", measured.seed, "Seed of the coins; default: random")->check(check_seed);
    measure_command->add_option("--fail-on", measured.fail_on, "Exit 3 when it is shown worse")
        ->check(CLI::IsMember({"regresses"}));
    measure_command->callback([&] { action = [&] { return measure(common, measured); }; });

    ApproveArguments approved;
    auto* approve_command = command(app, "approve", "Approve a proposal: at a terminal, by a person",
                                    "  holdfast approve 3\n  holdfast approve 3 --comment 'fits the new disks'\n"
                                    "  holdfast approve 3 --override 'base moved=only the docs changed since'",
                                    common);
    approve_command->add_option("ID", approved.trial, "A trial's number or id")->required();
    approve_command->add_option("--comment", approved.comment, "Kept with the approval and in the commit");
    approve_command
        ->add_option("--override", approved.overrides,
                     "Pass a gate on your word: 'base moved=REASON' or 'not held out=REASON'")
        ->expected(1)
        ->take_all();
    approve_command->callback([&] { action = [&] { return approve(common, approved); }; });

    DeclineArguments declined;
    auto* reject_command = command(app, "reject", "Reject a trial, with a reason",
                                   "  holdfast reject 16 --reason 'overfits the January queries'", common);
    reject_command->add_option("ID", declined.trial, "A trial's number or id")->required();
    reject_command->add_option("--reason", declined.reason, "Why; kept in the history")->required();
    reject_command->callback([&] { action = [&] { return decline(common, declined, false); }; });
    auto* rework_command = command(app, "rework", "Ask for a better version of a trial, with a reason",
                                   "  holdfast rework 2 --reason 'keep the bounds check'\n"
                                   "  holdfast rework 2 --reason 'keep the bounds check' --share",
                                   common);
    rework_command->add_option("ID", declined.trial, "A trial's number or id")->required();
    rework_command->add_option("--reason", declined.reason, "What is missing; kept in the history")->required();
    rework_command->add_flag("--share", declined.share, "The tuner may read the reason");
    rework_command->callback([&] { action = [&] { return decline(common, declined, true); }; });

    ApplyArguments applied;
    const auto apply_options = [&](CLI::App* sub) {
        sub->add_option("ID", applied.trial, "A trial's number or id")->required();
        sub->add_flag("--fast-forward", applied.fast_forward, "Also move the checked-out branch and the working tree");
        sub->add_flag("--dry-run", applied.dry_run, "Show the exact commit and change nothing");
    };
    auto* apply_command =
        command(app, "apply", "Commit an approved change on a branch of its own",
                "  holdfast apply 3 --dry-run\n  holdfast apply 3\n  holdfast apply 3 --fast-forward", common);
    apply_options(apply_command);
    apply_command->callback([&] { action = [&] { return apply(common, applied, false); }; });
    auto* revert_command = command(app, "revert", "Take an applied change back with a commit",
                                   "  holdfast revert 3\n  holdfast revert 3 --fast-forward", common);
    apply_options(revert_command);
    revert_command->callback([&] { action = [&] { return apply(common, applied, true); }; });
    std::vector<std::string> compared;
    auto* compare_command = command(app, "compare", "Put two to six decided trials side by side",
                                    "  holdfast compare 3 5\n  holdfast compare 3 5 8 --json", common);
    compare_command->add_option("ID", compared, "Trials' numbers or ids")->required();
    compare_command->callback([&] { action = [&] { return compare(common, compared); }; });

    ExportArguments exported;
    export_options(command(app, "export", "Write one decided trial in the format of another tool",
                           "  holdfast export 3 --format markdown\n  holdfast export 3 --format patch -o change.patch\n"
                           "  holdfast export 3 --format env | ssh server 'cat > /etc/service.env'",
                           common),
                   exported)
        ->callback([&] { action = [&] { return export_trial(common, exported); }; });

    command(app, "audit", "Verify the history: chain of events, digests, samples", "  holdfast audit", common)
        ->callback([&] { action = [&] { return audit(common); }; });

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return misused(app, error, argc, argv);
    }
    common.folder = folder;
    return perform(action, common);
}

} // namespace

int main(int argc, char** argv) {
    try {
        return start(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "holdfast: unexpected: {}\n", holdfast::printable(error.what()));
        return holdfast::cli::Exit::error;
    }
}
