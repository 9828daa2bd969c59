// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"
#include "core/review/background.hpp"
#include "core/review/carry_over.hpp"
#include "core/review/look.hpp"
#include "core/review/more_memory.hpp"
#include "core/review/rules.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/review/uneven.hpp"
#include "core/stats/estimate.hpp"
#include "core/study/counting.hpp"
#include "core/study/growth.hpp"
#include "core/study/isolation.hpp"
#include "core/study/metric_trust.hpp"
#include "core/study/paired_values.hpp"
#include "core/study/probes/probe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

constexpr double worth_a_flag = 0.1;
constexpr double interval_error = 0.1;

/// Log ratios, positive: more.
std::vector<double> growths_of(const std::vector<study::SampleRecord>& samples, const char* metric) {
    std::vector<double> logs;
    for (const study::PairedValue& pair : study::paired_values(samples, metric, "confirm"))
        logs.push_back(std::log(pair.candidate / pair.baseline));
    return logs;
}

/// Runs of a few milliseconds spread by more than a flag's worth: a median alone would flag noise.
bool shown_more(const std::vector<double>& logs) {
    return stats::confidence_sequence(logs, interval_error).low > decision::rounding;
}

std::string estimate_of(const json& effects, const char* side) {
    const auto found = effects.is_object() ? effects.find(side) : effects.end();
    if (found == effects.end() || !found->is_object() || !found->contains("estimate") ||
        !found->at("estimate").is_number())
        return "unknown";
    return decision::percent_text(found->at("estimate").get<double>()) + " %";
}

/// The verdict's own reason that begins so, safe to show; "" when it has none.
std::string reason_that_begins(const study::VerdictRecord& verdict, std::string_view start) {
    const json reasons = json::parse(verdict.reasons_json, nullptr, false);
    if (reasons.is_array())
        for (const json& reason : reasons)
            if (reason.is_string() && reason.get<std::string>().starts_with(start))
                return printable(reason.get<std::string>());
    return "";
}

std::string split_leak_of(const study::VerdictRecord& verdict) {
    if (const std::string pairs = reason_that_begins(verdict, "The split leaks"); !pairs.empty())
        return pairs + " The held-out effect may only repeat what the tuning workloads showed.";
    return "Held-out workloads are near copies of tuning ones: the held-out effect may only repeat theirs.";
}

/// What the sandbox of the trial's study did not stop, as the evidence keeps it.
std::string gaps_of(const study::VerdictRecord& verdict) {
    const json evidence = json::parse(verdict.evidence_json, nullptr, false);
    const auto opening = evidence.is_object() ? evidence.find("opening") : evidence.end();
    const auto report = opening == evidence.end() ? std::nullopt : study::isolation_of(opening->dump());
    return fmt::format("The sandbox held no better, as was accepted when the study was started: a program inside {}. "
                       "What ran may have reached the machine, the other arm or its own measurement.",
                       report ? printable(study::gaps_text(*report)) : "could do what the report no longer tells");
}

const std::string trade = "trade-off: ";

std::string trade_words(const json& effects, const std::string& metric) {
    const json none = json::array();
    const auto found = effects.is_object() ? effects.find("objectives") : effects.end();
    std::string text = fmt::format("The gain is paid with {}, shown worse than the harm margin", metric);
    for (const json& objective : found == effects.end() ? none : *found)
        if (objective.is_object() && objective.value("metric", "") == metric)
            text += fmt::format(": {} on tuning workloads, {} on held-out ones", estimate_of(objective, "tuning"),
                                estimate_of(objective, "holdout"));
    return text + ". Both are objectives of the project: say whether you want this trade.";
}

/// What the changed program itself says of its quality is no witness against it.
std::string told_quality(const Project& project) {
    std::string text;
    for (const Workload& workload : project.workloads)
        if (workload.check.quality && !workload.check.quality->metric.empty())
            text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", workload.check.quality->metric, workload.name);
    return text;
}

