// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/estimate.hpp"
#include "core/stats/random.hpp"
#include "core/stats/sequential.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <set>
#include <vector>

using namespace holdfast::stats;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

EProcess process(const std::vector<double>& d, double theta0 = 0) {
    EProcess result(theta0);
    for (const double value : d)
        result.add(value);
    return result;
}

double e_value(const std::vector<double>& d, double theta0 = 0) {
    return std::exp(process(d, theta0).log_e());
}

std::vector<double> normals(std::uint64_t seed, std::size_t n, double mean, double deviation) {
    Random random(seed);
    std::vector<double> values(n);
    for (double& value : values)
        value = mean + deviation * random.normal();
    return values;
}

/// Log ratios, ties and zeros among them.
rc::Gen<std::vector<double>> log_ratios() {
    return rc::gen::map(rc::gen::container<std::vector<int>>(rc::gen::inRange(-300, 300)),
                        [](std::vector<int> thousandths) {
                            std::vector<double> d;
                            for (const int value : thousandths)
                                d.push_back(value / 1024.0); // exact, so that shifts by such steps are exact too
                            return d;
                        });
}

} // namespace

TEST_CASE("before any pair E is 1") {
    CHECK(EProcess(0).log_e() == Approx(0).margin(1e-15));
    CHECK(SignProcess().log_e() == Approx(0).margin(1e-15));
}

TEST_CASE("the first four pairs bet on the sign in both families") {
    CHECK(e_value({0.02}) == Approx(1.5));              // (1.1 + 1.3 + 1.6 + 2) / 4
    CHECK(e_value({0.02, 0.5}) == Approx(9.46 / 4));    // 1.21 + 1.69 + 2.56 + 4
    CHECK(e_value({0.02, -0.5}) == Approx(2.54 / 4));   // 0.99 + 0.91 + 0.64 + 0
    CHECK(e_value({0.02, 0, 0.5}) == Approx(9.46 / 4)); // sgn 0 = 0
    const EProcess four = process({0.02, 0.5, 0.1, -0.3});
    CHECK(four.log_e_centre() == Approx(four.log_e_median()));
}

TEST_CASE("the fifth pair is scored by the spread of the four before it") {
    // Earlier D 1, 2, 3, 6: median 2.5, deviations 1.5 0.5 0.5 3.5, their median 1, so s = 1.4826. Its score at D
    // = 1.1119 is half of it: 1.1119 / (1.5 * 1.4826) = 0.49998.
    const double d = 0.5 * 1.5 * 1.4826;
    const EProcess five = process({1, 2, 3, 6, d});
    const double centre = (std::pow(1.1, 4) * 1.05 + std::pow(1.3, 4) * 1.15 + std::pow(1.6, 4) * 1.3 + 16 * 1.5) / 4;
    const double median = (std::pow(1.1, 5) + std::pow(1.3, 5) + std::pow(1.6, 5) + 32) / 4;
    CHECK(std::exp(five.log_e_centre()) == Approx(centre));
    CHECK(std::exp(five.log_e_median()) == Approx(median));
    CHECK(std::exp(five.log_e()) == Approx((centre + median) / 2));
}

TEST_CASE("a spread of zero falls back to the sign") {
    const EProcess constant = process(std::vector<double>(6, 0.01));
    CHECK(constant.log_e_centre() == Approx(constant.log_e_median()));
}

TEST_CASE("six unanimous pairs reach 20 and five do not") {
    CHECK(e_value(std::vector<double>(5, 0.01)) < 20);
    CHECK(e_value(std::vector<double>(6, 0.01)) >= 20);
    SignProcess signs;
    for (int i = 0; i < 6; ++i)
        signs.add(1);
    CHECK(std::exp(signs.log_e()) == Approx(e_value(std::vector<double>(6, 0.01))));
}

