// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"
#include "app/cli/terminal.hpp"
#include "app/cli/workbench.hpp"
#include "app/common/init/next.hpp"
#include "app/common/init/questions.hpp"
#include "app/common/init/server.hpp"
#include "app/common/init/try.hpp"
#include "app/common/init/write.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace holdfast::cli {

namespace {

namespace fs = std::filesystem;
using namespace app::init;
using nlohmann::json;

constexpr double shortest_good_run = 0.1; ///< seconds

/// All that was done, for whichever way it is told.
struct Story {
    Seen seen;
    Proposal proposal;
    Texts texts;
    bool written = false;
    std::optional<Tried> tried;
    std::string not_tried; ///< why; "" when it was, or was not wanted
    std::vector<std::string> warnings, next;
};

Result<void> ask(const Seen& seen, Proposal& proposal) {
    auto terminal = Terminal::open("ask about the project");
    if (!terminal)
        return invalid("ask about the project", "this is no terminal",
                       "Give --yes to take what is proposed; --dry-run shows it");
    std::vector<Question::About> asked;
    while (const auto question = next_question(proposal, asked)) {
        asked.push_back(question->about);
        // A second answer to the same question, when the first was not understood, is not another question.
        for (;;) {
            auto text = terminal->ask(fmt::format("{} [{}]", question->text, question->answer));
            if (!text)
                return tl::unexpected(text.error());
            auto taken = answer(seen, question->about, *text == question->answer ? "" : *text, proposal);
            if (taken && (!text->empty() || !question->answer.empty()))
                break;
            terminal->say(taken ? "A command is needed, such as ./mytool data/input.txt" : taken.error().message());
        }
    }
    return {};
}

/// "3 .java files, 1 .md file": the commonest first.
std::string kinds_of_files(const Seen& seen) {
    std::map<std::string, std::size_t> counts;
    for (const SeenFile& file : seen.files)
        ++counts[extension_of(file.path).empty() ? name_of(file.path) : extension_of(file.path)];
    std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 4); ++i)
        text += fmt::format("{}{} {} file{}", i == 0 ? "" : ", ", sorted[i].second, printable(sorted[i].first),
                            sorted[i].second == 1 ? "" : "s");
    return text.empty() ? "no files" : text;
}

/// What is there, and what a program to measure lacks.
tl::unexpected<Error> nothing_to_measure(const Seen& seen, const Proposal& proposal) {
    std::string found;
    for (const auto& [kind, file] : proposal.found)
        found += fmt::format("{}{} ({})", found.empty() ? "" : ", ", kind, printable(file));
    found = found.empty() ? fmt::format("there are {}, and no program is recognised among them: there is no "
                                        "CMakeLists.txt, Makefile, Cargo.toml or package.json, no Python script that "
                                        "runs by itself and no benchmark result",
                                        kinds_of_files(seen))
                          : found + " is there, but no program in it that could be run";
    for (const std::string& note : proposal.notes)
        found += ". " + printable(note.ends_with('.') ? note.substr(0, note.size() - 1) : note);
    if (!seen.in_repository)
        found += "; and it is not in a git repository";
    if (!seen.whole)
        found += fmt::format("; only the nearest {} files were looked at", seen.files.size());
    return invalid("propose what to measure in " + printable(seen.folder.string()), found,
                   seen.in_repository
                       ? "Run it at a terminal without --yes to name a command, or see an example with: "
                         "holdfast demo zorder"
                       : "Name the folder of your program, or see an example with: holdfast demo zorder");
}

void tell_of_others(const Written& written, std::vector<std::string>& warnings) {
    for (const auto& [file, copy] : written.copies)
        warnings.push_back(fmt::format("{} was replaced; what it held is in {}", printable(file), printable(copy)));
    if (!written.old_holdout.empty())
        warnings.push_back(fmt::format("nothing was proposed to be held out, but there is a {} from before, which was "
                                       "left as it is: its held-out workloads stay in use",
                                       written.old_holdout));
}

/// Most of a very short run is the start of a process, and its noise hides small gains.
void tell_of_short_runs(Story& story) {
    for (const Tried::Row& row : story.tried->rows)
        if (row.seconds > 0 && row.seconds < shortest_good_run)
            story.warnings.push_back(fmt::format("a run of {} takes {:.1f} ms: most of it is the program's start. "
                                                 "Choose inputs that keep it busy for at least "
                                                 "{:g} s",
                                                 printable(row.workload), row.seconds * 1000, shortest_good_run));
}

/// Why HEAD cannot be run yet; "" when it can.
std::string not_runnable(const Seen& seen) {
    return !seen.in_repository ? "the folder is not in a git repository yet"
           : !seen.has_commit  ? "there is no commit yet, and HEAD is what is measured"
                               : "";
}

