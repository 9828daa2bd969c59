// SPDX-License-Identifier: GPL-3.0-or-later
// Several objectives: which is claimed, what is traded, what is refused, and the front.
#include "core/decision/dominance.hpp"
#include "core/decision/verdict.hpp"
#include "core/review/front.hpp"
#include "core/stats/random.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <rapidcheck.h>

using namespace holdfast;
using namespace holdfast::decision;
using State = Confirmation::State;

namespace {

Rule two_objectives() {
    Rule rule;
    rule.workloads = {{"only", 1, 0}};
    rule.metric = "wall";
    rule.others = {{"memory", Better::lower, {}}};
    return rule;
}

Round round_of(double wall, double memory, std::vector<Pair> limits = {}) {
    Round round;
    round.workloads.push_back({{100, 100 * wall}, std::move(limits), {{100, 100 * memory}}});
    return round;
}

Confirmation confirmed(const Rule& rule, double wall, double memory) {
    Confirmation confirmation(rule);
    for (int i = 0; i < 400 && !confirmation.finished(); ++i)
        confirmation.add(round_of(wall, memory));
    return confirmation;
}

Verdict verdict_of(const Assessment& tuning, std::optional<Assessment> holdout, const std::string& stop = "") {
    Findings findings;
    findings.tuning = tuning;
    findings.holdout = std::move(holdout);
    findings.tuning_stop = stop;
    return decide(findings);
}

bool has_flag(const Verdict& verdict, const std::string& flag) {
    return std::find(verdict.flags.begin(), verdict.flags.end(), flag) != verdict.flags.end();
}

Assessment held_out(Rule rule, std::size_t claimed, double wall, double memory) {
    rule.claimed = claimed;
    return assess(rule, std::vector<Round>(20, round_of(wall, memory)));
}

} // namespace

TEST_CASE("the objective that is accepted is the claimed one, at twice the threshold") {
    const Confirmation confirmation = confirmed(two_objectives(), 1.0, 0.9);
    CHECK(confirmation.state() == State::passed);
    const Assessment seen = confirmation.assessment();
    REQUIRE(seen.objectives.size() == 2);
    CHECK(seen.claimed == 1);
    CHECK(seen.accepted);
    CHECK_FALSE(seen.objectives[0].accepted);
    CHECK(as_change(seen.objective.estimate, Better::lower) == Approx(-0.1));
    CHECK_THAT(confirmation.reason(), ContainsSubstring("accepted by memory") && ContainsSubstring("200"));
    CHECK(std::exp(seen.objectives[1].log_e) >= 200);
    Rule alone;
    alone.workloads = {{"only", 1, 0}};
    Confirmation single(alone);
    std::size_t rounds = 0;
    for (; single.state() == State::deciding; ++rounds)
        single.add(round_of(0.9, 1));
    std::size_t both = 0;
    Confirmation pair(two_objectives());
    for (; pair.state() == State::deciding; ++both)
        pair.add(round_of(0.9, 1));
    CHECK(both > rounds); // Bonferroni has its price
}

TEST_CASE("a trade between objectives is a flag and no regression, and held-out asks the claimed one") {
    const Confirmation confirmation = confirmed(two_objectives(), 1.2, 0.8);
    REQUIRE(confirmation.state() == State::passed);
    const Assessment tuning = confirmation.assessment();
    CHECK(tuning.claimed == 1);
    CHECK(tuning.objectives[0].shown_worse());
    CHECK_FALSE(tuning.any_worse());
    const Verdict verdict = verdict_of(tuning, held_out(two_objectives(), 1, 1.2, 0.8));
    CHECK(verdict.kind == VerdictKind::generalises);
    CHECK(has_flag(verdict, "trade-off: wall"));
    CHECK(verdict.proposal);
    CHECK_THAT(verdict.reasons.back(), ContainsSubstring("memory") && ContainsSubstring("Beside it wall"));
    // The gain is gone on held-out workloads, whatever the other one does there.
    CHECK(verdict_of(tuning, held_out(two_objectives(), 1, 0.5, 1.0)).kind == VerdictKind::overfits);
    // A trade that shows only there is told too.
    const Assessment clean = confirmed(two_objectives(), 1.0, 0.8).assessment();
    CHECK(has_flag(verdict_of(clean, held_out(two_objectives(), 1, 1.2, 0.8)), "trade-off: wall"));
    CHECK_FALSE(has_flag(verdict_of(clean, held_out(two_objectives(), 1, 1.0, 0.8)), "trade-off: wall"));
}

TEST_CASE("a worse objective without an accepted one regresses") {
    const Confirmation confirmation = confirmed(two_objectives(), 1.2, 1.0);
    CHECK(confirmation.finished());
    CHECK_FALSE(confirmation.assessment().accepted);
    const Verdict verdict = verdict_of(confirmation.assessment(), std::nullopt, confirmation.reason());
    CHECK(verdict.kind == VerdictKind::regresses);
    CHECK(verdict.qualifier.empty());
    CHECK(verdict.flags.empty());
    CHECK_THAT(verdict.reasons.front(), ContainsSubstring("wall at most 3 % worse"));
    CHECK(confirmed(two_objectives(), 1.2, 1.2).state() == State::worse);
}

