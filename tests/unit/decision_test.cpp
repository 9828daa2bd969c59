// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/guard.hpp"
#include "core/decision/rule.hpp"
#include "core/stats/random.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <rapidcheck.h>
#include <vector>

using namespace holdfast;
using namespace holdfast::decision;
using State = Confirmation::State;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Rule one_workload() {
    Rule rule;
    rule.workloads = {{"only", 1, 0}};
    return rule;
}

Rule with_limit(std::optional<double> worse_by_at_most, std::optional<double> at_most, Better better = Better::lower) {
    Rule rule = one_workload();
    rule.limits = {{"memory", better, worse_by_at_most, at_most}};
    return rule;
}

Round round_of(Pair objective, std::vector<Pair> limits = {}) {
    Round round;
    round.workloads.push_back({objective, std::move(limits)});
    return round;
}

/// Log-normal times of about 100 per workload, by their factor on the candidate.
Round noisy_round(stats::Random& random, const std::vector<double>& factors, double cv) {
    Round round;
    for (const double factor : factors) {
        const double baseline = 100 * std::exp(cv * random.normal());
        round.workloads.push_back({{baseline, factor * 100 * std::exp(cv * random.normal())}, {}});
    }
    return round;
}

std::size_t run_until_finished(Confirmation& confirmation, const std::function<Round()>& next) {
    std::size_t rounds = 0;
    for (; !confirmation.finished() && rounds < 1000; ++rounds)
        confirmation.add(next());
    return rounds;
}

const Guard& guard_of(const Assessment& assessment, Guard::Kind kind) {
    const auto found = std::find_if(assessment.guards.begin(), assessment.guards.end(),
                                    [&](const Guard& guard) { return guard.kind == kind; });
    REQUIRE(found != assessment.guards.end());
    return *found;
}

} // namespace

TEST_CASE("log ratios are positive when the candidate is better") {
    CHECK(log_ratio({100, 80}, Better::lower) == Approx(std::log(1.25)));
    CHECK(log_ratio({100, 80}, Better::higher) == Approx(-std::log(1.25)));
    CHECK(log_ratio({100, 80}, Better::lower) == -log_ratio({80, 100}, Better::lower));
    for (const double bad : {0.0, -1.0, not_a_number, std::numeric_limits<double>::infinity()}) {
        CHECK(std::isnan(log_ratio({bad, 1}, Better::lower)));
        CHECK(std::isnan(log_ratio({1, bad}, Better::higher)));
    }
}

TEST_CASE("changes and log ratios are two ways to say the same") {
    CHECK(as_change(log_ratio({100, 97}, Better::lower), Better::lower) == Approx(-0.03));
    CHECK(as_change(log_ratio({100, 103}, Better::higher), Better::higher) == Approx(0.03));
    CHECK(improvement_by(0.01, Better::lower) == Approx(-std::log(0.99)));
    CHECK(improvement_by(0.01, Better::higher) == Approx(std::log(1.01)));
    CHECK(harm_by(0.03, Better::lower) == Approx(-std::log(1.03)));
    CHECK(harm_by(0.03, Better::higher) == Approx(std::log(0.97)));
    CHECK(std::isinf(harm_by(2, Better::higher)));
    CHECK(rc::check([](bool lower) {
        const Better better = lower ? Better::lower : Better::higher;
        const double change = *rc::gen::inRange(-900, 3000) / 1000.0;
        RC_ASSERT(std::abs(as_change(from_change(change, better), better) - change) < 1e-12);
    }));
}

TEST_CASE("the threshold follows e-LOND") {
    CHECK(confirmation_threshold(0.1, 10, 0) == Approx(100));
    CHECK(confirmation_threshold(0.1, 10, 1) == Approx(50));
    CHECK(confirmation_threshold(0.05, 3, 2) == Approx(20));
}

