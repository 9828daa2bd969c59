// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/engine.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/stats/estimate.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/clock.hpp"
#include "core/study/half_measured.hpp"
#include "core/study/isolation.hpp"
#include "core/study/leakage.hpp"
#include "core/study/measure.hpp"
#include "core/study/search.hpp"
#include "core/study/trial.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

constexpr std::size_t opening_rounds = 12;
constexpr double mad_to_sigma = 1.4826; ///< of a normal distribution
constexpr double search_share = 0.6;    ///< of the budget; the rest is for what the search finds

std::vector<const Workload*> all_workloads(const Project& project) {
    auto all = project.with_role(Role::tuning);
    for (const Workload* workload : project.with_role(Role::holdout))
        all.push_back(workload);
    return all;
}

/// Median of the values and spread of the pairs of one workload in one objective.
nlohmann::json opening_of(const Project& project, const std::vector<decision::Round>& rounds, std::size_t workload,
                          std::size_t objective) {
    const Better better = project.metric(project.objectives[objective]).better;
    std::vector<double> values, ratios;
    for (const decision::Round& round : rounds) {
        const decision::WorkloadPairs& pairs = round.workloads[workload];
        const decision::Pair& pair = objective == 0 ? pairs.objective : pairs.others[objective - 1];
        values.push_back(pair.baseline);
        values.push_back(pair.candidate);
        ratios.push_back(decision::log_ratio(pair, better));
    }
    return {{"median", stats::median(values)}, {"spread", mad_to_sigma * stats::median_absolute_deviation(ratios)}};
}

class Study {
public:
    Study(const Environment& environment, Options options) : env_(environment), options_(std::move(options)) {
        if (options_.budget)
            deadline_ = begun_ + *options_.budget;
    }

    Result<Summary> start();
    Result<Summary> resume(StudyRecord record);

private:
    Result<void> prepare();
    Result<Summary> run(const Result<void>& prepared);
    Result<void> gates_and_search();
    Result<void> opening();
    Result<void> tell_drift(const nlohmann::json& opening) const;
    Result<void> check_pinned();
    Result<void> check_split();
    Result<void> load_state();
    Result<std::vector<TrialRecord>> queue() const;
    Result<void> through_gates(TrialRecord trial, std::int64_t order);
    bool out_of_time() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }

    const Environment& env_;
    Options options_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::optional<std::chrono::steady_clock::time_point> deadline_;
    Bench bench_;
    StudyState state_;
    Summary summary_;
};

/// Twelve A/A rounds over every workload: the median and spread of the baseline against itself, on this machine, now.
Result<void> Study::opening() {
    const auto workloads = all_workloads(env_.project);
    Session session(env_.project, *bench_.sampler, env_.store, env_.watch,
                    {state_.record.id, "", 0, "opening", state_.record.seed}, bench_.baseline, bench_.baseline,
                    workloads);
    auto rounds = session.resume();
    if (!rounds)
        return tl::unexpected(rounds.error());
    while (rounds->size() < opening_rounds) {
        env_.watch.progress({"opening", 0, rounds->size(), opening_rounds, session.round_time()});
        auto next = session.next();
        if (!next)
            return tl::unexpected(next.error());
        if (!*next)
            return failed("measure the baseline against itself", next->error().reason,
                          "Make the baseline pass its own workloads every time");
        rounds->push_back(std::move(**next));
    }
    nlohmann::json seen = {{rule_key, decision::rule_revision}};
    for (std::size_t w = 0; w < workloads.size(); ++w) {
        nlohmann::json& workload = seen[workloads[w]->name] = opening_of(env_.project, *rounds, w, 0);
        for (std::size_t i = 1; i < env_.project.objectives.size(); ++i)
            workload["objectives"][env_.project.objectives[i]] = opening_of(env_.project, *rounds, w, i);
    }
    if (env_.project.decision.quarantine) {
        auto samples = env_.store.samples(state_.record.id, "", "opening");
        if (!samples)
            return tl::unexpected(samples.error());
        for (const auto& [workload, limits] : quarantine_rule(*samples).workloads)
            seen[workload]["quarantine"] = limits_json(limits);
    }
    if (auto told = tell_drift(seen); !told)
        return told;
    state_.record.opening_json = with_isolation(seen.dump(), bench_.isolation);
    return env_.store.update_study(state_.record);
}