TEST_CASE("an objective that is a limit too keeps its limit") {
    Rule rule = two_objectives();
    rule.limits = {{"wall", Better::lower, 0.1, std::nullopt}};
    Confirmation confirmation(rule);
    for (int i = 0; i < 100 && !confirmation.finished(); ++i)
        confirmation.add(round_of(1.2, 0.8, {{100, 120}}));
    CHECK(confirmation.state() == State::worse);
    const Verdict verdict = verdict_of(confirmation.assessment(), std::nullopt);
    CHECK(verdict.kind == VerdictKind::regresses);
    // Nothing was accepted yet, so the margin of the objective itself is told beside it.
    CHECK(std::any_of(verdict.reasons.begin(), verdict.reasons.end(), [](const std::string& reason) {
        return reason.find("wall at most 10 % worse") != std::string::npos;
    }));
}

TEST_CASE("an objective nobody moved must be settled before the claim passes") {
    stats::Random random(5);
    Rule rule = two_objectives();
    rule.max_rounds = 30;
    Confirmation confirmation(rule);
    while (!confirmation.finished())
        confirmation.add(round_of(std::exp(0.5 * random.normal()), 0.8)); // far too noisy for 3 %
    CHECK(confirmation.state() == State::capped);
    CHECK_THAT(confirmation.reason(), ContainsSubstring("still open") && ContainsSubstring("wall"));
    const Verdict verdict = verdict_of(confirmation.assessment(), std::nullopt, confirmation.reason());
    CHECK(verdict.kind == VerdictKind::inconclusive);
    CHECK_FALSE(verdict.proposal);
}

TEST_CASE("a tail is a veto of the claimed objective alone") {
    Rule rule = two_objectives();
    rule.workloads.front().opening_median = 100;
    rule.others.front().opening_medians = {100};
    int turn = 0;
    const auto tailed = [&](bool wall) {
        const double rare = turn++ % 3 == 0 ? 2.0 : 0.9;
        return wall ? round_of(rare, 0.8) : round_of(1.0, rare);
    };
    Confirmation other(rule), claimed(rule);
    for (int i = 0; i < 150; ++i) {
        other.add(tailed(true));
        claimed.add(tailed(false));
    }
    CHECK(other.assessment().claimed == 1);
    CHECK_FALSE(other.assessment().any_worse());
    CHECK(claimed.state() != State::passed);
}

TEST_CASE("noise in two objectives is accepted no more often than in one") {
    stats::Random random(3);
    Rule rule = two_objectives();
    rule.minimum_effect = 0;
    rule.threshold = 20;
    rule.max_rounds = 60;
    int accepted = 0;
    for (int study = 0; study < 600; ++study) {
        Confirmation confirmation(rule);
        while (!confirmation.finished())
            confirmation.add(round_of(std::exp(0.03 * random.normal()), std::exp(0.03 * random.normal())));
        accepted += confirmation.assessment().accepted ? 1 : 0;
    }
    INFO(accepted << " of 600");
    CHECK(accepted <= 30); // 1 in 20
}

TEST_CASE("one objective gives what it gave without the others") {
    stats::Random random(9);
    Rule rule;
    rule.workloads = {{"a", 1, 100}, {"b", 2, 100}};
    Confirmation confirmation(rule);
    while (!confirmation.finished()) {
        Round round;
        for (int i = 0; i < 2; ++i)
            round.workloads.push_back(
                {{100 * std::exp(0.02 * random.normal()), 95 * std::exp(0.02 * random.normal())}, {}, {}});
        confirmation.add(round);
    }
    CHECK(confirmation.state() == State::passed);
    CHECK(confirmation.assessment().objectives.empty());
    CHECK_THAT(confirmation.reason(),
               ContainsSubstring("accepted after") && ContainsSubstring("every guard safe after"));
}

TEST_CASE("what does not hold is not on the front and beats nothing that does") {
    const auto point = [](std::int64_t trial, double one, double other, bool holds) {
        review::FrontPoint made;
        made.trial = trial;
        made.holds = holds;
        for (const double change : {one, other}) {
            review::EffectView effect;
            effect.estimate = change;
            effect.low = change - 0.001;
            effect.high = change + 0.001;
            made.effects.push_back(effect);
        }
        return made;
    };
    review::Front front;
    front.better = {Better::lower, Better::lower};
    front.points = {point(0, 0, 0, true), point(1, -0.5, -0.5, false), point(2, -0.1, -0.1, true)};
    review::mark(front);
    CHECK_FALSE(front.points[0].on_front);
    CHECK_FALSE(front.points[1].on_front);
    CHECK_FALSE(front.points[1].certain);
    CHECK(front.points[2].on_front);
    CHECK(front.points[2].certain);
}

TEST_CASE("no change on the front is beaten by another") {
    CHECK(beats({1, 2}, {1, 1}));
    CHECK_FALSE(beats({1, 1}, {1, 1}));
    CHECK_FALSE(beats({2, 0}, {1, 1}));
    CHECK_FALSE(beats({2, std::numeric_limits<double>::quiet_NaN()}, {1, 1}));
    CHECK(rc::check([] {
        const auto points = *rc::gen::container<std::vector<std::pair<int, int>>>(
            rc::gen::pair(rc::gen::inRange(-5, 6), rc::gen::inRange(-5, 6)));
        std::vector<Gains> all;
        for (const auto& [x, y] : points)
            all.push_back({static_cast<double>(x), static_cast<double>(y)});
        const std::vector<bool> front = non_dominated(all);
        RC_ASSERT(all.empty() || std::find(front.begin(), front.end(), true) != front.end());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool beaten =
                std::any_of(all.begin(), all.end(), [&](const Gains& other) { return beats(other, all[i]); });
            RC_ASSERT(front[i] == !beaten);
        }
    }));
}