TEST_CASE("a counter that always improves is accepted in seven rounds at threshold 40") {
    Rule rule = one_workload();
    rule.threshold = 40;
    Confirmation confirmation(rule);
    for (int i = 0; i < 6; ++i)
        confirmation.add(round_of({1000, 950}));
    CHECK_FALSE(confirmation.assessment().accepted);
    CHECK(confirmation.rounds_left() == 200 - 6 + 20);
    confirmation.add(round_of({1000, 950}));
    CHECK(confirmation.assessment().accepted);
    CHECK(confirmation.state() == State::headline);
    CHECK(confirmation.rounds_left() == 20);
    CHECK(run_until_finished(confirmation, [] { return round_of({1000, 950}); }) == 20);
    CHECK(confirmation.state() == State::passed);
    CHECK(confirmation.rounds_left() == 0);
    const Assessment result = confirmation.assessment();
    CHECK(result.rounds == 27);
    CHECK(result.headline_rounds == 20);
    CHECK(result.objective.rounds == 20);
    CHECK(result.objective.interval.low == result.objective.interval.high);
    CHECK(as_change(result.objective.estimate, Better::lower) == Approx(-0.05));
    CHECK(result.objective.mean_ratio == Approx(0.95));
    CHECK_FALSE(result.shape_changed);
    CHECK_THAT(confirmation.reason(), ContainsSubstring("accepted after 7 rounds"));
}

TEST_CASE("a counter that never changes is given up at round twelve") {
    Confirmation confirmation(one_workload());
    CHECK(run_until_finished(confirmation, [] { return round_of({1000, 1000}); }) == 12);
    CHECK(confirmation.state() == State::futile);
    CHECK_THAT(confirmation.reason(), ContainsSubstring("given up after 12 rounds"));
    CHECK(confirmation.assessment().objective.interval.low == 0);
    CHECK(confirmation.assessment().objective.interval.high == 0);
}

TEST_CASE("an improvement below the minimum effect is not accepted") {
    Confirmation confirmation(one_workload());
    run_until_finished(confirmation, [] { return round_of({1000, 995}); });
    CHECK(confirmation.state() == State::futile);
}

TEST_CASE("the claim is the minimum effect, not zero") {
    // 2 % better under 3 % noise: accepted soon at a claim of 0 %, hardly ever at a claim of 2 %.
    Rule rule = one_workload();
    rule.threshold = 20;
    int at_zero = 0, at_two = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        for (const bool zero : {true, false}) {
            rule.minimum_effect = zero ? 0 : 0.02;
            stats::Random random(seed);
            Confirmation confirmation(rule);
            run_until_finished(confirmation, [&] { return noisy_round(random, {0.98}, 0.03); });
            (zero ? at_zero : at_two) += confirmation.assessment().accepted ? 1 : 0;
        }
    }
    CHECK(at_zero >= 40);
    CHECK(at_two <= 5);
}

TEST_CASE("higher-is-better objectives mirror") {
    Rule rule = one_workload();
    rule.better = Better::higher;
    Confirmation confirmation(rule);
    run_until_finished(confirmation, [] { return round_of({1000, 1050}); });
    CHECK(confirmation.state() == State::passed);
    CHECK(as_change(confirmation.assessment().objective.estimate, rule.better) == Approx(0.05));
    Confirmation slower(rule);
    run_until_finished(slower, [] { return round_of({1000, 900}); });
    CHECK(slower.state() == State::worse);
}

TEST_CASE("rounds after the end change nothing") {
    Confirmation confirmation(one_workload());
    run_until_finished(confirmation, [] { return round_of({1000, 1000}); });
    confirmation.add(round_of({1000, 500}));
    CHECK(confirmation.assessment().rounds == 12);
    CHECK(confirmation.state() == State::futile);
}

