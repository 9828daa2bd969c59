// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says about the study around its trial: rule, error budget, environment.
#include "core/decision/rule.hpp"
#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"
#include "core/review/report.hpp"
#include "core/review/sheet_parts.hpp"
#include "core/study/fingerprint.hpp"
#include "core/study/isolation.hpp"
#include "core/study/session.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

/// E-values span many powers of ten.
std::string e_text(double log_e) {
    return log_e < std::log(1e6) ? fmt::format("{:.3g}", std::exp(log_e))
                                 : fmt::format("10^{:.1f}", log_e / std::log(10.0));
}

std::string percent(double share) {
    return fmt::format("{:.3g} %", 100 * share);
}

double threshold_of(const Dossier& dossier) {
    const DecisionSettings& settings = dossier.project->decision;
    // Each of several objectives is tested at so many times the threshold.
    const auto objectives = static_cast<double>(std::max<std::size_t>(1, dossier.project->objectives.size()));
    return objectives * decision::confirmation_threshold(settings.false_proposal_rate, settings.max_confirmations,
                                                         dossier.passed_before);
}

std::string limit_words(const Limit& limit, const Project& project) {
    const Metric& metric = project.metric(limit.metric);
    std::string text;
    if (limit.worse_by_at_most)
        text = fmt::format("{} at most {} worse", limit.metric, percent(*limit.worse_by_at_most));
    if (limit.at_most)
        text += fmt::format("{}{} at most {:g}{}", text.empty() ? "" : ", ", limit.metric, *limit.at_most,
                            metric.unit.empty() ? "" : " " + metric.unit);
    return printable(text);
}

void limits_in_words(const Project& project, double threshold, Lines& lines) {
    Lines limits;
    for (const Limit& limit : project.limits)
        limits.push_back(limit_words(limit, project));
    lines.push_back(
        fmt::format("Each workload alone is a guard: one shown worse by more than {} ends the trial. A guard is "
                    "settled at E ≥ {:g}. On tuning workloads each must be shown to hold; a held-out one that is not "
                    "settled is told by the flag `held-out not settled`.",
                    percent(project.decision.harm_margin), threshold));
    if (!limits.empty())
        lines.push_back(fmt::format("Limits, each on each workload: {}.", fmt::join(limits, "; ")));
}

/// A counter's growth; 0 when it was set back.
std::uint64_t growth(std::uint64_t before, std::uint64_t after) {
    return after > before ? after - before : 0;
}

/// What the harness read around the trial's runs.
void conditions(const Dossier& dossier, Facts& facts) {
    std::uint64_t stolen = 0, total = 0, swapped = 0, throttled = 0;
    double slowest = INFINITY, fastest = 0, hottest = 0;
    for (const study::SampleRecord& sample : dossier.samples) {
        stolen += growth(sample.before.steal_ticks, sample.after.steal_ticks);
        total += growth(sample.before.total_ticks, sample.after.total_ticks);
        swapped += growth(sample.before.swap_in_pages, sample.after.swap_in_pages) +
                   growth(sample.before.swap_out_pages, sample.after.swap_out_pages);
        throttled += sample.usage.throttled;
        for (const double mhz : {sample.before.mhz, sample.after.mhz})
            if (mhz > 0) {
                slowest = std::min(slowest, mhz);
                fastest = std::max(fastest, mhz);
            }
        hottest = std::max({hottest, sample.before.celsius, sample.after.celsius});
    }
    if (dossier.samples.empty())
        return;
    if (total > 0)
        facts.emplace_back("during the runs, stolen by other guests",
                           percent(static_cast<double>(stolen) / static_cast<double>(total)) + " of processor time");
    facts.emplace_back("during the runs, swapped", fmt::format("{} pages", swapped));
    if (throttled > 0)
        facts.emplace_back("during the runs, slowed for heat or power", fmt::format("{} times", throttled));
    if (fastest > 0)
        facts.emplace_back("during the runs, clock", fmt::format("{:.0f} to {:.0f} MHz", slowest, fastest));
    if (hottest > 0)
        facts.emplace_back("during the runs, hottest", fmt::format("{:.0f} °C", hottest));
}

} // namespace

