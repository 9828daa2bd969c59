// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/change_points.hpp"

#include "core/stats/random.hpp"
#include "core/stats/rank.hpp"
#include "tests/catch.h"

#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <vector>

using namespace holdfast::stats;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Normal values of deviation 1 around each level in turn.
std::vector<double> levels(std::uint64_t seed, const std::vector<double>& centres, std::size_t each) {
    Random random(seed);
    std::vector<double> values;
    for (const double centre : centres)
        for (std::size_t i = 0; i < each; ++i)
            values.push_back(centre + random.normal());
    return values;
}

std::vector<std::size_t> places(const std::vector<ChangePoint>& changes) {
    std::vector<std::size_t> result;
    for (const ChangePoint& change : changes)
        result.push_back(change.at);
    return result;
}

bool near(std::size_t at, std::size_t expected) {
    return at + 2 >= expected && at <= expected + 2;
}

} // namespace

TEST_CASE("a step is found where it is, with the medians on both sides") {
    const auto changes = change_points(levels(1, {100, 105}, 20), 0.01, 7);
    REQUIRE(changes.size() == 1);
    CHECK(near(changes[0].at, 20));
    CHECK(changes[0].before == Approx(100).margin(1));
    CHECK(changes[0].after == Approx(105).margin(1));
    CHECK(changes[0].p == Approx(1.0 / 200));
}

TEST_CASE("several steps are found in order, up and down") {
    const auto changes = change_points(levels(2, {10, 20, 12, 30}, 15), 0.01, 7);
    REQUIRE(changes.size() == 3);
    CHECK(near(changes[0].at, 15));
    CHECK(near(changes[1].at, 30));
    CHECK(near(changes[2].at, 45));
    CHECK(changes[1].before == changes[0].after);
    CHECK(changes[1].after < changes[1].before);
}

TEST_CASE("a change of spread alone is a change of distribution") {
    std::vector<double> values = levels(3, {0}, 150);
    for (std::size_t i = 75; i < values.size(); ++i)
        values[i] *= 8;
    const auto changes = change_points(values, 0.01, 7);
    REQUIRE_FALSE(changes.empty());
    CHECK(changes[0].at > 60);
    CHECK(changes[0].at < 90);
}

TEST_CASE("what does not change has no change point") {
    CHECK(change_points({}, 0.05, 7).empty());
    CHECK(change_points({1, 2, 3, 4, 9, 9, 9, 9, 9}, 0.05, 7).empty()); // too short for two segments of five
    CHECK(change_points(std::vector<double>(50, 3.25), 0.05, 7).empty());
    CHECK(change_points(levels(4, {10}, 60), 0.01, 7).empty());
}

TEST_CASE("a spike is no change, a level that stays is one") {
    std::vector<double> values = levels(5, {10}, 40);
    values[17] = 60;
    values[31] = 45;
    CHECK(change_points(values, 0.01, 7).empty());
    for (std::size_t i = 20; i < values.size(); ++i)
        values[i] += 6;
    const auto changes = change_points(values, 0.01, 7);
    REQUIRE(changes.size() == 1);
    CHECK(near(changes[0].at, 20));
}

TEST_CASE("no segment is shorter than asked for") {
    std::vector<double> values(12, 1);
    for (std::size_t i = 9; i < 12; ++i)
        values[i] = 50;
    for (const ChangePoint& change : change_points(values, 0.05, 7)) {
        CHECK(change.at >= 5);
        CHECK(change.at <= 7);
    }
    CHECK(places(change_points(values, 0.05, 7, 3)) == std::vector<std::size_t>{9});
}

TEST_CASE("values that are no numbers are passed over, and places stay those of the series") {
    std::vector<double> values = levels(6, {10, 30}, 12);
    values.insert(values.begin() + 4, {infinity, std::numeric_limits<double>::quiet_NaN(), -infinity});
    const auto changes = change_points(values, 0.01, 7);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].at == 15);
}

TEST_CASE("the largest numbers do not overflow") {
    std::vector<double> values;
    for (int i = 0; i < 20; ++i)
        values.push_back((i < 10 ? -1 : 1) * std::numeric_limits<double>::max() * (1 - 0.01 * (i % 3)));
    CHECK(places(change_points(values, 0.05, 7)) == std::vector<std::size_t>{10});
}

TEST_CASE("the same seed gives the same answer, and neither unit nor offset matters") {
    CHECK(rc::check([] {
        const auto raw = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-64, 64));
        const std::vector<double> values(raw.begin(), raw.end());
        std::vector<double> other = values;
        for (double& value : other)
            value = 1024 + value / 16; // exact
        const auto plain = change_points(values, 0.05, 7, 5, 39);
        RC_ASSERT(places(plain) == places(change_points(values, 0.05, 7, 5, 39)));
        RC_ASSERT(places(plain) == places(change_points(other, 0.05, 7, 5, 39)));
    }));
}

TEST_CASE("noise has change points no more often than the significance says") {
    const double significance = 0.05;
    std::size_t heavy = 0, normal = 0;
    const std::size_t repeats = 400;
    for (std::uint64_t i = 0; i < repeats; ++i) {
        std::vector<double> values = levels(100 + i, {0}, 30);
        normal += change_points(values, significance, i, 5, 99).empty() ? 0 : 1;
        for (double& value : values)
            value = std::exp(2 * value); // a few values dwarf the others
        heavy += change_points(values, significance, i, 5, 99).empty() ? 0 : 1;
    }
    CHECK(proportion(normal, repeats).interval.low <= significance);
    CHECK(proportion(heavy, repeats).interval.low <= significance);
    CHECK(normal > 0); // the test is not merely mute
}

TEST_CASE("thousands of values are no burden") {
    const auto changes = change_points(levels(8, {0, 1}, 2500), 0.01, 7, 5, 19);
    CHECK(changes.empty()); // nineteen shuffles cannot show p <= 0.01
    const auto shown = change_points(levels(8, {0, 1}, 2500), 0.05, 7, 5, 19);
    REQUIRE(!shown.empty());
    bool found = false;
    for (const ChangePoint& change : shown)
        found = found || (change.at > 2450 && change.at < 2550);
    CHECK(found);
}