TEST_CASE("replaying stored rounds gives the same state") {
    Rule rule = one_workload();
    rule.workloads = {{"a", 2, 100}, {"b", 1, 100}};
    stats::Random random(31);
    std::vector<Round> rounds;
    Confirmation first(rule);
    run_until_finished(first, [&] {
        rounds.push_back(noisy_round(random, {0.95, 0.97}, 0.02));
        return rounds.back();
    });
    Confirmation second(rule);
    for (const Round& round : rounds)
        second.add(round);
    CHECK(second.state() == first.state());
    CHECK(second.reason() == first.reason());
    const Assessment a = first.assessment(), b = second.assessment();
    CHECK(a.log_e == b.log_e);
    CHECK(a.objective.estimate == b.objective.estimate);
    CHECK(a.objective.interval.low == b.objective.interval.low);
    CHECK(a.guards.size() == b.guards.size());
}

TEST_CASE("acceptance stays when later rounds are bad, and the estimate tells") {
    Rule rule = one_workload();
    rule.harm_margin = 0.5;
    Confirmation confirmation(rule);
    for (int i = 0; i < 9; ++i)
        confirmation.add(round_of({1000, 900}));
    REQUIRE(confirmation.assessment().accepted);
    const double best = confirmation.assessment().log_e;
    run_until_finished(confirmation, [] { return round_of({1000, 1010}); });
    CHECK(confirmation.state() == State::passed);
    CHECK(confirmation.assessment().accepted);
    CHECK(confirmation.assessment().log_e == best);
    CHECK(confirmation.assessment().objective.estimate < 0);
}

TEST_CASE("weights are normalised and the objective is the weighted mean of log ratios") {
    Rule rule = one_workload();
    rule.workloads = {{"a", 3, 0}, {"b", 1, 0}};
    Round round;
    round.workloads = {{{100, 50}, {}}, {{100, 200}, {}}};
    const Assessment result = assess(rule, {round, round});
    CHECK(result.objective.estimate == Approx(0.5 * std::log(2)));
    CHECK(result.objective.mean_ratio == Approx(std::exp(-0.5 * std::log(2))));
    REQUIRE(result.workloads.size() == 2);
    CHECK(result.workloads[0].estimate == Approx(std::log(2)));
    CHECK(result.workloads[1].mean_ratio == Approx(2));
}

TEST_CASE("a gain on one workload does not hide a loss on another") {
    Rule rule = one_workload();
    rule.workloads = {{"quick", 1, 0}, {"slow", 1, 0}};
    stats::Random random(17);
    Confirmation confirmation(rule);
    run_until_finished(confirmation, [&] { return noisy_round(random, {0.80, 1.08}, 0.02); });
    CHECK(confirmation.state() == State::worse);
    CHECK_THAT(confirmation.reason(), ContainsSubstring("objective at most 3 % worse on workload \"slow\""));
}

TEST_CASE("six rounds suffice to show a clear loser in the screen") {
    const std::vector<Round> rounds(6, round_of({1000, 1100}));
    const Assessment lost = assess(one_workload(), rounds);
    CHECK(guard_of(lost, Guard::Kind::harm).worse);
    CHECK_FALSE(lost.accepted);
    const Assessment won = assess(one_workload(), std::vector<Round>(6, round_of({1000, 950})));
    CHECK(std::exp(won.log_e) >= 20);
    CHECK(guard_of(won, Guard::Kind::harm).safe);
    CHECK_FALSE(won.accepted);
    CHECK_FALSE(guard_of(assess(one_workload(), {rounds.begin(), rounds.begin() + 5}), Guard::Kind::harm).worse);
}

TEST_CASE("an assessment without rounds knows nothing") {
    const Assessment nothing = assess(one_workload(), {});
    CHECK(nothing.rounds == 0);
    CHECK(std::isnan(nothing.objective.estimate));
    CHECK(std::isinf(nothing.objective.interval.low));
    CHECK(nothing.log_e == 0);
}