std::string evidence_of(const std::string& flag, const study::VerdictRecord& verdict) {
    const json effects = json::parse(verdict.effects_json, nullptr, false);
    if (flag == "not held out")
        return fmt::format("Measured on tuning workloads alone ({}): nothing shows that the gain holds on data the "
                           "tuner has not seen.",
                           estimate_of(effects, "tuning"));
    if (flag == "over-stated")
        return fmt::format("Held-out {} against {} on tuning workloads: expect the held-out effect.",
                           estimate_of(effects, "holdout"), estimate_of(effects, "tuning"));
    if (flag == "readable held-out")
        return "Held-out workloads are written in holdfast.json, or the commit tracks them or their inputs, where a "
               "tuner could read them: the held-out effect may have been learned by heart.";
    if (flag.starts_with(study::isolation_flag_start))
        return gaps_of(verdict);
    if (flag == "leaky split")
        return split_leak_of(verdict);
    if (flag == decision::unsettled_flag)
        return reason_that_begins(verdict, decision::unsettled_start) +
               " The gain is shown on the mean of the held-out workloads, which may hide one that is worse.";
    if (flag.starts_with(trade))
        return trade_words(effects, flag.substr(trade.size()));
    if (flag == "shape changed")
        return "The typical run and the rare ones moved differently: look at the raw samples before believing the one "
               "number.";
    if (flag == study::larger_program_flag || flag == study::longer_build_flag)
        return reason_that_begins(verdict, flag == study::larger_program_flag ? study::larger_program_start
                                                                              : study::longer_build_start);
    if (flag == study::self_reported_flag || flag == study::unproven_proxy_flag)
        return study::metric_sentence(flag, verdict.reasons_json);
    return reason_that_begins(verdict, study::probes::reason_start(flag));
}

/// What else was measured beside an objective that can be had without less work: always for a change of code
/// (`caution` is not empty), else when one of them does not agree. "" without such numbers.
std::string beside_alone(const std::vector<ResourceMedian>& medians, const std::vector<std::string>& others,
                         const std::string& caution) {
    std::string text;
    bool disagrees = false;
    for (const ResourceMedian& median : medians) {
        if (std::find(others.begin(), others.end(), median.metric) == others.end())
            continue;
        text += fmt::format("{}{} {} % (median of {} pairs){}", text.empty() ? "" : ", ", median.metric,
                            decision::percent_text(median.change), median.pairs,
                            median.change < 0 ? "" : ", which does not agree");
        disagrees = disagrees || median.change >= 0;
    }
    if (text.empty() || (caution.empty() && !disagrees))
        return "";
    return text + (caution.empty() ? "." : "; " + caution + ".");
}

std::string claimed_name(const Project& project, const study::VerdictRecord& verdict) {
    const std::size_t claimed = claimed_objective(project, json::parse(verdict.effects_json, nullptr, false));
    return claimed == 0 ? project.objective : project.objectives[claimed];
}

/// Processor time can be moved out of what is counted, or bought with waiting; simulated instructions can be fewer only
/// under the simulator, and are no time.
void add_alone(const Project& project, const study::TrialRecord& trial, const study::VerdictRecord& verdict,
               const std::vector<ResourceMedian>& medians, const std::string& machine_json, std::vector<Flag>& flags) {
    const bool code = !trial.patch.empty();
    const std::string claimed = claimed_name(project, verdict);
    if (!study::cpu_caution(project, claimed, true).empty())
        if (auto text = beside_alone(medians, {"wall"}, study::cpu_caution(project, claimed, code)); !text.empty())
            flags.push_back({"cpu alone", std::move(text)});
    if (!study::instructions_caution(project, claimed, machine_json, true).empty())
        if (auto text = beside_alone(medians, {"wall", "cpu"},
                                     study::instructions_caution(project, claimed, machine_json, code));
            !text.empty())
            flags.push_back({"instructions alone", std::move(text)});
}

/// Commands of workloads that run what a patch may change, before the clock starts.
std::string untimed_work(const Project& project) {
    const auto runs_candidate = [](const Argv& argv) {
        return std::any_of(argv.begin(), argv.end(), [](const std::string& word) {
            return word.find("{build}") != std::string::npos || word.find("{source}") != std::string::npos;
        });
    };
    std::string text;
    const auto add = [&](const char* what, const Workload& workload) {
        text += fmt::format("{}`{}` of workload {}", text.empty() ? "" : ", ", what, printable(workload.name));
    };
    for (const Workload& workload : project.workloads) {
        if (runs_candidate(workload.prepare))
            add("prepare", workload);
        if (workload.server && runs_candidate(workload.server->start))
            add("start", workload);
    }
    return text;
}

/// What the changed program itself tells is no witness against it: limits, and objectives beside the claimed one.
std::string told_limits(const Project& project, const study::VerdictRecord& verdict) {
    const std::string claimed = claimed_name(project, verdict);
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (project.metric(name).self_reported() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    };
    for (const Limit& limit : project.limits)
        add(limit.metric);
    if (project.objectives.size() > 1)
        for (const std::string& objective : project.objectives)
            if (claimed != objective)
                add(objective);
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + printable(name);
    return text;
}

} // namespace

