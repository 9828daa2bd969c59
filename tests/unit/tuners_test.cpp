// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.h"
#include "tests/recorded_space.hpp"
#include "tuners/lattice.hpp"
#include "tuners/tuners.hpp"

#include <rapidcheck.h>

#include <cmath>
#include <limits>

namespace holdfast {
namespace {

using study::SearchSpace;

constexpr double two_to_53 = 9007199254740992.0;

Knob integer(std::string name, double min, double max, bool log_scale = false) {
    Knob knob;
    knob.name = std::move(name);
    knob.min = min;
    knob.max = max;
    knob.log_scale = log_scale;
    knob.default_value = static_cast<std::int64_t>(min);
    return knob;
}

Knob real(std::string name, double min, double max, bool log_scale = false) {
    Knob knob = integer(std::move(name), 0, 0, log_scale);
    knob.type = Knob::Type::real;
    knob.min = min;
    knob.max = max;
    knob.default_value = min;
    return knob;
}

Knob boolean(std::string name) {
    Knob knob;
    knob.name = std::move(name);
    knob.type = Knob::Type::boolean;
    knob.default_value = false;
    return knob;
}

Knob categorical(std::string name, std::vector<std::string> values) {
    Knob knob;
    knob.name = std::move(name);
    knob.type = Knob::Type::categorical;
    knob.default_value = values.front();
    knob.values = std::move(values);
    return knob;
}

bool everything(const Configuration&) {
    return true;
}

std::int64_t whole(const Configuration& point, const std::string& name) {
    return std::get<std::int64_t>(point.at(name));
}

bool in_domain(const Knob& knob, const Value& value) {
    switch (knob.type) {
    case Knob::Type::boolean:
        return std::holds_alternative<bool>(value);
    case Knob::Type::categorical: {
        const auto* word = std::get_if<std::string>(&value);
        return word && std::find(knob.values.begin(), knob.values.end(), *word) != knob.values.end();
    }
    case Knob::Type::real: {
        const auto* number = std::get_if<double>(&value);
        return number && *number >= knob.min && *number <= knob.max;
    }
    case Knob::Type::integer:
        break;
    }
    const auto* number = std::get_if<std::int64_t>(&value);
    return number && static_cast<double>(*number) >= knob.min && static_cast<double>(*number) <= knob.max;
}

bool inside(const SearchSpace& space, const Configuration& point) {
    return point.size() == space.knobs.size() &&
           std::all_of(space.knobs.begin(), space.knobs.end(), [&](const Knob& knob) {
               const auto found = point.find(knob.name);
               return found != point.end() && in_domain(knob, found->second);
           });
}

/// Some answer that depends on nothing but the configuration; about one in eight fails.
std::optional<double> answer(const Configuration& point) {
    const std::uint64_t hash = stats::derive(7, to_text(point));
    if (hash % 8 == 0)
        return std::nullopt;
    return static_cast<double>(hash >> 11) * 0x1p-53 - 0.5;
}

std::vector<Configuration> proposals(const std::string& tuner, const SearchSpace& space, std::uint64_t seed,
                                     std::size_t most) {
    const auto searching = tuners::make(tuner, space, seed).value();
    std::vector<Configuration> result;
    while (result.size() < most) {
        const auto point = searching->propose();
        if (!point)
            break;
        result.push_back(*point);
        searching->tell(answer(*point));
    }
    return result;
}

bool all_different(const std::vector<Configuration>& points) {
    return std::set<Configuration>(points.begin(), points.end()).size() == points.size();
}

/// A space of up to four small knobs of every type, with a constraint that lets about `share` in 4 of it through.
SearchSpace small_space() {
    SearchSpace space;
    const int knobs = *rc::gen::inRange(1, 5);
    for (int i = 0; i < knobs; ++i) {
        const std::string name = "k" + std::to_string(i);
        switch (*rc::gen::inRange(0, 4)) {
        case 0:
            space.knobs.push_back(boolean(name));
            break;
        case 1:
            space.knobs.push_back(categorical(name, {"a", "b", "c"}));
            break;
        case 2: {
            const int min = *rc::gen::inRange(-20, 20);
            space.knobs.push_back(integer(name, min, min + *rc::gen::inRange(0, 6)));
            break;
        }
        default: {
            const int min = *rc::gen::inRange(1, 9);
            space.knobs.push_back(integer(name, min, min * *rc::gen::inRange(1, 4), true));
        }
        }
    }
    const auto share = static_cast<std::uint64_t>(*rc::gen::inRange(0, 5));
    space.feasible = [share](const Configuration& point) { return stats::derive(3, to_text(point)) % 4 < share; };
    return space;
}

std::size_t feasible_points(const SearchSpace& space) {
    const tuners::Lattice lattice(space);
    const std::uint64_t count = lattice.count(1'000'000).value();
    std::size_t feasible = 0;
    for (std::uint64_t number = 0; number < count; ++number)
        feasible += space.feasible(lattice.at(number)) ? 1 : 0;
    return feasible;
}

} // namespace

TEST_CASE("a small space is proposed exactly once over, feasible and inside its domains") {
    CHECK(rc::check([] {
        const SearchSpace space = small_space();
        const std::string tuner = *rc::gen::elementOf(tuners::names());
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        const auto points = proposals(tuner, space, seed, 10'000);
        for (const Configuration& point : points) {
            RC_ASSERT(inside(space, point));
            RC_ASSERT(space.feasible(point));
        }
        RC_ASSERT(all_different(points));
        RC_ASSERT(points.size() == feasible_points(space));
    }));
}

TEST_CASE("the same seed and answers give the same proposals, another seed others") {
    SearchSpace space{
        {integer("a", 1, 1 << 20, true), real("b", -1, 1), categorical("c", {"x", "y", "z"}), boolean("d")},
        [](const Configuration& point) { return whole(point, "a") % 3 != 0; }};
    for (const std::string& tuner : tuners::names()) {
        CAPTURE(tuner);
        const auto points = proposals(tuner, space, 11, 120);
        CHECK(points == proposals(tuner, space, 11, 120));
        CHECK(points != proposals(tuner, space, 12, 120));
        CHECK(points.size() == 120);
        CHECK(all_different(points));
    }
}

TEST_CASE("a proposal that is never answered counts as failed") {
    const SearchSpace space{{integer("a", 0, 9)}, everything};
    const auto silent = tuners::make("local", space, 5).value();
    const auto failing = tuners::make("local", space, 5).value();
    for (int i = 0; i < 11; ++i) {
        CHECK(silent->propose() == failing->propose());
        failing->tell(std::nullopt);
    }
    CHECK(!silent->propose());
    CHECK(!silent->propose());
}

TEST_CASE("local search proposes the defaults first, unless they are infeasible") {
    SearchSpace space{{integer("a", 1, 1000, true), boolean("b")}, everything};
    space.knobs[0].default_value = std::int64_t{77};
    CHECK(proposals("local", space, 1, 1).at(0) == Configuration{{"a", std::int64_t{77}}, {"b", false}});
    space.feasible = [](const Configuration& point) { return whole(point, "a") > 500; };
    const auto points = proposals("local", space, 1, 50);
    CHECK(points.size() == 50);
    CHECK(std::all_of(points.begin(), points.end(), space.feasible));
}

TEST_CASE("levels are even in the knob's scale, with both ends and the default") {
    CHECK(tuners::levels(integer("a", 3, 7)) == std::vector<double>{3, 4, 5, 6, 7});
    CHECK(tuners::levels(integer("a", 5, 5)) == std::vector<double>{5});
    CHECK(tuners::levels(integer("a", 6, 5)).empty());
    CHECK(tuners::levels(integer("a", 0, 150)) ==
          std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150});
    CHECK(tuners::levels(integer("a", 1, 32768, true)) ==
          std::vector<double>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768});
    CHECK(tuners::levels(integer("a", 1, 32, true)) ==
          std::vector<double>{1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32});

