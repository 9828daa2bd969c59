// SPDX-License-Identifier: GPL-3.0-or-later
// Known noise must give known numbers. The reference points are those of tests/bench/reference_points.
#include "core/stats/self_comparison.hpp"

#include "core/stats/random.hpp"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace holdfast::stats;

namespace {

constexpr std::size_t sessions = 4;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Pairs of runs whose ln t has the standard deviation `cv`, over four sessions.
std::vector<SelfPair> pairs_of(double cv, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<SelfPair> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        const double first = cv * random.normal(), second = cv * random.normal();
        pairs.push_back({first - second, random.coin(), i * sessions / count});
    }
    return pairs;
}

SelfComparison compare(const std::vector<SelfPair>& pairs, double minimum_effect = 0.01) {
    return compare_with_itself(pairs, 100, minimum_effect, 25, {}, 7, 300);
}

bool holds(const Interval& interval, double value) {
    return interval.low <= value && value <= interval.high;
}

double mean(const std::vector<std::size_t>& rounds) {
    return static_cast<double>(std::accumulate(rounds.begin(), rounds.end(), std::size_t(0))) /
           static_cast<double>(rounds.size());
}

} // namespace

TEST_CASE("normal noise is seen as it is, and nothing else is seen") {
    const SelfComparison seen = compare(pairs_of(0.03, 400, 1));
    CHECK(seen.rounds == 400);
    CHECK(seen.noise == Approx(0.03 * std::sqrt(2)).epsilon(0.12)); // about three standard errors of 400
    CHECK(holds(seen.lag_one_interval, 0));
    CHECK(std::abs(seen.lag_one) < 0.16);
    CHECK(holds(seen.slot_interval, 0));
    CHECK(holds(seen.arms_interval, 0));
    CHECK(seen.false_faster.of == 16);
    CHECK(seen.false_faster.hits == 0);
    CHECK(seen.false_slower.hits == 0);
    CHECK(seen.false_faster.interval.high == Approx(0.206).epsilon(0.01)); // Clopper-Pearson of 0 of 16
    // Ville: whatever the noise, at most 1 / threshold.
    CHECK(seen.redrawn_faster <= 0.01 + 3 * seen.redrawn_error);
    CHECK(seen.redrawn_slower <= 0.01 + 3 * seen.redrawn_error);
}

TEST_CASE("sessions that are alike are called different as rarely as the test promises") {
    int differ = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed)
        differ += compare_with_itself(pairs_of(0.03, 100, 100 + seed), 100, 0, 25, {}, seed, 200).sessions_differ;
    CHECK(differ <= 11); // 1 % of 400, and what 99.5 % of such counts stay below
}

TEST_CASE("an effect needs as many rounds as the reference points say") {
    const auto rounds = [](double effect, double cv) {
        return mean(rounds_to_show(pairs_of(cv, 4000, 2), std::log1p(effect), 20, 0, 400, 3));
    };
    CHECK(rounds(0.03, 0.03) == Approx(25).margin(2.5));
    CHECK(rounds(0.10, 0.10) == Approx(26).margin(2.5));
    CHECK(rounds(0.03, 0.01) == Approx(7).margin(0.7));
    CHECK(rounds(0.01, 0.01) == Approx(25).margin(2.5));
}

TEST_CASE("the smallest provable effect falls with the rounds and is shown in them") {
    const auto pairs = pairs_of(0.03, 400, 4);
    const SelfComparison seen = compare_with_itself(pairs, 100, 0.01, 25, {10, 20, 40, 80, 160}, 7, 10);
    REQUIRE(seen.provable.size() == 5);
    for (std::size_t i = 1; i < seen.provable.size(); ++i)
        CHECK(seen.provable[i].effect < seen.provable[i - 1].effect);
    CHECK(seen.provable.back().effect > 0.01);
    for (const Provable& point : seen.provable) {
        const auto rounds = rounds_to_show(pairs, point.effect, 100, 0.01, 400, 11);
        const auto within = std::upper_bound(rounds.begin(), rounds.end(), point.rounds) - rounds.begin();
        CHECK(static_cast<double>(within) / static_cast<double>(rounds.size()) == Approx(0.8).margin(0.09));
    }
}

TEST_CASE("a share of few rounds cannot prove any effect") {
    const SelfComparison seen = compare_with_itself(pairs_of(0.03, 100, 4), 100, 0.01, 25, {8, 9}, 7, 10);
    CHECK(seen.provable[0].effect == infinity); // eight wins reach E = 93
    CHECK(std::isfinite(seen.provable[1].effect));
}

TEST_CASE("runs that the first of a pair slows down show as a slot effect and not as a difference of the arms") {
    auto pairs = pairs_of(0.01, 200, 5);
    for (SelfPair& pair : pairs)
        pair.first_minus_second += 0.02;
    const SelfComparison seen = compare(pairs);
    CHECK(seen.slot == Approx(0.02).margin(0.004));
    CHECK(seen.slot_interval.low > 0);
    CHECK(holds(seen.arms_interval, 0));
    CHECK(seen.false_faster.hits + seen.false_slower.hits == 0);
    CHECK(seen.redrawn_faster <= 0.01 + 3 * seen.redrawn_error);
}