std::vector<ResourceMedian> resource_medians(const Dossier& dossier) {
    return resource_medians(dossier.samples);
}

std::vector<ResourceMedian> resource_medians(const std::vector<study::SampleRecord>& samples) {
    std::vector<ResourceMedian> medians;
    for (const char* metric : {"peak-memory", "cpu", "wall"})
        if (const auto logs = growths_of(samples, metric); !logs.empty())
            medians.push_back({metric, std::expm1(stats::median(logs)), logs.size(), shown_more(logs)});
    return medians;
}

std::vector<Flag> flags_of(const Dossier& dossier) {
    return flags_of(dossier.trial, dossier.verdict, dossier.samples, dossier.project.get(), dossier.study.machine_json);
}

std::vector<Flag> flags_of(const study::TrialRecord& trial, const study::VerdictRecord& verdict,
                           const std::vector<study::SampleRecord>& samples, const Project* project,
                           const std::string& machine_json) {
    std::vector<Flag> flags;
    std::vector<std::string> objectives;
    if (project != nullptr) {
        objectives = project->objectives;
        objectives.push_back(project->objective);
    }
    const json stored = json::parse(verdict.flags_json, nullptr, false);
    if (stored.is_array())
        for (const json& flag : stored)
            if (flag.is_string())
                flags.push_back({flag.get<std::string>(), evidence_of(flag.get<std::string>(), verdict)});
    for (const ResourceMedian& each : resource_medians(samples))
        if (std::find(objectives.begin(), objectives.end(), each.metric) == objectives.end() && each.shown &&
            each.change > worth_a_flag)
            flags.push_back(
                {"more " + each.metric, fmt::format("{} {} % (median of {} pairs while confirming).", each.metric,
                                                    decision::percent_text(each.change), each.pairs)});
    const bool told =
        std::any_of(flags.begin(), flags.end(), [](const Flag& flag) { return flag.name == "more peak-memory"; });
    if (auto memory = project == nullptr || told ? std::nullopt : more_memory(samples, *project))
        flags.push_back(std::move(*memory));
    if (auto background = background_work(samples))
        flags.push_back(std::move(*background));
    if (project != nullptr)
        add_alone(*project, trial, verdict, resource_medians(samples), machine_json, flags);
    if (project != nullptr)
        if (auto uneven = uneven_gain(verdict, samples, *project))
            flags.push_back(std::move(*uneven));
    if (project != nullptr)
        if (auto carried = carry_over(verdict, samples, *project))
            flags.push_back(std::move(*carried));
    if (const std::string untimed = project == nullptr || trial.patch.empty() ? "" : untimed_work(*project);
        !untimed.empty())
        flags.push_back({"untimed work",
                         fmt::format("The program that the patch changes also works where no time is taken: {}. See "
                                     "whether the patch moves work there.",
                                     untimed)});
    // `self-reported quality`: of code alone, since a knob's value cannot make a program lie.
    if (const std::string told = project == nullptr || trial.patch.empty() ? "" : told_quality(*project); !told.empty())
        flags.push_back({"self-reported quality",
                         fmt::format("The program that the patch changes tells its own quality: {}. Read the patch, or "
                                     "let a judge command measure it.",
                                     told)});
    if (const std::string told = project == nullptr || trial.patch.empty() ? "" : told_limits(*project, verdict);
        !told.empty())
        flags.push_back(
            {"self-reported limit",
             fmt::format("The program that the patch changes tells what is held against it itself: {}. Read "
                         "the patch, or limit what Holdfast measures.",
                         told)});
    auto changed =
        project != nullptr ? change_flags(*project, trial.configuration_json, trial.patch) : look_flags(trial.patch);
    std::move(changed.begin(), changed.end(), std::back_inserter(flags));
    return flags;
}

std::vector<Flag> change_flags(const Project& project, const std::string& configuration_json,
                               const std::string& patch) {
    auto flags = danger_flags(project, configuration_json, patch), look = look_flags(patch);
    std::move(look.begin(), look.end(), std::back_inserter(flags));
    return flags;
}

std::vector<Flag> change_flags(const Project& project, const std::vector<git::DiffFile>& files) {
    auto flags = danger_flags(project, files), look = look_flags(files);
    std::move(look.begin(), look.end(), std::back_inserter(flags));
    return flags;
}

} // namespace holdfast::review