/// Says what a calibration foresaw otherwise than the opening rounds show.
Result<void> Study::tell_drift(const nlohmann::json& opening) const {
    const auto standings = calibration_standings(
        env_.store, env_.project,
        subject_of(env_.project, env_.repository, bench_.commit, state_.record.machine_json, state_.record.started));
    if (!standings)
        return tl::unexpected(standings.error());
    for (const CalibrationStanding& standing : *standings) {
        const nlohmann::json& workload = opening.at(standing.workload);
        const nlohmann::json& seen =
            standing.metric == env_.project.objective ? workload : workload.at("objectives").at(standing.metric);
        const auto number = [&](const char* name) { // JSON has no NaN
            return seen.at(name).is_number() ? seen.at(name).get<double>() : std::nan("");
        };
        if (const std::string drift = drift_of(standing, number("median"), number("spread")); !drift.empty())
            env_.watch.say("note: " + drift);
    }
    return {};
}

Result<std::vector<TrialRecord>> Study::queue() const {
    auto trials = env_.store.trials();
    if (!trials)
        return tl::unexpected(trials.error());
    std::vector<TrialRecord> waiting;
    for (TrialRecord& trial : *trials) {
        const bool mine = trial.study == state_.record.id && trial.search_json.empty() && trial.state != State::done;
        if (mine || (trial.study.empty() && trial.state == State::queued))
            waiting.push_back(std::move(trial));
    }
    return waiting;
}

Result<void> Study::through_gates(TrialRecord trial, std::int64_t order) {
    if (auto same = same_machine(env_.runner, state_.record, fmt::format("measure trial {}", trial.number)); !same)
        return same;
    trial.study = state_.record.id;
    trial.state = State::running;
    if (auto updated = env_.store.update_trial(trial); !updated)
        return updated;
    auto end = run_trial(bench_, state_, trial, order);
    if (!end)
        return tl::unexpected(end.error());
    if (*end == TrialEnd::queued)
        ++summary_.left_queued;
    return {};
}

/// What the stored trials and verdicts of this study have used up.
Result<void> Study::load_state() {
    state_.confirmations = 0;
    state_.passed = 0;
    auto trials = env_.store.trials();
    if (!trials)
        return tl::unexpected(trials.error());
    auto verdicts = env_.store.verdicts();
    if (!verdicts)
        return tl::unexpected(verdicts.error());
    for (const TrialRecord& trial : *trials) {
        if (trial.study != state_.record.id)
            continue;
        state_.confirmations = std::max(state_.confirmations, trial.confirmation);
        for (const VerdictRecord& verdict : *verdicts)
            if (verdict.trial == trial.id && verdict.verdict == decision::to_text(decision::VerdictKind::generalises))
                ++state_.passed;
    }
    return {};
}

/// A resumed study must see the outputs it saw before.
Result<void> Study::check_pinned() {
    auto before = env_.store.samples(state_.record.id, "", "opening");
    if (!before)
        return tl::unexpected(before.error());
    for (const Taken& pinned : bench_.pinned)
        for (const SampleRecord& sample : *before)
            if (sample.workload == pinned.record.workload && sample.executable_hash != pinned.record.executable_hash)
                return refused("resume the study", "the baseline's executables are not what was measured before",
                               "A compiler or library changed; start a new study with: holdfast run");
    return {};
}

/// Before anything is measured: what a leak costs is the person's to decide.
Result<void> Study::check_split() {
    auto split = split_of_bench(bench_);
    if (!split)
        return tl::unexpected(split.error());
    state_.split_leak = leak_text(*split);
    if (!state_.split_leak.empty())
        env_.watch.say(state_.split_leak + " Verdicts will carry the flag leaky split");
    return {};
}

