// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/proposal.hpp"

#include "app/common/init/inputs.hpp"
#include "app/common/init/results.hpp"
#include "core/git/repository.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace holdfast::app::init {

namespace {

/// Also where nothing is there yet: a patch could bring it.
constexpr std::array usual_judges = {"**/tests/**", "**/test/**",  "**/spec/**",  "**/bench*/**",
                                     "**/test_*",   "**/*_test.*", "**/*_tests.*"};
constexpr std::array source_folders = {"src", "lib", "include", "source", "crates", "app"};

class Proposing {
public:
    explicit Proposing(const Seen& seen) : seen_(seen) {}

    Proposal run() {
        all_ = find_programs(seen_);
        for (const Found& found : all_) {
            proposal_.found.emplace_back(found.kind, found.file);
            if (!main_)
                main_ = found;
        }
        proposal_.draft.name = plain_name(name_of(seen_.folder.string()));
        proposal_.draft.objective = "wall";
        proposal_.draft.holdout_file = ".holdfast/holdout.json";
        if (main_)
            take(*main_);
        workloads();
        code();
        return std::move(proposal_);
    }

private:
    void take(const Found& found) {
        Project& draft = proposal_.draft;
        if (!found.name.empty() && printable(found.name) == found.name)
            draft.name = plain_name(found.name);
        draft.fetch = found.fetch;
        draft.build = found.build;
        draft.code.test = found.test;
        draft.sandbox.read = found.read;
        proposal_.why["build"] = found.build_why;
        proposal_.why["test"] = found.test_why;
        proposal_.programs = found.programs;
        proposal_.notes.insert(proposal_.notes.end(), found.notes.begin(), found.notes.end());
        for (const SuggestedKnob& knob : found.knobs) {
            draft.knobs.push_back(knob.knob);
            proposal_.why["knob " + knob.knob.name] = knob.why;
        }
    }

    void workloads() {
        const Results results = find_results(seen_);
        const auto& programs = proposal_.programs;
        for (const HyperfineResult& result : results.hyperfine)
            if (auto runs = runs_of(result); !runs.empty()) {
                proposal_.found.emplace_back("hyperfine", result.file);
                propose_workloads(seen_, runs, "hyperfine measured this: " + result.file + ".", proposal_);
                return;
            }
        for (const GoogleResult& result : results.google)
            for (const Runnable& program : programs)
                if (program.name == result.executable) {
                    proposal_.found.emplace_back("google-benchmark", result.file);
                    google(program, result.names);
                    return;
                }
        if (const auto run = own_run(true)) {
            propose_workloads(seen_, {*run}, "The project itself runs this.", proposal_);
            return;
        }
        if (const auto run = run_with_data()) {
            propose_workloads(seen_, {*run}, "A file that looks like the program's data.", proposal_);
            return;
        }
        if (const auto run = own_run(false)) {
            propose_workloads(seen_, {*run}, "The project itself runs this.", proposal_);
            return;
        }
        alone();
    }

    std::vector<Run> runs_of(const HyperfineResult& result) const {
        std::vector<Run> runs;
        for (const std::string& command : result.commands)
            if (const auto words = split_words(command))
                if (auto run = run_of_words(seen_, proposal_.programs, *words))
                    runs.push_back(std::move(*run));
        return runs;
    }

    /// A run that the project's tests or scripts make of one of its programs.
    std::optional<Run> own_run(bool with_input) const {
        if (!main_)
            return std::nullopt;
        for (const Argv& words : main_->commands) {
            auto run = run_of_words(seen_, proposal_.programs, words);
            const auto program = std::find_if(proposal_.programs.begin(), proposal_.programs.end(),
                                              [&](const Runnable& known) { return run && known.name == run->program; });
            if (program == proposal_.programs.end() || program->test || program->google_benchmark)
                continue;
            if (with_input ? !run->inputs.empty() : !program->benchmark && words.size() > 1)
                return run;
        }
        return std::nullopt;
    }

    std::optional<Run> run_with_data() const {
        const std::vector<std::string> data = data_files(seen_);
        if (data.empty())
            return std::nullopt;
        for (const Runnable& program : proposal_.programs)
            if (!program.test && !program.google_benchmark)
                if (auto argv = run_with(seen_, program, name_of(data.front())))
                    return Run{std::move(*argv), {data.front()}, program.name};
        return std::nullopt;
    }

    void alone() {
        for (const Runnable& program : proposal_.programs) {
            if (program.google_benchmark) {
                google(program, {});
                return;
            }
            if (program.test)
                continue;
            propose_workloads(seen_, {{program.argv, {}, program.name}},
                              "No input was found, so it runs without arguments.", proposal_);
            if (program.benchmark)
                proposal_.notes.push_back(
                    program.name + " looks like a benchmark: when it prints times, compare a file of answers or a "
                                   "pattern instead of its whole output, and take its number as a metric.");
            return;
        }
    }

