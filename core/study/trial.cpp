// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/trial.hpp"

#include "core/project/text.hpp"
#include "core/study/evidence.hpp"
#include "core/study/growth.hpp"
#include "core/study/metric_trust.hpp"
#include "core/study/readable_holdout.hpp"
#include "core/study/trial_gates.hpp"

#include <fmt/format.h>

namespace holdfast::study {

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
    // Inputs are mounted read-only; that they are what was pinned is seen and not taken for granted.
    auto changed = bench_->workspace->changed_input();
    if (!changed)
        return tl::unexpected(changed.error());
    if (!changed->empty())
        return failed("decide a trial",
                      "the inputs of " + printable(*changed) + " are not what they were when it began",
                      "Nothing else may write to the cache folder; remove it, and measure this study anew");
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
    for (const probes::Caution& caution : cautions_) {
        verdict.flags.push_back(caution.flag);
        verdict.reasons.push_back(caution.reason());
    }
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
    if (confirmed_) {
        stopped = probe();
        if (!stopped)
            return tl::unexpected(stopped.error());
        if (*stopped)
            return end(**stopped);
    }
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

decision::VerdictKind verdict_of(const GateStop& stop) {
    using decision::VerdictKind;
    if (stop.refused)
        return VerdictKind::refused;
    switch (stop.outcome) {
    case Taken::Outcome::wrong:
        return VerdictKind::incorrect;
    case Taken::Outcome::unsafe:
        return VerdictKind::unsafe;
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