/// The outputs of two runs may differ in the last digits of their numbers: then the file says so.
Result<void> loosen(Workbench& bench, const Project& project, const git::Repository& repository, Story& story) {
    const study::Watch watch = bench.watch();
    auto again = try_baseline(with_tolerance(project), repository, bench.runner(), bench.store(), watch);
    if (!again)
        return tl::unexpected(again.error());
    if (!again->repeatable()) {
        for (const Tried::Row& row : story.tried->rows)
            if (!row.different.empty())
                story.warnings.push_back(fmt::format(
                    "two runs of {} answered differently ({}): when it prints times or counters, write them elsewhere; "
                    "when only the order differs, compare with a \"command\"",
                    printable(row.workload), row.different));
        return {};
    }
    story.tried = std::move(*again);
    story.proposal.draft = with_tolerance(story.proposal.draft);
    story.texts = texts_of(story.proposal);
    story.warnings.emplace_back(
        "two runs differed in digits of their numbers only, so the check compares numbers within "
        "a millionth");
    if (auto written = write_project(project.folder, story.texts, Existing::replaced); !written)
        return tl::unexpected(written.error());
    return {};
}

Result<void> run_once(const Project& project, Story& story) {
    story.not_tried = not_runnable(story.seen);
    if (!story.not_tried.empty())
        return {};
    auto repository = git::Repository::open(project.folder);
    if (!repository)
        return tl::unexpected(repository.error());
    auto bench = Workbench::open(project, *repository, Consent{});
    if (!bench)
        return tl::unexpected(bench.error());
    const study::Watch watch = (*bench)->watch();
    auto tried = try_baseline(project, *repository, (*bench)->runner(), (*bench)->store(), watch);
    (*bench)->line().finish();
    if (!tried) {
        if (tried.error().kind == Error::Kind::interrupted || tried.error().kind == Error::Kind::refused)
            return tl::unexpected(tried.error());
        story.not_tried = fmt::format("{}: {}", tried.error().attempted, tried.error().found);
        return {};
    }
    story.tried = std::move(*tried);
    if (!story.tried->repeatable())
        if (auto loosened = loosen(**bench, project, *repository, story); !loosened)
            return loosened;
    tell_of_short_runs(story);
    return {};
}

void look_back(Story& story) {
    const Seen& seen = story.seen;
    for (const std::string& note : story.proposal.notes)
        story.warnings.push_back(printable(note));
    if (!seen.whole)
        story.warnings.push_back(
            fmt::format("the folder is large: only the nearest {} files were looked at, at most {} "
                        "folders deep",
                        seen.files.size(), LookLimits{}.depth));
    if (seen.passed_over > 0)
        story.warnings.push_back(
            fmt::format("{} file(s) were passed over: unreadable, or with names that a project file "
                        "should not hold",
                        seen.passed_over));
    story.next = next_steps(seen, story.proposal);
}

json workloads_document(const Proposal& proposal) {
    json list = json::array();
    for (const Workload& workload : proposal.draft.workloads) {
        const auto why = proposal.why.find("workload " + workload.name);
        const bool held = workload.role == Role::holdout;
        list.push_back({{"name", workload.name},
                        {"role", held ? "holdout" : "tuning"},
                        {"inputs", workload.inputs},
                        {"run", workload.run},
                        {"why", held || why == proposal.why.end() ? proposal.holdout_why : printable(why->second)}});
    }
    return list;
}

json tried_document(const Story& story) {
    if (!story.tried && story.not_tried.empty())
        return nullptr;
    json rows = json::array();
    if (story.tried)
        for (const Tried::Row& row : story.tried->rows)
            rows.push_back({{"workload", row.workload}, {"seconds", row.seconds}, {"same", row.different.empty()}});
    return {{"ran", story.tried.has_value()},
            {"reason", story.tried ? json(nullptr) : json(printable(story.not_tried, false))},
            {"workloads", std::move(rows)}};
}

json document_of(const Story& story) {
    json found = json::array(), knobs = json::array(), files = json::array();
    for (const auto& [kind, file] : story.proposal.found)
        found.push_back({{"kind", kind}, {"file", file}});
    for (const Knob& knob : story.proposal.draft.knobs)
        knobs.push_back(knob.name);
    for (const NewFile& file : story.proposal.files)
        files.push_back(file.path);
    return {{"schema", "holdfast/init/1"},
            {"folder", printable(story.seen.folder.string())},
            {"written", story.written},
            {"found", std::move(found)},
            {"workloads", workloads_document(story.proposal)},
            {"holdout", story.proposal.holdout_why},
            {"knobs", std::move(knobs)},
            {"build", story.proposal.draft.build},
            {"test", story.proposal.draft.code.test},
            {"project", story.texts.project},
            {"holdouts", story.texts.holdout},
            {"inputs", std::move(files)},
            {"tried", tried_document(story)},
            {"warnings", story.warnings},
            {"next", story.next}};
}