    /// A workload for each benchmark, its own time as the metric.
    void google(const Runnable& program, const std::vector<std::string>& names) {
        std::vector<Run> runs;
        for (const std::string& name : names)
            if (runs.size() < 4 && printable(name) == name && name.find_first_of("{}") == std::string::npos)
                runs.push_back({google_run(program, name), {}, name});
        if (runs.empty())
            runs.push_back({google_run(program, ""), {}, program.name});
        propose_workloads(seen_, runs, "google-benchmark measures itself; its report is the metric.", proposal_);
        Metric metric;
        metric.name = "time";
        metric.source = Metric::Source::tool_file;
        metric.tool = "google-benchmark";
        metric.file = "bench.json";
        metric.unit = "ns";
        metric.accept_self_reported = true;
        proposal_.why["metrics"] =
            "The benchmark's time as google-benchmark reports it. The program tells it of itself: "
            "accept-self-reported is your word that it may decide. Verdicts set it beside wall "
            "and cpu.";
        if (names.empty()) {
            proposal_.notes.emplace_back("The metric takes the only benchmark of the report. Has the program several, "
                                         "add \"benchmark\": \"NAME\" to it; a run that lacks it names them.");
        }
        proposal_.draft.metrics = {metric};
        proposal_.draft.objective = metric.name;
        for (Workload& workload : proposal_.draft.workloads) {
            workload.check = {};
            // Its numbers differ in every run. That the same benchmarks ran is what can be compared; the tests do the
            // rest.
            workload.check.command = {"sh",
                                      "-c",
                                      "grep -o '\"name\": \"[^\"]*\"' \"$1\" > /tmp/ran && "
                                      "grep -o '\"name\": \"[^\"]*\"' \"$2\" | cmp -s - /tmp/ran",
                                      "sh",
                                      "{out}/bench.json",
                                      "{expected}/bench.json"};
        }
        proposal_.notes.emplace_back(
            "A benchmark checks no answers: what keeps them right are the tests, so keep a test "
            "command.");
    }

    static Argv google_run(const Runnable& program, const std::string& name) {
        Argv argv = program.argv;
        std::string pattern = "^";
        for (const char c : name)
            pattern +=
                (std::string_view(".+*?()[]|^$\\").find(c) != std::string_view::npos ? "\\" : "") + std::string(1, c);
        if (!name.empty())
            argv.push_back("--benchmark_filter=" + pattern + "$");
        argv.insert(argv.end(), {"--benchmark_out={out}/bench.json", "--benchmark_out_format=json"});
        return argv;
    }

    void code() {
        Code& code = proposal_.draft.code;
        for (const char* folder : source_folders)
            if (seen_.has_folder(folder))
                code.editable.push_back(std::string(folder) + "/**");
        for (const SeenFile& file : seen_.files) // Python packages
            if (name_of(file.path) == "__init__.py" && folder_of(file.path).find('/') == std::string::npos &&
                !folder_of(file.path).empty() && !belongs_to_tests(file.path))
                code.editable.push_back(folder_of(file.path) + "/**");
        for (const char* extension : {".c", ".cc", ".cpp", ".h", ".hpp", ".py", ".rs", ".js", ".mjs", ".go"})
            if (std::any_of(seen_.files.begin(), seen_.files.end(), [&](const SeenFile& file) {
                    return folder_of(file.path).empty() && extension_of(file.path) == extension;
                }))
                code.editable.push_back(std::string("*") + extension);
        std::vector<std::string> judges(usual_judges.begin(), usual_judges.end());
        for (const Found& found : all_)
            judges.insert(judges.end(), found.judges.begin(), found.judges.end());
        for (const Argv& test : code.test)
            for (std::string& path : judges_named(seen_, proposal_.programs, test))
                judges.push_back(std::move(path));
        for (const Runnable& program : proposal_.programs)
            if ((program.test || program.benchmark) && !program.source.empty())
                judges.push_back(program.source);
        for (std::string& judge : judges)
            if (std::none_of(code.protected_paths.begin(), code.protected_paths.end(), [&](const std::string& known) {
                    return known == judge || (judge.find('*') == std::string::npos && git::matches(known, judge));
                }))
                code.protected_paths.push_back(std::move(judge));
        code.protected_paths.emplace_back("holdfast.json");
    }

    const Seen& seen_;
    std::vector<Found> all_;
    std::optional<Found> main_;
    Proposal proposal_;
};

} // namespace

Proposal propose(const Seen& seen) {
    return Proposing(seen).run();
}

} // namespace holdfast::app::init
