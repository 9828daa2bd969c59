// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/calibration.hpp"

#include "core/decision/rule.hpp"
#include "core/project/text.hpp"
#include "core/stats/random.hpp"
#include "core/stats/sequential.hpp"
#include "core/study/burden.hpp"
#include "core/study/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using nlohmann::json;

constexpr double interval_error = 0.05;
constexpr double likely = 0.8, nearly_sure = 0.975;
constexpr std::array<std::size_t, 5> curve{10, 20, 40, 80, 160}; // and max-pairs
constexpr const char* opening_key = "calibration";               // no workload's entry, which studies have there

double value_of(const SampleRecord& sample, const std::string& metric) {
    const json metrics = json::parse(sample.metrics_json, nullptr, false);
    return metrics.is_object() && metrics.contains(metric) && metrics.at(metric).is_number()
               ? metrics.at(metric).get<double>()
               : std::nan("");
}

/// A round's two runs of one workload; null where one is missing.
struct Runs {
    const SampleRecord *baseline = nullptr, *candidate = nullptr;
};

std::map<std::int64_t, Runs> runs_of(const std::string& workload, const std::vector<SampleRecord>& samples) {
    std::map<std::int64_t, Runs> rounds;
    for (const SampleRecord& sample : samples)
        if (sample.workload == workload && sample.round > 0 && sample.ending == "ok")
            (sample.arm == "baseline" ? rounds[sample.round].baseline : rounds[sample.round].candidate) = &sample;
    std::erase_if(rounds, [](const auto& round) {
        return round.second.baseline == nullptr || round.second.candidate == nullptr;
    });
    return rounds;
}

std::vector<std::size_t> curve_rounds(const Project& project) {
    const auto most = static_cast<std::size_t>(project.decision.max_pairs);
    std::vector<std::size_t> rounds;
    std::copy_if(curve.begin(), curve.end(), std::back_inserter(rounds), [&](std::size_t n) { return n < most; });
    rounds.push_back(most);
    return rounds;
}

/// The rounds that `share` of the sorted ones need; 0 beyond the limit.
std::size_t within(const std::vector<std::size_t>& sorted, double share, std::size_t limit) {
    if (sorted.empty())
        return 0;
    const auto last = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()))) - 1;
    return sorted[last] <= limit ? sorted[last] : 0;
}

/// What was burnt, as a share of what the run took of the objective besides. It is burnt by the objective's own clock:
/// a program that waits takes less processor time than time passes.
double injected_share(const Metric& objective, const std::map<std::int64_t, Runs>& rounds) {
    std::vector<double> shares;
    for (const auto& [round, runs] : rounds) {
        const double burnt = value_of(*runs.candidate, burnt_metric);
        const double rest = value_of(*runs.candidate, objective.name) - burnt;
        if (std::isfinite(rest) && rest > 0)
            shares.push_back(burnt / rest);
    }
    return shares.empty() ? 0 : stats::median(shares);
}

Burden look_for(const Metric& objective, const std::string& workload, const BurdenKind& kind,
                const std::vector<SampleRecord>& samples, double threshold) {
    Burden burden;
    burden.share = kind.share;
    const auto rounds = runs_of(workload, samples);
    burden.injected = injected_share(objective, rounds);
    std::vector<double> d;
    stats::EProcess slower(0);
    for (const stats::SelfPair& pair : self_pairs(objective, workload, samples)) {
        d.push_back(pair.arms());
        slower.add(-pair.arms());
        if (!burden.seen_at && slower.log_e() >= std::log(threshold))
            burden.seen_at = d.size();
    }
    burden.rounds = d.size();
    burden.estimate = stats::hodges_lehmann(d);
    burden.interval = stats::confidence_sequence(d, interval_error);
    return burden;
}

std::vector<std::string> texts(const json& list) {
    std::vector<std::string> result;
    for (const json& text : list)
        result.push_back(text.get<std::string>());
    return result;
}

json number(double value) {
    return std::isfinite(value) ? json(value) : json();
}

json interval(const stats::Interval& ends) {
    return json::array({number(ends.low), number(ends.high)});
}

json figures(const WorkloadCalibration& workload) {
    const stats::SelfComparison& self = workload.self;
    json burdens = json::array(), provable = json::array();
    for (const Burden& burden : workload.burdens)
        burdens.push_back({{"share", burden.share},
                           {"injected", burden.injected},
                           {"predicted", burden.predicted},
                           {"rounds", burden.rounds},
                           {"seen-at", burden.seen_at ? json(*burden.seen_at) : json()}});
    for (const stats::Provable& point : self.provable)
        provable.push_back({point.rounds, number(point.effect)});
    return {{"rounds", self.rounds},
            {"noise", number(self.noise)},
            {"arms", interval(self.arms_interval)},
            {"slot", interval(self.slot_interval)},
            {"lag-one", number(self.lag_one)},
            {"sessions-p", self.sessions_p},
            {"false-faster", self.false_faster.hits},
            {"false-slower", self.false_slower.hits},
            {"segments", self.false_faster.of},
            {"provable", provable},
            {"burdens", burdens}};
}

} // namespace