TEST_CASE("a relative limit") {
    const Rule rule = with_limit(0.10, std::nullopt);
    SECTION("within its margin is safe") {
        Confirmation confirmation(rule);
        run_until_finished(confirmation, [] { return round_of({1000, 900}, {{100, 105}}); });
        CHECK(confirmation.state() == State::passed);
    }
    SECTION("beyond its margin is shown worse") {
        Confirmation confirmation(rule);
        run_until_finished(confirmation, [] { return round_of({1000, 900}, {{100, 120}}); });
        CHECK(confirmation.state() == State::worse);
        CHECK_THAT(confirmation.reason(), ContainsSubstring("memory at most 10 % worse on workload \"only\""));
    }
    SECTION("zero on both sides is no change, and none against some is the worst") {
        CHECK(guard_of(assess(rule, std::vector<Round>(6, round_of({10, 9}, {{0, 0}}))), Guard::Kind::limit).safe);
        CHECK(guard_of(assess(rule, std::vector<Round>(6, round_of({10, 9}, {{0, 4}}))), Guard::Kind::limit).worse);
        CHECK(guard_of(assess(rule, std::vector<Round>(6, round_of({10, 9}, {{4, 0}}))), Guard::Kind::limit).safe);
    }
    SECTION("of a higher-is-better metric mirrors") {
        const Rule higher = with_limit(0.10, std::nullopt, Better::higher);
        CHECK(guard_of(assess(higher, std::vector<Round>(6, round_of({10, 9}, {{100, 95}}))), Guard::Kind::limit).safe);
        CHECK(
            guard_of(assess(higher, std::vector<Round>(6, round_of({10, 9}, {{100, 85}}))), Guard::Kind::limit).worse);
        CHECK(guard_of(assess(higher, std::vector<Round>(6, round_of({10, 9}, {{0, 4}}))), Guard::Kind::limit).safe);
    }
    SECTION("a value that cannot be compared proves nothing") {
        const Assessment result = assess(rule, std::vector<Round>(8, round_of({10, 9}, {{100, not_a_number}})));
        CHECK_FALSE(guard_of(result, Guard::Kind::limit).safe);
        CHECK_FALSE(guard_of(result, Guard::Kind::limit).worse);
    }
}

TEST_CASE("an absolute limit judges the candidate alone") {
    for (const Better better : {Better::lower, Better::higher}) {
        const Rule rule = with_limit(std::nullopt, 5.0, better);
        CHECK(guard_of(assess(rule, std::vector<Round>(6, round_of({10, 9}, {{9, 4.9}}))), Guard::Kind::limit).safe);
        CHECK(guard_of(assess(rule, std::vector<Round>(6, round_of({10, 9}, {{9, 5.1}}))), Guard::Kind::limit).worse);
    }
}

TEST_CASE("a limit that is met exactly is met") {
    Rule rule = with_limit(std::nullopt, 5.0);
    const std::vector<Round> rounds(30, round_of({10, 9}, {{5, 5}}));
    const Assessment equal = assess(rule, rounds);
    CHECK(guard_of(equal, Guard::Kind::limit).safe);
    CHECK_FALSE(guard_of(equal, Guard::Kind::limit).worse);
    SECTION("a history of the first rule is decided as it was") {
        rule.revision = 1;
        const Assessment before = assess(rule, rounds);
        CHECK_FALSE(guard_of(before, Guard::Kind::limit).safe);
        CHECK_FALSE(guard_of(before, Guard::Kind::limit).worse);
    }
    SECTION("half of the runs beyond it, and nothing is shown") {
        std::vector<Round> mixed;
        for (int i = 0; i < 60; ++i)
            mixed.push_back(round_of({10, 9}, {{5, i % 2 == 0 ? 5.0 : 5.5}}));
        CHECK_FALSE(guard_of(assess(rule, mixed), Guard::Kind::limit).safe);
        CHECK_FALSE(guard_of(assess(rule, mixed), Guard::Kind::limit).worse);
    }
}