void print_tried(const Story& story) {
    if (story.tried)
        for (const Tried::Row& row : story.tried->rows)
            fmt::print("ran         {} in {}, {}\n", printable(row.workload),
                       duration_text(std::chrono::nanoseconds(static_cast<std::int64_t>(row.seconds * 1e9))),
                       row.different.empty() ? "with the same output twice" : "with different outputs");
    else if (!story.not_tried.empty())
        fmt::print("not run     {}\n", printable(story.not_tried, false));
}

void print_story(const Story& story, bool dry_run) {
    const Proposal& proposal = story.proposal;
    for (const auto& [kind, file] : proposal.found)
        fmt::print("found       {} ({})\n", kind, printable(file));
    if (dry_run)
        fmt::print("\n{}\n{}", story.texts.project,
                   story.texts.holdout.empty() ? "" : ".holdfast/holdout.json:\n" + story.texts.holdout + "\n");
    for (const Workload& workload : proposal.draft.workloads)
        fmt::print("workload    {} ({})\n", printable(workload.name),
                   workload.role == Role::tuning ? "tuning" : "held-out");
    fmt::print("held out    {}\n", printable(proposal.holdout_why));
    for (const Knob& knob : proposal.draft.knobs)
        fmt::print("knob        {} = {}\n", knob.name, printable(to_text(knob.default_value)));
    for (const Argv& test : proposal.draft.code.test)
        fmt::print("test        {}\n", printable(join_words(test)));
    print_tried(story);
    for (const std::string& warning : story.warnings)
        fmt::print("warning     {}\n", warning);
    fmt::print("{}", story.written ? "wrote       holdfast.json" : "wrote       nothing: this is a dry run");
    fmt::print("{}\n\nHEAD is what is measured: commit holdfast.json and every file the program needs.\nNext:\n",
               story.written && !story.texts.holdout.empty() ? " and .holdfast/holdout.json" : "");
    for (const std::string& command : story.next)
        fmt::print("  {}\n", command);
}

/// The proposal for the server that was named, or whose settings are all there is in the folder.
Result<Proposal> propose_for(const Seen& seen, const std::string& server) {
    Proposal proposal = server.empty() ? propose(seen) : Proposal();
    auto kind = app::server_kind(server);
    if (const auto file = find_server_file(seen); !kind && !proposal.has_workload() && file)
        kind = file->kind;
    if (!kind)
        return proposal;
    auto runner = app::start_runner();
    if (!runner)
        return tl::unexpected(runner.error());
    auto catalogue = app::catalogue_of(*kind, **runner);
    if (!catalogue)
        return tl::unexpected(catalogue.error());
    return propose_server(seen, *catalogue);
}

Result<Story> tell(const fs::path& folder, const InitArguments& arguments) {
    auto seen = look(folder);
    if (!seen)
        return tl::unexpected(seen.error());
    Story story;
    story.seen = std::move(*seen);
    auto proposal = propose_for(story.seen, arguments.server);
    if (!proposal)
        return tl::unexpected(proposal.error());
    story.proposal = std::move(*proposal);
    // What a server's workloads are is no matter of one line.
    const bool server = story.proposal.has_workload() && story.proposal.programs.empty();
    const bool questions = !arguments.yes && !arguments.dry_run && !server;
    if (!story.proposal.has_workload() && (!questions || !story.seen.in_repository))
        return nothing_to_measure(story.seen, story.proposal);
    if (questions)
        if (auto asked = ask(story.seen, story.proposal); !asked)
            return tl::unexpected(asked.error());
    story.texts = texts_of(story.proposal);
    if (arguments.dry_run) {
        if (auto checked = check_texts(story.seen.folder, story.texts); !checked)
            return tl::unexpected(to_error(checked.error()));
    } else {
        auto written =
            write_project(story.seen.folder, story.texts, arguments.force ? Existing::copied : Existing::refused);
        if (!written)
            return tl::unexpected(written.error());
        story.written = true;
        tell_of_others(*written, story.warnings);
        if (arguments.try_once || !arguments.yes)
            if (auto ran = run_once(written->project, story); !ran)
                return tl::unexpected(ran.error());
    }
    look_back(story);
    return story;
}

} // namespace

Result<int> init(const Common& common, const InitArguments& arguments) {
    const fs::path folder = arguments.folder.empty() ? common.folder : common.folder / arguments.folder;
    auto story = tell(folder, arguments);
    if (!story)
        return tl::unexpected(story.error());
    if (common.json)
        print_document(document_of(*story));
    else
        print_story(*story, arguments.dry_run);
    return story->not_tried.empty() || !arguments.try_once ? Exit::done : Exit::error;
}

} // namespace holdfast::cli
