// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/measure.hpp"

#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "app/cli/stack.hpp"
#include "app/cli/whole_file.hpp"
#include "app/cli/workbench.hpp"
#include "app/common/revisions.hpp"
#include "app/common/study_options.hpp"
#include "core/decision/verdict.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/review/measured.hpp"
#include "core/review/rules.hpp"
#include "core/study/counting.hpp"
#include "core/study/stack.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

/// What is to be compared with what, and by which project file.
struct Asked {
    Project project;
    git::Repository repository;
    study::MeasureRequest request;
    std::string base, candidate; ///< as the person named them
    std::vector<std::string> notes;
    std::vector<review::Flag> flags; ///< a fast answer that costs durability, or a check, is never only fast
    std::optional<study::Stack> stack = {};
};

std::vector<study::StackSide> sides_of(const Asked& asked, const study::Measured& measured) {
    return asked.stack
               ? study::stack_sides(*asked.stack, measured, asked.project.metric(asked.project.objective).better,
                                    asked.project.decision.minimum_effect)
               : std::vector<study::StackSide>();
}

/// What the accepted changes claimed beside what they give together.
std::string stack_text(const Asked& asked, const study::Measured& measured) {
    std::string text;
    for (const study::StackSide& side : sides_of(asked, measured))
        text += fmt::format("{}{}\n", side.confirmed ? "" : "warning: ", side.text);
    return text;
}

std::string text_of(const Asked& asked, const study::Measured& measured) {
    std::string text;
    for (const review::Flag& flag : asked.flags)
        text += fmt::format("flag: {}{}: {}\n", review::is_danger(flag.name) ? "! " : "", flag.name, flag.evidence);
    for (const std::string& note : asked.notes)
        text += fmt::format("note: {}\n", note);
    if (!measured.stopped.empty()) {
        const std::string log = review::measured_log(measured);
        return text + fmt::format("{}: {}\n", measured.verdict, printable(measured.stopped)) +
               (log.empty() ? "" : fmt::format("The end of its log:\n{}{}", log, log.ends_with('\n') ? "" : "\n"));
    }
    const Better better = asked.project.metric(asked.project.objective).better;
    std::vector<std::vector<std::string>> rows{
        {"workload", study::metric_label(asked.project.objective, measured.machine_json), "rounds", ""}};
    for (std::size_t i = 0; i < measured.workloads.size(); ++i)
        rows.push_back({printable(measured.workloads[i]), decision::describe(measured.assessment.workloads[i], better),
                        std::to_string(measured.assessment.workloads[i].rounds), ""});
    rows.push_back({"all", decision::describe(measured.assessment.objective, better),
                    std::to_string(measured.assessment.rounds), ""});
    text += fmt::format("{}\n{} is better; the interval holds however often one looks.\n", table(rows),
                        better == Better::lower ? "Lower" : "Higher");
    if (measured.tuning && measured.holdout)
        text += fmt::format("gap {}\n",
                            decision::gap_text(measured.tuning->objective, measured.holdout->objective, better));
    text += stack_text(asked, measured);
    for (const decision::Guard& guard : measured.assessment.guards)
        if (guard.worse)
            text += fmt::format("regresses: shown not to hold: {}\n", printable(decision::describe(guard)));
    for (const std::string& line : review::measured_beside(measured))
        text += printable(line) + "\n";
    return text;
}

nlohmann::json gap_document(const study::Measured& measured) {
    if (!measured.stopped.empty() || !measured.tuning || !measured.holdout)
        return nullptr;
    const stats::Interval gap = decision::gap(measured.tuning->objective, measured.holdout->objective);
    const auto finite = [](double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); };
    return {{"log-ratio-low", finite(gap.low)}, {"log-ratio-high", finite(gap.high)}};
}

nlohmann::json stack_document(const Asked& asked, const study::Measured& measured) {
    if (!asked.stack)
        return nullptr;
    const Better better = asked.project.metric(asked.project.objective).better;
    nlohmann::json sides = nlohmann::json::array();
    if (measured.stopped.empty())
        for (const study::StackSide& side : sides_of(asked, measured))
            sides.push_back({{"side", side.name},
                             {"claimed", side.claimed ? nlohmann::json(decision::as_change(*side.claimed, better))
                                                      : nlohmann::json()},
                             {"confirmed", side.confirmed},
                             {"text", side.text}});
    return {{"trials", asked.stack->trials}, {"sides", std::move(sides)}};
}

