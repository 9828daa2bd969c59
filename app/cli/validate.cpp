// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/context.hpp"
#include "core/decision/rule.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <variant>

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

std::string range_of(const Knob& knob) {
    switch (knob.type) {
    case Knob::Type::boolean:
        return "true, false";
    case Knob::Type::categorical: {
        std::string text;
        for (const std::string& value : knob.values)
            text += (text.empty() ? "" : ", ") + value;
        return text;
    }
    case Knob::Type::integer:
    case Knob::Type::real:
        return fmt::format("{} to {}{}", knob.min, knob.max, knob.log_scale ? ", log scale" : "");
    }
    return "";
}

nlohmann::json knob_document(const Knob& knob) {
    nlohmann::json document = {{"name", knob.name}};
    std::visit([&](const auto& value) { document["default"] = value; }, knob.default_value);
    switch (knob.type) {
    case Knob::Type::boolean:
        document["type"] = "boolean";
        break;
    case Knob::Type::categorical:
        document["type"] = "categorical";
        document["values"] = knob.values;
        break;
    case Knob::Type::integer:
        document["type"] = "integer";
        document["min"] = static_cast<std::int64_t>(knob.min);
        document["max"] = static_cast<std::int64_t>(knob.max);
        document["scale"] = knob.log_scale ? "log" : "linear";
        break;
    case Knob::Type::real:
        document["type"] = "real";
        document["min"] = knob.min;
        document["max"] = knob.max;
        document["scale"] = knob.log_scale ? "log" : "linear";
        break;
    }
    return document;
}

nlohmann::json project_document(const Project& project, double threshold) {
    nlohmann::json workloads = nlohmann::json::array(), knobs = nlohmann::json::array();
    for (const Workload& workload : project.workloads)
        workloads.push_back({{"name", workload.name},
                             {"role", workload.role == Role::tuning ? "tuning" : "holdout"},
                             {"readable", workload.role == Role::tuning || workload.readable_holdout}});
    for (const Knob& knob : project.knobs)
        knobs.push_back(knob_document(knob));
    const DecisionSettings& rule = project.decision;
    return {{"schema", "holdfast/validate/1"},
            {"valid", true},
            {"problems", nlohmann::json::array()},
            {"name", project.name},
            {"objective", project.objective},
            {"better", project.metric(project.objective).better == Better::lower ? "lower" : "higher"},
            {"workloads", std::move(workloads)},
            {"knobs", std::move(knobs)},
            {"threshold", threshold},
            {"decision",
             {{"minimum-effect", rule.minimum_effect},
              {"harm-margin", rule.harm_margin},
              {"false-proposal-rate", rule.false_proposal_rate},
              {"max-confirmations", rule.max_confirmations},
              {"max-pairs", rule.max_pairs},
              {"holdout-pairs", rule.holdout_pairs ? nlohmann::json(*rule.holdout_pairs) : nlohmann::json()},
              {"holdout-questions", rule.holdout_questions}}}};
}

} // namespace

Result<int> validate(const Common& common) {
    const auto loaded = load_project(common.folder);
    if (!loaded)
        return report_problems(common, loaded.error());
    const Project& project = *loaded;
    const DecisionSettings& rule = project.decision;
    const double threshold = decision::confirmation_threshold(rule.false_proposal_rate, rule.max_confirmations, 0);
    if (common.json) {
        print_document(project_document(project, threshold));
        return Exit::done;
    }
    fmt::print("{}: valid\n\n", printable(project.name));
    fmt::print("objective   {} ({} is better)\n", project.objective,
               project.metric(project.objective).better == Better::lower ? "lower" : "higher");
    for (const Workload& workload : project.workloads)
        fmt::print("workload    {} ({}{})\n", printable(workload.name),
                   workload.role == Role::tuning ? "tuning" : "held-out",
                   workload.readable_holdout ? ", readable by tuners: move it to " + project.holdout_file : "");
    for (const Knob& knob : project.knobs)
        fmt::print("knob        {} = {} ({})\n", knob.name, printable(to_text(knob.default_value)),
                   printable(range_of(knob)));
    if (project.with_role(Role::holdout).empty())
        fmt::print("warning     no held-out workloads: a win can never be told from overfitting. Put some in {}\n",
                   printable(project.holdout_file));
    fmt::print(
        "rule        a candidate is accepted at E >= {:.0f} for an effect of at least {:g} %, at most {} rounds,\n"
        "            {} confirmations per study, expected share of false proposals at most {:g} %;\n"
        "            no workload and no limit may be worse by {:g} %\n",
        threshold, rule.minimum_effect * 100, rule.max_pairs, rule.max_confirmations, rule.false_proposal_rate * 100,
        rule.harm_margin * 100);
    return Exit::done;
}

} // namespace holdfast::cli
