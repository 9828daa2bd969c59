// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/forecast.hpp"

#include "tests/catch.h"

#include <limits>

using namespace holdfast;
using namespace holdfast::study;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

/// Two tuning workloads and a held-out one, one knob, 100 pairs at most, 30 held-out rounds.
Project some_project() {
    Project project;
    for (const char* name : {"a", "b", "unseen"}) {
        Workload workload;
        workload.name = name;
        workload.role = workload.name == "unseen" ? Role::holdout : Role::tuning;
        project.workloads.push_back(workload);
    }
    Knob knob;
    knob.name = "size";
    project.knobs.push_back(knob);
    project.decision.max_pairs = 100;
    project.decision.holdout_pairs = 30;
    project.decision.max_confirmations = 3;
    return project;
}

Options some_options(int trials = 0) {
    Options options;
    options.trials = trials;
    options.leaders = 2;
    return options;
}

/// Tells a forecast of a study one step after another, a second apart, and checks that no step makes it worse.
struct Follower {
    Forecast forecast;
    Clock::time_point now{};
    Remaining before{std::chrono::nanoseconds::max(), std::chrono::nanoseconds::max()};

    std::optional<Remaining> see(const Progress& progress) {
        forecast.see(progress, now += 1s);
        return forecast.remaining();
    }
    /// All steps of a phase, each as long as `each`; the last step has nothing left of it.
    Remaining follow(const std::string& phase, std::int64_t trial, std::size_t total, std::chrono::nanoseconds each) {
        for (std::size_t done = 0; done <= total; ++done) {
            const auto left = see({phase, trial, done, total, each});
            CAPTURE(phase, trial, done, total);
            REQUIRE(left);
            CHECK(left->least <= left->most);
            CHECK(left->most <= before.most);
            if (done > 0)
                CHECK(left->least <= before.least);
            before = *left;
        }
        return before;
    }
};

} // namespace

TEST_CASE("nothing is foreseen before a round was timed") {
    Follower study{Forecast(some_project(), some_options(), 1)};
    CHECK(study.forecast.elapsed(study.now) == 0s);
    CHECK_FALSE(study.forecast.remaining());
    CHECK_FALSE(study.see({"build", 0, 0, 0, 0s}));
    CHECK_FALSE(study.see({"pin outputs", 0, 1, 3, 0s}));
    CHECK_FALSE(study.see({"opening", 0, 0, 12, 0s}));
    CHECK(study.see({"opening", 0, 1, 12, 3s}));
    CHECK(study.forecast.elapsed(study.now) == 3s);
    CHECK(study.forecast.elapsed(study.now + 5s) == 8s);
}

TEST_CASE("queued candidates take at least their screens and at most every cap") {
    Follower study{Forecast(some_project(), some_options(), 2)};
    // Three workloads in 3 s: a tuning round takes 2 s, a held-out one 1 s.
    const auto first = study.see({"opening", 0, 2, 12, 3s});
    REQUIRE(first);
    CHECK(first->least == 10 * 3s + 2 * 6 * 2s);
    const auto whole = (1 + 6) * 2s + (1 + 100 + 20) * 2s + (1 + 30) * 1s;
    CHECK(first->most == 10 * 3s + 2 * whole);
    study.follow("opening", 0, 12, 3s);
    study.follow("correct", 7, 0, 0s);
    const Remaining screened = study.follow("screen", 7, 6, 2s);
    CHECK(screened.least == 6 * 2s); // the other one's screen
    CHECK(screened.most == 121 * 2s + 31 * 1s + whole);
    study.follow("correct", 8, 0, 0s); // the first one ended at the screen
    study.follow("screen", 8, 6, 2s);
    const Remaining confirmed = study.follow("confirm", 8, 120, 2s);
    CHECK(confirmed.least == 0s);
    CHECK(confirmed.most == 31 * 1s);
    const Remaining end = study.follow("holdout", 8, 30, 1s);
    CHECK(end.least == 0s);
    CHECK(end.most == 0s);
}

