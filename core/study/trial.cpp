// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/trial.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"
#include "core/study/clock.hpp"
#include "core/study/evidence.hpp"
#include "core/study/readable_holdout.hpp"
#include "core/study/rounds.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::study {

namespace {

constexpr int least_holdout_rounds = 40;

using Rounds = std::vector<decision::Round>;

/// One trial on its way; each gate either stops it or lets it pass.
class Gates {
public:
    Gates(Bench& bench, StudyState& state, TrialRecord& trial, std::int64_t order)
        : bench_(&bench), state_(&state), trial_(&trial), order_(order),
          tuning_(bench.project->with_role(Role::tuning)), holdout_(bench.project->with_role(Role::holdout)) {}

    Result<TrialEnd> run();

private:
    using Passed = Result<std::optional<GateStop>>;

    Result<void> row(const char* gate, const std::string& result, const std::string& reason,
                     const std::string& log = "");
    Passed stop(const char* gate, const Stopped& stopped);
    Passed tests();
    Passed correct();
    Passed screen(bool& go_on);
    Passed confirm();
    Passed ask_holdout();
    Result<TrialEnd> decide();
    Result<void> conclude(const decision::Verdict& verdict);
    Result<tl::expected<Rounds, Stopped>> fixed_rounds(const char* phase, const std::vector<const Workload*>& workloads,
                                                       std::size_t count);
    Session session(const char* phase, const std::vector<const Workload*>& workloads);

