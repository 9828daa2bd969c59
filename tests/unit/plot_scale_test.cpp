// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/plot_scale.hpp"
#include "core/review/report_figures.hpp"
#include "core/review/svg.hpp"
#include "tests/catch.h"

#include <rapidcheck.h>

#include <cmath>
#include <limits>

using namespace holdfast::review;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

EffectView effect(double estimate, double low, double high) {
    EffectView view;
    view.estimate = estimate;
    view.low = low;
    view.high = high;
    return view;
}

} // namespace

TEST_CASE("a range of effects holds zero, the band and every estimate, whatever the ends of intervals are") {
    CHECK(rc::check("range of effects", [] {
        const auto estimate = [] { return *rc::gen::inRange(-900, 900) / 1000.0; };
        const double a = estimate(), b = estimate();
        const PlotRange range =
            effect_range(0.01, {effect(a, -infinity, infinity), effect(b, std::nan(""), b)}, {{a, b, infinity}, {}});
        RC_ASSERT(std::isfinite(range.low) && std::isfinite(range.high));
        RC_ASSERT(range.low < std::min({a, b, -0.01}));
        RC_ASSERT(range.high > std::max({a, b, 0.01}));
    }));
}

TEST_CASE("a range of values has a width, also of equal ones and of none") {
    for (const std::vector<double>& values :
         {std::vector<double>{}, {3, 3, 3}, {0}, {-1, 5}, {infinity, std::nan("")}}) {
        const PlotRange range = value_range({values, {}});
        CHECK(range.low < range.high);
        for (const double value : values)
            if (std::isfinite(value)) {
                CHECK(range.low < value);
                CHECK(value < range.high);
            }
    }
}

TEST_CASE("ticks are round numbers inside the range") {
    CHECK(round_ticks({0.9, 5.2}, 5) == std::vector<double>{1, 2, 3, 4, 5});
    CHECK(round_ticks({-0.11, 0.05}, 4).size() == 4); // −10, −5, 0 and +5 %
    CHECK(change_tick(-0.1, 0.05) == "−10 %");
}

TEST_CASE("an empirical distribution rises to one in as many steps as there are finite values") {
    const auto steps = ecdf({3, 1, std::nan(""), 2, infinity});
    REQUIRE(steps.size() == 3);
    CHECK(steps[0].value == 1);
    CHECK(steps[0].share == Approx(1.0 / 3));
    CHECK(steps[2].value == 3);
    CHECK(steps[2].share == 1);
    CHECK(ecdf({}).empty());
}

TEST_CASE("small times and large sizes are shown in units with few digits") {
    CHECK(display_unit("s", 0.25).name == "ms");
    CHECK(display_unit("s", 2e-5).factor == 1e6);
    CHECK(display_unit("s", 3).name == "s");
    CHECK(display_unit("B", 5e6).name == "MiB");
    CHECK(display_unit("rows", 0.1).name == "rows");
}

TEST_CASE("the ticks of a distribution are numbers as people write them") {
    Sheet sheet;
    sheet.metric = "rows";
    WorkloadRow row;
    row.baseline = {150'000, 152'000, 158'000};
    row.candidate = {160'000, 165'000, 170'000};
    const std::string large = ecdf_figure(sheet, row, "a");
    CHECK_THAT(large, ContainsSubstring(">160000</text>"));
    CHECK(large.find("e+") == std::string::npos);
    row.baseline = {0.001, 0.0012};
    row.candidate = {0.0013, 0.0014};
    CHECK_THAT(ecdf_figure(sheet, row, "a"), ContainsSubstring(">0.0012</text>"));
    row.baseline = {1e12};
    row.candidate = {2e12};
    CHECK_THAT(ecdf_figure(sheet, row, "a"), ContainsSubstring("e+12</text>"));
}

TEST_CASE("a drawing keeps its texts as texts and its numbers short") {
    Svg svg("d", 10, 20, "a <b>", "\u202e");
    svg.line(0, 1.0 / 3, -0.001, 2, "grid");
    svg.text(1, 2, "</svg>", "tick", Svg::Anchor::end);
    const std::string markup = svg.markup();
    CHECK_THAT(markup, ContainsSubstring("<title id=\"d-title\">a &lt;b&gt;</title>"));
    CHECK_THAT(markup, ContainsSubstring("x1=\"0\" y1=\"0.33\" x2=\"0\" y2=\"2\""));
    CHECK_THAT(markup, ContainsSubstring(">&lt;/svg&gt;</text>"));
    CHECK(markup.find("\u202e") == std::string::npos);
}
