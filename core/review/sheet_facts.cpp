// SPDX-License-Identifier: GPL-3.0-or-later
// What was not tested, what it cost, where it comes from and how to measure it again.
#include "core/decision/verdict.hpp"
#include "core/project/card.hpp"
#include "core/project/knobs.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/review/effect.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/study/clock.hpp"
#include "core/study/growth.hpp"
#include "core/study/isolation.hpp"
#include "core/study/probes/probe.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

namespace holdfast::review {

namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

/// "a, b and 3 more".
std::string names_of(const Lines& names) {
    constexpr std::size_t shown = 4;
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < shown; ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + printable(names[i]);
    return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

bool ran_in(const Dossier& dossier, const char* phase) {
    return std::any_of(dossier.samples.begin(), dossier.samples.end(),
                       [&](const study::SampleRecord& sample) { return sample.phase == phase; });
}

/// The held-out workloads and limits that are not shown to stay within their margin, of the verdict's reason.
std::string unsettled_of(const Dossier& dossier) {
    const json reasons = json::parse(dossier.verdict.reasons_json, nullptr, false);
    if (reasons.is_array())
        for (const json& reason : reasons)
            if (reason.is_string() && reason.get<std::string>().starts_with(decision::unsettled_start)) {
                std::string text = printable(reason.get<std::string>().substr(decision::unsettled_start.size()));
                if (text.ends_with('.'))
                    text.pop_back();
                return text;
            }
    return "";
}

void workloads_not_tested(const Dossier& dossier, Lines& lines) {
    const Project& project = *dossier.project;
    const auto held_out = project.with_role(Role::holdout);
    if (held_out.empty())
        lines.emplace_back("workloads that the tuner had not seen: the project has none held out");
    else if (!ran_in(dossier, "holdout"))
        lines.push_back(
            fmt::format("the {} held-out workload{}: not asked", held_out.size(), held_out.size() == 1 ? "" : "s"));
    else if (std::all_of(held_out.begin(), held_out.end(), [](const Workload* w) { return w->readable_holdout; }))
        lines.emplace_back("workloads that the tuner could not read: the held-out ones are in holdfast.json");
    else if (dossier.verdict.flags_json.find("\"readable held-out\"") != std::string::npos)
        lines.emplace_back("workloads that the tuner could not read: the commit tracks held-out ones or their inputs");
    if (const std::string open = unsettled_of(dossier); !open.empty())
        lines.push_back("that each held-out workload stays within its margin: " + open);
    Lines unchecked, fixed, without_card;
    for (const Workload& workload : project.workloads) {
        if (card_text(workload.card).empty())
            without_card.push_back(workload.name);
        if (workload.check.empty())
            unchecked.push_back(workload.name);
        if (!workload.inputs.empty() && workload.fresh_seeds == 0)
            fixed.push_back(workload.name);
    }
    if (!fixed.empty())
        lines.push_back(fmt::format("inputs of other sizes and kinds: {} ran on fixed ones", names_of(fixed)));
    if (!without_card.empty())
        lines.push_back(fmt::format("whether {} stand{} for real use: without a card in the project file",
                                    names_of(without_card), without_card.size() == 1 ? "s" : ""));
    if (!unchecked.empty())
        lines.push_back(fmt::format("the output of {}: without a check", names_of(unchecked)));
    if (project.code.test.empty())
        lines.emplace_back("the project's tests: holdfast.json names none");
}

/// Seeds whose rounds were never reached: the rule decides before every seed had its turn.
void seeds_not_timed(const Dossier& dossier, Lines& lines) {
    for (const Workload& workload : dossier.project->workloads) {
        const char* phase = workload.role == Role::tuning ? "confirm" : "holdout";
        std::int64_t last = 0;
        for (const study::SampleRecord& sample : dossier.samples)
            if (sample.workload == workload.name && sample.phase == phase && sample.ending == "ok")
                last = std::max(last, sample.round);
        const auto seeds = static_cast<std::int64_t>(
            workload.fresh_seeds > 0 ? static_cast<std::size_t>(workload.fresh_seeds) : workload.seeds.size());
        if (last > 0 && last < seeds)
            lines.push_back(
                fmt::format("the time of {} of the {} seeds of {}: it was decided after {} rounds, one a seed",
                            seeds - last, seeds, printable(workload.name), last));
    }
}

/// What the gate "coverage" found of the changed lines.
std::string paths_not_run(const Dossier& dossier) {
    const auto found = std::find_if(dossier.gates.begin(), dossier.gates.end(),
                                    [](const study::GateRecord& gate) { return gate.gate == "coverage"; });
    if (found == dossier.gates.end())
        return "code paths that no workload reaches; coverage of the changed lines is unknown: it was not looked at";
    if (found->result == "pass")
        return "code paths that no workload reaches, beside the changed lines: " + printable(found->reason);
    return "code paths: " + printable(found->reason);
}

/// What the gate "probe" did not reach; "" when it reached everything.
std::string not_probed(const Dossier& dossier) {
    const auto found = std::find_if(dossier.gates.begin(), dossier.gates.end(),
                                    [](const study::GateRecord& gate) { return gate.gate == "probe"; });
    if (found == dossier.gates.end())
        return "memory errors, undefined behaviour, data races and other inputs were not looked for";
    return printable(study::probes::gaps_of(found->reason));
}

void change_not_tested(const Dossier& dossier, Lines& lines) {
    const Project& project = *dossier.project;
    Lines changed;
    if (const auto values = configuration_from_json(project, dossier.trial.configuration_json))
        for (const Knob& knob : project.knobs)
            if (const auto value = values->find(knob.name);
                value != values->end() && value->second != knob.default_value && knob.type != Knob::Type::boolean)
                changed.push_back(
                    fmt::format("{} other than {}", knob.name, printable(holdfast::to_text(value->second))));
    if (!changed.empty())
        lines.push_back("values of " + names_of(changed));
    if (!dossier.trial.patch.empty()) {
        lines.push_back(paths_not_run(dossier));
        if (const std::string gaps = not_probed(dossier); !gaps.empty())
            lines.push_back("probes of the changed code: " + gaps);
        lines.emplace_back("durability: nothing was stopped in the middle or ran out of space");
    }
    if (!project.build.empty())
        lines.emplace_back("other compilers and libraries than this machine's");
}

/// What the study said of the machine's calibration when it began; nothing of a study older than that.
std::optional<std::string> calibration_caution(const Dossier& dossier) {
    const json options = json::parse(dossier.study.options_json, nullptr, false);
    if (!options.is_object() || !options.contains("calibration-caution") ||
        !options.at("calibration-caution").is_string())
        return std::nullopt;
    return printable(options.at("calibration-caution").get<std::string>());
}

void conditions_not_tested(const Dossier& dossier, Lines& lines) {
    if (const auto caution = calibration_caution(dossier); caution && !caution->empty())
        lines.push_back("how small an effect this machine can prove: " + *caution);
    lines.push_back(fmt::format("machines other than this one ({})", machine_text(dossier.study.machine_json)));
    std::chrono::nanoseconds longest{0};
    for (const study::SampleRecord& sample : dossier.samples)
        longest = std::max(longest, sample.usage.wall);
    if (longest.count() > 0)
        lines.push_back("runs longer than " + duration_text(longest));
    lines.emplace_back("several of these programs at once: they ran one at a time");
    lines.emplace_back("cold starts: inputs (up to 1 GiB) are read into memory before each run");
    Lines untimed;
    for (const Workload& workload : dossier.project->workloads)
        if (!workload.prepare.empty() || workload.server)
            untimed.push_back(workload.name);
    if (!untimed.empty())
        lines.push_back("the time before the program runs: no clock is on while " + names_of(untimed) +
                        " prepares or starts a server");
    const auto& metrics = dossier.project->metrics;
    if (std::none_of(metrics.begin(), metrics.end(),
                     [](const Metric& metric) { return metric.name == "energy" || metric.unit == "J"; }))
        lines.emplace_back("energy");
}

/// "unseen: 12, 99", of the evidence: with them in "seeds" the same question is asked again.
std::string holdout_seeds(const Dossier& dossier) {
    const json evidence = json::parse(dossier.verdict.evidence_json, nullptr, false);
    if (!evidence.is_object() || !evidence.contains("holdout-seeds") || !evidence.at("holdout-seeds").is_object())
        return "";
    std::string text;
    for (const auto& [name, seeds] : evidence.at("holdout-seeds").items()) {
        Lines numbers;
        for (const json& seed : seeds)
            numbers.push_back(seed.dump());
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", printable(name), fmt::join(numbers, ", "));
    }
    return text;
}

std::string number_and_id(std::int64_t number, const std::string& id) {
    return fmt::format("{} ({})", number, printable(id));
}

} // namespace

std::string machine_text(const std::string& machine_json) {
    const json machine = json::parse(machine_json, nullptr, false);
    if (!machine.is_object())
        return "unknown";
    Lines parts;
    for (const char* key : {"cpu", "architecture"})
        if (parts.empty() && machine.contains(key) && machine.at(key).is_string())
            parts.push_back(printable(machine.at(key).get<std::string>()));
    if (machine.contains("cores") && machine.at("cores").is_number_integer())
        parts.push_back(
            fmt::format("{} core{}", machine.at("cores").get<std::int64_t>(), machine.at("cores") == 1 ? "" : "s"));
    if (machine.contains("memory_bytes") && machine.at("memory_bytes").is_number())
        parts.push_back(bytes_text(machine.at("memory_bytes").get<double>()));
    return parts.empty() ? "unknown" : fmt::format("{}", fmt::join(parts, ", "));
}

Lines not_tested(const Dossier& dossier) {
    Lines lines;
    if (!dossier.project)
        return {"unknown: the project file that the study froze cannot be read"};
    workloads_not_tested(dossier, lines);
    seeds_not_timed(dossier, lines);
    change_not_tested(dossier, lines);
    conditions_not_tested(dossier, lines);
    return lines;
}

Facts cost_of(const Dossier& dossier) {
    const auto measuring =
        std::accumulate(dossier.samples.begin(), dossier.samples.end(), std::chrono::nanoseconds(0),
                        [](auto sum, const study::SampleRecord& sample) { return sum + sample.usage.wall; });
    Facts facts{{"candidates tried", std::to_string(dossier.tried)},
                {"through the gates", std::to_string(dossier.decided)},
                {"timed runs of this one", std::to_string(dossier.samples.size())},
                {"time in them", duration_text(measuring)}};
    if (dossier.project && !dossier.project->with_role(Role::holdout).empty())
        facts.emplace_back("held-out questions",
                           fmt::format("{} of {}", dossier.questions, dossier.project->decision.holdout_questions));
    for (const study::GateRecord& gate : dossier.gates)
        if (gate.gate == "build")
            for (auto& words : study::growth_words(gate.detail_json))
                facts.push_back(std::move(words));
    const auto started = study::from_utc(dossier.study.started);
    const auto ended = study::from_utc(dossier.study.ended.empty() ? dossier.verdict.time : dossier.study.ended);
    if (started && ended && *ended >= *started)
        facts.emplace_back(dossier.study.ended.empty() ? "study so far" : "whole study",
                           duration_text(*ended - *started));
    return facts;
}

/// What the effect is without what the machine disturbed, and with it.
void add_dropped_rounds(const Dossier& dossier, Facts& facts) {
    const json effects = json::parse(dossier.verdict.effects_json, nullptr, false);
    if (!dossier.project || !effects.is_object())
        return;
    const Better better = dossier.project->metric(dossier.project->objective).better;
    for (const Role role : {Role::tuning, Role::holdout}) {
        const json& side = side_of(effects, role);
        const auto seen = side.is_object() ? side.find("quarantine") : side.end();
        if (seen == side.end() || !seen->is_object() || !seen->contains("without"))
            continue;
        const json dropped = seen->value("dropped", json()), why = seen->value("switched-off", json());
        facts.emplace_back(
            fmt::format("disturbed rounds, {}", role == Role::tuning ? "tuning" : "held-out"),
            fmt::format("{} left out; with them {}{}", dropped.is_number_unsigned() ? dropped.get<std::uint64_t>() : 0,
                        effect_text(effect_view(seen->at("without"), better, dossier.project->decision.minimum_effect)),
                        why.is_string() && why != "" ? "; " + printable(why.get<std::string>()) : ""));
    }
}

Facts provenance_of(const Dossier& dossier) {
    Facts facts{{"study", number_and_id(dossier.study.number, dossier.study.id)},
                {"trial", number_and_id(dossier.trial.number, dossier.trial.id)},
                {"baseline commit", printable(dossier.study.baseline_commit)},
                {"measured tree", printable(dossier.trial.result_tree)},
                {"evidence", printable(dossier.verdict.evidence_digest)},
                {"seed", std::to_string(dossier.study.seed)},
                {"isolation", study::isolation_text(dossier.study.isolation_level, dossier.study.opening_json)},
                {"machine", machine_text(dossier.study.machine_json)},
                {"started", printable(dossier.study.started)},
                {"decided", printable(dossier.verdict.time)}};
    if (const std::string seeds = holdout_seeds(dossier); !seeds.empty())
        facts.emplace_back("held-out seeds", seeds);
    add_dropped_rounds(dossier, facts);
    if (dossier.change)
        facts.insert(facts.begin() + 4, {"tree it will be", dossier.change->tree});
    if (const auto caution = calibration_caution(dossier))
        facts.emplace_back("calibration",
                           caution->empty() ? "less than 24 h before the study, on this machine" : *caution);
    std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
    return facts;
}

/// A candidate with a patch is named by its trial: a command line is no place for a patch.
std::string reproduce_of(const Dossier& dossier) {
    if (!dossier.project)
        return "";
    std::string line = "holdfast -C " + shell_quoted(dossier.project->folder.string()) + " measure";
    if (!dossier.trial.patch.empty())
        return fmt::format("{} --trial {}", line, dossier.trial.number);
    const auto values = configuration_from_json(*dossier.project, dossier.trial.configuration_json);
    if (!values)
        return "";
    for (const Knob& knob : dossier.project->knobs)
        if (const auto value = values->find(knob.name); value != values->end() && value->second != knob.default_value)
            line += " --set " + shell_quoted(knob.name + "=" + holdfast::to_text(value->second));
    return line;
}

} // namespace holdfast::review