TEST_CASE("a limit on a metric that the workload does not report does not exist") {
    Rule rule = with_limit(0.1, 5.0);
    rule.workloads.push_back({"other", 1, 0});
    Round round;
    round.workloads.push_back({{1000, 900}, {Pair{not_a_number, not_a_number}}});
    round.workloads.push_back({{1000, 900}, {Pair{4, 4}}});
    const Assessment result = assess(rule, std::vector<Round>(6, round));
    CHECK(result.guards.size() == 4); // harm twice, and both bounds on "other"
    for (const Guard& guard : result.guards)
        CHECK((guard.kind == Guard::Kind::harm || guard.workload == "other"));
    Confirmation confirmation(rule);
    run_until_finished(confirmation, [&] { return round; });
    CHECK(confirmation.state() == State::passed);
}

TEST_CASE("a guard that stays open until the cap is named") {
    Rule rule = with_limit(std::nullopt, 5.0);
    rule.max_rounds = 40;
    Confirmation confirmation(rule);
    CHECK(run_until_finished(confirmation, [&, odd = false]() mutable {
              odd = !odd;
              return round_of({1000, 900}, {{5, odd ? 4.9 : 5.1}});
          }) == 40);
    CHECK(confirmation.state() == State::capped);
    CHECK(confirmation.assessment().accepted);
    CHECK(confirmation.assessment().headline_rounds == 0);
    CHECK_THAT(confirmation.reason(), ContainsSubstring("still open after 40: memory at most 5 on workload \"only\""));
}

TEST_CASE("an objective that stays open until the cap says how far it came") {
    Rule rule = one_workload();
    rule.max_rounds = 8;
    Confirmation confirmation(rule);
    CHECK(run_until_finished(confirmation, [] { return round_of({1000, 950}); }) == 8);
    CHECK(confirmation.state() == State::capped);
    CHECK_FALSE(confirmation.assessment().accepted);
    CHECK_THAT(confirmation.reason(), ContainsSubstring("of the 100 needed"));
}

TEST_CASE("a guard that breaks during the headline rounds stops them") {
    Rule rule = with_limit(std::nullopt, 5.0);
    rule.headline_rounds = 60; // nine good rounds are a long way back for the evidence against it
    Confirmation confirmation(rule);
    for (int i = 0; i < 9; ++i)
        confirmation.add(round_of({1000, 900}, {{4, 4}}));
    REQUIRE(confirmation.state() == State::headline);
    run_until_finished(confirmation, [] { return round_of({1000, 1500}, {{4, 9}}); });
    CHECK(confirmation.state() == State::worse);
}

TEST_CASE("without headline rounds acceptance ends it") {
    Rule rule = one_workload();
    rule.headline_rounds = 0;
    Confirmation confirmation(rule);
    CHECK(run_until_finished(confirmation, [] { return round_of({1000, 900}); }) == 9);
    CHECK(confirmation.state() == State::passed);
    CHECK(confirmation.assessment().objective.rounds == 9);
}

TEST_CASE("a tail is a veto that location tests miss") {
    // 5 % faster, but every tenth run takes three times as long.
    Rule rule = one_workload();
    rule.max_rounds = 400;
    rule.headline_rounds = 380;
    int vetoed = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        for (const Better better : {Better::lower, Better::higher}) {
            rule.better = better;
            rule.workloads[0].opening_median = better == Better::lower ? 100 : 0.01;
            stats::Random random(seed);
            Confirmation confirmation(rule);
            run_until_finished(confirmation, [&] {
                Round round = noisy_round(random, {random.uniform() < 0.1 ? 2.85 : 0.95}, 0.01);
                if (better == Better::higher)
                    for (double* value :
                         {&round.workloads[0].objective.baseline, &round.workloads[0].objective.candidate})
                        *value = 1 / *value;
                return round;
            });
            const Assessment result = confirmation.assessment();
            CHECK(result.accepted);
            CHECK_FALSE(guard_of(result, Guard::Kind::harm).worse);
            CHECK_FALSE(guard_of(result, Guard::Kind::tail).safe);
            vetoed += confirmation.state() == State::worse ? 1 : 0;
            CHECK((confirmation.state() == State::worse) == guard_of(result, Guard::Kind::tail).worse);
        }
    }
    CHECK(vetoed >= 38);
}

