// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/rank.hpp"

#include "core/stats/random.hpp"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <vector>

using namespace holdfast::stats;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("rank correlation follows order alone") {
    CHECK(spearman({1, 2, 3, 4}, {10, 200, 3000, 40000}).value == 1);
    CHECK(spearman({1, 2, 3, 4}, {4, 3, 2, 1}).value == -1);
    // 1 - 6 * 2 / (5 * 24): one swap of neighbours.
    CHECK(spearman({1, 2, 3, 4, 5}, {1, 2, 4, 3, 5}).value == Approx(0.9));
    CHECK(spearman({1, 2, infinity, 4}, {1, 2, 5, 4}).value == 1);
}

TEST_CASE("tied values share their mean rank") {
    // scipy.stats.spearmanr([1, 2, 2, 3, 5], [2, 2, 4, 5, 5]): ranks 1 2.5 2.5 4 5 and 1.5 1.5 3 4.5 4.5
    CHECK(spearman({1, 2, 2, 3, 5}, {2, 2, 4, 5, 5}).value == Approx(8.25 / std::sqrt(9.5 * 9)));
}

TEST_CASE("without an order there is no correlation") {
    CHECK(std::isnan(spearman({}, {}).value));
    CHECK(std::isnan(spearman({1}, {1}).value));
    CHECK(std::isnan(spearman({1, 2, 3}, {7, 7, 7}).value));
    const Correlation constant = spearman({1, 2, 3, 4, 5}, {7, 7, 7, 7, 7});
    CHECK(constant.interval.low == -1);
    CHECK(constant.interval.high == 1);
}

TEST_CASE("unequal lengths and NaN leave pairs out") {
    const Correlation seen = spearman({1, not_a_number, 3, 4, 9}, {1, 2, 3, not_a_number});
    CHECK(seen.pairs == 2);
    CHECK(seen.value == 1);
    CHECK(seen.interval.low == -1);
}

TEST_CASE("the interval of a rank correlation") {
    SECTION("is Fisher's with Bonett and Wright's variance") {
        // r = 0.9, n = 5: z = 1.47222, error sqrt(1.405 / 2) = 0.83815
        const Interval interval = spearman({1, 2, 3, 4, 5}, {1, 2, 4, 3, 5}).interval;
        CHECK(interval.low == Approx(std::tanh(1.4722194895832204 - 1.959963984540054 * std::sqrt(0.7025))));
        CHECK(interval.high == Approx(std::tanh(1.4722194895832204 + 1.959963984540054 * std::sqrt(0.7025))));
    }
    SECTION("few pairs that agree wholly are little evidence, many are much") {
        std::vector<double> order;
        double previous = -1;
        for (int n = 1; n <= 30; ++n) {
            order.push_back(n);
            const Correlation seen = spearman(order, order);
            CHECK(seen.interval.high == 1);
            CHECK((n < 4 ? seen.interval.low == -1 : seen.interval.low > previous));
            CHECK((n > 5 || seen.interval.low < 0.8));
            previous = seen.interval.low;
        }
        CHECK(previous > 0.99);
    }
    SECTION("covers the truth about as often as it says") {
        // Bivariate normal of correlation 0.5 has the rank correlation 6/pi * asin(0.25).
        const double truth = 6 / 3.14159265358979 * std::asin(0.25);
        int covered = 0;
        Random random(31);
        for (int repeat = 0; repeat < 1000; ++repeat) {
            std::vector<double> x, y;
            for (int i = 0; i < 25; ++i) {
                x.push_back(random.normal());
                y.push_back(0.5 * x.back() + std::sqrt(0.75) * random.normal());
            }
            const Interval interval = spearman(x, y).interval;
            covered += interval.low <= truth && truth <= interval.high ? 1 : 0;
        }
        CHECK(covered >= 920);
        CHECK(covered <= 975);
    }
}

TEST_CASE("rank correlation is symmetric, mirrors, and its interval holds it") {
    CHECK(rc::check([] {
        const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
            rc::gen::pair(rc::gen::inRange(-9, 9), rc::gen::inRange(-9, 9)));
        std::vector<double> x, y, mirrored;
        for (const auto& [left, right] : pairs) {
            x.push_back(left);
            y.push_back(right);
            mirrored.push_back(-right);
        }
        const Correlation seen = spearman(x, y), other = spearman(y, x), opposite = spearman(x, mirrored);
        RC_ASSERT(std::isnan(seen.value) == std::isnan(other.value));
        if (std::isnan(seen.value))
            return;
        RC_ASSERT(std::abs(seen.value - other.value) < 1e-12);
        RC_ASSERT(std::abs(seen.value + opposite.value) < 1e-12);
        RC_ASSERT(-1 <= seen.interval.low && seen.interval.low <= seen.value);
        RC_ASSERT(seen.value <= seen.interval.high && seen.interval.high <= 1);
    }));
}

TEST_CASE("the rank-sum test finds a shift and no difference where there is none") {
    std::vector<double> low, high;
    for (int i = 0; i < 20; ++i) {
        low.push_back(i);
        high.push_back(i + 10.5);
    }
    // From the definition, ranks counted in another program.
    CHECK(rank_sum(low, high) == Approx(2.9248649327369012e-05));
    CHECK(rank_sum(low, high) == Approx(rank_sum(high, low)));
    CHECK(rank_sum(low, low) == 1);
    CHECK(rank_sum({1, 2, 3}, {7, 8, 9}) == 1);                                 // too few to tell
    CHECK(rank_sum(std::vector<double>(9, 4), std::vector<double>(9, 4)) == 1); // nothing but ties
}

TEST_CASE("a proportion has Clopper and Pearson's interval") {
    const Proportion some = proportion(3, 20);
    CHECK(some.value == Approx(0.15));
    CHECK(some.interval.low == Approx(0.0320709).epsilon(1e-5)); // binom.test(3, 20) of R
    CHECK(some.interval.high == Approx(0.3789268).epsilon(1e-5));
    SECTION("at its ends it has a closed form") {
        const Proportion none = proportion(0, 10), all = proportion(10, 10);
        CHECK(none.interval.low == 0);
        CHECK(none.interval.high == Approx(1 - std::pow(0.025, 0.1)));
        CHECK(all.interval.low == Approx(std::pow(0.025, 0.1)));
        CHECK(all.interval.high == 1);
    }
    SECTION("of nothing, nothing is known") {
        const Proportion nothing = proportion(0, 0);
        CHECK(std::isnan(nothing.value));
        CHECK(nothing.interval.low == 0);
        CHECK(nothing.interval.high == 1);
    }
    SECTION("more hits than trials are all of them") {
        CHECK(proportion(7, 5).hits == 5);
        CHECK(proportion(7, 5).value == 1);
    }
}

TEST_CASE("the interval of a proportion misses the truth at most as often as it says") {
    Random random(32);
    for (const double truth : {0.02, 0.3, 0.9}) {
        int missed = 0;
        for (int repeat = 0; repeat < 2000; ++repeat) {
            std::size_t hits = 0;
            for (int i = 0; i < 50; ++i)
                hits += random.uniform() < truth ? 1 : 0;
            const Interval interval = proportion(hits, 50).interval;
            missed += truth < interval.low || truth > interval.high ? 1 : 0;
        }
        CHECK(missed <= 120);
    }
}