TEST_CASE("a search is foreseen by its configurations, then by the leaders it may send") {
    Follower study{Forecast(some_project(), some_options(10), 0)};
    study.follow("opening", 0, 12, 3s);
    const Remaining opened = study.before;
    CHECK(opened.least == 0s); // a look may fail at its build
    CHECK(opened.most == 10 * 3 * 2s + 6 * 7 * 2s + 2 * (7 * 2s + 121 * 2s + 31 * 1s));
    study.see({"search", 0, 0, 10, 0s});
    const auto timed = study.see({"search", 0, 4, 10, 5s});
    REQUIRE(timed);
    CHECK(timed->least == 6 * 5s);
    CHECK(timed->most == 6 * 5s + 6 * 7 * 2s + 2 * (7 * 2s + 121 * 2s + 31 * 1s));
    study.before = *timed;
    const auto built = study.see({"build", 12, 0, 0, 0s}); // of the search's next configuration
    REQUIRE(built);
    CHECK(built->most == timed->most);
    const auto leading = study.see({"leaders", 12, 1, 2, 0s});
    REQUIRE(leading);
    CHECK(leading->least == 2 * 2s);
    CHECK(leading->most == 7 * 2s + 2 * (7 * 2s + 121 * 2s + 31 * 1s));
    study.before = *leading;
    study.follow("screen", 12, 6, 2s);
    study.follow("screen", 13, 6, 2s);
    study.follow("confirm", 13, 120, 2s);
    CHECK(study.follow("holdout", 13, 30, 1s).most == 0s);
}

TEST_CASE("no more candidates are confirmed than the study may") {
    const auto most = [](std::size_t queued) {
        Follower study{Forecast(some_project(), some_options(), queued)};
        return study.see({"opening", 0, 12, 12, 3s})->most;
    };
    CHECK(most(3) - most(2) > 7 * 2s);
    CHECK(most(4) - most(3) == 7 * 2s);
}

TEST_CASE("without held-out workloads, and with the search's knobs all fixed, there is less to do") {
    Project project = some_project();
    project.workloads.pop_back();
    Options options = some_options(10);
    options.fixed["size"] = std::int64_t{3};
    Follower study{Forecast(project, options, 1)};
    study.follow("opening", 0, 12, 2s);
    CHECK(study.before.most == 7 * 2s + 121 * 2s);
    study.follow("screen", 1, 6, 2s);
    CHECK(study.follow("confirm", 1, 40, 2s).most == 0s);
}

TEST_CASE("a budget caps what has not begun, not what runs") {
    Options options = some_options(1000);
    options.budget = 100s;
    Follower study{Forecast(some_project(), options, 0)};
    study.see({"opening", 0, 12, 12, 3s});
    study.see({"search", 0, 1, 1000, 4s}); // at 2 s, the first second being the beginning
    const auto whole = 7 * 2s + 121 * 2s + 31 * 1s;
    auto left = study.forecast.remaining();
    REQUIRE(left);
    CHECK(left->least == 99s);
    CHECK(left->most == 99s + whole);
    study.now += 200s;
    left = study.see({"confirm", 5, 20, 120, 2s});
    REQUIRE(left);
    CHECK(left->least == 2s);
    CHECK(left->most == 100 * 2s + 31 * 1s);
}

TEST_CASE("a resumed study is foreseen from whatever is timed first") {
    const auto first = [](const Progress& progress) {
        Follower study{Forecast(some_project(), some_options(10), 1)};
        return study.see(progress);
    };
    for (const Progress& progress : {Progress{"screen", 3, 2, 6, 2s}, Progress{"confirm", 3, 2, 120, 2s},
                                     Progress{"holdout", 3, 2, 30, 1s}, Progress{"search", 0, 3, 10, 5s}}) {
        CAPTURE(progress.phase);
        const auto left = first(progress);
        REQUIRE(left);
        CHECK(left->least > 0s);
        CHECK(left->least < left->most);
    }
}
