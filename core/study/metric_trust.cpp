// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/metric_trust.hpp"

#include "core/project/text.hpp"
#include "core/stats/estimate.hpp"
#include "core/study/paired_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace holdfast::study {

using nlohmann::json;

namespace {

constexpr double interval_error = 0.1;
constexpr std::string_view own_word = "is what the measured program tells of itself", stands = "stands for";

/// Improvements as log ratios, positive is better: a mean of each round over the workloads by their weights, as the
/// effect beside which they are shown. Pairs of unlike workloads would spread by what these differ.
std::vector<double> improvements(const Project& project, const std::vector<SampleRecord>& samples, const Metric& metric,
                                 const std::string& phase) {
    std::map<std::string, double> weights;
    for (const Workload& workload : project.workloads)
        weights[workload.name] = workload.weight;
    std::map<std::int64_t, std::pair<double, double>> rounds; // weighted sum and weights
    for (const PairedValue& pair : paired_values(samples, metric.name, phase))
        if (pair.candidate > 0) {
            const auto known = weights.find(pair.workload); // an older study may have had other workloads
            const double weight = known == weights.end() ? 1 : known->second;
            const double log = std::log(pair.baseline / pair.candidate);
            auto& [sum, of] = rounds[pair.round];
            sum += weight * (metric.better == Better::lower ? log : -log);
            of += weight;
        }
    std::vector<double> logs;
    for (const auto& [round, mean] : rounds)
        logs.push_back(mean.first / mean.second);
    return logs;
}

/// The phase that has most pairs; never the held-out one, whose answers tuners must not learn from.
std::string richest_phase(const std::vector<SampleRecord>& samples) {
    std::map<std::string, std::size_t> counts;
    for (const SampleRecord& sample : samples)
        if (sample.round >= 1 && !sample.trial.empty() && sample.phase != "holdout")
            ++counts[sample.phase];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? "" : most->first;
}

/// What one metric shows over the rounds of a trial.
struct Shown {
    std::string name, text;
    bool better = false, worse = false;
};

std::optional<Shown> shown(const Project& project, const std::vector<SampleRecord>& samples, const Metric& metric,
                           const std::string& phase) {
    const std::vector<double> logs = improvements(project, samples, metric, phase);
    if (logs.empty())
        return std::nullopt;
    decision::Effect effect;
    effect.rounds = logs.size();
    effect.estimate = stats::median(logs); // as everywhere where a resource is shown beside the effect
    effect.interval = stats::confidence_sequence(logs, interval_error);
    return Shown{metric.name, printable(metric.name) + " " + decision::describe(effect, metric.better),
                 effect.interval.low > decision::rounding, effect.interval.high < -decision::rounding};
}

const Metric* metric_named(const Project& project, const std::string& name) {
    const auto found = std::find_if(project.metrics.begin(), project.metrics.end(),
                                    [&](const Metric& metric) { return metric.name == name; });
    return found == project.metrics.end() ? nullptr : &*found;
}

/// What the harness measured itself, beside what the program says.
std::string judgement(const Shown& told, const std::vector<Shown>& measured) {
    const auto all = [&](bool Shown::*what) {
        std::string names;
        for (const Shown& each : measured)
            if (each.*what)
                names += (names.empty() ? "" : " and ") + each.name;
        return names;
    };
    const std::string better = all(&Shown::better), worse = all(&Shown::worse);
    if (told.better && !worse.empty())
        return fmt::format("it claims an improvement, and {} became worse", worse);
    if (told.better && better.empty())
        return "it claims an improvement that wall and cpu do not show";
    if (!told.better && !better.empty())
        return fmt::format("it shows no improvement, and {} did improve", better);
    return told.better ? fmt::format("{} shows the improvement too", better)
                       : "wall and cpu show no improvement either";
}

std::string own_word_sentence(const Project& project, const std::string& objective,
                              const std::vector<SampleRecord>& samples) {
    const Metric& metric = project.metric(objective);
    const std::string start = fmt::format("The objective {} {}", printable(objective), own_word);
    const std::string phase = richest_phase(samples);
    const auto told = shown(project, samples, metric, phase);
    std::vector<Shown> measured;
    for (const char* name : {"wall", "cpu"})
        if (const Metric* known = metric_named(project, name))
            if (auto seen = shown(project, samples, *known, phase))
                measured.push_back(std::move(*seen));
    if (!told || measured.empty())
        return start + ": no pair of runs has both its number and wall or cpu.";
    std::string numbers = told->text;
    for (const Shown& each : measured)
        numbers += ", " + each.text;
    return fmt::format("{}: {} ({} rounds); {}.", start, numbers, improvements(project, samples, metric, phase).size(),
                       judgement(*told, measured));
}

/// What makes a number of that name the same number in another study.
bool same_definition(const Metric& a, const Metric& b) {
    const auto parts = [](const Metric& m) {
        return std::tie(m.source, m.pattern, m.file, m.path, m.tool, m.benchmark, m.value, m.unit, m.better);
    };
    return parts(a) == parts(b);
}

bool defines_alike(const StudyRecord& study, const Project& project, const Metric& proxy) {
    const auto frozen = project_from_frozen(".", study.frozen_json);
    if (!frozen)
        return false;
    for (const std::string& name : {proxy.name, proxy.proxy_for}) {
        const Metric* theirs = metric_named(*frozen, name);
        if (theirs == nullptr || !same_definition(*theirs, project.metric(name)))
            return false;
    }
    return true;
}

/// What was measured: result tree and configuration. Measuring it again is no new evidence.
using Candidate = std::pair<std::string, std::string>;

/// Of one candidate, a number per trial.
struct Changes {
    std::vector<double> proxy, target;
};

stats::Correlation correlation_of(const std::map<Candidate, Changes>& seen) {
    std::vector<double> proxy, target;
    for (const auto& [candidate, changes] : seen) {
        proxy.push_back(stats::median(changes.proxy));
        target.push_back(stats::median(changes.target));
    }
    return stats::spearman(proxy, target);
}

} // namespace