Lines rule_words(const Dossier& dossier) {
    if (!dossier.project)
        return {"unknown: the project file that the study froze cannot be read"};
    const Project& project = *dossier.project;
    const decision::Rule rule = study::rule_for(project, project.with_role(Role::tuning), "");
    Lines lines{
        fmt::format(
            "Objective: {}; {} is better. Every round runs baseline and candidate back to back on each workload, "
            "in an order that a coin decides. A round counts by the weighted mean over its workloads of the pairs' "
            "log ratios; the estimate is the Hodges-Lehmann location of the rounds.",
            printable(project.objective), rule.better == Better::lower ? "lower" : "higher"),
        fmt::format("Accepted when the evidence that the gain is above the minimum effect of {} reaches the threshold "
                    "named below. The evidence is an e-value: it holds however often one looks, so that stopping early "
                    "buys nothing.",
                    percent(rule.minimum_effect))};
    limits_in_words(project, rule.guard_threshold, lines);
    lines.push_back(
        fmt::format("A change that stays within ±{} is called no practical change.", percent(rule.minimum_effect)));
    lines.push_back(
        fmt::format("Intervals are {} confidence sequences: they hold at all times at once.", percent(1 - rule.alpha)));
    lines.push_back(fmt::format("Confirmation ends after {} rounds at the latest; the estimate rests on at least {} "
                                "fresh rounds taken after acceptance.",
                                rule.max_rounds, rule.headline_rounds));
    if (!project.with_role(Role::holdout).empty())
        lines.emplace_back("Held-out workloads are asked once, for a number of rounds fixed before the first of them.");
    return lines;
}

Facts error_budget(const Dossier& dossier) {
    if (!dossier.project)
        return {{"allowance", "unknown: the project file that the study froze cannot be read"}};
    const DecisionSettings& settings = dossier.project->decision;
    const int mine = dossier.trial.confirmation;
    Facts facts{{"false proposals the study allows",
                 fmt::format("an expected share of {} of its proposals", percent(settings.false_proposal_rate))},
                {"confirmations", fmt::format("{}, {} of {} spent so far",
                                              mine > 0 ? fmt::format("this was number {}", mine) : "this took none",
                                              dossier.confirmations, settings.max_confirmations)}};
    if (mine > 0) {
        facts.emplace_back("evidence it needed",
                           fmt::format("E ≥ {:.4g}; {} of the study's trials had passed before it",
                                       threshold_of(dossier), dossier.passed_before));
        const json effects = json::parse(dossier.verdict.effects_json, nullptr, false);
        if (const json tuning = effects.is_object() ? side_of(effects, Role::tuning) : json();
            tuning.is_object() && tuning.contains("log-e") && tuning.at("log-e").is_number())
            facts.emplace_back("evidence it reached", "E = " + e_text(tuning.at("log-e").get<double>()));
    }
    if (!dossier.project->with_role(Role::holdout).empty())
        facts.emplace_back("held-out questions",
                           fmt::format("{} of {} spent so far", dossier.questions, settings.holdout_questions));
    facts.emplace_back("candidates looked at",
                       fmt::format("{}, of which {} went through the gates", dossier.tried, dossier.decided));
    return facts;
}

Facts environment_of(const Dossier& dossier) {
    Facts facts = study::machine_facts(dossier.study.machine_json);
    if (facts.empty())
        facts.emplace_back("machine", "unknown: the study's record does not tell");
    if (const std::string fingerprint = study::fingerprint_of(dossier.study.machine_json); !fingerprint.empty())
        facts.emplace_back("fingerprint of the machine",
                           printable(fingerprint).substr(0, 12) + "; samples of others are never pooled with these");
    facts.emplace_back("isolation", study::isolation_text(dossier.study.isolation_level, dossier.study.opening_json));
    conditions(dossier, facts);
    return facts;
}

} // namespace holdfast::review
