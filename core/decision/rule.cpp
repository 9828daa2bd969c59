// SPDX-License-Identifier: GPL-3.0-or-later
// Betting until the claim is shown: the statistics are core/stats, the tests of the guards guard.hpp; here is only when
// to stop.
#include "core/decision/rule.hpp"

#include "core/decision/tally.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace holdfast::decision {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rounds before which nothing is given up: the standard error of a bet's growth means little earlier.
constexpr std::size_t patience = 12;

std::string list(const std::vector<Guard>& guards, bool (*wanted)(const Guard&)) {
    std::string text;
    for (const Guard& guard : guards)
        if (wanted(guard))
            text += (text.empty() ? "" : "; ") + describe(guard);
    return text;
}

bool is_worse(const Guard& guard) {
    return guard.worse;
}
bool is_open(const Guard& guard) {
    return guard.kind != Guard::Kind::tail && !guard.safe;
}

} // namespace

double log_ratio(const Pair& pair, Better better) {
    const auto usable = [](double value) { return std::isfinite(value) && value > 0; };
    if (!usable(pair.baseline) || !usable(pair.candidate))
        return nan;
    // A difference of logarithms, not the logarithm of a quotient: exchanging the arms then changes the sign and
    // nothing else, and no quotient overflows.
    const double faster = std::log(pair.baseline) - std::log(pair.candidate);
    return better == Better::lower ? faster : -faster;
}

double as_change(double log_ratio, Better better) {
    return std::expm1(better == Better::lower ? -log_ratio : log_ratio);
}

double from_change(double change, Better better) {
    const double log = std::log1p(std::max(change, -1.0));
    return better == Better::lower ? -log : log;
}

double improvement_by(double fraction, Better better) {
    return from_change(better == Better::lower ? -fraction : fraction, better);
}

double harm_by(double fraction, Better better) {
    return from_change(better == Better::lower ? fraction : -fraction, better);
}

double confirmation_threshold(double false_proposal_rate, int max_confirmations, int passed) {
    return static_cast<double>(max_confirmations) / (false_proposal_rate * (passed + 1));
}

struct Confirmation::State_ {
    Tally tally;
    State state = State::deciding;
    std::size_t accepted_after = 0; // rounds; 0: not accepted
    std::size_t safe_after = 0;     // rounds until acceptance and every guard safe

    explicit State_(Rule rule) : tally(std::move(rule), Tally::Claim::minimum_effect) {}

    const Rule& rule() const { return tally.rule(); }
    double goal() const { return std::log(rule().threshold); }
    std::size_t headline() const { return safe_after > 0 ? tally.rounds() - safe_after : 0; }
    State next();
};

Confirmation::State Confirmation::State_::next() {
    const std::size_t rounds = tally.rounds();
    if (accepted_after == 0 && tally.best_log_e() >= goal())
        accepted_after = rounds;
    if (tally.any_worse())
        return State::worse;
    if (accepted_after > 0 && safe_after == 0 && !tally.any_open())
        safe_after = rounds;
    if (safe_after > 0)
        return headline() >= rule().headline_rounds ? State::passed : State::headline;
    if (rounds >= rule().max_rounds)
        return State::capped;
    if (accepted_after == 0 && rounds >= patience && !tally.can_reach(goal(), rule().max_rounds))
        return State::futile;
    return State::deciding;
}

Confirmation::Confirmation(Rule rule) : state_(std::make_unique<State_>(std::move(rule))) {}
Confirmation::~Confirmation() = default;
Confirmation::Confirmation(Confirmation&&) noexcept = default;
Confirmation& Confirmation::operator=(Confirmation&&) noexcept = default;

void Confirmation::add(const Round& round) {
    if (finished())
        return;
    state_->tally.add(round);
    state_->state = state_->next();
}

Confirmation::State Confirmation::state() const {
    return state_->state;
}

bool Confirmation::finished() const {
    return state() != State::deciding && state() != State::headline;
}

std::size_t Confirmation::rounds_left() const {
    if (finished())
        return 0;
    const Rule& rule = state_->rule();
    if (state() == State::headline)
        return rule.headline_rounds - state_->headline();
    const std::size_t rounds = state_->tally.rounds();
    return (rule.max_rounds > rounds ? rule.max_rounds - rounds : 0) + rule.headline_rounds;
}

std::string Confirmation::reason() const {
    const Rule& rule = state_->rule();
    const std::size_t rounds = state_->tally.rounds();
    const double best = std::exp(state_->tally.best_log_e());
    switch (state()) {
    case State::passed:
        return fmt::format(
            "accepted after {} rounds (E \u2265 {:.4g}), every guard safe after {}; {} further rounds give "
            "the estimate",
            state_->accepted_after, rule.threshold, state_->safe_after, state_->headline());
    case State::worse:
        return fmt::format("shown broken after {} rounds (E \u2265 {:.4g}): {}", rounds, rule.guard_threshold,
                           list(state_->tally.guards(), is_worse));
    case State::futile:
        return fmt::format("given up after {} rounds: E = {:.3g} so far, and {:.4g} is out of reach within {} rounds",
                           rounds, best, rule.threshold, rule.max_rounds);
    case State::capped:
        if (state_->accepted_after == 0)
            return fmt::format("undecided after {} rounds: E = {:.3g} of the {:.4g} needed", rounds, best,
                               rule.threshold);
        return fmt::format("accepted after {} rounds, but still open after {}: {}", state_->accepted_after, rounds,
                           list(state_->tally.guards(), is_open));
    case State::deciding:
    case State::headline:
        break;
    }
    return "";
}

Assessment Confirmation::assessment() const {
    Assessment result = state_->tally.assessment(state_->headline());
    result.accepted = state_->accepted_after > 0;
    result.shape_changed = state_->tally.families_disagree(state_->goal(), std::log(state_->rule().guard_threshold));
    return result;
}

Assessment assess(const Rule& rule, const std::vector<Round>& rounds) {
    Tally tally(rule, Tally::Claim::improvement);
    for (const Round& round : rounds)
        tally.add(round);
    Assessment result = tally.assessment(0);
    const double shown = std::log(rule.guard_threshold);
    result.shape_changed = tally.families_disagree(shown, shown);
    return result;
}

bool any_worse(const Assessment& assessment) {
    return std::any_of(assessment.guards.begin(), assessment.guards.end(), is_worse);
}

bool clear_loser(const Assessment& screened) {
    return any_worse(screened) || screened.objective.interval.high < 0;
}

} // namespace holdfast::decision
