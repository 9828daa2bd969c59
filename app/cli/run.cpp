// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "app/cli/workbench.hpp"
#include "app/common/study_options.hpp"
#include "app/common/wording.hpp"
#include "core/project/knobs.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/study/engine.hpp"
#include "core/study/stack.hpp"
#include "tuners/tuners.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

Result<Configuration> fixed_knobs(const Project& project, const std::vector<std::string>& texts) {
    Configuration fixed;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        const Knob* knob = project.knob(name);
        if (knob == nullptr)
            return invalid("fix knob " + printable(name), "the project has no knob of that name",
                           "See the knobs with: holdfast validate");
        if (equals == std::string::npos) {
            fixed[name] = knob->default_value;
            continue;
        }
        auto value = parse_value(*knob, std::string_view(text).substr(equals + 1));
        if (!value)
            return tl::unexpected(value.error());
        fixed[name] = *value;
    }
    return fixed;
}

/// A study that only empties the queue says so before it ends at once.
std::string why_no_search(const Project& project, const study::Options& options) {
    const char* const only = "only queued candidates are measured";
    if (options.trials == 0)
        return ""; // as asked
    if (project.knobs.empty())
        return fmt::format("note: the project has no knobs to search; {}", only);
    if (options.fixed.size() >= project.knobs.size())
        return fmt::format("note: every knob is fixed, so there is nothing to search; {}. Leave one knob out of --fix "
                           "and of \"search\"",
                           only);
    return "";
}

Result<study::Options> options_of(const Project& project, const RunArguments& arguments) {
    study::Options options = app::default_options(project);
    if (!arguments.tuners.empty())
        options.tuners = arguments.tuners;
    options.trials = arguments.trials.value_or(options.trials);
    options.leaders = arguments.leaders.value_or(options.leaders);
    options.seed = arguments.seed.value_or(options.seed);
    auto fixed = fixed_knobs(project, arguments.fixed);
    if (!fixed)
        return tl::unexpected(fixed.error());
    for (const auto& [name, value] : *fixed)
        options.fixed[name] = value;
    if (!arguments.budget.empty()) {
        const auto budget = parse_duration(arguments.budget);
        if (!budget)
            return invalid("run a study", "'" + printable(arguments.budget) + "' is not a duration",
                           "Write --budget 90s, 10m or 2h");
        options.budget = *budget;
    }
    if (auto checked = app::check_options(options); !checked)
        return tl::unexpected(checked.error());
    return options;
}

/// Each accepted change was shown alone; nothing says yet what they give together.
std::string stack_note(const study::Store& store, const git::Repository& repository) {
    const auto head = repository.resolve();
    const auto stack = head ? study::accepted_stack(store, repository, *head) : tl::unexpected(head.error());
    if (!stack || !*stack)
        return "";
    const auto retested = study::stack_retested(store, **stack, *head);
    if (!retested || *retested)
        return "";
    return fmt::format("note: HEAD has {} accepted change{} since {:.12}, never measured together as they are now. "
                       "Measure them with: holdfast measure --stack",
                       (*stack)->trials.size(), (*stack)->trials.size() == 1 ? "" : "s", (*stack)->base.id);
}

/// "3 of 50"; what is left is for later candidates of the same study alone.
std::string questions_text(const Project& project, const study::Store& store, const std::string& study) {
    const auto asked = store.questions(study);
    return asked ? fmt::format("{} of {}", asked->size(), project.decision.holdout_questions) : "unknown";
}