nlohmann::json document_of(const Asked& asked, const study::Measured& measured) {
    nlohmann::json flags = nlohmann::json::array();
    for (const review::Flag& flag : asked.flags)
        flags.push_back(flag.name);
    nlohmann::json notes = asked.notes;
    for (const review::Flag& flag : review::measured_flags(measured))
        notes.push_back(printable(flag.evidence));
    const auto given = [](const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); };
    return {
        {"schema", "holdfast/measure/1"},
        {"trial", measured.number},
        {"base", asked.request.base->id},
        {"candidate", asked.request.candidate ? nlohmann::json(asked.request.candidate->id) : nlohmann::json()},
        {"isolation", measured.isolation_level},
        {"notes", notes},
        {"flags", flags},
        {"verdict", given(measured.verdict)},
        {"stopped", given(printable(measured.stopped))},
        {"log", given(review::measured_log(measured))},
        {"regresses", measured.regresses},
        {"gap", gap_document(measured)},
        {"stack", stack_document(asked, measured)},
        {"effects", measured.stopped.empty() ? review::measured_effects(asked.project, measured) : nlohmann::json()}};
}

/// What a trial proposed, to be measured once more.
Result<app::CandidateInput> candidate_of(const Common& common, const Project& project, const std::string& id) {
    const std::string attempted = "measure trial " + printable(id);
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto trials = (*store)->trials();
    if (!trials)
        return tl::unexpected(trials.error());
    const study::TrialRecord* trial = find_trial(*trials, id);
    if (trial == nullptr)
        return invalid(attempted, "there is no such trial", "List them with: holdfast trials");
    if (study::compared_revisions(*trial))
        return invalid(attempted, "it compared two revisions", "Name them again with --base and --candidate");
    auto configuration = configuration_from_json(project, trial->configuration_json);
    if (!configuration)
        return tl::unexpected(configuration.error());
    return app::CandidateInput{std::move(*configuration), trial->patch, trial->kind};
}

/// The candidate in the words of the command line.
std::string named(const MeasureArguments& arguments) {
    if (!arguments.trial.empty())
        return "trial " + arguments.trial;
    std::string text;
    for (const std::string& set : arguments.candidate.set)
        text += (text.empty() ? "" : " ") + set;
    if (!arguments.candidate.patch.empty())
        text += (text.empty() ? "patch " : " and patch ") + arguments.candidate.patch;
    return text.empty() ? "every knob at its default" : text;
}

/// `revision` with its commit where the name alone does not say it.
std::string with_id(const std::string& revision, const git::Commit& commit) {
    return commit.id.starts_with(revision) ? commit.id : fmt::format("{} ({:.12})", revision, commit.id);
}

Result<Asked> ask_revisions(const Common& common, const MeasureArguments& arguments) {
    auto opened = app::open_revisions(common.folder, arguments.base, arguments.candidate_revision);
    if (!opened)
        return tl::unexpected(opened.error());
    study::MeasureRequest request;
    request.base = opened->base;
    request.candidate = opened->candidate;
    return Asked{std::move(opened->judge),
                 std::move(opened->repository),
                 std::move(request),
                 with_id(arguments.base.empty() ? "HEAD" : arguments.base, opened->base),
                 with_id(arguments.candidate_revision, opened->candidate),
                 std::move(opened->notes),
                 std::move(opened->flags)};
}

std::string numbered(const std::vector<std::int64_t>& trials) {
    std::string text;
    for (const std::int64_t trial : trials)
        text += fmt::format("{}#{}", text.empty() ? "" : ", ", trial);
    return text;
}

/// On every workload: a change may have cost what the next one was measured on.
Result<Asked> ask_stack(const Common& common) {
    auto opened = app::open_project_and_repository(common.folder);
    if (!opened)
        return tl::unexpected(opened.error());
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto head = opened->repository.resolve();
    if (!head)
        return tl::unexpected(head.error());
    auto stack = study::accepted_stack(**store, opened->repository, *head);
    if (!stack)
        return tl::unexpected(stack.error());
    if (!*stack)
        return refused("measure the stack of accepted changes",
                       "HEAD has no commit that `holdfast apply` made, or it has the reverts of all",
                       "Check out the branch they were merged into, or compare revisions with --base and --candidate");
    auto revisions = app::open_revisions(common.folder, (*stack)->base.id, head->id);
    if (!revisions)
        return tl::unexpected(revisions.error());
    auto knobs = app::defaults_in(revisions->judge, revisions->repository, *head);
    if (!knobs)
        return tl::unexpected(knobs.error());
    for (const std::int64_t trial : (*stack)->reverted)
        revisions->notes.push_back(fmt::format("trial {} was reverted, but HEAD still holds it", trial));
    study::MeasureRequest request;
    request.base = revisions->base;
    request.candidate = revisions->candidate;
    request.candidate_knobs = std::move(*knobs);
    request.stack = true;
    for (const Workload& workload : revisions->judge.workloads)
        request.workloads.push_back(workload.name);
    return Asked{std::move(revisions->judge),
                 std::move(revisions->repository),
                 std::move(request),
                 (*stack)->base.id,
                 with_id("HEAD", *head) + " with " + numbered((*stack)->trials),
                 std::move(revisions->notes),
                 std::move(revisions->flags),
                 std::move(*stack)};
}