Result<void> Study::gates_and_search() {
    if (state_.record.opening_json.empty())
        if (auto opened = opening(); !opened)
            return opened;
    if (auto loaded = load_state(); !loaded)
        return loaded;
    auto waiting = queue();
    if (!waiting)
        return tl::unexpected(waiting.error());
    for (TrialRecord& trial : *waiting) {
        if (out_of_time()) {
            env_.watch.say(fmt::format("trial {} stays queued: the budget is spent", trial.number));
            ++summary_.left_queued;
            continue;
        }
        if (env_.watch.after_trial.stop_requested())
            return tl::unexpected(stopped_on_request("start another trial"));
        const std::int64_t order = trial.number;
        if (auto done = through_gates(std::move(trial), order); !done)
            return done;
    }
    std::optional<std::chrono::steady_clock::time_point> search_deadline;
    if (options_.budget)
        search_deadline =
            begun_ + std::chrono::duration_cast<std::chrono::milliseconds>(*options_.budget * search_share);
    auto leaders = search_knobs(bench_, state_, options_, env_.tuners, search_deadline);
    if (!leaders)
        return tl::unexpected(leaders.error());
    auto verdicts = env_.store.verdicts();
    if (!verdicts)
        return tl::unexpected(verdicts.error());
    for (TrialRecord& leader : *leaders) {
        const bool decided = std::any_of(verdicts->begin(), verdicts->end(),
                                         [&](const VerdictRecord& verdict) { return verdict.trial == leader.id; });
        if (decided || out_of_time())
            continue;
        if (env_.watch.after_trial.stop_requested())
            return tl::unexpected(stopped_on_request("start another trial"));
        const std::int64_t order = nlohmann::json::parse(leader.search_json).at("order").get<std::int64_t>();
        if (auto done = through_gates(std::move(leader), order); !done)
            return done;
    }
    return {};
}

Result<void> Study::prepare() {
    auto bench = prepare_bench(env_.project, env_.repository, env_.runner, env_.store, env_.watch, bench_.commit,
                               all_workloads(env_.project));
    if (!bench)
        return tl::unexpected(bench.error());
    bench_ = std::move(*bench);
    return {};
}

/// Of a stored study, which stays interrupted where `prepared` or what follows fails.
Result<Summary> Study::run(const Result<void>& prepared) {
    auto done = prepared;
    if (done)
        done = same_machine(env_.runner, state_.record, "measure the baseline");
    if (done)
        done = check_pinned();
    if (done)
        done = check_split();
    if (done)
        done = gates_and_search();
    if (!done) {
        // Best effort: a store that cannot be written now is told by the first error, and the next start marks it.
        (void)env_.store.mark_interrupted();
        return tl::unexpected(done.error());
    }
    state_.record.state = State::done;
    state_.record.ended = utc_now();
    if (auto updated = env_.store.update_study(state_.record); !updated)
        return tl::unexpected(updated.error());
    auto trials = env_.store.trials();
    auto verdicts = env_.store.verdicts();
    if (!trials)
        return tl::unexpected(trials.error());
    if (!verdicts)
        return tl::unexpected(verdicts.error());
    for (const VerdictRecord& verdict : *verdicts)
        for (const TrialRecord& trial : *trials)
            if (trial.id == verdict.trial && trial.study == state_.record.id) {
                ++summary_.decided;
                summary_.proposals += verdict.proposal ? 1 : 0;
            }
    summary_.study = state_.record.id;
    summary_.number = state_.record.number;
    return summary_;
}

Result<Summary> Study::start() {
    auto isolation = env_.runner.isolation();
    if (!isolation)
        return tl::unexpected(isolation.error());
    auto commit = env_.repository.resolve();
    if (!commit)
        return tl::unexpected(commit.error());
    bench_.commit = *commit;
    // Before the machine is described: what counts here is part of it.
    if (auto counting = counting_for(env_.project, all_workloads(env_.project), env_.runner); !counting)
        return tl::unexpected(counting.error());
    StudyRecord& record = state_.record;
    record.id = uuid_v7();
    record.project = env_.project.name;
    record.baseline_commit = commit->id;
    record.baseline_tree = commit->tree;
    record.seed = options_.seed;
    record.frozen_json = env_.project.canonical;
    record.machine_json = env_.runner.machine();
    record.started = utc_now();
    auto caution =
        calibration_caution(env_.store, env_.project,
                            subject_of(env_.project, env_.repository, *commit, record.machine_json, record.started));
    if (!caution)
        return tl::unexpected(caution.error());
    if (!caution->empty())
        env_.watch.say("note: " + *caution);
    auto options = nlohmann::json::parse(options_to_json(options_));
    options["calibration-caution"] = *caution; // what was known of the machine when the study began
    record.options_json = options.dump();
    record.isolation_level = isolation->level;
    if (auto ended = end_half_measured(env_.project, env_.store, env_.watch, record.machine_json); !ended)
        return tl::unexpected(ended.error());
    // What was refused before anything was measured is no study that could go on.
    const auto prepared = prepare();
    if (!prepared)
        return tl::unexpected(prepared.error());
    if (auto added = env_.store.add_study(record); !added)
        return tl::unexpected(added.error());
    return run(prepared);
}