TEST_CASE("drift that neighbouring pairs share shows as correlation, a step between sessions does not") {
    Random random(6);
    std::vector<SelfPair> drifting, stepped = pairs_of(0.01, 200, 8);
    double drift = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        drift = 0.6 * drift + 0.01 * random.normal();
        drifting.push_back({drift, random.coin(), i / 50});
    }
    for (SelfPair& pair : stepped)
        pair.first_minus_second += 0.05 * static_cast<double>(pair.session);
    const SelfComparison seen = compare(drifting);
    CHECK(seen.lag_one == Approx(0.58).margin(0.15)); // rank correlation of 0.6
    CHECK(seen.lag_one_interval.low > 0.3);
    CHECK(holds(compare(stepped).lag_one_interval, 0));
}

TEST_CASE("sessions whose arms differ are told apart, one far run makes no difference") {
    auto pairs = pairs_of(0.01, 100, 9);
    pairs[3].first_minus_second = 3;
    CHECK_FALSE(compare(pairs).sessions_differ);
    for (SelfPair& pair : pairs) {
        const double arms = pair.session % 2 == 0 ? 0.012 : -0.012; // as where the memory's layout is a session's own
        pair.first_minus_second += pair.candidate_first ? -arms : arms;
    }
    CHECK(compare(pairs).sessions_differ);
    for (SelfPair& pair : pairs)
        pair.session = 0;
    CHECK(compare(pairs).sessions_p == 1);
}

TEST_CASE("arms that are not equal are called so") {
    auto pairs = pairs_of(0.01, 100, 10);
    for (SelfPair& pair : pairs)
        pair.first_minus_second += pair.candidate_first ? -0.03 : 0.03;
    const SelfComparison seen = compare(pairs);
    CHECK(seen.false_faster.hits == 4);
    CHECK(seen.false_faster.of == 4);
    CHECK(seen.false_slower.hits == 0);
    CHECK(seen.arms == Approx(0.03).margin(0.005));
    CHECK(seen.arms_interval.low > 0);
    CHECK(holds(seen.slot_interval, 0));
}

TEST_CASE("values that never differ have no noise, no slot and no correlation") {
    const SelfComparison seen =
        compare_with_itself(std::vector<SelfPair>(40, SelfPair{0, true, 0}), 100, 0.01, 25, {8, 20}, 7);
    CHECK(seen.noise == 0);
    CHECK(seen.slot == 0);
    CHECK(seen.arms == 0);
    CHECK(std::isnan(seen.lag_one));
    CHECK(seen.sessions_p == 1);
    CHECK(seen.redrawn_faster == 0);
    CHECK(seen.provable[0].effect == infinity);
    CHECK(seen.provable[1].effect == Approx(0.01).margin(1e-6)); // anything above the minimum effect
}

TEST_CASE("one pair, no pair and pairs without a number say nothing") {
    const SelfComparison one = compare({{0.01, true, 0}});
    CHECK(one.rounds == 1);
    CHECK(std::isnan(one.lag_one));
    CHECK(one.slot_interval.low == -infinity);
    CHECK(one.false_faster.of == 1);
    CHECK(one.false_faster.hits == 0);
    const SelfComparison none = compare_with_itself({}, 100, 0.01, 25, {20}, 7);
    CHECK(none.rounds == 0);
    CHECK(std::isnan(none.noise));
    CHECK(none.false_faster.of == 0);
    CHECK(none.provable[0].effect == infinity);
    CHECK(rounds_to_show({}, 0.1, 100, 0, 50, 1).empty());
    auto pairs = pairs_of(0.01, 100, 12);
    pairs[5].first_minus_second = std::nan("");
    pairs[6].first_minus_second = infinity;
    CHECK(compare(pairs).rounds == 98);
    CHECK(std::isfinite(compare(pairs).slot));
}

TEST_CASE("a segment is a session, or so many rounds of it") {
    const auto pairs = pairs_of(0.01, 100, 13);
    const auto segments = [&](std::size_t segment) {
        return compare_with_itself(pairs, 100, 0, segment, {}, 1, 10).false_faster.of;
    };
    CHECK(segments(0) == 4);
    CHECK(segments(25) == 4);
    CHECK(segments(1000) == 4);
    CHECK(segments(10) == 8); // two of each session, five rounds are left over
}

TEST_CASE("the same seed gives the same numbers") {
    const auto pairs = pairs_of(0.02, 100, 14);
    const SelfComparison once = compare(pairs), again = compare(pairs);
    CHECK(once.redrawn_faster == again.redrawn_faster);
    CHECK(once.sessions_p == again.sessions_p);
    CHECK(rounds_to_show(pairs, 0.02, 100, 0, 200, 5) == rounds_to_show(pairs, 0.02, 100, 0, 200, 5));
}
