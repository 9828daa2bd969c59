// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/measured.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/last_lines.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/markdown.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/study/counting.hpp"
#include "core/study/evidence.hpp"
#include "core/study/isolation.hpp"
#include "core/study/metric_trust.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;

constexpr std::size_t log_lines = 30;

Better better_of(const Project& project) {
    return project.metric(project.objective).better;
}

EffectView view(const Project& project, const json& effect) {
    return effect_view(effect, better_of(project), project.decision.minimum_effect);
}

std::string words(const EffectView& effect) {
    switch (effect.direction) {
    case EffectView::Direction::better:
    case EffectView::Direction::worse:
        return fmt::format("{}: {}", to_text(effect.direction), effect_text(effect));
    case EffectView::Direction::no_change:
    case EffectView::Direction::unclear:
        break;
    }
    return effect_words(effect);
}

const Workload* workload_of(const Project& project, const std::string& name) {
    const auto found = std::find_if(project.workloads.begin(), project.workloads.end(),
                                    [&](const Workload& workload) { return workload.name == name; });
    return found == project.workloads.end() ? nullptr : &*found;
}

bool is_held_out(const Project& project, const std::string& name) {
    const Workload* workload = workload_of(project, name);
    return workload != nullptr && workload->role == Role::holdout;
}

std::string table(const MeasuredReport& report, const json& effects) {
    std::string text = fmt::format("| workload | {} | rounds |\n| --- | --- | ---: |\n",
                                   plain(study::metric_label(report.project.objective, report.measured.machine_json)));
    const auto row = [&](const std::string& name, const json& effect) {
        const EffectView seen = view(report.project, effect);
        text += fmt::format("| {} | {} | {} |\n", name, plain(words(seen)), seen.rounds);
    };
    for (const json& workload : effects.at("workloads")) {
        const std::string name = workload.at("name").get<std::string>();
        row(plain(name) + (is_held_out(report.project, name) ? " (held-out)" : ""), workload);
    }
    row("**all**", effects);
    return text;
}

std::string broken(const study::Measured& measured) {
    std::string text;
    for (const decision::Guard& guard : measured.assessment.guards)
        if (guard.worse)
            text += fmt::format("- shown not to hold: {}\n", plain(decision::describe(guard)));
    return text;
}

std::string rule(const MeasuredReport& report) {
    const Project& project = report.project;
    std::string text =
        fmt::format("- Rule: {} {} is better. Shown worse means: more than {:.4g} % worse on a workload", //
                    better_of(project) == Better::lower ? "lower" : "higher", plain(project.objective),
                    100 * project.decision.harm_margin);
    if (!project.limits.empty())
        text +=
            fmt::format(", or one of {} limit{} broken", project.limits.size(), project.limits.size() == 1 ? "" : "s");
    return text + fmt::format(". Up to ±{:.4g} % is no practical change. The intervals hold however often one looks.\n",
                              100 * project.decision.minimum_effect);
}

std::string not_shown(const MeasuredReport& report) {
    std::vector<std::string> asked, unasked;
    for (const Workload& workload : report.project.workloads) {
        const auto& measured = report.measured.workloads;
        const bool was = std::find(measured.begin(), measured.end(), workload.name) != measured.end();
        if (workload.role == Role::holdout)
            (was ? asked : unasked).push_back(workload.name);
    }
    std::string text = "What this does not show:\n\n";
    if (asked.empty())
        text += fmt::format("- Whether the change holds beyond these workloads: no held-out question was asked{}.\n",
                            unasked.empty() ? ", the project has none" : "");
    text += fmt::format("- Effects smaller than the intervals after {} round{}.\n", report.rounds,
                        report.rounds == 1 ? "" : "s");
    text += "- Machines other than this one.\n";
    if (!report.project.code.test.empty())
        text += "- Whether the project's own tests pass: they were not run.\n";
    return text;
}

/// Of all of several objectives, on the measured workloads.
json measured_objectives(const json& objectives, const study::Measured& measured) {
    json list = json::array();
    for (const json& objective : objectives) {
        json entry = objective.at("tuning");
        entry.erase("accepted");
        entry["metric"] = objective.at("metric");
        entry["better"] = objective.at("better");
        for (std::size_t i = 0; i < measured.workloads.size(); ++i)
            entry.at("workloads").at(i)["name"] = measured.workloads[i];
        list.push_back(std::move(entry));
    }
    return list;
}