std::string to_json(const CalibrationPlan& plan) {
    return json{{"kind", "calibrate"},
                {"sessions", plan.sessions},
                {"rounds", plan.rounds},
                {"burdens", plan.burdens},
                {"workloads", plan.workloads}}
        .dump();
}

std::size_t burden_limit(const Project& project, const CalibrationPlan& plan) {
    return std::min(plan.sessions * plan.rounds, static_cast<std::size_t>(project.decision.max_pairs));
}

double calibration_threshold(const Project& project) {
    return decision::confirmation_threshold(project.decision.false_proposal_rate, project.decision.max_confirmations,
                                            0) *
           static_cast<double>(project.objectives.size()); // any of them may be claimed
}

std::vector<stats::SelfPair> self_pairs(const Metric& metric, const std::string& workload,
                                        const std::vector<SampleRecord>& samples) {
    std::vector<stats::SelfPair> pairs;
    for (const auto& [round, runs] : runs_of(workload, samples)) {
        const decision::Pair values{value_of(*runs.baseline, metric.name), value_of(*runs.candidate, metric.name)};
        const double arms = decision::log_ratio(values, metric.better);
        const bool candidate_first = runs.candidate->slot == 0;
        pairs.push_back(
            {candidate_first ? -arms : arms, candidate_first, static_cast<std::size_t>(runs.baseline->session)});
    }
    return pairs;
}

void predict(Burden& burden, const std::vector<stats::SelfPair>& pairs, double threshold, std::uint64_t seed) {
    const double effect = std::log1p(burden.injected > 0 ? burden.injected : burden.share);
    const auto rounds = stats::rounds_to_show(pairs, effect, threshold, 0, burden.limit,
                                              stats::derive(seed, fmt::format("burden/{}", burden.share)));
    burden.predicted = within(rounds, likely, burden.limit);
    burden.sure = within(rounds, nearly_sure, burden.limit);
}

namespace {

/// A calibration's samples by phase.
using Phases = std::map<std::string, std::vector<SampleRecord>>;

Result<Phases> read_phases(const Store& store, const StudyRecord& study, const CalibrationPlan& plan) {
    std::vector<std::string> names{"calibrate"};
    if (plan.burdens)
        for (const BurdenKind& kind : burden_kinds)
            names.emplace_back(kind.phase);
    Phases phases;
    for (const std::string& name : names) {
        auto samples = store.samples(study.id, "", name);
        if (!samples)
            return tl::unexpected(samples.error());
        phases[name] = std::move(*samples);
    }
    return phases;
}

double median_of(const Metric& metric, const std::string& workload, const std::vector<SampleRecord>& samples) {
    std::vector<double> values;
    for (const auto& [round, runs] : runs_of(workload, samples))
        for (const SampleRecord* run : {runs.baseline, runs.candidate})
            values.push_back(value_of(*run, metric.name));
    return stats::median(std::move(values));
}

/// The slow-downs are of the first objective's size, so they are looked for in it alone.
std::vector<Burden> compute_burdens(const Project& project, const Workload& workload, const CalibrationPlan& plan,
                                    const Phases& phases, const std::vector<stats::SelfPair>& pairs, std::uint64_t seed,
                                    const Unavailable& unavailable) {
    std::vector<Burden> burdens;
    const double threshold = calibration_threshold(project);
    for (const BurdenKind& kind : burden_kinds) {
        Burden burden =
            look_for(project.metric(project.objective), workload.name, kind, phases.at(kind.phase), threshold);
        burden.limit = burden_limit(project, plan);
        predict(burden, pairs, threshold, seed);
        if (const auto why = unavailable.find(workload.name); why != unavailable.end())
            burden.unavailable = printable(why->second);
        burdens.push_back(std::move(burden));
    }
    return burdens;
}

WorkloadCalibration compute_workload(const Project& project, const Workload& workload, const Metric& metric,
                                     const CalibrationPlan& plan, const Phases& phases, std::uint64_t study_seed,
                                     const Unavailable& unavailable) {
    const double threshold = calibration_threshold(project);
    const bool first = metric.name == project.objective;
    const std::uint64_t seed =
        stats::derive(study_seed, "calibration/" + workload.name + (first ? "" : "/" + metric.name));
    const std::vector<SampleRecord>& samples = phases.at("calibrate");
    const auto pairs = self_pairs(metric, workload.name, samples);
    WorkloadCalibration result;
    result.workload = workload.name;
    result.role = workload.role;
    result.metric = metric.name;
    result.better = metric.better;
    result.sessions = plan.sessions;
    result.self = stats::compare_with_itself(pairs, threshold,
                                             decision::improvement_by(project.decision.minimum_effect, metric.better),
                                             plan.rounds, curve_rounds(project), seed);
    result.median = median_of(metric, workload.name, samples);
    result.session_rounds = plan.rounds;
    result.least_rounds = stats::least_pairs(threshold);
    result.prepares = !workload.prepare.empty();
    result.keeps_server = workload.server && workload.server->keep;
    if (plan.burdens && first)
        result.burdens = compute_burdens(project, workload, plan, phases, pairs, seed, unavailable);
    return result;
}

} // namespace

