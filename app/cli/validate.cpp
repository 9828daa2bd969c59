// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"
#include "app/cli/project_document.hpp"
#include "app/common/calibration_words.hpp"
#include "core/decision/rule.hpp"
#include "core/project/card.hpp"
#include "core/project/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

int report_problems(const Common& common, const std::vector<Problem>& problems) {
    nlohmann::json list = nlohmann::json::array();
    for (const Problem& problem : problems) {
        fmt::print(stderr, "{}\n", problem.text());
        list.push_back({{"file", printable(problem.file.string())},
                        {"line", problem.line},
                        {"column", problem.column},
                        {"pointer", printable(problem.pointer)},
                        {"found", printable(problem.found)},
                        {"allowed", printable(problem.allowed)}});
    }
    if (common.json)
        print_document({{"schema", "holdfast/validate/1"}, {"valid", false}, {"problems", list}});
    else
        fmt::print(stderr, "{} problem(s); nothing can run until the project file is right.\n", problems.size());
    return Exit::usage;
}

void print_workload(const Workload& workload, const Surroundings& around, const Standings& known) {
    std::string notes = workload.role == Role::tuning ? "tuning" : "held-out";
    if (around.readable.contains(workload.name))
        notes += ", readable by tuners";
    if (workload.fresh_seeds > 0)
        notes += fmt::format(", {} fresh seeds for each question", workload.fresh_seeds);
    if (!workload.variants.empty())
        notes += ", variants: " + fmt::format("{}", fmt::join(variant_names(workload), ", "));
    fmt::print("workload    {} ({})\n", printable(workload.name), notes);
    for (const study::CalibrationStanding& standing : known)
        if (standing.workload == workload.name)
            if (const std::string text = app::standing_text(standing); !text.empty())
                fmt::print("            {}\n", text);
    if (const std::string card = card_text(workload.card); !card.empty())
        fmt::print("            {}\n", printable(card));
}

void print_limits(const Project& project) {
    for (const Limit& limit : project.limits) {
        if (limit.worse_by_at_most)
            fmt::print("limit       {} worse by at most {:g} %\n", limit.metric, *limit.worse_by_at_most * 100);
        if (limit.at_most)
            fmt::print("limit       {} at most {:g} {}\n", limit.metric, *limit.at_most,
                       project.metric(limit.metric).unit);
    }
    for (const Expression& constraint : project.constraints)
        fmt::print("constraint  {}\n", printable(constraint.source()));
}

} // namespace

Result<int> validate(const Common& common) {
    const auto loaded = load_project(common.folder);
    if (!loaded)
        return report_problems(common, loaded.error());
    const Project& project = *loaded;
    Surroundings around = look_around(project);
    if (!around.problems.empty())
        return report_problems(common, around.problems);
    const DecisionSettings& rule = project.decision;
    const double threshold = decision::confirmation_threshold(rule.false_proposal_rate, rule.max_confirmations, 0) *
                             static_cast<double>(project.objectives.size());
    const Standings known = calibrated(common, project, around);
    if (common.json) {
        nlohmann::json document = project_document(project, around, threshold, known);
        document["warnings"] = nlohmann::json::array();
        for (const std::string& warning : around.warnings)
            document["warnings"].push_back(printable(warning));
        print_document(document);
        return Exit::done;
    }
    fmt::print("{}: valid\n\n", printable(project.name));
    for (const std::string& name : project.objectives) {
        const Metric& objective = project.metric(name);
        fmt::print("objective   {} ({} is better{})\n", name, objective.better == Better::lower ? "lower" : "higher",
                   objective.self_reported() ? "; the program tells it of itself" : "");
    }
    for (const study::ProxyProof& proof : around.proxies)
        fmt::print("proxy       {} for {}: {}; {}\n", printable(proof.metric), printable(proof.stands_for),
                   study::describe(proof),
                   proof.proven() ? "shown" : fmt::format("at least {} must be shown", study::proxy_correlation));
    for (const Workload& workload : project.workloads)
        print_workload(workload, around, known);
    for (const Knob& knob : project.knobs)
        fmt::print("knob        {} = {} ({}{})\n", knob.name, printable(to_text(knob.default_value)),
                   printable(range_of(knob)), printable(place_of(knob)));
    print_limits(project);
    for (const std::string& warning : around.warnings)
        fmt::print("warning     {}\n", printable(warning));
    if (project.with_role(Role::holdout).empty())
        fmt::print("warning     no held-out workloads: a win can never be told from overfitting. Put some in {}\n",
                   printable(project.holdout_file));
    else
        fmt::print(
            "questions   {} held-out question(s) for each study; measure has asked {} of {} on these workloads\n",
            rule.holdout_questions, around.asked_by_hand ? std::to_string(*around.asked_by_hand) : "unknown",
            rule.holdout_questions);
    fmt::print(
        "rule        a candidate is accepted at E >= {:.0f} for an effect of at least {:g} %, at most {} rounds,\n"
        "            {} confirmations per study, expected share of false proposals at most {:g} %;\n"
        "            a workload shown worse by more than {:g} % ends it; tuning workloads must be shown not to be, a "
        "held-out\n"
        "            one that is not carries the flag `held-out not settled`\n",
        threshold, rule.minimum_effect * 100, rule.max_pairs, rule.max_confirmations, rule.false_proposal_rate * 100,
        rule.harm_margin * 100);
    return Exit::done;
}

} // namespace holdfast::cli