Result<Asked> ask_candidate(const Common& common, const MeasureArguments& arguments) {
    auto opened = app::open_project_and_repository(common.folder);
    if (!opened)
        return tl::unexpected(opened.error());
    auto input = arguments.trial.empty() ? app::read_candidate(opened->project, opened->repository, arguments.candidate)
                                         : candidate_of(common, opened->project, arguments.trial);
    if (!input)
        return tl::unexpected(input.error());
    auto head = opened->repository.resolve();
    if (!head)
        return tl::unexpected(head.error());
    study::MeasureRequest request;
    request.base = *head;
    std::vector<std::string> notes;
    if (input->patch.empty() && input->configuration == opened->project.defaults())
        notes.emplace_back("The candidate is the baseline: what you see is noise.");
    auto flags = review::change_flags(opened->project, to_json(input->configuration), input->patch);
    request.configuration = std::move(input->configuration);
    request.patch = std::move(input->patch);
    return Asked{std::move(opened->project),
                 std::move(opened->repository),
                 std::move(request),
                 with_id("HEAD", *head),
                 named(arguments),
                 std::move(notes),
                 std::move(flags)};
}

Result<void> report(const Common& common, const MeasureArguments& arguments, const Asked& asked,
                    const study::Measured& measured) {
    std::vector<std::string> notes = asked.notes;
    if (measured.stopped.empty())
        for (const study::StackSide& side : sides_of(asked, measured))
            notes.push_back(side.text);
    const std::string text =
        arguments.format == "markdown"
            ? review::measured_markdown({asked.project, measured, asked.base, asked.candidate, asked.request.base->id,
                                         notes, asked.flags, asked.request.rounds})
            : text_of(asked, measured);
    if (!arguments.file.empty())
        if (auto written = write_whole(arguments.file, text, arguments.force); !written)
            return written;
    if (common.json)
        print_document(document_of(asked, measured));
    else if (arguments.file.empty())
        fmt::print("{}", text);
    return {};
}

/// A candidate that gives no number has not passed, whatever was asked.
int exit_of(const MeasureArguments& arguments, const study::Measured& measured) {
    if (measured.verdict == "refused")
        return Exit::gate_refused;
    if (!measured.stopped.empty())
        return Exit::nothing_passed;
    return measured.regresses && arguments.fail_on == "regresses" ? Exit::nothing_passed : Exit::done;
}

/// `asked`: who the two are; `arguments`: how to measure and report.
Result<int> carry_out(const Common& common, const MeasureArguments& arguments, Result<Asked> asked) {
    if (!asked)
        return tl::unexpected(asked.error());
    asked->request.rounds = static_cast<std::size_t>(arguments.rounds);
    asked->request.seed = arguments.seed.value_or(app::random_seed());
    if (auto known = study::choose_workloads(asked->project, asked->request.workloads); !known)
        return tl::unexpected(known.error());
    auto bench = Workbench::open(asked->project, asked->repository, arguments.consent);
    if (!bench)
        return tl::unexpected(bench.error());
    const study::Watch watch = (*bench)->watch();
    auto measured =
        study::measure(asked->project, asked->repository, (*bench)->runner(), (*bench)->store(), watch, asked->request);
    (*bench)->line().finish();
    if (!measured)
        return tl::unexpected(measured.error());
    for (review::Flag& flag : review::measured_flags(*measured))
        asked->flags.push_back(std::move(flag));
    if (auto reported = report(common, arguments, *asked, *measured); !reported)
        return tl::unexpected(reported.error());
    return exit_of(arguments, *measured);
}

/// Now, not after minutes of measuring.
Result<void> can_report(const MeasureArguments& arguments) {
    return arguments.file.empty() ? Result<void>() : check_target(arguments.file, arguments.force);
}

} // namespace

Result<int> measure(const Common& common, const MeasureArguments& arguments) {
    if (auto target = can_report(arguments); !target)
        return tl::unexpected(target.error());
    auto asked =
        arguments.candidate_revision.empty() ? ask_candidate(common, arguments) : ask_revisions(common, arguments);
    if (asked)
        asked->request.workloads = arguments.workloads;
    return carry_out(common, arguments, std::move(asked));
}

Result<int> measure_stack(const Common& common, const MeasureArguments& arguments) {
    if (auto target = can_report(arguments); !target)
        return tl::unexpected(target.error());
    return carry_out(common, arguments, ask_stack(common));
}

} // namespace holdfast::cli
