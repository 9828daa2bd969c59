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

/// Samples of one attempt at one round.
struct Attempt {
    std::map<std::string, std::map<std::string, Metrics>> metrics; ///< by workload and arm
    DisturbedArms disturbed;
};

bool complete(const Attempt& attempt, const std::vector<const Workload*>& workloads) {
    for (const Workload* workload : workloads) {
        const auto found = attempt.metrics.find(workload->name);
        if (found == attempt.metrics.end() || found->second.size() != 2)
            return false;
    }
    return true;
}

std::map<std::int64_t, std::map<std::int64_t, Attempt>> by_round(const std::vector<SampleRecord>& samples,
                                                                 const QuarantineRule& rule) {
    std::map<std::int64_t, std::map<std::int64_t, Attempt>> rounds;
    for (const SampleRecord& sample : samples) {
        if (sample.round < 1 || sample.ending != "ok")
            continue;
        Attempt& attempt = rounds[sample.round][sample.attempt];
        attempt.metrics[sample.workload][sample.arm] = nlohmann::json::parse(sample.metrics_json).get<Metrics>();
        if (disturbance(rule, sample))
            attempt.disturbed.add(sample);
    }
    return rounds;
}

decision::Round round_of(const Project& project, const std::vector<const Workload*>& workloads,
                         const Attempt& attempt) {
    decision::Round round;
    for (const Workload* workload : workloads)
        round.workloads.push_back(paired(project, attempt.metrics.at(workload->name).at(arm_names[0]),
                                         attempt.metrics.at(workload->name).at(arm_names[1])));
    return round;
}

} // namespace

Replay replay_of(const Project& project, const std::vector<const Workload*>& workloads,
                 const std::vector<SampleRecord>& samples, const QuarantineRule& rule) {
    Replay replay;
    for (const auto& [number, attempts] : by_round(samples, rule)) {
        // Rounds are made in order, so a gap means that nothing after it counts.
        if (number != static_cast<std::int64_t>(replay.rounds.size()) + 1)
            break;
        std::optional<decision::Round> whole;
        for (const auto& [attempt, content] : attempts) {
            if (!complete(content, workloads))
                continue;
            decision::Round round = round_of(project, workloads, content);
            if (rule.on())
                replay.all.push_back(round);
            const bool counts = !rule.on() || !replay.quarantine.drops(content.disturbed);
            replay.whole[{number, attempt}] = counts;
            if (counts)
                whole = std::move(round);
        }
        if (!whole)
            break;
        replay.rounds.push_back(std::move(*whole));
    }
    return replay;
}

std::vector<decision::Round> rounds_of(const Project& project, const std::vector<const Workload*>& workloads,
                                       const std::vector<SampleRecord>& samples, const QuarantineRule& rule) {
    return replay_of(project, workloads, samples, rule).rounds;
}

std::optional<decision::Quarantined> quarantined(const decision::Rule& rule, const Replay& replay) {
    const QuarantineState& state = replay.quarantine;
    if (state.dropped() == 0 && state.switched_off().empty())
        return std::nullopt;
    return decision::Quarantined{state.dropped(), state.baseline_flags(), state.candidate_flags(), state.switched_off(),
                                 decision::assess(rule, replay.all).objective};
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
    rule.revision = opening.empty() ? decision::rule_revision : medians.value(rule_key, 1);
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
    replay_ = replay_of(*project_, workloads_, *samples, series_.quarantine);
    next_round_ = static_cast<std::int64_t>(replay_.rounds.size()) + 1;
    next_attempt_ = 1;
    for (const SampleRecord& sample : *samples) {
        session_ = std::max(session_, sample.session + 1);
        if (sample.round == next_round_)
            next_attempt_ = std::max(next_attempt_, sample.attempt + 1);
    }
    return replay_.rounds;
}

std::chrono::nanoseconds Session::round_time() const {
    return timed_rounds_ == 0 ? std::chrono::nanoseconds(0) : timed_ / static_cast<std::int64_t>(timed_rounds_);
}

Result<std::optional<Stopped>> Session::run_pair(std::int64_t round, std::int64_t attempt, const Workload& workload,
                                                 bool coin, decision::WorkloadPairs& pairs) {
    Metrics metrics[2];
    const auto fresh = series_.seeds.find(workload.name);
    const std::int64_t seed = seed_of(fresh == series_.seeds.end() ? workload.seeds : fresh->second, round);
    for (int slot = 0; slot < 2; ++slot) {
        const int arm = (slot == 0) == coin ? 1 : 0;
        if (watch_->after_sample.stop_requested())
            return tl::unexpected(
                Error{Error::Kind::interrupted, "measure", "stopped on request", "Go on with: holdfast run --resume"});
        auto taken = sampler_->take(*arms_[arm], workload, seed);
        if (!taken)
            return tl::unexpected(taken.error());
        if (arm == 1)
            withhold(*taken, workload);
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
        if (const auto why = disturbance(series_.quarantine, record)) {
            if (!disturbed_.any())
                disturbed_why_ = *why;
            disturbed_.add(record);
        }
        metrics[arm] = std::move(taken->metrics);
    }
    pairs = paired(*project_, metrics[0], metrics[1]);
    return std::optional<Stopped>();
}

Result<std::optional<Stopped>> Session::run_round(std::int64_t round, std::int64_t attempt, decision::Round& result) {
    disturbed_ = {};
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
    if (const std::string changed = sampler_->machine_changes(); !changed.empty())
        return std::optional<Stopped>(
            Stopped{Taken::Outcome::not_comparable, "the machine changed during the study: " + changed, ""});
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
            if (*stopped) {
                withhold(**stopped, *workload);
                return std::optional<Stopped>(Stopped{(*stopped)->outcome, (*stopped)->reason, (*stopped)->log});
            }
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
    for (;;) {
        const auto begin = std::chrono::steady_clock::now();
        decision::Round round;
        auto stopped = run_round(next_round_, next_attempt_, round);
        if (!stopped)
            return tl::unexpected(stopped.error());
        if (*stopped)
            return Outcome(tl::unexpected(**stopped));
        ++timed_rounds_;
        timed_ += std::chrono::steady_clock::now() - begin;
        if (!counts(round)) {
            ++next_attempt_;
            continue;
        }
        ++next_round_;
        next_attempt_ = 1;
        return Outcome(std::move(round));
    }
}

/// Also keeps the replay what replay_of() would make of the stored samples.
bool Session::counts(const decision::Round& round) {
    if (series_.quarantine.on()) {
        replay_.all.push_back(round);
        if (replay_.quarantine.drops(disturbed_)) {
            watch_->say(
                fmt::format("round {} is taken again, the machine was disturbed: {}", next_round_, disturbed_why_));
            return false;
        }
    }
    replay_.rounds.push_back(round);
    return true;
}

} // namespace holdfast::study
