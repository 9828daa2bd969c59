// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/evidence.hpp"

#include "core/project/hash.hpp"
#include "core/study/clock.hpp"
#include "core/study/isolation.hpp"
#include "core/study/session.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using nlohmann::json;

/// JSON has no infinity: an open end is null.
json number(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

json interval(double low, double high, Better better) {
    const double a = decision::as_change(low, better), b = decision::as_change(high, better);
    return {{"low", number(std::min(a, b))}, {"high", number(std::max(a, b))}};
}

json effect(const decision::Effect& effect, Better better) {
    json result = interval(effect.interval.low, effect.interval.high, better);
    result["estimate"] = number(decision::as_change(effect.estimate, better));
    result["mean-ratio"] = number(effect.mean_ratio);
    result["rounds"] = effect.rounds;
    return result;
}

json workload_effects(const Project& project, Role role, const std::vector<decision::Effect>& effects, Better better) {
    json list = json::array();
    const auto workloads = project.with_role(role);
    for (std::size_t i = 0; i < effects.size(); ++i) {
        json entry = effect(effects[i], better);
        if (i < workloads.size())
            entry["name"] = workloads[i]->name;
        list.push_back(std::move(entry));
    }
    return list;
}

json guards_json(const Project& project, const std::vector<decision::Guard>& guards) {
    json list = json::array();
    for (const decision::Guard& guard : guards)
        list.push_back({{"kind", guard.kind == decision::Guard::Kind::harm    ? "harm"
                                 : guard.kind == decision::Guard::Kind::limit ? "limit"
                                                                              : "tail"},
                        {"workload", guard.workload},
                        {"metric", guard.metric.empty() ? project.objective : guard.metric},
                        {"demand", guard.demand},
                        {"safe", guard.safe},
                        {"worse", guard.worse},
                        {"log-e-safe", number(guard.log_e_safe)},
                        {"log-e-worse", number(guard.log_e_worse)}});
    return list;
}

json assessment(const Project& project, Role role, const decision::Assessment& assessment) {
    const Better better = better_of(project, assessment);
    json result = effect(assessment.objective, better);
    result["log-e"] = number(assessment.log_e);
    result["accepted"] = assessment.accepted;
    result["headline-rounds"] = assessment.headline_rounds;
    if (const auto& seen = assessment.quarantined)
        result["quarantine"] = {{"dropped", seen->dropped},
                                {"baseline-flags", seen->baseline_flags},
                                {"candidate-flags", seen->candidate_flags},
                                {"switched-off", seen->switched_off},
                                {"without", effect(seen->without, better)}};
    result["workloads"] = workload_effects(project, role, assessment.workloads, better);
    result["guards"] = guards_json(project, assessment.guards);
    return result;
}

/// One of several objectives on one side; null where nothing was measured.
json objective_side(const Project& project, Role role, const std::optional<decision::Assessment>& assessment,
                    std::size_t index) {
    if (!assessment || assessment->objectives.empty())
        return nullptr;
    const decision::ObjectiveSeen& seen = assessment->objectives[index];
    json result = effect(seen.effect, seen.better);
    result["log-e"] = number(seen.log_e);
    result["accepted"] = seen.accepted;
    result["workloads"] = workload_effects(project, role, seen.workloads, seen.better);
    result["guards"] = guards_json(project, seen.guards);
    return result;
}

json objectives_json(const Project& project, const std::optional<decision::Assessment>& tuning,
                     const std::optional<decision::Assessment>& holdout) {
    json list = json::array();
    for (std::size_t i = 0; i < project.objectives.size(); ++i) {
        const Metric& metric = project.metric(project.objectives[i]);
        list.push_back({{"metric", metric.name},
                        {"better", metric.better == Better::lower ? "lower" : "higher"},
                        {"claimed", tuning && tuning->accepted && tuning->claimed == i},
                        {"tuning", objective_side(project, Role::tuning, tuning, i)},
                        {"holdout", objective_side(project, Role::holdout, holdout, i)}});
    }
    return list;
}

std::string text(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// A stored JSON text; one that is damaged is told apart from every sound one.
json stored(const std::string& text) {
    json value = json::parse(text, nullptr, false);
    return value.is_discarded() ? json{{"damaged", text}} : value;
}

/// The evidence as far as rows of the history say it.
json rows_evidence(const VerdictRecord& record, const StudyRecord& study, const TrialRecord& trial,
                   const std::vector<GateRecord>& gates, const std::vector<SampleRecord>& samples) {
    json checks = json::array();
    for (const GateRecord& gate : gates)
        checks.push_back({{"gate", gate.gate}, {"result", gate.result}, {"reason", gate.reason}});
    return {{"schema", "holdfast/evidence/1"},
            {"study", study.id},
            {"trial", trial.id},
            {"frozen", stored(study.frozen_json)},
            {"seed", std::to_string(study.seed)},
            {"baseline", {{"commit", study.baseline_commit}, {"tree", study.baseline_tree}}},
            {"result-tree", trial.result_tree},
            {"configuration", stored(trial.configuration_json)},
            {"patch", sha256(trial.patch)},
            {"confirmation", trial.confirmation},
            {"isolation", study.isolation_level},
            {"machine", stored(study.machine_json)},
            {"opening", study.opening_json.empty() ? json(nullptr) : stored(study.opening_json)},
            {"gates", std::move(checks)},
            {"samples", {{"count", samples.size()}, {"sha256", samples_digest(samples)}}},
            {"effects", stored(record.effects_json)},
            {"verdict",
             {{"kind", record.verdict},
              {"qualifier", record.qualifier},
              {"reasons", stored(record.reasons_json)},
              {"flags", stored(record.flags_json)},
              {"proposal", record.proposal}}}};
}

/// A member of the evidence in words that follow "the".
std::string in_words(const std::string& key) {
    static const std::map<std::string, std::string> words{{"frozen", "frozen project file"},
                                                          {"result-tree", "result tree"},
                                                          {"isolation", "isolation level"},
                                                          {"opening", "opening rounds"},
                                                          {"gates", "gates' results"}};
    const auto found = words.find(key);
    return found == words.end() ? key : found->second;
}

} // namespace

void seal_evidence(VerdictRecord& record, const StudyRecord& study, const TrialRecord& trial,
                   const std::vector<GateRecord>& gates, const std::vector<SampleRecord>& samples,
                   const Executed& executed) {
    json evidence = rows_evidence(record, study, trial, gates, samples);
    evidence["inputs"] = executed.inputs;
    evidence["executables"] = {{"baseline", executed.baseline}};
    if (executed.candidate)
        evidence["executables"]["candidate"] = *executed.candidate;
    if (!executed.holdout_seeds.empty()) // evidence without fresh seeds keeps its digest
        evidence["holdout-seeds"] = stored(executed.holdout_seeds);
    record.evidence_json = canonical_json(text(evidence));
    record.evidence_digest = sha256(record.evidence_json);
}

std::string evidence_fault(const VerdictRecord& verdict, const StudyRecord& study, const TrialRecord& trial,
                           const std::vector<GateRecord>& gates, const std::vector<SampleRecord>& samples,
                           const std::string& rows) {
    if (const std::string digest = sha256(verdict.evidence_json); digest != verdict.evidence_digest)
        return "the evidence has the digest " + digest + ", not the stored one";
    const json evidence = json::parse(verdict.evidence_json, nullptr, false);
    if (!evidence.is_object())
        return "the evidence is no JSON object";
    const json made = rows_evidence(verdict, study, trial, gates, samples);
    for (const auto& [key, value] : made.items()) {
        const auto member = evidence.find(key);
        // Canonical on both sides: 1.0 in a row and 1 in the evidence are the same number.
        if (member == evidence.end() || canonical_json(text(*member)) != canonical_json(text(value)))
            return rows + " and the evidence differ in the " + in_words(key);
    }
    return "";
}

std::string samples_digest(const std::vector<SampleRecord>& samples) {
    json rows = json::array();
    for (const SampleRecord& s : samples)
        rows.push_back({s.phase, s.session, s.round, s.attempt, s.workload, s.arm, s.slot, s.coin, s.executable_hash,
                        s.ending, s.output_hash, s.metrics_json});
    return sha256(rows.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string effects_json(const Project& project, const std::optional<decision::Assessment>& tuning,
                         const std::optional<decision::Assessment>& holdout,
                         const std::vector<decision::QualitySeen>& quality) {
    const std::size_t claimed = tuning ? tuning->claimed : 0;
    const Metric& metric = project.metric(claimed == 0 ? project.objective : project.objectives.at(claimed));
    json result = {{"metric", metric.name},
                   {"better", metric.better == Better::lower ? "lower" : "higher"},
                   {"tuning", nullptr},
                   {"holdout", nullptr},
                   {"gap", nullptr}};
    if (tuning)
        result["tuning"] = assessment(project, Role::tuning, *tuning);
    if (holdout)
        result["holdout"] = assessment(project, Role::holdout, *holdout);
    if (tuning && holdout) {
        const stats::Interval gap = decision::gap(tuning->objective, holdout->objective);
        result["gap"] = {{"log-ratio-low", number(gap.low)}, {"log-ratio-high", number(gap.high)}};
    }
    // Each only where there is something to say: evidence of studies without them stays what it is.
    if (project.objectives.size() > 1)
        result["objectives"] = objectives_json(project, tuning, holdout);
    if (!quality.empty())
        result["quality"] = quality_json(quality);
    return result.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<decision::QualitySeen> all_quality(const Project& project, const std::vector<SampleRecord>& samples) {
    auto all = quality_of(project.with_role(Role::tuning), samples);
    for (decision::QualitySeen& seen : quality_of(project.with_role(Role::holdout), samples))
        all.push_back(std::move(seen));
    return all;
}

Result<VerdictRecord> make_verdict(const Bench& bench, const StudyRecord& study, const TrialRecord& trial,
                                   const Arm* candidate, const decision::Verdict& verdict,
                                   const std::optional<decision::Assessment>& tuning,
                                   const std::optional<decision::Assessment>& holdout) {
    VerdictRecord record;
    record.trial = trial.id;
    record.verdict = decision::to_text(verdict.kind);
    record.qualifier = verdict.qualifier;
    record.proposal = verdict.proposal;
    record.reasons_json = text(verdict.reasons);
    std::vector<std::string> flags = verdict.flags;
    if (std::string gaps = isolation_flag(study.isolation_level); !gaps.empty())
        flags.push_back(std::move(gaps));
    record.flags_json = text(flags);
    record.time = utc_now();

    auto samples = bench.store->samples(study.id, trial.id);
    if (!samples)
        return tl::unexpected(samples.error());
    record.effects_json = effects_json(*bench.project, tuning, holdout, all_quality(*bench.project, *samples));
    auto gates = bench.store->gates(trial.id);
    if (!gates)
        return tl::unexpected(gates.error());
    Executed executed{bench.workspace->input_hashes(), bench.baseline.artifact.executables, std::nullopt};
    if (candidate != nullptr)
        executed.candidate = candidate->artifact.executables;
    auto questions = bench.store->questions(study.id);
    if (!questions)
        return tl::unexpected(questions.error());
    for (const QuestionRecord& question : *questions)
        if (question.trial == trial.id)
            executed.holdout_seeds = question.seeds_json;
    seal_evidence(record, study, trial, *gates, *samples, executed);
    return record;
}

} // namespace holdfast::study
