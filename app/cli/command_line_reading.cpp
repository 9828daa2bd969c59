// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that read the history.
#include "app/cli/command_line.hpp"
#include "app/cli/front.hpp"
#include "app/cli/imports.hpp"
#include "core/review/exports.hpp"

#include <fmt/format.h>
#include <memory>

namespace holdfast::cli {

namespace {

void add_trials(CommandLine& line) {
    const auto fronts = std::make_shared<bool>(false), csv = std::make_shared<bool>(false);
    CLI::App* sub = line.command("trials", "List the trials and their verdicts",
                                 "  holdfast trials\n  holdfast trials --json\n  holdfast trials --front\n"
                                 "  holdfast trials --front --csv > front.csv");
    CLI::Option* front_flag = sub->add_flag(
        "--front", *fronts, "Of studies with two or three objectives: which trials no other one beats in all of them");
    sub->add_flag("--csv", *csv, "The front as comma-separated values")->needs(front_flag);
    line.performs(sub, [&line, fronts, csv] { return *fronts ? front(line.common(), *csv) : trials(line.common()); });
}

void add_show(CommandLine& line) {
    const auto id = std::make_shared<std::string>();
    CLI::App* sub = line.command("show", "Show one trial: verdict, effects, gates, change",
                                 "  holdfast show 3\n  holdfast show 3 --json");
    add_trial_id(sub, *id);
    line.performs(sub, [&line, id] { return show(line.common(), *id); });
}

void add_compare(CommandLine& line) {
    const auto ids = std::make_shared<std::vector<std::string>>();
    CLI::App* sub = line.command("compare", "Put two to six decided trials side by side",
                                 "  holdfast compare 3 5\n  holdfast compare 3 5 8 --json");
    sub->add_option("ID", *ids, "Trials' numbers or ids")->type_name("TRIAL")->required();
    line.performs(sub, [&line, ids] { return compare(line.common(), *ids); });
}

void add_history(CommandLine& line) {
    const auto arguments = std::make_shared<HistoryArguments>();
    CLI::App* sub = line.command("history", "List the studies over time; with WORKLOAD the baseline's measurements",
                                 "  holdfast history\n  holdfast history skewed\n"
                                 "  holdfast history skewed --metric cpu\n  holdfast history skewed --json");
    sub->add_option("WORKLOAD", arguments->workload,
                    "How the baseline did on it, session by session, with the change points between studies")
        ->type_name("WORKLOAD");
    sub->add_option("--metric", arguments->metric, "Which metric; default: the newest study's objective")
        ->type_name("NAME");
    line.performs(sub, [&line, arguments] { return history(line.common(), *arguments); });
}

void add_export(CommandLine& line) {
    const auto arguments = std::make_shared<ExportArguments>();
    CLI::App* sub =
        line.command("export", "Write one decided trial in the format of another tool",
                     "  holdfast export 3 --format markdown\n  holdfast export 3 --format patch -o change.patch\n"
                     "  holdfast export 3 --format env | ssh server 'cat > /etc/service.env'\n"
                     "  holdfast export 3 --format evidence --without-holdout -o evidence.json");
    std::string list;
    for (const review::Format& format : review::formats())
        list += fmt::format("\n  {:<14} {}{}", format.name, format.about, format.carries_change ? " *" : "");
    add_trial_id(sub, arguments->id);
    sub->add_option("--format", arguments->format, "Which format, see below")->type_name("FORMAT")->required();
    sub->add_option("-o,--output", arguments->file, "The file to write; default: standard output")->type_name("FILE");
    sub->add_flag("--force", arguments->force, "Replace the file when there is one");
    sub->add_flag("--without-holdout", arguments->without_holdout,
                  "evidence: leave out held-out definitions and samples; it is marked as incomplete");
    sub->footer(fmt::format("Formats (* only for an approved trial):{}\n\n{}", list, sub->get_footer()));
    line.performs(sub, [&line, arguments] { return export_trial(line.common(), *arguments); });
}

void add_import(CommandLine& line) {
    const auto arguments = std::make_shared<ImportArguments>();
    CLI::App* sub = line.command(
        "import", "Keep another machine's evidence or another program's benchmark results; neither is pooled",
        "  holdfast import evidence.json\n  holdfast import bench.json\n"
        "  holdfast import --list");
    CLI::Option* file =
        sub->add_option("FILE", arguments->file,
                        "What `export --format evidence` wrote, or a result file of google-benchmark, hyperfine, "
                        "pytest-benchmark, JMH, nanobench, criterion or Catch2; - reads standard input")
            ->type_name("FILE");
    const auto list = std::make_shared<bool>(false);
    sub->add_flag("--list", *list, "Show what was imported so far, in place of importing")->excludes(file);
    line.performs(sub, [&line, arguments, list] {
        return *list ? list_imports(line.common()) : import_file(line.common(), *arguments);
    });
}

} // namespace

void add_reading_commands(CommandLine& line) {
    add_trials(line);
    add_show(line);
    add_compare(line);
    add_history(line);
    add_export(line);
    add_import(line);
    line.performs(line.command("audit", "Verify the history: chain of events, digests, samples", "  holdfast audit"),
                  [&line] { return audit(line.common()); });
}

} // namespace holdfast::cli
