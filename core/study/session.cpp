// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/session.hpp"

#include "core/project/text.hpp"
#include "core/stats/random.hpp"

#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

constexpr const char* arm_names[2] = {"baseline", "candidate"};

decision::WorkloadPairs paired(const Project& project, const Metrics& baseline, const Metrics& candidate) {
    const auto value = [](const Metrics& metrics, const std::string& name) {
        const auto found = metrics.find(name);
        return found == metrics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    };
    decision::WorkloadPairs pairs;
    const auto pair = [&](const std::string& name) -> decision::Pair {
        return {value(baseline, name), value(candidate, name)};
    };
    pairs.objective = pair(project.objective);
    for (std::size_t i = 1; i < project.objectives.size(); ++i)
        pairs.others.push_back(pair(project.objectives[i]));
    for (const Limit& limit : project.limits)
        pairs.limits.push_back(pair(limit.metric));
    return pairs;
}

/// Samples of one attempt at one round: by workload, the two arms' metrics.
using Attempt = std::map<std::string, std::map<std::string, Metrics>>;

bool complete(const Attempt& attempt, const std::vector<const Workload*>& workloads) {
    for (const Workload* workload : workloads) {
        const auto found = attempt.find(workload->name);
        if (found == attempt.end() || found->second.size() != 2)
            return false;
    }
    return true;
}

std::map<std::int64_t, std::map<std::int64_t, Attempt>> by_round(const std::vector<SampleRecord>& samples) {
    std::map<std::int64_t, std::map<std::int64_t, Attempt>> rounds;
    for (const SampleRecord& sample : samples)
        if (sample.round > 0 && sample.ending == "ok")
            rounds[sample.round][sample.attempt][sample.workload][sample.arm] =
                nlohmann::json::parse(sample.metrics_json).get<Metrics>();
    return rounds;
}

} // namespace

std::vector<decision::Round> rounds_of(const Project& project, const std::vector<const Workload*>& workloads,
                                       const std::vector<SampleRecord>& samples) {
    std::vector<decision::Round> result;
    for (const auto& [number, attempts] : by_round(samples)) {
        const Attempt* whole = nullptr;
        for (const auto& [attempt, content] : attempts)
            if (complete(content, workloads))
                whole = &content;
        // Rounds are made in order, so a gap means that nothing after it counts.
        if (whole == nullptr || number != static_cast<std::int64_t>(result.size()) + 1)
            break;
        decision::Round round;
        for (const Workload* workload : workloads)
            round.workloads.push_back(paired(project, whole->at(workload->name).at(arm_names[0]),
                                             whole->at(workload->name).at(arm_names[1])));
        result.push_back(std::move(round));
    }
    return result;
}

namespace {

/// An objective beside the first, with what the opening rounds said of it.
decision::RuleObjective other_objective(const Project& project, const std::vector<const Workload*>& workloads,
                                        const nlohmann::json& opening, const std::string& metric) {
    decision::RuleObjective objective{metric, project.metric(metric).better, {}};
    for (const Workload* workload : workloads) {
        const auto found = opening.find(workload->name);
        objective.opening_medians.push_back(
            found == opening.end() ? 0 : found->at("objectives").at(metric).at("median").get<double>());
    }
    return objective;
}

} // namespace

decision::Rule rule_for(const Project& project, const std::vector<const Workload*>& workloads,
                        const std::string& opening) {
    decision::Rule rule;
    double total = 0;
    for (const Workload* workload : workloads)
        total += workload->weight;
    const auto medians = opening.empty() ? nlohmann::json::object() : nlohmann::json::parse(opening);
    for (const Workload* workload : workloads) {
        decision::RuleWorkload entry{workload->name, workload->weight / total, 0};
        if (const auto found = medians.find(workload->name); found != medians.end())
            entry.opening_median = found->at("median").get<double>();
        rule.workloads.push_back(entry);
    }
    for (const Limit& limit : project.limits)
        rule.limits.push_back(
            {limit.metric, project.metric(limit.metric).better, limit.worse_by_at_most, limit.at_most});
    rule.better = project.metric(project.objective).better;
    if (project.objectives.size() > 1)
        rule.metric = project.objective;
    for (std::size_t i = 1; i < project.objectives.size(); ++i)
        rule.others.push_back(other_objective(project, workloads, medians, project.objectives[i]));
    rule.minimum_effect = project.decision.minimum_effect;
    rule.harm_margin = project.decision.harm_margin;
    rule.alpha = project.decision.false_proposal_rate;
    rule.max_rounds = static_cast<std::size_t>(project.decision.max_pairs);
    return rule;
}

Better better_of(const Project& project, const decision::Assessment& seen) {
    return project.metric(seen.claimed == 0 ? project.objective : project.objectives.at(seen.claimed)).better;
}

Session::Session(const Project& project, Sampler& sampler, Store& store, const Watch& watch, Series series,
                 const Arm& baseline, const Arm& candidate, std::vector<const Workload*> workloads)
    : project_(&project), sampler_(&sampler), store_(&store), watch_(&watch),
      series_(std::move(series)), arms_{&baseline, &candidate}, workloads_(std::move(workloads)) {}

