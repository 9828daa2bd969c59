// SPDX-License-Identifier: GPL-3.0-or-later
// Betting until the claim is shown: the statistics are core/stats, the tests of the guards guard.hpp; here is only when
// to stop.
#include "core/decision/rule.hpp"

#include "core/decision/tallies.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
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
    Tallies tallies;
    State state = State::deciding;
    std::optional<std::size_t> claimed; // objective
    std::size_t accepted_after = 0;     // rounds; 0: not accepted
    std::size_t safe_after = 0;         // rounds until acceptance and every guard safe

    explicit State_(Rule rule) : tallies(std::move(rule), Tally::Claim::minimum_effect) {}

    const Rule& rule() const { return tallies.rule(); }
    double needed() const { return rule().threshold * static_cast<double>(tallies.size()); }
    std::size_t headline() const { return safe_after > 0 ? tallies.rounds() - safe_after : 0; }
    bool shown_worse() const { return tallies.limit_worse() || (claimed ? tallies.out(*claimed) : tallies.all_out()); }
    /// "accepted", or of several objectives which one.
    std::string accepted() const {
        return tallies.size() == 1 ? "accepted" : "accepted by " + tallies.of(*claimed).rule().metric;
    }
    /// Those that decide now: of several objectives not those of one that is traded.
    std::vector<Guard> guards() const {
        std::vector<Guard> all = tallies.of(0).guards();
        for (std::size_t i = 1; i < tallies.size(); ++i)
            for (Guard& guard : tallies.of(i).guards())
                all.push_back(std::move(guard));
        const auto traded = [&](const Guard& guard) {
            return guard.kind != Guard::Kind::limit && claimed && guard.worse &&
                   guard.metric != tallies.of(*claimed).rule().metric;
        };
        std::erase_if(all, traded);
        return all;
    }
    State next();
};

Confirmation::State Confirmation::State_::next() {
    const std::size_t rounds = tallies.rounds();
    if (!claimed && (claimed = tallies.claim()))
        accepted_after = rounds;
    if (shown_worse())
        return State::worse;
    if (accepted_after > 0 && safe_after == 0 && !tallies.any_open())
        safe_after = rounds;
    if (safe_after > 0)
        return headline() >= rule().headline_rounds ? State::passed : State::headline;
    if (rounds >= rule().max_rounds)
        return State::capped;
    if (accepted_after == 0 && rounds >= patience && !tallies.can_reach(rule().max_rounds))
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
    state_->tallies.add(round);
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
    const std::size_t rounds = state_->tallies.rounds();
    return (rule.max_rounds > rounds ? rule.max_rounds - rounds : 0) + rule.headline_rounds;
}

std::string Confirmation::reason() const {
    const Rule& rule = state_->rule();
    const std::size_t rounds = state_->tallies.rounds();
    const double best = std::exp(state_->tallies.best_log_e());

    switch (state()) {
    case State::passed:
        return fmt::format("{} after {} rounds (E \u2265 {:.4g}), every guard {} after {}; {} further rounds give "
                           "the estimate",
                           state_->accepted(), state_->accepted_after, state_->needed(),
                           state_->tallies.size() == 1 ? "safe" : "settled", state_->safe_after, state_->headline());
    case State::worse:
        return fmt::format("shown broken after {} rounds (E \u2265 {:.4g}): {}", rounds, rule.guard_threshold,
                           list(state_->guards(), is_worse));
    case State::futile:
        return fmt::format("given up after {} rounds: E = {:.3g} so far, and {:.4g} is out of reach within {} rounds",
                           rounds, best, state_->needed(), rule.max_rounds);
    case State::capped:
        if (state_->accepted_after == 0)
            return fmt::format("undecided after {} rounds: E = {:.3g} of the {:.4g} needed", rounds, best,
                               state_->needed());
        return fmt::format("{} after {} rounds, but still open after {}: {}", state_->accepted(),
                           state_->accepted_after, rounds, list(state_->guards(), is_open));
    case State::deciding:
    case State::headline:
        break;
    }
    return "";
}

Assessment Confirmation::assessment() const {
    const Tallies& tallies = state_->tallies;
    const std::size_t claimed = state_->claimed.value_or(0);
    Assessment result = tallies.assessment(claimed, state_->headline());
    result.accepted = state_->accepted_after > 0;
    result.shape_changed = tallies.of(claimed).families_disagree(tallies.goal(), tallies.shown());
    return result;
}

Assessment assess(const Rule& rule, const std::vector<Round>& rounds) {
    Tallies tallies(rule, Tally::Claim::improvement);
    for (const Round& round : rounds)
        tallies.add(round);
    Assessment result = tallies.assessment(rule.claimed, 0);
    result.shape_changed = tallies.of(rule.claimed).families_disagree(tallies.shown(), tallies.shown());
    for (ObjectiveSeen& each : result.objectives)
        each.accepted = false;
    return result;
}

bool out_of_reach(const Rule& rule, const std::vector<Round>& screened) {
    Tallies tallies(rule, Tally::Claim::minimum_effect);
    for (const Round& round : screened)
        tallies.add(round);
    const stats::Interval could_be = tallies.assessment(0, 0).objective.interval;
    return std::isfinite(could_be.low) && std::isfinite(could_be.high) && !tallies.can_reach(rule.max_rounds, 2);
}

} // namespace holdfast::decision