    Bench* bench_;
    StudyState* state_;
    TrialRecord* trial_;
    std::int64_t order_;
    std::vector<const Workload*> tuning_, holdout_;
    std::optional<Arm> arm_;
    std::optional<decision::Assessment> tuning_seen_, holdout_seen_;
    std::optional<decision::Quarantined> quarantined_; ///< of the last fixed_rounds()
    std::string tuning_stop_, holdout_not_asked_;
    bool confirmed_ = false;
    std::chrono::steady_clock::time_point gate_began_ = std::chrono::steady_clock::now();
    std::string gate_started_ = utc_now();
};

Result<void> Gates::row(const char* gate, const std::string& result, const std::string& reason,
                        const std::string& log) {
    GateRecord record;
    record.trial = trial_->id;
    record.gate = gate;
    record.result = result;
    record.reason = reason;
    record.log = log;
    record.detail_json = "{}";
    record.started = gate_started_;
    const auto now = std::chrono::steady_clock::now();
    record.seconds = std::chrono::duration<double>(now - gate_began_).count();
    gate_began_ = now;
    gate_started_ = utc_now();
    return bench_->store->add_gate(record);
}

Gates::Passed Gates::stop(const char* gate, const Stopped& stopped) {
    if (auto written = row(gate, "fail", stopped.reason, stopped.log); !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>(GateStop{gate, stopped.outcome, false, stopped.reason, stopped.log});
}

Session Gates::session(const char* phase, const std::vector<const Workload*>& workloads) {
    return Session(*bench_->project, *bench_->sampler, *bench_->store, *bench_->watch,
                   {state_->record.id, trial_->id, order_, phase, state_->record.seed,
                    quarantine_rule(state_->record.opening_json)},
                   bench_->baseline, *arm_, workloads);
}

Result<tl::expected<Rounds, Stopped>>
Gates::fixed_rounds(const char* phase, const std::vector<const Workload*>& workloads, std::size_t count) {
    using Outcome = tl::expected<Rounds, Stopped>;
    Session series = session(phase, workloads);
    auto rounds = series.resume();
    if (!rounds)
        return tl::unexpected(rounds.error());
    while (rounds->size() < count) {
        bench_->watch->progress({phase, trial_->number, rounds->size(), count, series.round_time()});
        auto next = series.next();
        if (!next)
            return tl::unexpected(next.error());
        if (!*next)
            return Outcome(tl::unexpected(next->error()));
        rounds->push_back(std::move(**next));
    }
    quarantined_ = quarantined(rule_for(*bench_->project, workloads, state_->record.opening_json), series.replay());
    return Outcome(std::move(*rounds));
}

/// Also for a candidate with the baseline's executables: a gate that says "tests pass" has run them.
Gates::Passed Gates::tests() {
    auto failure = run_tests(*bench_->project, *bench_->workspace, *bench_->runner, *bench_->watch, arm_->artifact);
    if (!failure)
        return tl::unexpected(failure.error());
    if (!*failure)
        return std::optional<GateStop>();
    // Only a baseline that passes can blame the candidate.
    auto baseline =
        run_tests(*bench_->project, *bench_->workspace, *bench_->runner, *bench_->watch, bench_->baseline.artifact);
    if (!baseline)
        return tl::unexpected(baseline.error());
    if (*baseline)
        return failed("run the project's tests on the baseline",
                      printable((*baseline)->reason) + "\n" + printable((*baseline)->log, false),
                      "Make them pass on the baseline in a clean checkout without network");
    return stop("correct", {Taken::Outcome::wrong, (*failure)->reason, (*failure)->log});
}

/// The project's tests, then one judged run of each tuning workload.
Gates::Passed Gates::correct() {
    bench_->watch->progress({"correct", trial_->number, 0, 0, {}});
    auto tested = tests();
    if (!tested || *tested)
        return tested;
    for (const Workload* workload : tuning_) {
        auto prepared = bench_->sampler->prepare(*arm_, *workload);
        if (!prepared)
            return tl::unexpected(prepared.error());
        if (*prepared)
            return stop("correct", {(*prepared)->outcome, (*prepared)->reason, (*prepared)->log});
        for (const std::int64_t seed : workload->seeds) {
            auto taken = bench_->sampler->take(*arm_, *workload, seed);
            if (!taken)
                return tl::unexpected(taken.error());
            if (taken->outcome != Taken::Outcome::ok)
                return stop("correct", {taken->outcome, taken->reason, taken->log});
        }
        bench_->sampler->stop_servers();
    }
    if (auto written = row("correct", "pass",
                           fmt::format("{} and {} of {} tuning workloads give the baseline's output",
                                       bench_->project->code.test.empty() ? "no tests" : "tests pass", tuning_.size(),
                                       tuning_.size()));
        !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>();
}

/// Six rounds that stop clear losers: shown slower than the baseline, or a guard shown worse.
Gates::Passed Gates::screen(bool& go_on) {
    auto rounds = fixed_rounds("screen", tuning_, screen_rounds);
    if (!rounds)
        return tl::unexpected(rounds.error());
    if (!*rounds)
        return stop("screen", rounds->error());
    const auto seen = decision::assess(rule_for(*bench_->project, tuning_, state_->record.opening_json), **rounds);
    const bool guard_broken =
        std::any_of(seen.guards.begin(), seen.guards.end(), [](const auto& guard) { return guard.worse; });
    go_on = !guard_broken && !(seen.objective.interval.high < 0);
    if (!go_on) {
        tuning_seen_ = seen;
        tuning_stop_ = guard_broken ? "stopped at the screen: a guard is shown worse"
                                    : "stopped at the screen: shown not to improve on the baseline";
    }
    if (auto written =
            row("screen", go_on ? "pass" : "stop",
                decision::describe(seen.objective, bench_->project->metric(bench_->project->objective).better));
        !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>();
}

Gates::Passed Gates::confirm() {
    const DecisionSettings& settings = bench_->project->decision;
    decision::Rule rule = rule_for(*bench_->project, tuning_, state_->record.opening_json);
    rule.threshold =
        decision::confirmation_threshold(settings.false_proposal_rate, settings.max_confirmations, state_->passed);
    if (trial_->confirmation == 0) {
        trial_->confirmation = ++state_->confirmations;
        if (auto stored = bench_->store->update_trial(*trial_); !stored)
            return tl::unexpected(stored.error());
    }
    Session series = session("confirm", tuning_);
    auto rounds = series.resume();
    if (!rounds)
        return tl::unexpected(rounds.error());
    decision::Confirmation confirmation(rule);
    std::size_t count = 0;
    for (const decision::Round& round : *rounds) {
        confirmation.add(round);
        ++count;
    }
    while (!confirmation.finished()) {
        bench_->watch->progress(
            {"confirm", trial_->number, count, count + confirmation.rounds_left(), series.round_time()});
        auto next = series.next();
        if (!next)
            return tl::unexpected(next.error());
        if (!*next)
            return stop("confirm", next->error());
        confirmation.add(**next);
        ++count;
    }
    tuning_seen_ = confirmation.assessment();
    tuning_seen_->quarantined = quarantined(rule, series.replay());
    tuning_stop_ = confirmation.reason();
    confirmed_ = confirmation.state() == decision::Confirmation::State::passed;
    if (auto written = row("confirm", confirmed_ ? "pass" : "stop", tuning_stop_); !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>();
}

Gates::Passed Gates::ask_holdout() {
    auto questions = bench_->store->questions(state_->record.id);
    if (!questions)
        return tl::unexpected(questions.error());
    const auto mine = std::find_if(questions->begin(), questions->end(),
                                   [&](const QuestionRecord& question) { return question.trial == trial_->id; });
    QuestionRecord question;
    if (mine != questions->end())
        question = *mine;
    else {
        if (static_cast<int>(questions->size()) >= bench_->project->decision.holdout_questions) {
            holdout_not_asked_ =
                fmt::format("all {} held-out questions of this study are spent; bring new held-out workloads",
                            bench_->project->decision.holdout_questions);
            if (auto written = row("holdout", "stop", holdout_not_asked_); !written)
                return tl::unexpected(written.error());
            return std::optional<GateStop>();
        }
        question.study = state_->record.id;
        question.trial = trial_->id;
        question.rounds = holdout_rounds(bench_->project->decision, tuning_seen_->rounds);
        question.asked = utc_now();
        if (auto asked = bench_->store->ask_question(question); !asked)
            return tl::unexpected(asked.error());
    }
    auto rounds = fixed_rounds("holdout", holdout_, static_cast<std::size_t>(question.rounds));
    if (!rounds)
        return tl::unexpected(rounds.error());
    if (!*rounds) {
        question.answer = "not confirmed";
        if (auto answered = bench_->store->answer_question(question); !answered)
            return tl::unexpected(answered.error());
        return stop("holdout", rounds->error());
    }
    holdout_seen_ = decision::assess(rule_for(*bench_->project, holdout_, state_->record.opening_json), **rounds);
    holdout_seen_->quarantined = quarantined_;
    const decision::Verdict verdict = decision::decide(
        {bench_->project->metric(bench_->project->objective).better, bench_->project->decision.minimum_effect,
         bench_->project->decision.harm_margin, tuning_seen_, tuning_stop_, holdout_seen_, true, false, ""});
    question.answer = verdict.kind == decision::VerdictKind::generalises ? "confirmed" : "not confirmed";
    if (auto answered = bench_->store->answer_question(question); !answered)
        return tl::unexpected(answered.error());
    if (auto written = row("holdout", question.answer == "confirmed" ? "pass" : "stop", question.answer); !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>();
}

Result<void> Gates::conclude(const decision::Verdict& verdict) {
    auto record =
        make_verdict(*bench_, state_->record, *trial_, arm_ ? &*arm_ : nullptr, verdict, tuning_seen_, holdout_seen_);
    if (!record)
        return tl::unexpected(record.error());
    trial_->state = State::done;
    trial_->ended = utc_now();
    if (auto updated = bench_->store->update_trial(*trial_); !updated)
        return updated;
    if (auto added = bench_->store->add_verdict(*record); !added)
        return added;
    if (verdict.kind == decision::VerdictKind::generalises)
        ++state_->passed;
    bench_->watch->say(fmt::format("trial {}: {}{}{}{}", trial_->number, record->verdict,
                                   record->qualifier.empty() ? "" : " (" + record->qualifier + ")",
                                   verdict.reasons.empty() ? "" : ": ",
                                   verdict.reasons.empty() ? "" : printable(verdict.reasons.front())));
    return {};
}

Result<TrialEnd> Gates::decide() {
    decision::Findings findings;
    findings.better = bench_->project->metric(bench_->project->objective).better;
    findings.minimum_effect = bench_->project->decision.minimum_effect;
    findings.harm_margin = bench_->project->decision.harm_margin;
    findings.tuning = tuning_seen_;
    findings.tuning_stop = tuning_stop_;
    findings.holdout = holdout_seen_;
    findings.has_holdout = !holdout_.empty();
    auto readable = readable_holdouts(*bench_->project, *bench_->repository, bench_->commit);
    if (!readable)
        return tl::unexpected(readable.error());
    findings.readable_holdout = !readable->empty();
    findings.holdout_not_asked = holdout_not_asked_;
    if (auto concluded = conclude(decision::decide(findings)); !concluded)
        return tl::unexpected(concluded.error());
    return TrialEnd::decided;
}

Result<TrialEnd> Gates::run() {
    auto made = make_arm(*bench_, *trial_);
    if (!made)
        return tl::unexpected(made.error());
    const auto end = [&](const GateStop& stop) -> Result<TrialEnd> {
        if (auto ended = end_at_gate(*bench_, *state_, *trial_, arm_ ? &*arm_ : nullptr, stop); !ended)
            return tl::unexpected(ended.error());
        return TrialEnd::decided;
    };
    if (!*made)
        return end(made->error());
    arm_ = std::move(**made);
    if (auto updated = bench_->store->update_trial(*trial_); !updated)
        return tl::unexpected(updated.error());
    if (arm_->hash == bench_->baseline.hash) {
        decision::Verdict verdict;
        verdict.kind = decision::VerdictKind::no_effect;
        verdict.reasons = {"executables, commands and environment are the baseline's: nothing changed"};
        if (auto concluded = conclude(verdict); !concluded)
            return tl::unexpected(concluded.error());
        return TrialEnd::decided;
    }
    gate_began_ = std::chrono::steady_clock::now();
    gate_started_ = utc_now();
    auto stopped = correct();
    if (!stopped)
        return tl::unexpected(stopped.error());
    if (*stopped)
        return end(**stopped);
    bool go_on = true;
    stopped = screen(go_on);
    if (!stopped)
        return tl::unexpected(stopped.error());
    if (*stopped)
        return end(**stopped);
    if (!go_on)
        return decide();
    if (trial_->confirmation == 0 && state_->confirmations >= bench_->project->decision.max_confirmations) {
        const std::string reason =
            fmt::format("all {} confirmations of this study are spent", bench_->project->decision.max_confirmations);
        if (auto written = row("confirm", "stop", reason); !written)
            return tl::unexpected(written.error());
        trial_->state = State::queued;
        trial_->study.clear();
        if (auto updated = bench_->store->update_trial(*trial_); !updated)
            return tl::unexpected(updated.error());
        bench_->watch->say(fmt::format("trial {} stays queued: {}", trial_->number, reason));
        return TrialEnd::queued;
    }
    stopped = confirm();
    if (!stopped)
        return tl::unexpected(stopped.error());
    if (*stopped)
        return end(**stopped);
    if (confirmed_ && !holdout_.empty()) {
        stopped = ask_holdout();
        if (!stopped)
            return tl::unexpected(stopped.error());
        if (*stopped)
            return end(**stopped);
    }
    return decide();
}

} // namespace

int holdout_rounds(const DecisionSettings& settings, std::size_t confirm_rounds) {
    if (settings.holdout_pairs)
        return *settings.holdout_pairs;
    const int most = std::max(settings.max_pairs, least_holdout_rounds);
    return std::clamp(2 * static_cast<int>(confirm_rounds), least_holdout_rounds, most);
}

decision::VerdictKind verdict_of(const GateStop& stop) {
    using decision::VerdictKind;
    if (stop.refused)
        return VerdictKind::refused;
    switch (stop.outcome) {
    case Taken::Outcome::wrong:
        return VerdictKind::incorrect;
    case Taken::Outcome::not_comparable:
        return VerdictKind::not_comparable;
    default:
        return VerdictKind::failed;
    }
}

Result<void> end_at_gate(Bench& bench, const StudyState& state, TrialRecord& trial, const Arm* arm,
                         const GateStop& stop) {
    decision::Verdict verdict;
    verdict.kind = verdict_of(stop);
    verdict.reasons = {stop.reason};
    auto record = make_verdict(bench, state.record, trial, arm, verdict, std::nullopt, std::nullopt);
    if (!record)
        return tl::unexpected(record.error());
    trial.state = State::done;
    trial.ended = utc_now();
    if (auto updated = bench.store->update_trial(trial); !updated)
        return updated;
    if (auto added = bench.store->add_verdict(*record); !added)
        return added;
    bench.watch->say(fmt::format("trial {}: {}: {}", trial.number, record->verdict, printable(stop.reason)));
    return {};
}

Result<TrialEnd> run_trial(Bench& bench, StudyState& state, TrialRecord& trial, std::int64_t trial_order) {
    return Gates(bench, state, trial, trial_order).run();
}

} // namespace holdfast::study