Session::~Session() {
    sampler_->stop_servers();
}

Result<std::vector<decision::Round>> Session::resume() {
    auto samples = store_->samples(series_.study, series_.trial, series_.phase);
    if (!samples)
        return tl::unexpected(samples.error());
    auto rounds = rounds_of(*project_, workloads_, *samples);
    next_round_ = static_cast<std::int64_t>(rounds.size()) + 1;
    next_attempt_ = 1;
    for (const SampleRecord& sample : *samples) {
        session_ = std::max(session_, sample.session + 1);
        if (sample.round == next_round_)
            next_attempt_ = std::max(next_attempt_, sample.attempt + 1);
    }
    return rounds;
}

std::chrono::nanoseconds Session::round_time() const {
    return timed_rounds_ == 0 ? std::chrono::nanoseconds(0) : timed_ / static_cast<std::int64_t>(timed_rounds_);
}

Result<std::optional<Stopped>> Session::run_pair(std::int64_t round, std::int64_t attempt, const Workload& workload,
                                                 bool coin, decision::WorkloadPairs& pairs) {
    Metrics metrics[2];
    for (int slot = 0; slot < 2; ++slot) {
        const int arm = (slot == 0) == coin ? 1 : 0;
        if (watch_->after_sample.stop_requested())
            return tl::unexpected(
                Error{Error::Kind::interrupted, "measure", "stopped on request", "Go on with: holdfast run --resume"});
        auto taken = sampler_->take(*arms_[arm], workload, seed_of(workload, round));
        if (!taken)
            return tl::unexpected(taken.error());
        SampleRecord& record = taken->record;
        record.study = series_.study;
        record.trial = series_.trial;
        record.phase = series_.phase;
        record.session = session_;
        record.round = round;
        record.attempt = attempt;
        record.arm = arm_names[arm];
        record.slot = slot;
        record.coin = coin;
        if (record.metrics_json.empty())
            record.metrics_json = "{}";
        if (auto stored = store_->add_sample(record); !stored)
            return tl::unexpected(stored.error());
        if (taken->outcome != Taken::Outcome::ok) {
            if (arm == 0)
                return failed("measure the baseline", printable(taken->reason),
                              "Make the baseline pass its own workloads, then start a new study");
            return std::optional<Stopped>(Stopped{taken->outcome, taken->reason, taken->log});
        }
        metrics[arm] = std::move(taken->metrics);
    }
    pairs = paired(*project_, metrics[0], metrics[1]);
    return std::optional<Stopped>();
}

Result<std::optional<Stopped>> Session::run_round(std::int64_t round, std::int64_t attempt, decision::Round& result) {
    stats::Random random(
        stats::derive(series_.seed, fmt::format("coins/{}/{}/{}/{}/{}", series_.trial_order, series_.phase,
                                                round == 0 ? session_ : 0, round, attempt)));
    std::vector<std::size_t> order(workloads_.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    random.shuffle(order);
    result.workloads.resize(workloads_.size());
    for (const std::size_t index : order) {
        const bool coin = random.coin();
        auto stopped = run_pair(round, attempt, *workloads_[index], coin, result.workloads[index]);
        if (!stopped || *stopped)
            return stopped;
    }
    return std::optional<Stopped>();
}

Result<std::optional<Stopped>> Session::warm_up() {
    for (const Arm* arm : arms_) {
        auto same = unchanged(*project_, arm->artifact);
        if (!same)
            return tl::unexpected(same.error());
        if (!*same)
            return failed("measure what was built", "the executables are not what the build gate hashed",
                          "Nothing should write to the cache folder; remove it and run again");
    }
    for (const Workload* workload : workloads_)
        for (int arm = 0; arm < 2; ++arm) {
            auto stopped = sampler_->prepare(*arms_[arm], *workload);
            if (!stopped)
                return tl::unexpected(stopped.error());
            if (*stopped && arm == 0)
                return failed("prepare the baseline", printable((*stopped)->reason),
                              "Make the baseline's prepare pass");
            if (*stopped)
                return std::optional<Stopped>(Stopped{(*stopped)->outcome, (*stopped)->reason, (*stopped)->log});
        }
    decision::Round not_counted;
    return run_round(0, 1, not_counted);
}

Result<tl::expected<decision::Round, Stopped>> Session::next() {
    using Outcome = tl::expected<decision::Round, Stopped>;
    if (!warm_) {
        auto stopped = warm_up();
        if (!stopped)
            return tl::unexpected(stopped.error());
        if (*stopped)
            return Outcome(tl::unexpected(**stopped));
        warm_ = true;
    }
    const auto begin = std::chrono::steady_clock::now();
    decision::Round round;
    auto stopped = run_round(next_round_, next_attempt_, round);
    if (!stopped)
        return tl::unexpected(stopped.error());
    if (*stopped)
        return Outcome(tl::unexpected(**stopped));
    ++next_round_;
    next_attempt_ = 1;
    ++timed_rounds_;
    timed_ += std::chrono::steady_clock::now() - begin;
    return Outcome(std::move(round));
}

} // namespace holdfast::study
