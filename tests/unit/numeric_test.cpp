// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/null_programs.hpp"
#include "core/study/numeric.hpp"
#include "tests/catch.h"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <rapidcheck.h>

using namespace holdfast;
using study::numeric_difference;

namespace {

bool same(std::string_view expected, std::string_view made, double rtol, double atol = 0) {
    return !numeric_difference(expected, made, {rtol, atol, {}, false});
}

} // namespace

TEST_CASE("numbers may differ within the tolerance and nothing else may") {
    CHECK(same("sum 1.0000000 of 3\n", "sum 1.0000001 of 3\n", 1e-6));
    CHECK(same("100", "100.00001", 1e-6)); // the same number in another spelling
    CHECK(same("1e3 -2.50 +4", "1000 -2.5 4.0", 1e-12));
    CHECK(same("x=1.5,y=-0.0", "x=1.5,y=0.0", 1e-12));
    CHECK(same("0.0", "1e-9", 0, 1e-8));
    CHECK(same("", "", 0.1));
    CHECK_FALSE(same("1.0", "1.1", 1e-3));
    CHECK_FALSE(same("0.0", "1e-9", 0.1)); // a share of nothing is nothing
    CHECK_FALSE(same("sum 1.0", "Sum 1.0", 0.1));
    CHECK_FALSE(same("1.0\n2.0\n", "1.0\n", 0.1));
    CHECK_FALSE(same("1.0\n", "1.0\n2.0\n", 0.1));
    CHECK_FALSE(same("1.0 2.0", "1.0  2.0", 0.1));
    CHECK_FALSE(same("10ms", "10us", 0.1));
}

TEST_CASE("what is no number is compared as it is") {
    CHECK_FALSE(same("v1 x", "v2 x", 0.1));    // part of a name
    CHECK_FALSE(same("0x10", "0x11", 0.1));    // no decimal number
    CHECK_FALSE(same("1.2.3", "1.2.4", 0.1));  // a version
    CHECK_FALSE(same("1.0", "nan", 0.1, 1e9)); // NaN is never near
    CHECK_FALSE(same("1.0", "inf", 0.1, 1e9));
    CHECK_FALSE(same("nan", "1.0", 0.1, 1e9));
    CHECK(same("nan inf", "nan inf", 0.1));
    CHECK_FALSE(same("1.0", "1e999", 0.1, 1e300)); // too large for a double
    CHECK_FALSE(same("3-2", "3-1", 0.1));          // 2 and 1 differ by half
    CHECK(same("3-20", "3-21", 0.1));
}

TEST_CASE("the first difference is told with its line") {
    CHECK(numeric_difference("a 1\nb 2\n", "a 1\nb 3\n", {0.1, 0, {}, false}).value() == "line 2: 3 instead of 2");
    CHECK(numeric_difference("a 1\nb\n", "a 1\nc\n", {0.1, 0, {}, false}).value() == "line 2: 'c' instead of 'b'");
    CHECK(numeric_difference("1\n2\n", "1\n", {0.1, 0, {}, false}).value() == "line 2: the end instead of '2'");
    CHECK_THAT(numeric_difference("1", "\x1b[31m", {0.1, 0, {}, false}).value(), !ContainsSubstring("\x1b"));
}

TEST_CASE("a number passes exactly when it is within atol + rtol * |expected|") {
    CHECK(rc::check([] {
        const double expected = static_cast<double>(*rc::gen::inRange(-1'000'000, 1'000'000)) / 64;
        const double rtol = static_cast<double>(*rc::gen::inRange(0, 100)) / 1024;
        const double atol = static_cast<double>(*rc::gen::inRange(0, 100)) / 64;
        const double made = expected + static_cast<double>(*rc::gen::inRange(-2000, 2000)) / 64;
        const bool within = std::abs(made - expected) <= atol + rtol * std::abs(expected);
        RC_ASSERT(same(fmt::format("t {}\n", expected), fmt::format("t {}\n", made), rtol, atol) == within);
    }));
}

TEST_CASE("digits that no double holds are compared too") {
    CHECK_FALSE(same("9007199254740993", "9007199254740992", 0, 0.5));
    CHECK_FALSE(same("9007199254740992", "9007199254740993", 0, 0.5));
    CHECK_FALSE(same("-9007199254740993", "-9007199254740992", 0, 0.999));
    CHECK(same("9007199254740993", "9007199254740992", 0, 1));
    CHECK(same("9007199254740993", "9007199254740993.0", 0, 0.5));
    CHECK(same("9007199254740993", "+09007199254740993", 0, 0.5));
    CHECK(same("9007199254740993", "9.007199254740993e15", 0, 0.5));
    CHECK(same("9007199254740993", "9.007199254740993E+15", 0, 0.5));
    CHECK_FALSE(same("9007199254740993", "9.007199254740994e+15", 0, 0.5));
    CHECK_FALSE(same("18446744073709551615", "18446744073709551616", 0, 0.5));
    CHECK_FALSE(
        same("123456789012345678901234567890123456789012", "123456789012345678901234567890123456789013", 0, 0.5));
    CHECK_FALSE(same("99999999999999999999999", "100000000000000000000000", 0, 0.5));
    CHECK(same("99999999999999999999999", "100000000000000000000000", 0, 1));
    CHECK_FALSE(same("0.10000000000000000001", "0.10000000000000000002", 0, 1e-21));
    CHECK(same("0.10000000000000000001", "0.10000000000000000002", 0, 1e-20));
    CHECK_FALSE(same("1e308", "-1e308", 0, 1e300)); // their distance is no double
    CHECK(same("0", "-0.000e5", 0, 1e-300));
    CHECK(same("1.0", "1.1", 0, 0.1)); // which the doubles of these would not pass
}