    Knob knob = integer("a", 0, 150);
    knob.default_value = std::int64_t{64};
    CHECK(tuners::levels(knob) ==
          std::vector<double>{0, 10, 20, 30, 40, 50, 64, 70, 80, 90, 100, 110, 120, 130, 140, 150});
    knob.default_value = std::int64_t{149}; // an end is not given up for it
    CHECK(tuners::levels(knob) ==
          std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 149, 150});
    knob.default_value = std::int64_t{151}; // outside of the domain
    CHECK(tuners::levels(knob).size() == 16);

    const auto reals = tuners::levels(real("r", 1e-3, 1e3, true));
    REQUIRE(reals.size() == tuners::max_levels);
    CHECK(reals.front() == 1e-3);
    CHECK(reals.back() == 1e3);
    for (std::size_t i = 1; i < reals.size(); ++i)
        CHECK(reals[i] / reals[i - 1] == Approx(std::pow(10, 0.4)));
}

TEST_CASE("levels stay in the domain, ascend and hold both ends and the default, whatever the range") {
    CHECK(rc::check([] {
        const bool log_scale = *rc::gen::arbitrary<bool>();
        const auto bound = std::int64_t{1} << *rc::gen::inRange(1, 54);
        const auto a = *rc::gen::inRange<std::int64_t>(log_scale ? 1 : -bound, bound + 1);
        const auto b = *rc::gen::inRange<std::int64_t>(log_scale ? 1 : -bound, bound + 1);
        Knob knob = integer("a", static_cast<double>(std::min(a, b)), static_cast<double>(std::max(a, b)), log_scale);
        const auto middle = *rc::gen::inRange<std::int64_t>(std::min(a, b), std::max(a, b) + 1);
        knob.default_value = middle;
        const auto all = tuners::levels(knob);
        RC_ASSERT(!all.empty() && all.size() <= tuners::max_levels);
        RC_ASSERT(std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()) == all.end());
        RC_ASSERT(all.front() == knob.min && all.back() == knob.max);
        RC_ASSERT(std::binary_search(all.begin(), all.end(), static_cast<double>(middle)));
        RC_ASSERT(std::all_of(all.begin(), all.end(), [](double level) { return level == std::round(level); }));
    }));
}