TEST_CASE("a constant difference reaches 40 in seven pairs and 100 in nine") {
    EProcess constant(0.01);
    std::size_t forty = 0, hundred = 0;
    while (hundred == 0) {
        constant.add(0.05);
        if (forty == 0 && constant.log_e() >= std::log(40))
            forty = constant.size();
        if (constant.log_e() >= std::log(100))
            hundred = constant.size();
    }
    CHECK(forty == 7);
    CHECK(hundred == 9);
}

TEST_CASE("a value that is no number counts against the claim on either side") {
    CHECK(e_value({not_a_number}) == Approx(0.5)); // (0.9 + 0.7 + 0.4 + 0) / 4
    CHECK(e_value({not_a_number}, -infinity) == Approx(0.5));
    const std::vector<double> d = normals(3, 30, 0.05, 0.03);
    std::vector<double> with_nan = d;
    with_nan.insert(with_nan.begin() + 10, not_a_number);
    CHECK(e_value(with_nan) < e_value(d));
    CHECK(std::isfinite(process(std::vector<double>(50, not_a_number)).log_e()));
}

TEST_CASE("infinite differences count by their sign and leave the spread alone") {
    std::vector<double> d = normals(4, 20, 0.02, 0.03);
    const EProcess before = process(d);
    d.push_back(infinity);
    CHECK(process(d).log_e() > before.log_e());
    d.back() = -infinity;
    CHECK(process(d).log_e() < before.log_e());
    d.push_back(0.02);
    CHECK(std::isfinite(process(d).log_e()));
}

TEST_CASE("the evidence depends on D - theta0 alone, in either direction") {
    CHECK(rc::check("a shifted claim, and a shifted claim on exchanged arms", [] {
        const auto d = *log_ratios();
        const double theta0 = *rc::gen::inRange(-50, 50) / 1024.0;
        EProcess forward(theta0), shifted(0), exchanged(-theta0), exchanged_shifted(0);
        for (const double value : d) {
            forward.add(value);
            shifted.add(value - theta0);
            exchanged.add(-value);
            exchanged_shifted.add(theta0 - value);
        }
        RC_ASSERT(std::abs(forward.log_e() - shifted.log_e()) < 1e-9);
        RC_ASSERT(std::abs(exchanged.log_e() - exchanged_shifted.log_e()) < 1e-9);
    }));
}

TEST_CASE("a common factor on all differences changes nothing") {
    CHECK(rc::check("scale invariance at theta0 = 0", [] {
        const auto d = *log_ratios();
        const double factor = *rc::gen::element(0.25, 0.5, 2.0, 1024.0);
        EProcess plain(0), scaled(0);
        for (const double value : d) {
            plain.add(value);
            scaled.add(factor * value);
        }
        RC_ASSERT(plain.log_e() == scaled.log_e());
        RC_ASSERT(plain.can_reach(std::log(20), 200) == scaled.can_reach(std::log(20), 200));
    }));
}

TEST_CASE("a bolder claim never has more evidence") {
    CHECK(rc::check([] {
        const auto d = *log_ratios();
        const double low = *rc::gen::inRange(-300, 300) / 1024.0, step = *rc::gen::inRange(0, 100) / 4096.0;
        RC_ASSERT(process(d, low + step).log_e() <= process(d, low).log_e() + 1e-9);
    }));
}

TEST_CASE("the mixture is the mean of its families") {
    CHECK(rc::check([] {
        const EProcess seen = process(*log_ratios());
        const double mean = (std::exp(seen.log_e_centre()) + std::exp(seen.log_e_median())) / 2;
        RC_ASSERT(std::abs(seen.log_e() - std::log(mean)) < 1e-9);
    }));
}

TEST_CASE("under a fair coin the expected E is 1") {
    // Exactly, over all 2^10 orders of arms: the heart of validity.
    const std::vector<double> sizes = {0.01, 0.03, 0.02, 0.3, 0.01, 0.05, 0.0, 0.02, 0.07, 0.01};
    double sum = 0;
    for (unsigned coins = 0; coins < 1024; ++coins) {
        EProcess outcome(0);
        for (std::size_t i = 0; i < sizes.size(); ++i)
            outcome.add((coins >> i & 1U) != 0 ? sizes[i] : -sizes[i]);
        sum += std::exp(outcome.log_e());
    }
    CHECK(sum / 1024 == Approx(1));
}