TEST_CASE("tails too rare on each workload are counted over all of them") {
    Rule rule;
    rule.workloads = {{"a", 1, 100}, {"b", 1, 100}, {"unknown", 1, 0}};
    std::vector<Round> rounds;
    for (int i = 0; i < 20; ++i) {
        Round round;
        round.workloads = {{{100, i % 7 == 0 ? 300.0 : 95.0}, {}},
                           {{i == 3 ? 400.0 : 100.0, i % 6 == 0 ? 300.0 : 95.0}, {}},
                           {{100, 900}, {}}};
        rounds.push_back(round);
    }
    const Assessment seen = assess(rule, rounds);
    for (const Guard& guard : seen.guards)
        CHECK((guard.kind != Guard::Kind::tail || !guard.worse));
    CHECK(seen.tails_worse == 3 + 4);
    CHECK(seen.tails_better == 1);
    rule.revision = 1;
    CHECK(assess(rule, rounds).tails_worse == 0);
    CHECK(assess(rule, rounds).tails_better == 0);
}

TEST_CASE("evidence of tails is an e-value") {
    CHECK(tail_log_e(0, 0) == Approx(0).margin(1e-12));
    CHECK(tail_log_e(6, 0) >= std::log(20));
    CHECK(tail_log_e(5, 0) < std::log(20));
    CHECK(tail_log_e(6, 3) < std::log(20));
    // Its mean over all orders of arms of eight tails is 1.
    double sum = 0, ways = 1;
    for (std::size_t worse = 0; worse <= 8; ++worse) {
        sum += ways * std::exp(tail_log_e(worse, 8 - worse));
        ways = ways * static_cast<double>(8 - worse) / static_cast<double>(worse + 1);
    }
    CHECK(sum / 256 == Approx(1));
}

TEST_CASE("the screen stops what has no prospect, and little else") {
    Rule rule = one_workload();
    CHECK(out_of_reach(rule, std::vector<Round>(6, round_of({100, 100}))));
    CHECK_FALSE(out_of_reach(rule, std::vector<Round>(6, round_of({100, 96}))));
    rule.max_rounds = 12;
    CHECK_FALSE(out_of_reach(rule, std::vector<Round>(6, round_of({100, 96}))));
    rule.max_rounds = 200;
    rule.alpha = 0.05; // six rounds say nothing of the effect
    CHECK_FALSE(out_of_reach(rule, std::vector<Round>(6, round_of({100, 100}))));
    rule.alpha = 0.1;
    stats::Random random(41);
    int useless = 0, useful = 0;
    for (int i = 0; i < 300; ++i) {
        std::vector<Round> null, gain;
        for (int n = 0; n < 6; ++n) {
            null.push_back(noisy_round(random, {1}, 0.02));
            gain.push_back(noisy_round(random, {0.96}, 0.02));
        }
        useless += out_of_reach(rule, null) ? 1 : 0;
        useful += out_of_reach(rule, gain) ? 1 : 0;
    }
    CHECK(useless > 45);
    CHECK(useful < 10);
}

TEST_CASE("a tail that both arms share is none") {
    Rule rule = one_workload();
    rule.workloads[0].opening_median = 100;
    const Assessment result = assess(rule, std::vector<Round>(30, round_of({300, 290})));
    CHECK_FALSE(guard_of(result, Guard::Kind::tail).worse);
    rule.workloads[0].opening_median = 0;
    CHECK(assess(rule, {round_of({300, 290})}).guards.size() == 1);
}