TEST_CASE("neighbours differ in one knob and snap to what a constraint allows") {
    SearchSpace space{{integer("rows", 64, 8192, true), categorical("c", {"x", "y", "z"}), boolean("b")},
                      [](const Configuration& point) { return whole(point, "rows") % 64 == 0; }};
    const tuners::Lattice lattice(space);
    std::set<std::int64_t> rows;
    Configuration point = {{"rows", std::int64_t{64}}, {"c", std::string("y")}, {"b", true}};
    for (bool higher = true; higher;) {
        higher = false;
        rows.insert(whole(point, "rows"));
        int words = 0, flags = 0;
        const Configuration here = point;
        for (const Configuration& near : lattice.neighbours(here)) {
            CHECK(space.feasible(near));
            int changed = 0;
            for (const auto& [name, value] : near)
                changed += value != here.at(name) ? 1 : 0;
            CHECK(changed == 1);
            words += near.at("c") != here.at("c") ? 1 : 0;
            flags += near.at("b") != here.at("b") ? 1 : 0;
            if (whole(near, "rows") > whole(here, "rows")) {
                point = near;
                higher = true;
            }
        }
        CHECK(words == 2);
        CHECK(flags == 1);
    }
    // 16 levels by a factor of 1.38; those below 128 snap to 64 or 128.
    CHECK(rows ==
          std::set<std::int64_t>{64, 128, 192, 256, 320, 448, 640, 832, 1152, 1600, 2240, 3072, 4288, 5952, 8192});
}

TEST_CASE("a constraint that leaves one point or none") {
    for (const std::string& tuner : tuners::names()) {
        CAPTURE(tuner);
        SearchSpace space{{integer("a", 1, 300), integer("b", 1, 300)}, [](const Configuration& point) {
                              return whole(point, "a") == 217 && whole(point, "b") == 3;
                          }};
        CHECK(proposals(tuner, space, 4, 10) ==
              std::vector<Configuration>{{{"a", std::int64_t{217}}, {"b", std::int64_t{3}}}});
        space.feasible = [](const Configuration&) { return false; };
        CHECK(proposals(tuner, space, 4, 10).empty());
        // Too many to enumerate: the search ends all the same.
        space.knobs.push_back(real("r", 0, 1));
        CHECK(proposals(tuner, space, 4, 10).empty());
    }
}

