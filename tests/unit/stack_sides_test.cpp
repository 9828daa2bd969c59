// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/stack.hpp"
#include "tests/catch.h"

#include <cmath>

using namespace holdfast;

namespace {

/// Log ratios, positive: better. A minimum effect of 1 %.
study::StackSide side(double claimed, double estimate, double low, double high) {
    study::Stack stack;
    stack.claimed_tuning = claimed;
    study::Measured measured;
    measured.tuning.emplace();
    measured.tuning->objective.estimate = estimate;
    measured.tuning->objective.interval = {low, high};
    measured.tuning->objective.rounds = 40;
    const auto sides = study::stack_sides(stack, measured, Better::lower, 0.01);
    REQUIRE(sides.size() == 1);
    return sides.front();
}

} // namespace

TEST_CASE("a sum of claims that differs in its last digits is confirmed") {
    const double claimed = -std::log(0.72), below = std::nextafter(claimed, 0);
    const study::StackSide same = side(claimed, below, below, below);
    CHECK(same.confirmed);
    CHECK_THAT(same.text, ContainsSubstring("confirmed"));
}

TEST_CASE("less than was claimed is told when it is shown and worth as much as a proposal") {
    CHECK(side(0.3, 0.295, 0.294, 0.296).confirmed); // shown, by half a percent
    CHECK(side(0.3, 0.25, 0.19, 0.31).confirmed);    // not shown
    const study::StackSide less = side(0.3, 0.28, 0.279, 0.281);
    CHECK_FALSE(less.confirmed);
    CHECK_THAT(less.text, ContainsSubstring("better, by less than claimed"));
    const study::StackSide none = side(0.3, 0.28, -0.01, 0.6);
    CHECK_FALSE(none.confirmed);
    CHECK_THAT(none.text, ContainsSubstring("not shown to be better"));
}
