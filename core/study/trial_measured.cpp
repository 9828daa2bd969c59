// SPDX-License-Identifier: GPL-3.0-or-later
// The gates that time: `screen`, `confirm` and `holdout`.
#include "core/study/rounds.hpp"
#include "core/study/trial_gates.hpp"

#include <fmt/format.h>

namespace holdfast::study {

Session Gates::session(const char* phase, const std::vector<const Workload*>& workloads) {
    return Session(*bench_->project, *bench_->sampler, *bench_->store, *bench_->watch,
                   {state_->record.id, trial_->id, order_, phase, state_->record.seed, question_seeds_.seeds(),
                    quarantine_rule(state_->record.opening_json)},
                   bench_->baseline, *arm_, workloads);
}

Result<tl::expected<Gates::Rounds, Stopped>>
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

} // namespace holdfast::study