std::string describe(const ProxyProof& proof) {
    const stats::Correlation& found = proof.correlation;
    if (found.pairs == 0)
        return "no trial measured both";
    const std::string over = fmt::format("over {} candidate{}", found.pairs, found.pairs == 1 ? "" : "s");
    if (std::isnan(found.value))
        return "no Spearman correlation " + over;
    return fmt::format("Spearman correlation {:.2f} [{:.2f}, {:.2f}] {}", found.value, found.interval.low,
                       found.interval.high, over);
}

Result<std::vector<ProxyProof>> proxy_proofs(const Project& project, const Store& store) {
    std::vector<ProxyProof> proofs;
    std::vector<const Metric*> proxies;
    for (const Metric& metric : project.metrics)
        if (!metric.proxy_for.empty()) {
            proxies.push_back(&metric);
            proofs.push_back({metric.name, metric.proxy_for, {}});
        }
    if (proxies.empty())
        return proofs;
    auto studies = store.studies();
    auto trials = studies ? store.trials() : tl::unexpected(studies.error());
    if (!trials)
        return tl::unexpected(trials.error());
    std::vector<std::map<Candidate, Changes>> seen(proxies.size());
    for (const StudyRecord& study : *studies) {
        std::vector<bool> alike;
        for (const Metric* proxy : proxies)
            alike.push_back(defines_alike(study, project, *proxy));
        if (std::find(alike.begin(), alike.end(), true) == alike.end())
            continue;
        for (const TrialRecord& trial : *trials) {
            if (trial.study != study.id)
                continue;
            auto samples = store.samples(study.id, trial.id);
            if (!samples)
                return tl::unexpected(samples.error());
            const std::string phase = richest_phase(*samples);
            for (std::size_t i = 0; i < proxies.size(); ++i) {
                if (!alike[i])
                    continue;
                const double mine = stats::median(improvements(project, *samples, *proxies[i], phase));
                const double theirs =
                    stats::median(improvements(project, *samples, project.metric(proxies[i]->proxy_for), phase));
                if (std::isfinite(mine) && std::isfinite(theirs)) {
                    Changes& changes = seen[i][{trial.result_tree, trial.configuration_json}];
                    changes.proxy.push_back(mine);
                    changes.target.push_back(theirs);
                }
            }
        }
    }
    for (std::size_t i = 0; i < proofs.size(); ++i)
        proofs[i].correlation = correlation_of(seen[i]);
    return proofs;
}

void add_metric_trust(const Project& project, const std::string& claimed, const std::vector<SampleRecord>& samples,
                      const std::vector<ProxyProof>& proofs, decision::Verdict& verdict) {
    if (project.metric(claimed).self_reported()) {
        verdict.flags.emplace_back(self_reported_flag);
        verdict.reasons.push_back(own_word_sentence(project, claimed, samples));
        for (const std::string& objective : project.objectives)
            if (objective != claimed && project.metric(objective).self_reported())
                verdict.reasons.push_back(own_word_sentence(project, objective, samples));
    }
    bool flagged = false;
    for (const ProxyProof& proof : proofs) {
        if (std::find(project.objectives.begin(), project.objectives.end(), proof.metric) == project.objectives.end())
            continue;
        verdict.reasons.push_back(fmt::format(
            "The objective {} {} {}: {}{}.", printable(proof.metric), stands, printable(proof.stands_for),
            describe(proof), proof.proven() ? "" : fmt::format(", and at least {} must be shown", proxy_correlation)));
        if (!proof.proven() && !flagged)
            verdict.flags.emplace_back(unproven_proxy_flag);
        flagged = flagged || !proof.proven();
    }
}

std::string metric_sentence(std::string_view flag, const std::string& reasons_json) {
    const std::string_view mark = flag == self_reported_flag ? own_word : flag == unproven_proxy_flag ? stands : "";
    const json reasons = json::parse(reasons_json, nullptr, false);
    std::string text;
    if (reasons.is_array() && !mark.empty())
        for (const json& reason : reasons)
            if (reason.is_string() && reason.get_ref<const std::string&>().starts_with("The objective ") &&
                reason.get_ref<const std::string&>().find(mark) != std::string::npos)
                text += (text.empty() ? "" : " ") + reason.get<std::string>();
    return text;
}

} // namespace holdfast::study
