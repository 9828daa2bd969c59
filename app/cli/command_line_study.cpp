// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that propose and measure.
#include "app/cli/calibrate.hpp"
#include "app/cli/command_line.hpp"
#include "app/cli/stack.hpp"

#include <charconv>
#include <memory>

namespace holdfast::cli {

namespace {

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
        ->type_name("KNOB=VALUE")
        ->expected(1)
        ->take_all();
    sub->add_option("--patch", candidate.patch, "A unified diff against HEAD; - reads standard input")
        ->type_name("FILE");
}

void consent_options(CLI::App* sub, Consent& consent) {
    sub->add_option("--accept-isolation", consent.isolation,
                    "Run although the sandbox holds no better than this level; its gaps are named, kept and reviewed")
        ->check(CLI::IsMember({"L2", "L1", "L0"}));
    sub->add_flag("--fetch", consent.fetch,
                  "Agree that the project's \"fetch\" commands use the network, without being asked");
}

void add_propose(CommandLine& line) {
    const auto arguments = std::make_shared<app::CandidateArguments>();
    CLI::App* sub = line.command("propose", "Queue one candidate for the next study",
                                 "  holdfast propose --set block_rows=128\n  holdfast propose --patch faster.patch\n"
                                 "  git diff | holdfast propose --patch -\n  holdfast propose --rev faster-sort");
    candidate_options(sub, *arguments);
    sub->add_option("--rev", arguments->revision,
                    "A branch or commit: what it changed since it left HEAD's history, placed on HEAD")
        ->type_name("REVISION")
        ->excludes("--patch");
    line.performs(sub, [&line, arguments] { return propose(line.common(), *arguments); });
}

void add_run(CommandLine& line) {
    const auto arguments = std::make_shared<RunArguments>();
    CLI::App* sub = line.command("run", "Run a study: queued candidates, then a knob search, through every gate",
                                 "  holdfast run\n  holdfast run --tuner local,random --trials 80 --budget 10m\n"
                                 "  holdfast run --fix block_rows --seed 7\n  holdfast run --resume");
    sub->add_option("--tuner", arguments->tuners, "Knob tuners: local, random; patch: the queue only")
        ->type_name("TUNER")
        ->delimiter(',');
    sub->add_option("--trials", arguments->trials, "Configurations the search looks at");
    sub->add_option("--leaders", arguments->leaders, "Of them at most this many go through the gates");
    sub->add_option("--fix", arguments->fixed, "A knob the search leaves alone: NAME (at its default) or NAME=VALUE")
        ->type_name("KNOB")
        ->expected(1)
        ->take_all();
    sub->add_option("--budget", arguments->budget, "Start no trial after this time: 90s, 10m, 2h")->type_name("TIME");
    sub->add_option("--seed", arguments->seed, "Seed of coins and tuners; default: random, printed")->check(check_seed);
    CLI::Option* resume = sub->add_flag("--resume", arguments->resume, "Go on with the interrupted study");
    // A resumed study keeps what it was started with.
    for (const char* option : {"--tuner", "--trials", "--leaders", "--fix", "--budget", "--seed"})
        resume->excludes(sub->get_option(option));
    consent_options(sub, arguments->consent);
    line.performs(sub, [&line, arguments] { return run(line.common(), *arguments); });
}

/// What is compared: the options of propose, a trial's candidate, or two revisions.
void compared_options(CLI::App* sub, MeasureArguments& arguments) {
    candidate_options(sub, arguments.candidate);
    sub->add_option("--trial", arguments.trial, "The candidate of this trial: a number or id")
        ->type_name("TRIAL")
        ->excludes("--set")
        ->excludes("--patch");
    sub->add_option("--candidate", arguments.candidate_revision,
                    "A revision whose files are the candidate; the base's project file judges both")
        ->type_name("REVISION")
        ->excludes("--set")
        ->excludes("--patch")
        ->excludes("--trial");
    sub->add_option("--base", arguments.base, "The revision it is compared with (default HEAD)")
        ->type_name("REVISION")
        ->needs("--candidate");
}

void report_options(CLI::App* sub, MeasureArguments& arguments) {
    sub->add_option("--format", arguments.format, "text, or markdown for a comment or a job's summary")
        ->check(CLI::IsMember({"text", "markdown"}));
    sub->add_option("-o,--output", arguments.file, "The file to write; default: standard output")->type_name("FILE");
    sub->add_flag("--force", arguments.force, "Replace the file when there is one");
}

void add_measure(CommandLine& line) {
    const auto arguments = std::make_shared<MeasureArguments>();
    const auto stack = std::make_shared<bool>(false);
    CLI::App* sub = line.command("measure", "Compare a candidate with HEAD, or two revisions, now; nothing is proposed",
                                 "  holdfast measure --set block_rows=128\n"
                                 "  holdfast measure --patch faster.patch --fail-on regresses\n"
                                 "  holdfast measure --set opt=-O3 --workload skewed --rounds 100\n"
                                 "  holdfast measure --base origin/main --candidate HEAD --fail-on regresses\n"
                                 "  holdfast measure --stack");
    compared_options(sub, *arguments);
    sub->add_option("--workload", arguments->workloads, "Only this workload (a held-out one is logged as a question)")
        ->type_name("WORKLOAD")
        ->expected(1)
        ->take_all();
    sub->add_flag("--stack", *stack,
                  "HEAD with every accepted change against what the first of them was measured against, on all "
                  "workloads; one held-out question")
        ->excludes("--base")
        ->excludes("--candidate")
        ->excludes("--set")
        ->excludes("--patch")
        ->excludes("--trial")
        ->excludes("--workload");
    sub->add_option("--rounds", arguments->rounds, "Pairs per workload (default 40)")->check(CLI::Range(6, 10000));
    sub->add_option("--seed", arguments->seed, "Seed of the coins; default: random")->check(check_seed);
    sub->add_option("--fail-on", arguments->fail_on, "Exit 3 when it is shown worse")
        ->check(CLI::IsMember({"regresses"}));
    consent_options(sub, arguments->consent);
    report_options(sub, *arguments);
    line.performs(sub, [&line, arguments, stack] {
        return *stack ? measure_stack(line.common(), *arguments) : measure(line.common(), *arguments);
    });
}

void add_calibrate(CommandLine& line) {
    const auto arguments = std::make_shared<CalibrateArguments>();
    CLI::App* sub =
        line.command("calibrate", "Compare HEAD with itself: how noisy this machine is, and what it can prove",
                     "  holdfast calibrate\n  holdfast calibrate --workload skewed --rounds 50\n"
                     "  holdfast calibrate --sessions 2 --no-burdens\n  holdfast calibrate --last");
    sub->add_option("--workload", arguments->workloads, "Only this workload; default: all, held-out ones too")
        ->type_name("WORKLOAD")
        ->expected(1)
        ->take_all();
    sub->add_option("--rounds", arguments->rounds, "Pairs per workload in a session (default 25)")
        ->check(CLI::Range(6, 10000));
    sub->add_option("--sessions", arguments->sessions, "Sessions (default 4)")->check(CLI::Range(1, 100));
    sub->add_flag("--no-burdens", arguments->no_burdens, "Look for no injected slow-downs of 1, 3 and 10 %");
    sub->add_option("--seed", arguments->seed, "Seed of the coins; default: random")->check(check_seed);
    CLI::Option* last = sub->add_flag("--last", arguments->last, "Show the last calibration and measure nothing");
    for (const char* option : {"--workload", "--rounds", "--sessions", "--no-burdens", "--seed"})
        last->excludes(sub->get_option(option));
    consent_options(sub, arguments->consent);
    line.performs(sub, [&line, arguments] { return calibrate(line.common(), *arguments); });
}

} // namespace

void add_study_commands(CommandLine& line) {
    add_propose(line);
    add_run(line);
    add_measure(line);
    add_calibrate(line);
}

} // namespace holdfast::cli