TEST_CASE("values that are not positive and finite never help the candidate") {
    for (const double bad : {not_a_number, 0.0, -1.0}) {
        Confirmation confirmation(one_workload());
        run_until_finished(confirmation, [&] { return round_of({1000, bad}); });
        CHECK(confirmation.state() == State::futile);
        CHECK_FALSE(guard_of(confirmation.assessment(), Guard::Kind::harm).safe);
        CHECK(std::isnan(confirmation.assessment().objective.estimate));
    }
    Confirmation missing(one_workload());
    run_until_finished(missing, [] { return Round{}; });
    CHECK(missing.state() == State::futile);
}

TEST_CASE("a skewed arm with an unchanged median is flagged") {
    // Equal medians, one arm skewed: the centre moves, the median does not.
    Rule rule = one_workload();
    rule.threshold = 20;
    rule.minimum_effect = 0;
    rule.harm_margin = 1;
    int flagged = 0, honest = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        stats::Random random(seed);
        std::vector<Round> skewed, faster;
        for (int i = 0; i < 200; ++i) {
            const double tail = std::abs(random.normal());
            const bool low = random.coin();
            skewed.push_back(
                round_of({100 * std::exp(0.001 * random.normal() + (low ? -0.003 * tail : 0.1 * tail)), 100}));
            faster.push_back(noisy_round(random, {0.95}, 0.03));
        }
        flagged += assess(rule, skewed).shape_changed ? 1 : 0;
        honest += assess(rule, faster).shape_changed ? 1 : 0;
    }
    CHECK(flagged >= 30);
    CHECK(honest == 0);
}

TEST_CASE("the decision does not depend on the unit") {
    CHECK(rc::check([](std::uint32_t seed) {
        Rule rule = one_workload();
        rule.threshold = 20;
        stats::Random random(seed), again(seed);
        Confirmation seconds(rule), bytes(rule);
        run_until_finished(seconds, [&] { return noisy_round(random, {0.96}, 0.03); });
        run_until_finished(bytes, [&] {
            Round round = noisy_round(again, {0.96}, 0.03);
            round.workloads[0].objective.baseline *= 1048576;
            round.workloads[0].objective.candidate *= 1048576;
            return round;
        });
        RC_ASSERT(seconds.state() == bytes.state());
        RC_ASSERT(seconds.assessment().rounds == bytes.assessment().rounds);
    }));
}

TEST_CASE("an interval holds its estimate when the headline rounds differ from those before") {
    Rule rule = one_workload();
    rule.threshold = 20;
    Confirmation confirmation(rule);
    while (confirmation.state() == Confirmation::State::deciding)
        confirmation.add(round_of({100, 50}));
    while (!confirmation.finished())
        confirmation.add(round_of({100, 96}));
    const Effect seen = confirmation.assessment().objective;
    CHECK(as_change(seen.estimate, rule.better) == Approx(-0.04));
    CHECK(seen.interval.low <= seen.estimate);
    CHECK(seen.interval.high >= seen.estimate);
}

TEST_CASE("a ratio that is the margin but for rounding keeps it, and one of nothing gains nothing") {
    Rule rule;
    rule.workloads = {{"w", 1, 0}};
    rule.minimum_effect = 0;
    const auto judged = [&rule](double candidate) {
        return assess(rule, std::vector<Round>(40, Round{{WorkloadPairs{{1, candidate}, {}}}}));
    };
    for (const double last_digits : {-1e-13, 0.0, 1e-13}) {
        const Assessment at_margin = judged(1.03 * (1 + last_digits));
        CHECK(at_margin.guards.front().safe);
        CHECK_FALSE(at_margin.guards.front().worse);
        const Assessment nothing = judged(1 + last_digits);
        CHECK(nothing.log_e == 0);
        CHECK_FALSE(nothing.lost());
    }
    CHECK(judged(1.031).guards.front().worse);
    CHECK(judged(1.001).lost());
    CHECK(judged(0.999).log_e > std::log(20));
}
