// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/trial.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"
#include "core/study/clock.hpp"
#include "core/study/coverage.hpp"
#include "core/study/evidence.hpp"
#include "core/study/growth.hpp"
#include "core/study/metric_trust.hpp"
#include "core/study/quality.hpp"
#include "core/study/questions.hpp"
#include "core/study/readable_holdout.hpp"
#include "core/study/rounds.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using Rounds = std::vector<decision::Round>;

/// ", 3 variants agree"; "" without any.
std::string variants_text(const std::vector<const Workload*>& workloads) {
    std::size_t count = 0;
    for (const Workload* workload : workloads)
        count += workload->variants.size();
    return count == 0 ? "" : fmt::format(", {} variant{}", count, count == 1 ? " agrees" : "s agree");
}

/// One trial on its way; each gate either stops it or lets it pass.
class Gates {
public:
    Gates(Bench& bench, StudyState& state, TrialRecord& trial, std::int64_t order)
        : bench_(&bench), state_(&state), trial_(&trial), order_(order),
          tuning_(bench.project->with_role(Role::tuning)), holdout_(bench.project->with_role(Role::holdout)),
          question_seeds_(*bench.sampler, holdout_) {}

    Result<TrialEnd> run();

private:
    using Passed = Result<std::optional<GateStop>>;

    Result<void> row(const char* gate, const std::string& result, const std::string& reason,
                     const std::string& log = "", const std::string& detail = "{}");
    Result<void> cover();
    Passed stop(const char* gate, const Stopped& stopped);
    Passed tests();
    Result<void> keep_quality(const Workload& workload, std::int64_t session, std::int64_t round, const Taken& taken);
    Passed quality(const char* gate, const std::vector<const Workload*>& workloads);
    Result<void> correct_row();
    decision::Rule rule_on(const std::vector<const Workload*>& workloads) const;
    Passed correct();
    Passed try_variants(const char* gate, const std::vector<const Workload*>& workloads);
    Passed screen(bool& go_on);
    decision::Rule confirm_rule() const; ///< with the threshold of the next confirmation
    Passed confirm();
    Passed ask_holdout();
    Passed answer(QuestionRecord& question, const std::optional<GateStop>& stopped);
    Result<TrialEnd> decide();
    Result<void> tell_of_metrics(decision::Verdict& verdict);
    Result<void> conclude(const decision::Verdict& verdict);
    Result<tl::expected<Rounds, Stopped>> fixed_rounds(const char* phase, const std::vector<const Workload*>& workloads,
                                                       std::size_t count);
    Session session(const char* phase, const std::vector<const Workload*>& workloads);

    Bench* bench_;
    StudyState* state_;
    TrialRecord* trial_;
    std::int64_t order_;
    std::vector<const Workload*> tuning_, holdout_;
    QuestionSeeds question_seeds_;
    std::optional<Arm> arm_;
    std::optional<decision::Assessment> tuning_seen_, holdout_seen_;
    std::optional<decision::Quarantined> quarantined_; ///< of the last fixed_rounds()
    std::string tuning_stop_, holdout_not_asked_;
    bool confirmed_ = false;
    std::chrono::steady_clock::time_point gate_began_ = std::chrono::steady_clock::now();
    std::string gate_started_ = utc_now();
};

