// SPDX-License-Identifier: GPL-3.0-or-later
// The baseline's sessions of a stored history: which samples count, where it changed, and where the machine did.
#include "core/stats/random.hpp"
#include "core/study/baseline_history.hpp"
#include "tests/integration/store_fixture.hpp"

#include <fmt/format.h>

using namespace holdfast;
using namespace holdfast::test;
using study::BaselineSeries;

namespace {

/// Studies with one session of eight rounds each, a minute apart.
class Written {
public:
    Written() : store(scratch.open()) {}

    void study(const std::string& machine = R"({"cores":2})") {
        auto record = some_study(fmt::format("study-{}", ++studies_));
        record.machine_json = machine;
        must(store->add_study(record));
    }
    void session(const std::string& phase, double value, const std::string& arm = "baseline") {
        ++sessions_;
        for (std::int64_t round = 0; round <= 8; ++round)
            sample(phase, round, arm, round == 0 ? 1000 : value * (1 + 0.01 * random_.normal()));
    }
    void sample(const std::string& phase, std::int64_t round, const std::string& arm, double value,
                const std::string& ending = "ok") {
        study::SampleRecord sample = some_sample("", round);
        sample.study = fmt::format("study-{}", studies_);
        sample.phase = phase;
        sample.session = sessions_;
        sample.arm = arm;
        sample.ending = ending;
        sample.metrics_json = fmt::format(R"({{"wall":{},"rows":7}})", value);
        sample.started = fmt::format("2026-01-02T03:{:02}:{:02}.000Z", sessions_, round);
        must(store->add_sample(sample));
    }
    BaselineSeries wall() {
        auto series = must(study::baseline_history(*store, "skewed", "wall"));
        REQUIRE(series.size() == 1);
        return series.front();
    }

    Scratch scratch;
    std::unique_ptr<study::Store> store;

private:
    int studies_ = 0, sessions_ = 0;
    stats::Random random_{17};
};

} // namespace

TEST_CASE("a baseline that became slower has a change point, and one that did not has none") {
    Written written;
    for (int i = 0; i < 16; ++i) {
        written.study();
        written.session("opening", i < 9 ? 0.5 : 0.6);
    }
    const BaselineSeries series = written.wall();
    REQUIRE(series.points.size() == 16);
    REQUIRE(series.changes.size() == 1);
    CHECK(series.changes[0].at == 9);
    CHECK(series.changes[0].before == Approx(0.5).epsilon(0.02));
    CHECK(series.changes[0].after == Approx(0.6).epsilon(0.02));
    CHECK(series.changes[0].p <= study::change_significance);
    CHECK(series.points[9].study == 10);
    CHECK(series.points[9].commit == std::string(40, 'a'));
    CHECK(series.points[9].low < series.points[9].median);
    CHECK(series.points[9].median < series.points[9].high);
    const auto rows = must(study::baseline_history(*written.store, "skewed", "rows"));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].changes.empty());
}

TEST_CASE("what moves with the machine is a machine change and no change point") {
    Written written;
    for (int i = 0; i < 16; ++i) {
        written.study(i < 8 ? R"({"cores":2})" : R"({"cores":4})");
        written.session("opening", i < 8 ? 0.5 : 0.3);
    }
    const BaselineSeries series = written.wall();
    REQUIRE(series.points.size() == 16);
    CHECK(series.changes.empty());
    for (std::size_t i = 0; i < 16; ++i)
        CHECK(series.points[i].machine_changes.empty() == (i != 8));
    CHECK(series.points[8].machine_changes == std::vector<std::string>{"cores: 2 → 4"});
}

TEST_CASE("sessions of one study are one value: no change point lies inside it") {
    Written inside;
    inside.study();
    for (int i = 0; i < 24; ++i)
        inside.session("measure", i < 12 ? 0.5 : 0.6);
    CHECK(inside.wall().points.size() == 24);
    CHECK(inside.wall().changes.empty());

    Written few; // four studies say nothing, however many sessions they have
    for (int i = 0; i < 4; ++i) {
        few.study();
        for (int session = 0; session < 6; ++session)
            few.session("measure", i < 2 ? 0.5 : 0.6);
    }
    CHECK(few.wall().changes.empty());

    Written between;
    for (int i = 0; i < 14; ++i) {
        between.study();
        for (int session = 0; session < 3; ++session)
            between.session("measure", i < 7 ? 0.5 : 0.6);
    }
    const BaselineSeries series = between.wall();
    REQUIRE(series.changes.size() == 1);
    CHECK(series.changes[0].at == 21);
    CHECK(series.points[21].study == 8);
}

TEST_CASE("only counted runs of the baseline itself are its history") {
    Written written;
    written.study();
    written.session("opening", 0.5, "candidate"); // A/A: it is the baseline
    written.session("calibrate", 0.5, "candidate");
    written.session("confirm", 0.9, "candidate");
    written.session("search", 0.5);
    written.session("burden-1", 0.5);
    written.session("holdout", 0.5);
    written.sample("holdout", 9, "baseline", 77, "exit status 1");
    const BaselineSeries series = written.wall();
    REQUIRE(series.points.size() == 3);
    CHECK(series.points[0].phase == "opening");
    CHECK(series.points[1].phase == "calibrate");
    CHECK(series.points[2].phase == "holdout");
    for (const study::BaselinePoint& point : series.points) {
        CHECK(point.samples == 8); // the warm-up is not counted
        CHECK(point.median == Approx(0.5).epsilon(0.02));
    }
}

TEST_CASE("all series come by name, and what was not measured has none") {
    Written written;
    written.study();
    written.session("measure", 0.5);
    const auto all = must(study::baseline_history(*written.store, "", ""));
    REQUIRE(all.size() == 2);
    CHECK(all[0].metric == "rows");
    CHECK(all[1].metric == "wall");
    CHECK(all[1].workload == "skewed");
    CHECK(must(study::baseline_history(*written.store, "other", "")).empty());
    CHECK(must(study::baseline_history(*written.store, "skewed", "energy")).empty());
}

TEST_CASE("unit and direction come from the project that was frozen") {
    Written written;
    auto record = some_study("study-1");
    record.frozen_json = canonical_json(
        R"({"holdout":null,"project":{"name":"x","build":[],"objective":"wall","workloads":[{"name":"skewed",)"
        R"("run":["true"],"check":{"stdout":"same"}}]}})");
    must(written.store->add_study(record));
    study::SampleRecord sample = some_sample("", 1);
    sample.arm = "baseline";
    must(written.store->add_sample(sample));
    const auto all = must(study::baseline_history(*written.store, "", "wall"));
    REQUIRE(all.size() == 1);
    CHECK(all[0].unit == "s");
    CHECK(all[0].better == Better::lower);
    CHECK(all[0].points[0].study == 1);
}