TEST_CASE("knobs with one value, no value, and a space without knobs") {
    for (const std::string& tuner : tuners::names()) {
        CAPTURE(tuner);
        CHECK(
            proposals(tuner, {{integer("a", 7, 7), real("r", 0.5, 0.5), categorical("c", {"x"})}, everything}, 1, 10) ==
            std::vector<Configuration>{{{"a", std::int64_t{7}}, {"r", 0.5}, {"c", std::string("x")}}});
        CHECK(proposals(tuner, {{integer("a", 0.2, 0.8), real("r", 0, 1)}, everything}, 1, 10).empty());
        CHECK(proposals(tuner, {{integer("a", 0.2, 2.8)}, everything}, 1, 10).size() == 2);
        CHECK(proposals(tuner, {{}, everything}, 1, 10) == std::vector<Configuration>{Configuration{}});
    }
}

TEST_CASE("huge ranges") {
    const SearchSpace space{{integer("a", -two_to_53, two_to_53), integer("b", 1, two_to_53, true),
                             integer("c", two_to_53 - 1, two_to_53),
                             real("r", -std::numeric_limits<double>::max(), std::numeric_limits<double>::max()),
                             real("s", 1e-300, 1e300, true)},
                            everything};
    for (const std::string& tuner : tuners::names()) {
        CAPTURE(tuner);
        const auto points = proposals(tuner, space, 9, 300);
        CHECK(points.size() == 300);
        CHECK(all_different(points));
        CHECK(std::all_of(points.begin(), points.end(),
                          [&](const Configuration& point) { return inside(space, point); }));
    }
}

TEST_CASE("a constraint that hardly ever holds, in a space too large to enumerate") {
    const auto multiple = [](const Configuration& point, const char* name) { return whole(point, name) % 4096 == 0; };
    SearchSpace space{{integer("a", 4096, 1 << 24, true), integer("b", 4096, 1 << 24, true), integer("c", 0, 1 << 24)},
                      [&](const Configuration& point) {
                          return multiple(point, "a") && multiple(point, "b") && multiple(point, "c");
                      }};
    for (const std::string& tuner : tuners::names()) {
        CAPTURE(tuner);
        const auto points = proposals(tuner, space, 2, 40);
        CHECK(points.size() == 40);
        CHECK(all_different(points));
        CHECK(std::all_of(points.begin(), points.end(), space.feasible));
    }
}

TEST_CASE("random search is uniform in the knob's scale") {
    const SearchSpace space{{integer("l", 1, 1'000'000, true), integer("u", 0, 1'000'000), real("r", 1e-6, 1, true)},
                            everything};
    int low_l = 0, low_u = 0, low_r = 0;
    for (const Configuration& point : proposals("random", space, 21, 4000)) {
        low_l += whole(point, "l") <= 1000 ? 1 : 0;
        low_u += whole(point, "u") < 500'000 ? 1 : 0;
        low_r += std::get<double>(point.at("r")) < 1e-3 ? 1 : 0;
    }
    // Half of 4000 each, standard deviation 32. A logarithmic integer starts at 0.5: 0.52 of it is up to 1000.
    CHECK(std::abs(low_l - 2095) < 160);
    CHECK(std::abs(low_u - 2000) < 160);
    CHECK(std::abs(low_r - 2000) < 160);
}

TEST_CASE("an unknown tuner is refused with the nearest name") {
    const SearchSpace space{{boolean("b")}, everything};
    const auto none = tuners::make("locl", space, 1);
    REQUIRE(!none);
    CHECK(none.error().kind == Error::Kind::invalid);
    CHECK_THAT(none.error().message(), ContainsSubstring("\"local\"") && ContainsSubstring("locl"));
    CHECK(!tuners::make("", space, 1));
    CHECK(tuners::names() == std::vector<std::string>{"local", "random"});
}

TEST_CASE("on recorded kernel spaces local search comes near to the optimum in 100 evaluations, and random less so") {
    constexpr int seeds = 50;
    double local = 0, random = 0;
    for (const std::string& name : tests::recorded_names) {
        const tests::RecordedSpace recorded(tests::recorded_path(name), tests::Offered::numbers);
        for (int seed = 1; seed <= seeds; ++seed) {
            const auto with = static_cast<std::uint64_t>(seed);
            local += tests::tune(recorded, "local", 100, with).back();
            random += tests::tune(recorded, "random", 100, with).back();
        }
    }
    const double runs = seeds * static_cast<double>(tests::recorded_names.size());
    INFO("local " << local / runs << ", random " << random / runs);
    CHECK(local / runs >= 0.90);
    CHECK(local / runs >= random / runs + 0.05);
    CHECK(random / runs >= 0.80);
}

} // namespace holdfast