TEST_CASE("giving up") {
    SECTION("noise without effect cannot reach the threshold") {
        std::vector<double> d;
        for (int i = 0; i < 60; ++i)
            d.push_back(i % 2 == 0 ? 0.01 : -0.01);
        CHECK_FALSE(process(d).can_reach(std::log(100), 200));
    }
    SECTION("no difference at all cannot") {
        CHECK_FALSE(process(std::vector<double>(12, 0)).can_reach(std::log(100), 200));
        CHECK_FALSE(process(std::vector<double>(12, -0.01)).can_reach(std::log(100), 200));
    }
    SECTION("a steady gain can, if the cap leaves room") {
        CHECK(process(std::vector<double>(4, 0.01)).can_reach(std::log(100), 200));
        CHECK_FALSE(process(std::vector<double>(4, 0.01)).can_reach(std::log(100), 5));
    }
    SECTION("what has been reached can be reached") {
        CHECK(process(std::vector<double>(12, 0.01)).can_reach(std::log(100), 12));
    }
    SECTION("before two pairs nothing is known") {
        CHECK(EProcess(0).can_reach(std::log(100), 200));
        CHECK_FALSE(EProcess(0).can_reach(std::log(100), 0));
    }
}

TEST_CASE("the running spread is the scaled median absolute deviation of the latest 200 values") {
    Random random(11);
    Spread spread;
    std::vector<double> all;
    for (int i = 0; i < 700; ++i) {
        // Ties and jumps of scale, so that values leave and enter at either end.
        const double value = i % 7 == 0 ? 0.25 : random.normal() * (i / 100 % 2 == 0 ? 1 : 20);
        all.push_back(value);
        spread.add(value);
        const std::size_t kept = std::min<std::size_t>(all.size(), 200);
        CHECK(spread.scale() ==
              Approx(1.4826 * median_absolute_deviation({all.end() - static_cast<long>(kept), all.end()})));
    }
    spread.add(not_a_number);
    spread.add(infinity);
    CHECK(spread.size() == 200);
}

TEST_CASE("median and deviation") {
    CHECK(median({3, 1, 2}) == 2);
    CHECK(median({4, 1, 2, 3}) == 2.5);
    CHECK(std::isnan(median({})));
    CHECK(std::isnan(median({1, not_a_number})));
    CHECK(median_absolute_deviation({1, 2, 3, 6}) == 1);
    CHECK(std::isnan(median_absolute_deviation({})));
}

TEST_CASE("Hodges-Lehmann is the median of pairwise means") {
    CHECK(hodges_lehmann({5}) == 5);
    CHECK(hodges_lehmann({1, 2, 6}) == Approx(2.75)); // 1 1.5 2 3.5 4 6
    CHECK(std::isnan(hodges_lehmann({})));
    CHECK(std::isnan(hodges_lehmann({1, infinity})));
    CHECK(rc::check("shifts with the data, and mirrors", [] {
        const auto d = *rc::gen::nonEmpty(log_ratios());
        auto shifted = d, mirrored = d;
        for (double& value : shifted)
            value += 0.25;
        for (double& value : mirrored)
            value = -value;
        RC_ASSERT(hodges_lehmann(shifted) == hodges_lehmann(d) + 0.25);
        RC_ASSERT(hodges_lehmann(mirrored) == -hodges_lehmann(d));
    }));
}

TEST_CASE("the interval holds the true centre and shrinks with the rounds") {
    double previous = infinity;
    for (const std::size_t n : {10U, 40U, 160U, 300U}) {
        const Interval interval = confidence_sequence(normals(21, n, 0.03, 0.04), 0.1);
        CHECK(interval.low < 0.03);
        CHECK(interval.high > 0.03);
        CHECK(interval.high - interval.low < previous);
        previous = interval.high - interval.low;
    }
    CHECK(previous < 0.03);
}