Result<Summary> Study::resume(StudyRecord record) {
    const std::string attempted = fmt::format("resume study {}", record.number);
    auto isolation = env_.runner.isolation();
    if (!isolation)
        return tl::unexpected(isolation.error());
    if (record.frozen_json != env_.project.canonical)
        return refused(attempted, "the project file or the held-out file changed since the study froze it",
                       "Restore them, or start a new study with: holdfast run");
    if (isolation->level != record.isolation_level)
        return refused(
            attempted,
            fmt::format("it ran at isolation L{}, this machine gives L{}", record.isolation_level, isolation->level),
            "Start a new study with: holdfast run");
    if (auto same = same_machine(env_.runner, record, attempted); !same)
        return tl::unexpected(same.error());
    auto commit = env_.repository.resolve(record.baseline_commit);
    if (!commit)
        return tl::unexpected(commit.error());
    bench_.commit = *commit;
    state_.record = std::move(record);
    env_.watch.say(fmt::format("study {} of {} goes on, seed {}", state_.record.number, state_.record.started,
                               state_.record.seed));
    state_.record.state = State::running;
    state_.record.ended.clear();
    if (auto updated = env_.store.update_study(state_.record); !updated)
        return tl::unexpected(updated.error());
    return run(prepare());
}

} // namespace

std::string options_to_json(const Options& options) {
    nlohmann::json json = {
        {"tuners", options.tuners},
        {"trials", options.trials},
        {"leaders", options.leaders},
        {"fixed", nlohmann::json::parse(to_json(Configuration(options.fixed)))},
        {"budget-ms", options.budget ? nlohmann::json(options.budget->count()) : nlohmann::json(nullptr)},
        {"seed", std::to_string(options.seed)}};
    return json.dump();
}

Result<Options> options_from_json(const Project& project, const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    Options options;
    try {
        options.tuners = json.at("tuners").get<std::vector<std::string>>();
        options.trials = json.at("trials").get<int>();
        options.leaders = json.at("leaders").get<int>();
        options.seed = std::stoull(json.at("seed").get<std::string>());
        if (!json.at("budget-ms").is_null())
            options.budget = std::chrono::milliseconds(json.at("budget-ms").get<std::int64_t>());
        for (const auto& [name, value] : json.at("fixed").items()) {
            const Knob* knob = project.knob(name);
            if (knob == nullptr)
                return failed("read the study's options", "it fixes a knob the project does not have: " + name,
                              "Start a new study with: holdfast run");
            auto parsed = parse_value(*knob, value.is_string() ? value.get<std::string>() : value.dump());
            if (!parsed)
                return tl::unexpected(parsed.error());
            options.fixed[name] = *parsed;
        }
    } catch (const std::exception&) {
        return failed("read the study's options", "the history holds them in a form that holdfast does not write",
                      "Run: holdfast audit");
    }
    return options;
}

Result<Summary> start_study(const Environment& environment, const Options& options) {
    return Study(environment, options).start();
}

bool resumable(const StudyRecord& study) {
    return study.state == State::interrupted && !by_hand(study);
}

Result<Summary> resume_study(const Environment& environment) {
    auto studies = environment.store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    for (auto record = studies->rbegin(); record != studies->rend(); ++record) {
        if (!resumable(*record))
            continue;
        auto options = options_from_json(environment.project, record->options_json);
        if (!options)
            return tl::unexpected(options.error());
        return Study(environment, *options).resume(*record);
    }
    return invalid("resume a study", "no study of this project is interrupted", "Start one with: holdfast run");
}

} // namespace holdfast::study