Result<Calibration> compute_calibration(const Store& store, const StudyRecord& study, const Project& project,
                                        const CalibrationPlan& plan, const Unavailable& unavailable) {
    auto phases = read_phases(store, study, plan);
    if (!phases)
        return tl::unexpected(phases.error());
    Calibration result;
    result.study = study.id;
    result.number = study.number;
    result.machine_json = study.machine_json;
    result.fingerprint = fingerprint_of(study.machine_json);
    result.ended = study.ended;
    result.baseline_commit = study.baseline_commit;
    result.threshold = calibration_threshold(project);
    result.minimum_effect = project.decision.minimum_effect;
    for (const Workload& workload : project.workloads)
        if (std::find(plan.workloads.begin(), plan.workloads.end(), workload.name) != plan.workloads.end())
            for (const std::string& objective : project.objectives)
                result.workloads.push_back(compute_workload(project, workload, project.metric(objective), plan, *phases,
                                                            study.seed, unavailable));
    return result;
}

std::string opening_of(const Calibration& calibration, const Unavailable& unavailable, const InputDigests& inputs) {
    json workloads = json::object();
    std::string first; // objective
    for (const WorkloadCalibration& workload : calibration.workloads) {
        first = first.empty() ? workload.metric : first;
        if (workload.metric == first)
            workloads[workload.workload] = figures(workload);
        else
            workloads[workload.workload]["objectives"][workload.metric] = figures(workload);
    }
    return json{{opening_key, {{"unavailable", unavailable}, {"inputs", inputs}, {"workloads", workloads}}}}.dump();
}

InputDigests inputs_of(const StudyRecord& study) {
    const json opening = json::parse(study.opening_json, nullptr, false);
    try {
        return opening.at(opening_key).value("inputs", InputDigests());
    } catch (const std::exception&) {
        return {};
    }
}

bool is_finished(const StudyRecord& study) {
    return is_calibration(study) && study.state == State::done && !study.opening_json.empty();
}

bool WorkloadCalibration::too_few() const {
    return session_rounds < least_rounds || !std::isfinite(self.arms_interval.low) ||
           !std::isfinite(self.arms_interval.high);
}

bool is_calibration(const StudyRecord& study) {
    const auto options = json::parse(study.options_json, nullptr, false);
    return options.is_object() && options.value("kind", json()) == "calibrate";
}

Result<Calibration> read_calibration(const Store& store, const StudyRecord& study) {
    const std::string attempted = fmt::format("read the calibration of study {}", study.number);
    const auto project = project_from_frozen(".", study.frozen_json);
    if (!project)
        return failed(attempted, "the project file that it froze cannot be read", "Run: holdfast calibrate");
    CalibrationPlan plan;
    Unavailable unavailable;
    try {
        const json options = json::parse(study.options_json);
        plan.sessions = options.at("sessions").get<std::size_t>();
        plan.rounds = options.at("rounds").get<std::size_t>();
        plan.burdens = options.at("burdens").get<bool>();
        plan.workloads = texts(options.at("workloads"));
        unavailable = json::parse(study.opening_json).at(opening_key).at("unavailable").get<Unavailable>();
    } catch (const std::exception&) {
        return failed(attempted, "the history holds it in a form that holdfast does not write", "Run: holdfast audit");
    }
    return compute_calibration(store, study, *project, plan, unavailable);
}

Result<std::vector<Calibration>> calibrations(const Store& store) {
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    std::vector<Calibration> found;
    for (const StudyRecord& study : *studies) {
        if (!is_finished(study))
            continue;
        auto calibration = read_calibration(store, study);
        if (!calibration)
            return tl::unexpected(calibration.error());
        found.push_back(std::move(*calibration));
    }
    return found;
}

Result<std::optional<Calibration>> last_calibration(const Store& store) {
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    const auto last = std::find_if(studies->rbegin(), studies->rend(), is_finished);
    if (last == studies->rend())
        return std::optional<Calibration>();
    auto calibration = read_calibration(store, *last);
    if (!calibration)
        return tl::unexpected(calibration.error());
    return std::optional<Calibration>(std::move(*calibration));
}

} // namespace holdfast::study