TEST_CASE("the ends of the interval are where the test changes its mind") {
    const std::vector<double> d = normals(22, 80, 0.03, 0.04);
    const Interval interval = confidence_sequence(d, 0.1);
    CHECK(e_value(d, interval.low - 1e-6) >= 20);
    CHECK(e_value(d, interval.low + 1e-6) < 20);
    std::vector<double> mirrored = d;
    for (double& value : mirrored)
        value = -value;
    CHECK(e_value(mirrored, -interval.high - 1e-6) >= 20);
    CHECK(e_value(mirrored, -interval.high + 1e-6) < 20);
}

TEST_CASE("too few rounds know nothing") {
    for (const std::size_t n : {0U, 1U, 5U}) {
        const Interval interval = confidence_sequence(normals(23, n, 0.03, 0.01), 0.1);
        CHECK(interval.low == -infinity);
        CHECK(interval.high == infinity);
    }
    const Interval unknown = confidence_sequence({0.1, not_a_number, 0.1, 0.1, 0.1, 0.1, 0.1}, 0.1);
    CHECK(unknown.low == -infinity);
    CHECK(unknown.high == infinity);
}

TEST_CASE("equal differences collapse the interval") {
    for (const double value : {0.0, 0.05, -3.0, 1e-5}) {
        const Interval interval = confidence_sequence(std::vector<double>(12, value), 0.1);
        CHECK(interval.low == value);
        CHECK(interval.high == value);
    }
}

TEST_CASE("the interval is in order and mirrors with the data") {
    CHECK(rc::check([] {
        const auto d = *log_ratios();
        auto mirrored = d;
        for (double& value : mirrored)
            value = -value;
        const Interval plain = confidence_sequence(d, 0.1), mirror = confidence_sequence(mirrored, 0.1);
        RC_ASSERT(plain.low <= plain.high);
        RC_ASSERT(mirror.low == -plain.high);
        RC_ASSERT(mirror.high == -plain.low);
    }));
}

TEST_CASE("randomness is the same everywhere") {
    // The published test vector of splitmix64 from seed 1234567 (its first outputs) seeds xoshiro256**, whose first
    // result is rotl(s1 * 5, 7) * 9.
    const std::uint64_t s1 = 3203168211198807973ULL;
    const std::uint64_t product = s1 * 5;
    CHECK(Random(1234567).next() == ((product << 7) | (product >> 57)) * 9);
    Random a(42), b(42);
    for (int i = 0; i < 100; ++i)
        CHECK(a.normal() == b.normal());
}

TEST_CASE("streams are told apart by seed and by label") {
    std::set<std::uint64_t> seeds;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
        for (const char* label : {"", "coin", "order", "trial/1", "trial/2"})
            seeds.insert(derive(seed, label));
    CHECK(seeds.size() == 500);
    CHECK(derive(7, "coin") == derive(7, "coin"));
}

TEST_CASE("random numbers have their distribution") {
    Random random(5);
    double sum = 0, squares = 0;
    int heads = 0;
    std::vector<int> counts(7);
    for (int i = 0; i < 70000; ++i) {
        const double normal = random.normal(), uniform = random.uniform();
        sum += normal;
        squares += normal * normal;
        heads += random.coin() ? 1 : 0;
        ++counts[random.below(7)];
        if (uniform < 0 || uniform >= 1)
            FAIL("uniform out of range");
    }
    CHECK(std::abs(sum / 70000) < 0.02);
    CHECK(std::abs(squares / 70000 - 1) < 0.03);
    CHECK(std::abs(heads - 35000) < 700);
    for (const int count : counts)
        CHECK(std::abs(count - 10000) < 500);
    CHECK(random.below(1) == 0);
}

TEST_CASE("a shuffle keeps what it moves") {
    Random random(6);
    std::vector<int> items = {1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<int> shuffled = items;
    random.shuffle(shuffled);
    CHECK(shuffled != items);
    std::sort(shuffled.begin(), shuffled.end());
    CHECK(shuffled == items);
}
