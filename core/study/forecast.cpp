// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/forecast.hpp"

#include "core/decision/rule.hpp"
#include "core/study/rounds.hpp"
#include "core/study/trial.hpp"

#include <algorithm>

namespace holdfast::study {

using std::chrono::nanoseconds;

namespace {

constexpr std::size_t warm_up = 1;             ///< rounds before each phase
constexpr std::size_t earliest_confirmed = 12; ///< a confirmation does not give up before

nanoseconds times(nanoseconds each, std::size_t count) {
    return each * static_cast<std::int64_t>(count);
}
Remaining times(const Remaining& each, std::size_t count) {
    return {times(each.least, count), times(each.most, count)};
}
Remaining operator+(const Remaining& a, const Remaining& b) {
    return {a.least + b.least, a.most + b.most};
}

std::size_t left(const Progress& progress) {
    return progress.total - std::min(progress.done, progress.total);
}

bool is_gate(const std::string& phase) {
    return phase == "correct" || phase == "screen" || phase == "confirm" || phase == "holdout";
}

} // namespace

Forecast::Forecast(const Project& project, const Options& options, std::size_t queued)
    : decision_(project.decision), options_(options), tuning_(project.with_role(Role::tuning).size()),
      holdout_(project.with_role(Role::holdout).size()),
      searches_(project.knobs.size() > options.fixed.size() && options.trials > 0), queued_(queued) {
    if (searches_)
        leaders_ = leaders_sent();
}

std::size_t Forecast::confirmations_left() const {
    const auto all = static_cast<std::size_t>(std::max(decision_.max_confirmations, 0));
    return all - std::min(confirmed_, all);
}

std::size_t Forecast::leaders_sent() const {
    return std::min(static_cast<std::size_t>(std::max(options_.leaders, 0)),
                    std::max<std::size_t>(confirmations_left(), 1));
}

void Forecast::see(const Progress& progress, std::chrono::steady_clock::time_point now) {
    if (!begun_)
        begun_ = now;
    now_ = now;
    place(progress);
    time(progress);
}

/// Where the study stands. Phases of no length of their own (builds, also the search's) leave it where it was.
void Forecast::place(const Progress& progress) {
    const bool searching = progress.phase == "search", leading = progress.phase == "leaders";
    if (is_gate(progress.phase))
        enter_gates(progress);
    else if (searching || leading) {
        search_begun_ = true;
        queued_ = 0;
        in_gates_ = 0;
        if (leading) {
            search_over_ = true;
            leaders_ = std::min(leaders_, progress.total);
        }
    } else if (progress.phase != "opening")
        return;
    last_ = progress;
}

void Forecast::enter_gates(const Progress& progress) {
    if (progress.trial != in_gates_) {
        in_gates_ = progress.trial;
        search_over_ = search_begun_;
        std::size_t& waiting = search_begun_ ? leaders_ : queued_;
        waiting -= std::min<std::size_t>(waiting, 1);
    }
    if (progress.phase == "confirm" && progress.trial != confirming_) {
        confirming_ = progress.trial;
        ++confirmed_;
    }
}

void Forecast::time(const Progress& progress) {
    if (progress.each.count() <= 0)
        return;
    // What was not timed yet, as in a resumed study, is taken from what is known, workload for workload.
    const auto scaled = [&](nanoseconds round, std::size_t from, std::size_t to) {
        return times(round, to) / static_cast<std::int64_t>(std::max<std::size_t>(from, 1));
    };
    if (progress.phase == "opening") {
        tuning_round_ = scaled(progress.each, tuning_ + holdout_, tuning_);
        holdout_round_ = scaled(progress.each, tuning_ + holdout_, holdout_);
    } else if (progress.phase == "search") {
        look_ = progress.each;
        if (tuning_round_.count() == 0)
            tuning_round_ = look_ / static_cast<std::int64_t>(exact_rounds + warm_up);
    } else if (progress.phase == "holdout") {
        holdout_round_ = progress.each;
        if (tuning_round_.count() == 0)
            tuning_round_ = scaled(progress.each, holdout_, tuning_);
    } else if (is_gate(progress.phase))
        tuning_round_ = progress.each;
    if (holdout_round_.count() == 0)
        holdout_round_ = scaled(tuning_round_, tuning_, holdout_);
}

/// A configuration's first look.
Remaining Forecast::look() const {
    if (look_.count() > 0)
        return {look_, look_};
    return {nanoseconds(0), times(tuning_round_, warm_up + noisy_rounds)};
}

Remaining Forecast::leader_look() const {
    return {times(tuning_round_, exact_again), times(tuning_round_, warm_up + noisy_again)};
}

/// Confirm and held-out, from their beginning; the least is to give up at confirm.
Remaining Forecast::confirm() const {
    const auto pairs = static_cast<std::size_t>(std::max(decision_.max_pairs, 0));
    const std::size_t most = pairs + decision::Rule{}.headline_rounds;
    const auto held_out = static_cast<std::size_t>(std::max(holdout_rounds(decision_, most, 0, holdout_), 0));
    return {times(tuning_round_, std::min(earliest_confirmed, pairs)),
            times(tuning_round_, warm_up + most) + times(holdout_round_, warm_up + held_out)};
}

/// Candidates that have not begun; each may end at the screen, and only so many may be confirmed.
Remaining Forecast::candidates(std::size_t count) const {
    return {times(tuning_round_, count * screen_rounds),
            times(tuning_round_, count * (warm_up + screen_rounds)) +
                times(confirm().most, std::min(count, confirmations_left()))};
}

/// What runs now, which no budget ends.
Remaining Forecast::current() const {
    const std::size_t rounds = left(last_);
    const auto exactly = [&](nanoseconds each) { return Remaining{times(each, rounds), times(each, rounds)}; };
    if (last_.phase == "opening")
        return exactly(tuning_round_ + holdout_round_);
    if (last_.phase == "correct")
        return candidates(1);
    if (last_.phase == "screen") {
        const bool may_confirm = confirmations_left() > 0;
        return exactly(tuning_round_) + Remaining{nanoseconds(0), may_confirm ? confirm().most : nanoseconds(0)};
    }
    if (last_.phase == "confirm") {
        const std::size_t earliest = earliest_confirmed - std::min(earliest_confirmed, last_.done);
        const std::size_t least = std::min(rounds, std::max<std::size_t>(earliest, 1));
        const auto held_out =
            static_cast<std::size_t>(std::max(holdout_rounds(decision_, last_.total, 0, holdout_), 0));
        return {times(tuning_round_, least), times(tuning_round_, rounds) + times(holdout_round_, warm_up + held_out)};
    }
    if (last_.phase == "holdout")
        return exactly(holdout_round_);
    if (last_.phase == "search")
        return times(look(), std::min<std::size_t>(rounds, 1));
    if (last_.phase == "leaders")
        return times(leader_look(), rounds);
    return {};
}

/// What the budget may still prevent.
Remaining Forecast::not_begun() const {
    Remaining sum{candidates(queued_).least, candidates(queued_ + leaders_).most};
    if (searches_ && !search_over_) {
        const std::size_t waiting = left(last_) - std::min<std::size_t>(left(last_), 1);
        sum = sum + times(look(), search_begun_ ? waiting : static_cast<std::size_t>(options_.trials));
        sum.most += times(leader_look().most, leaders_ * leaders_measured_per_sent);
    }
    return sum;
}

std::optional<Remaining> Forecast::remaining() const {
    if (tuning_round_.count() == 0)
        return std::nullopt;
    const Remaining now = current(), later = not_begun();
    if (!options_.budget)
        return now + later;
    // Nothing begins after the budget; what began just before it goes on to its end.
    const nanoseconds budget = *begun_ + *options_.budget - now_;
    const auto until = [&](nanoseconds busy) { return std::max(budget - busy, nanoseconds(0)); };
    const nanoseconds over =
        later.most.count() > 0 && until(now.most).count() > 0 ? candidates(1).most : nanoseconds(0);
    return Remaining{now.least + std::min(later.least, until(now.least)),
                     now.most + std::min(later.most, until(now.most) + over)};
}

nanoseconds Forecast::elapsed(std::chrono::steady_clock::time_point now) const {
    return begun_ ? now - *begun_ : nanoseconds(0);
}

} // namespace holdfast::study