TEST_CASE("integers of any size pass exactly when they are within atol") {
    CHECK(rc::check([] {
        const auto expected = *rc::gen::inRange<std::int64_t>(-(std::int64_t{1} << 61), std::int64_t{1} << 61);
        const auto apart = *rc::gen::inRange<std::int64_t>(-600, 600);
        const auto atol = *rc::gen::inRange<std::int64_t>(1, 600);
        RC_ASSERT(same(fmt::format("n {}\n", expected), fmt::format("n {}\n", expected + apart), 0,
                       static_cast<double>(atol)) == (std::abs(apart) <= atol));
    }));
}

TEST_CASE("a number must be finite where the baseline's is, and a NaN equals only a NaN at the same place") {
    CHECK(same("x nan\n", "x NaN\n", 0.1));  // spelled as another library does
    CHECK(same("x nan\n", "x -nan\n", 0.1)); // its sign means nothing
    CHECK(same("inf -inf", "Infinity -INF", 0.1));
    CHECK_FALSE(same("inf", "-inf", 0.1));
    CHECK_FALSE(same("nan", "inf", 0.1));
    CHECK_FALSE(same("nan 1", "1 nan", 0.1, 1e9));
    CHECK_FALSE(same("nanobench 1", "NaNobench 1", 0.1)); // a word that begins with it
    CHECK_FALSE(same("x_nan", "x_NaN", 0.1));
    CHECK(numeric_difference("a\n2.5\n", "a\nnan\n", {0.1, 1e9, {}, false}).value() ==
          "line 2: nan instead of the finite 2.5");
}

TEST_CASE("so many representable doubles apart") {
    const auto near = [](double expected, double made, std::uint64_t ulps) {
        return !numeric_difference(fmt::format("{}\n", expected), fmt::format("{}\n", made), {0, 0, ulps, false});
    };
    const double next = std::nextafter(1.0, 2.0);
    CHECK(near(1.0, next, 1));
    CHECK_FALSE(near(1.0, std::nextafter(next, 2.0), 1));
    CHECK(near(1.0, std::nextafter(next, 2.0), 2));
    CHECK(near(0.0, -0.0, 1));
    constexpr double least = std::numeric_limits<double>::denorm_min();
    CHECK(near(least, -least, 2));
    CHECK_FALSE(near(least, -least, 1));
    CHECK_FALSE(near(std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(), std::uint64_t{1} << 48));
    CHECK(rc::check([&] {
        const double from = static_cast<double>(*rc::gen::inRange(-1'000'000, 1'000'000)) / 4096;
        const int steps = *rc::gen::inRange(0, 40);
        const auto allowed = static_cast<std::uint64_t>(*rc::gen::inRange(1, 40));
        double made = from;
        for (int i = 0; i < steps; ++i)
            made = std::nextafter(made, 1e9);
        RC_ASSERT(near(from, made, allowed) == (static_cast<std::uint64_t>(steps) <= allowed));
    }));
}

TEST_CASE("a share of the reference's range") {
    const auto near = [](std::string_view expected, std::string_view made, double rtol) {
        return !numeric_difference(expected, made, {rtol, 0, {}, true});
    };
    CHECK(near("-50\n0.001\n50\n", "-50\n0.9\n50\n", 0.01)); // a hundredth of 100
    CHECK_FALSE(near("-50\n0.001\n50\n", "-50\n1.1\n50\n", 0.01));
    CHECK_FALSE(near("7\n7\n", "7\n7.1\n", 0.1));       // no range, no tolerance
    CHECK(near("0\nnan\n10\n", "0.5\nnan\n10\n", 0.1)); // what is not finite has no part in it
    CHECK(rc::check([&] {
        const int low = *rc::gen::inRange(-1000, 0), high = *rc::gen::inRange(1, 1000);
        const int value = *rc::gen::inRange(low, high + 1), made = value + *rc::gen::inRange(-200, 201);
        const bool within = std::abs(made - value) * 16 <= high - low;
        RC_ASSERT(near(fmt::format("{} {} {}", low, value, high), fmt::format("{} {} {}", low, made, high), 1.0 / 16) ==
                  within);
    }));
}

TEST_CASE("zeros in the shape of an output") {
    using study::zeros_like;
    CHECK(zeros_like("sum 12.5 of -3e7\n") == "sum 0 of 0\n");
    CHECK(zeros_like("v1.2 done\n") == std::nullopt); // no number of its own
    CHECK(zeros_like("") == std::nullopt);
    CHECK(zeros_like(std::string("a\0b", 3)) == std::string(3, '\0'));
}