/// Further objectives and quality, a line each.
std::string beside(const study::Measured& measured) {
    std::string text;
    for (const std::string& line : measured_beside(measured))
        text += fmt::format("- {}\n", plain(line));
    return text;
}

} // namespace

std::vector<std::string> measured_beside(const study::Measured& measured) {
    std::vector<std::string> lines;
    const auto& objectives = measured.assessment.objectives;
    for (std::size_t i = 1; i < objectives.size(); ++i) {
        const decision::ObjectiveSeen& seen = objectives[i];
        lines.push_back(fmt::format("{} over all workloads: {} ({} is better){}", seen.metric,
                                    decision::describe(seen.effect, seen.better),
                                    seen.better == Better::lower ? "lower" : "higher",
                                    seen.shown_worse() ? "; shown worse than the harm margin" : ""));
    }
    for (const decision::QualitySeen& seen : measured.quality)
        lines.push_back(fmt::format("{}; {}", decision::describe(seen), decision::worst_words(seen)));
    return lines;
}

json measured_effects(const Project& project, const study::Measured& measured) {
    json all = json::parse(study::effects_json(project, measured.assessment, std::nullopt));
    json effects = std::move(all.at("tuning"));
    effects["metric"] = all.at("metric");
    effects["better"] = all.at("better");
    // A fixed number of rounds accepts nothing, whatever the evidence.
    effects.erase("accepted");
    effects.erase("headline-rounds");
    // The names are those of a study's workloads; here they were chosen.
    for (std::size_t i = 0; i < measured.workloads.size(); ++i)
        effects.at("workloads").at(i)["name"] = measured.workloads[i];
    if (all.contains("objectives"))
        effects["objectives"] = measured_objectives(all.at("objectives"), measured);
    if (!measured.quality.empty())
        effects["quality"] = study::quality_json(measured.quality);
    return effects;
}

std::string measured_words(const Project& project, const study::Measured& measured) {
    if (!measured.stopped.empty())
        return measured.verdict;
    const std::string effect = words(view(project, measured_effects(project, measured)));
    return measured.regresses ? "shown worse; over all workloads " + effect : effect;
}

std::vector<Flag> measured_flags(const study::Measured& measured) {
    const std::string reasons = json(measured.trust.reasons).dump(-1, ' ', false, json::error_handler_t::replace);
    std::vector<Flag> flags;
    for (const std::string& flag : measured.trust.flags)
        flags.push_back({flag, study::metric_sentence(flag, reasons)});
    if (std::string name = study::isolation_flag(measured.isolation_level); !name.empty())
        flags.push_back(
            {std::move(name), fmt::format("The sandbox held no better, as was accepted: a program inside {}.",
                                          printable(measured.isolation_gaps))});
    return flags;
}

std::string measured_log(const study::Measured& measured) {
    return printable(last_lines(measured.log, log_lines), false);
}

std::string measured_markdown(const MeasuredReport& report) {
    const study::Measured& measured = report.measured;
    std::string text = fmt::format("## Holdfast: {}\n\n**{}**", plain(report.project.name),
                                   plain(measured_words(report.project, measured)));
    std::vector<std::string> names;
    for (const Flag& flag : report.flags)
        names.push_back(flag.name);
    if (const std::string danger = danger_words(names); !danger.empty())
        text += fmt::format(" **{}**", plain(danger)); // never a gain without what it costs beside it
    if (!measured.stopped.empty())
        text += fmt::format(" {}", code_span(measured.stopped));
    text +=
        fmt::format("\n\nThe candidate {} against the base {}.\n", code_span(report.candidate), code_span(report.base));
    for (const Flag& flag : report.flags)
        text += fmt::format("\n> {}: {}\n", plain(flag.name), plain(flag.evidence));
    for (const std::string& note : report.notes)
        text += fmt::format("\n> {}\n", plain(note));
    if (const std::string log = measured_log(measured); !log.empty())
        text += fmt::format("\nThe end of its log:\n\n{}", code_block("text", log));
    if (measured.stopped.empty()) {
        text += "\n" + table(report, measured_effects(report.project, measured));
        const std::string guards = broken(measured);
        text += guards.empty() ? "" : "\n" + guards;
        const std::string more = beside(measured);
        text += more.empty() ? "" : "\n" + more;
    }
    text += fmt::format("\n{}- Judged by the project file of {}.\n- Machine: {}; isolation L{}.\n\n", rule(report),
                        code_span(report.base_commit), plain(machine_text(measured.machine_json)),
                        measured.isolation_level);
    return text + not_shown(report);
}

} // namespace holdfast::review