void print_proposals(const Common& common, const app::Records& records, const std::string& study) {
    std::vector<std::vector<std::string>> rows;
    std::string waiting;
    const std::string where = common.folder == "." ? "" : "-C " + common.folder.string() + " ";
    for (const study::VerdictRecord& verdict : records.verdicts)
        for (const study::TrialRecord& trial : records.trials) {
            if (trial.id != verdict.trial || trial.study != study)
                continue;
            const auto effects = nlohmann::json::parse(verdict.effects_json);
            rows.push_back({fmt::format("#{}", trial.number), standing_text(trial, &verdict, records),
                            app::effect_text(effects.at("tuning")), app::effect_text(effects.at("holdout")),
                            records.change(trial)});
            if (verdict.proposal)
                waiting += fmt::format("  holdfast {}show {}\n", where, trial.number);
        }
    if (!rows.empty()) {
        rows.insert(rows.begin(), {"trial", "verdict", "tuning", "held-out", "change"});
        fmt::print("{}\n", table(rows));
    }
    if (waiting.empty())
        fmt::print("No proposal: nothing passed every gate.\n");
    else
        fmt::print("Waiting for review (nothing reaches your branch without it):\n{}", waiting);
}

Result<int> report(const Common& common, const Project& project, const study::Store& store,
                   const study::Summary& summary) {
    auto records = app::read_records(store, to_json(project.defaults()));
    if (!records)
        return tl::unexpected(records.error());
    if (common.json) {
        nlohmann::json decided = nlohmann::json::array();
        for (const study::VerdictRecord& verdict : records->verdicts)
            for (const study::TrialRecord& trial : records->trials)
                if (trial.id == verdict.trial && trial.study == summary.study)
                    decided.push_back(trial_document(trial, *records));
        auto studies = store.studies();
        if (!studies)
            return tl::unexpected(studies.error());
        nlohmann::json document = {{"schema", "holdfast/run/1"},         {"study", summary.study},
                                   {"number", summary.number},           {"proposals", summary.proposals},
                                   {"left-queued", summary.left_queued}, {"decided", decided}};
        auto questions = store.questions(summary.study);
        if (!questions)
            return tl::unexpected(questions.error());
        document["questions"] = {{"asked", questions->size()}, {"budget", project.decision.holdout_questions}};
        for (const study::StudyRecord& study : *studies)
            if (study.id == summary.study) {
                document["seed"] = std::to_string(study.seed); // 64 bits are more than many readers' numbers hold
                document["baseline"] = study.baseline_commit;
            }
        print_document(document);
    } else {
        print_proposals(common, *records, summary.study);
        if (!project.with_role(Role::holdout).empty())
            fmt::print("Held-out questions asked by this study: {}\n", questions_text(project, store, summary.study));
    }
    return summary.proposals > 0 ? Exit::done : Exit::nothing_passed;
}

} // namespace

Result<int> run(const Common& common, const RunArguments& arguments) {
    auto opened = app::open_project_and_repository(common.folder);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto& [project, repository] = *opened;
    auto options = options_of(project, arguments);
    if (!options)
        return tl::unexpected(options.error());
    auto bench = Workbench::open(project, repository, arguments.consent);
    if (!bench)
        return tl::unexpected(bench.error());
    ProgressLine& line = (*bench)->line();
    if (auto changed = repository.uncommitted(); changed && !changed->empty())
        line.say(fmt::format("note: {} uncommitted file(s) are not measured, {} first; HEAD is", changed->size(),
                             printable(changed->front())));
    if (auto studies = (*bench)->store().studies(); studies && !arguments.resume)
        for (const study::StudyRecord& study : *studies)
            if (study::resumable(study))
                line.say(fmt::format(
                    "note: study {} is interrupted; `holdfast run --resume` goes on with the newest such one",
                    study.number));
    if (!arguments.resume) {
        if (const std::string why = why_no_search(project, *options); !why.empty())
            line.say(why);
        line.say(fmt::format("seed {}", options->seed));
    }

    if (const std::string note = stack_note((*bench)->store(), repository); !note.empty())
        line.say(note);
    const study::Watch watch = (*bench)->watch();
    const study::Environment environment{project,           repository, (*bench)->runner(),
                                         (*bench)->store(), watch,      tuners::make};
    auto summary = arguments.resume ? study::resume_study(environment) : study::start_study(environment, *options);
    line.finish();
    if (!summary)
        return tl::unexpected(summary.error());
    return report(common, project, (*bench)->store(), *summary);
}

} // namespace holdfast::cli