Result<void> Gates::row(const char* gate, const std::string& result, const std::string& reason, const std::string& log,
                        const std::string& detail) {
    GateRecord record;
    record.trial = trial_->id;
    record.gate = gate;
    record.result = result;
    record.reason = reason;
    record.log = log;
    record.detail_json = detail;
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
                   {state_->record.id, trial_->id, order_, phase, state_->record.seed, question_seeds_.seeds(),
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
    decision::Rule rule = rule_on(workloads);
    if (tuning_seen_)
        rule.claimed = tuning_seen_->claimed;
    quarantined_ = quarantined(rule, series.replay());
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
    auto before = bench_->store->samples(state_->record.id, trial_->id, "correct");
    if (!before)
        return tl::unexpected(before.error());
    std::int64_t session = 1;
    for (const SampleRecord& sample : *before)
        session = std::max(session, sample.session + 1);
    for (const Workload* workload : tuning_) {
        auto prepared = bench_->sampler->prepare(*arm_, *workload);
        if (!prepared)
            return tl::unexpected(prepared.error());
        if (*prepared)
            return stop("correct", {(*prepared)->outcome, (*prepared)->reason, (*prepared)->log});
        std::int64_t round = 0;
        for (const std::int64_t seed : workload->seeds) {
            auto taken = bench_->sampler->take(*arm_, *workload, seed);
            if (!taken)
                return tl::unexpected(taken.error());
            if (taken->outcome != Taken::Outcome::ok)
                return stop("correct", {taken->outcome, taken->reason, taken->log});
            if (auto kept = keep_quality(*workload, session, ++round, *taken); !kept)
                return tl::unexpected(kept.error());
        }
        bench_->sampler->stop_servers();
    }
    auto disagrees = try_variants("correct", tuning_);
    if (!disagrees || *disagrees)
        return disagrees;
    if (auto kept = quality("correct", tuning_); !kept || *kept)
        return kept;
    if (auto written = correct_row(); !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>();
}

/// Once each, never timed. For every seed, since a program may know some of them.
Gates::Passed Gates::try_variants(const char* gate, const std::vector<const Workload*>& workloads) {
    for (const Workload* workload : workloads)
        for (const std::int64_t seed : question_seeds_.of(*workload)) {
            if (bench_->watch->after_sample.stop_requested())
                return tl::unexpected(stopped_on_request("try the variants"));
            auto disagrees = bench_->sampler->try_variants(*arm_, *workload, seed);
            if (!disagrees)
                return tl::unexpected(disagrees.error());
            if (*disagrees)
                return stop(gate, {(*disagrees)->outcome, (*disagrees)->reason, (*disagrees)->log});
        }
    return std::optional<GateStop>();
}

Result<void> Gates::correct_row() {
    auto samples = bench_->store->samples(state_->record.id, trial_->id);
    if (!samples)
        return tl::unexpected(samples.error());
    const auto seen = quality_of(tuning_, *samples);
    const std::string detail = seen.empty() ? "{}" : nlohmann::json({{"quality", quality_json(seen)}}).dump();
    return row("correct", "pass",
               fmt::format("{} and {} of {} tuning workloads {}{}{}",
                           bench_->project->code.test.empty() ? "no tests" : "tests pass", tuning_.size(),
                           tuning_.size(), seen.empty() ? "give the baseline's output" : "pass their checks",
                           variants_text(tuning_), quality_reason(seen)),
               "", detail);
}

/// What was seen of quality in gate `correct`, kept as samples: what is decided by it must be there to be computed
/// again. Timings of judged runs are no measurement and are left out.
Result<void> Gates::keep_quality(const Workload& workload, std::int64_t session, std::int64_t round,
                                 const Taken& taken) {
    if (!workload.check.quality)
        return {};
    const std::string key = quality_key(*workload.check.quality);
    const Taken* pinned = bench_->sampler->pinned(workload, seed_of(workload.seeds, round));
    for (const Taken* each : {pinned, &taken}) {
        SampleRecord record = each->record;
        record.study = state_->record.id;
        record.trial = trial_->id;
        record.phase = "correct";
        record.session = session;
        record.round = round;
        record.attempt = 1;
        record.arm = each == pinned ? "baseline" : "candidate";
        record.slot = each == pinned ? 0 : 1;
        record.metrics_json = nlohmann::json({{key, each->metrics.at(key)}}).dump();
        if (auto stored = bench_->store->add_sample(record); !stored)
            return stored;
    }
    return {};
}

/// Every quality check of `workloads`, by all runs of the trial so far. What is shown lost is wrong; what is not shown
/// kept ends the trial too, since quality is never traded for speed in silence.
Gates::Passed Gates::quality(const char* gate, const std::vector<const Workload*>& workloads) {
    auto samples = bench_->store->samples(state_->record.id, trial_->id);
    if (!samples)
        return tl::unexpected(samples.error());
    for (const decision::QualitySeen& seen : quality_of(workloads, *samples))
        if (!seen.kept)
            return stop(gate, {seen.lost ? Taken::Outcome::wrong : Taken::Outcome::unsettled,
                               fmt::format("{}; {}", decision::describe(seen), decision::worst_words(seen)), ""});
    return std::optional<GateStop>();
}

decision::Rule Gates::rule_on(const std::vector<const Workload*>& workloads) const {
    return rule_for(*bench_->project, workloads, state_->record.opening_json);
}

/// Six rounds that stop clear losers: shown slower than the baseline, a guard shown worse, or without prospects.
Gates::Passed Gates::screen(bool& go_on) {
    auto rounds = fixed_rounds("screen", tuning_, screen_rounds);
    if (!rounds)
        return tl::unexpected(rounds.error());
    if (!*rounds)
        return stop("screen", rounds->error());
    const decision::Rule rule = confirm_rule();
    const auto seen = decision::assess(rule, **rounds);
    // One that an interruption stopped on its way through confirm has passed already.
    go_on = !seen.lost() && (trial_->confirmation > 0 || !decision::out_of_reach(rule, **rounds));
    if (!go_on) {
        tuning_seen_ = seen;
        tuning_stop_ = seen.any_worse() ? "stopped at the screen: a guard is shown worse"
                       : seen.lost()    ? "stopped at the screen: shown not to improve on the baseline"
                                     : fmt::format("stopped at the screen after {} rounds: acceptance is out of reach "
                                                   "within {} more",
                                                   seen.rounds, rule.max_rounds);
    }
    if (auto written = row("screen", go_on ? "pass" : "stop",
                           decision::describe(seen.objective, better_of(*bench_->project, seen)));
        !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>();
}

decision::Rule Gates::confirm_rule() const {
    const DecisionSettings& settings = bench_->project->decision;
    decision::Rule rule = rule_on(tuning_);
    rule.threshold =
        decision::confirmation_threshold(settings.false_proposal_rate, settings.max_confirmations, state_->passed);
    return rule;
}

Gates::Passed Gates::confirm() {
    decision::Rule rule = confirm_rule();
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
    rule.claimed = tuning_seen_->claimed;
    tuning_seen_->quarantined = quarantined(rule, series.replay());
    tuning_stop_ = confirmation.reason();
    confirmed_ = confirmation.state() == decision::Confirmation::State::passed;
    // Once more by the timed runs too: they are what was measured.
    if (auto kept = quality("correct", tuning_); !kept || *kept)
        return kept;
    if (auto written = row("confirm", confirmed_ ? "pass" : "stop", tuning_stop_); !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>();
}

/// Closes the question of a candidate that gave no number, or a wrong answer.
Gates::Passed Gates::answer(QuestionRecord& question, const std::optional<GateStop>& stopped) {
    question.answer = "not confirmed";
    if (auto answered = bench_->store->answer_question(question); !answered)
        return tl::unexpected(answered.error());
    return stopped;
}

Gates::Passed Gates::ask_holdout() {
    auto asked =
        ask_question(*bench_->store, *bench_->project, state_->record, trial_->id,
                     holdout_rounds(bench_->project->decision, tuning_seen_->rounds - tuning_seen_->headline_rounds,
                                    tuning_seen_->rounds * tuning_.size(), holdout_.size()),
                     holdout_);
    if (!asked)
        return tl::unexpected(asked.error());
    if (!*asked) {
        holdout_not_asked_ = spent_text(*bench_->project, "of this study");
        if (auto written = row("holdout", "stop", holdout_not_asked_); !written)
            return tl::unexpected(written.error());
        return std::optional<GateStop>();
    }
    QuestionRecord question = std::move(**asked);
    if (auto pinned = question_seeds_.pin(question); !pinned)
        return tl::unexpected(pinned.error());
    auto rounds = fixed_rounds("holdout", holdout_, static_cast<std::size_t>(question.rounds));
    if (!rounds)
        return tl::unexpected(rounds.error());
    auto stopped = *rounds ? try_variants("holdout", holdout_) : stop("holdout", rounds->error());
    if (stopped && !*stopped)
        stopped = quality("holdout", holdout_);
    if (!stopped)
        return stopped;
    if (*stopped)
        return answer(question, *stopped);
    decision::Rule rule = rule_on(holdout_);
    rule.claimed = tuning_seen_->claimed;
    holdout_seen_ = decision::assess(rule, **rounds);
    holdout_seen_->quarantined = quarantined_;
    const decision::Verdict verdict =
        decision::decide({better_of(*bench_->project, *tuning_seen_), bench_->project->decision.minimum_effect,
                          bench_->project->decision.harm_margin, tuning_seen_, tuning_stop_, holdout_seen_, true, false,
                          "", "", rule.revision});
    question.answer = verdict.kind == decision::VerdictKind::generalises ? "confirmed" : "not confirmed";
    if (auto answered = bench_->store->answer_question(question); !answered)
        return tl::unexpected(answered.error());
    if (auto written =
            row("holdout", question.answer == "confirmed" ? "pass" : "stop", question.answer + variants_text(holdout_));
        !written)
        return tl::unexpected(written.error());
    return std::optional<GateStop>();
}

/// For the person who reads the verdict; it decides nothing. Only of what may come before one, since it takes a build.
Result<void> Gates::cover() {
    if (trial_->patch.empty())
        return {};
    bench_->watch->progress({"coverage", trial_->number, 0, 0, {}});
    auto placed = git::place_patch(*bench_->repository, bench_->commit, trial_->patch,
                                   patch_rules(*bench_->project, *bench_->repository));
    auto coverage = placed ? coverage_of(*bench_, *arm_, *placed, tuning_) : tl::unexpected(placed.error());
    if (!coverage)
        return tl::unexpected(coverage.error());
    return row("coverage", coverage->complete() ? "pass" : "stop", coverage->text(), "", coverage->json());
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
    findings.better = tuning_seen_ ? better_of(*bench_->project, *tuning_seen_)
                                   : bench_->project->metric(bench_->project->objective).better;
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
    findings.split_leak = state_->split_leak;
    findings.revision = rule_on(tuning_).revision;
    decision::Verdict verdict = decision::decide(findings);
    if (auto told = tell_of_metrics(verdict); !told)
        return tl::unexpected(told.error());
    if (confirmed_ && !trial_->patch.empty())
        if (auto told = add_growth(*bench_, *arm_, verdict); !told)
            return tl::unexpected(told.error());
    if (auto concluded = conclude(verdict); !concluded)
        return tl::unexpected(concluded.error());
    return TrialEnd::decided;
}

Result<void> Gates::tell_of_metrics(decision::Verdict& verdict) {
    auto samples = bench_->store->samples(state_->record.id, trial_->id);
    if (!samples)
        return tl::unexpected(samples.error());
    auto proofs = proxy_proofs(*bench_->project, *bench_->store);
    if (!proofs)
        return tl::unexpected(proofs.error());
    const std::size_t claimed = tuning_seen_ ? tuning_seen_->claimed : 0;
    add_metric_trust(*bench_->project,
                     claimed == 0 ? bench_->project->objective : bench_->project->objectives.at(claimed), *samples,
                     *proofs, verdict);
    return {};
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
    if (confirmed_)
        if (auto covered = cover(); !covered)
            return tl::unexpected(covered.error());
    return decide();
}

} // namespace

decision::VerdictKind verdict_of(const GateStop& stop) {
    using decision::VerdictKind;
    if (stop.refused)
        return VerdictKind::refused;
    switch (stop.outcome) {
    case Taken::Outcome::wrong:
        return VerdictKind::incorrect;
    case Taken::Outcome::not_comparable:
        return VerdictKind::not_comparable;
    case Taken::Outcome::unsettled:
        return VerdictKind::inconclusive;
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
