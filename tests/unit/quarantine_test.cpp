// SPDX-License-Identifier: GPL-3.0-or-later
// Which rounds are taken again because the machine was disturbed, live and from stored samples.
#include "core/study/quarantine.hpp"
#include "core/study/session.hpp"
#include "tests/catch.h"

#include <nlohmann/json.hpp>

using namespace holdfast;
using namespace holdfast::study;
using nlohmann::json;

namespace {

SampleRecord sample(std::int64_t round, std::int64_t attempt, const std::string& arm, std::uint64_t steal_ticks = 0) {
    SampleRecord record;
    record.phase = "confirm";
    record.round = round;
    record.attempt = attempt;
    record.workload = "w";
    record.arm = arm;
    record.ending = "ok";
    record.usage.wall = std::chrono::milliseconds(500);
    record.before.steal_ticks = 100;
    record.after.steal_ticks = 100 + steal_ticks;
    record.metrics_json = json({{"wall", arm == "baseline" ? 1.0 + 0.01 * static_cast<double>(attempt) : 0.9}}).dump();
    return record;
}

void add_round(std::vector<SampleRecord>& samples, std::int64_t round, std::int64_t attempt, std::uint64_t baseline,
               std::uint64_t candidate) {
    samples.push_back(sample(round, attempt, "baseline", baseline));
    samples.push_back(sample(round, attempt, "candidate", candidate));
}

std::vector<SampleRecord> opening(std::uint64_t usual, std::uint64_t rare) {
    std::vector<SampleRecord> samples;
    for (std::int64_t round = 1; round <= 12; ++round)
        add_round(samples, round, 1, usual, round == 12 ? rare : usual);
    return samples;
}

Project project() {
    Project project;
    project.objective = "wall";
    project.objectives = {"wall"};
    Metric wall;
    wall.name = "wall";
    project.metrics = {wall};
    Workload workload;
    workload.name = "w";
    project.workloads = {workload};
    return project;
}

} // namespace

TEST_CASE("rates are of a second of the run") {
    SampleRecord seen = sample(1, 1, "baseline", 5);
    seen.before.swap_in_pages = 10;
    seen.after.swap_in_pages = 30;
    seen.after.swap_out_pages = 5;
    seen.usage.throttled = 2;
    CHECK(rates_of(seen).steal == Approx(0.1));
    CHECK(rates_of(seen).swap == Approx(50));
    CHECK(rates_of(seen).throttled == Approx(4));
    seen.after.steal_ticks = 90; // some kernels let it go back
    CHECK(rates_of(seen).steal == 0);
    seen.usage.wall = {};
    CHECK(rates_of(seen).throttled == 0);
}

TEST_CASE("limits are what hardly a run of the opening rounds exceeded, and never below what is felt") {
    CHECK(quarantine_rule(opening(0, 0)).workloads.at("w").steal == Approx(0.02));
    CHECK(quarantine_rule(opening(0, 400)).workloads.at("w").steal == Approx(0.02)); // one run in 24
    CHECK(quarantine_rule(opening(5, 400)).workloads.at("w").steal == Approx(0.2));
    CHECK(quarantine_rule(opening(0, 0)).workloads.at("w").throttled == 0);
    CHECK_FALSE(quarantine_rule(std::vector<SampleRecord>()).on());
}

TEST_CASE("the rule is read back as it was frozen, and older studies have none") {
    const QuarantineRule rule = quarantine_rule(opening(5, 400));
    const json frozen = {{"w", {{"median", 1}, {"spread", 0}, {"quarantine", limits_json(rule.workloads.at("w"))}}}};
    const QuarantineRule read = quarantine_rule(frozen.dump());
    CHECK(read.workloads.at("w").steal == rule.workloads.at("w").steal);
    CHECK(read.workloads.at("w").swap == rule.workloads.at("w").swap);
    CHECK_FALSE(quarantine_rule(std::string(R"({"quarantine": {"median": 1, "spread": 0}})")).on());
    CHECK_FALSE(quarantine_rule(std::string()).on());
    const auto why = disturbance(read, sample(1, 1, "baseline", 11));
    REQUIRE(why);
    CHECK_THAT(*why, ContainsSubstring("steal 0.22"));
    CHECK_FALSE(disturbance(read, sample(1, 1, "baseline", 10)));
    SampleRecord other = sample(1, 1, "baseline", 100);
    other.workload = "unknown";
    CHECK_FALSE(disturbance(read, other));
}

TEST_CASE("at most a tenth of the rounds is dropped") {
    QuarantineState state;
    std::size_t dropped = 0;
    for (int round = 0; round < 200; ++round)
        dropped += state.drops({1, 1}) ? 1 : 0; // always disturbed, both sides alike
    CHECK(dropped == 20);
    CHECK(state.dropped() == 20);
    CHECK(state.switched_off().empty());
    QuarantineState early;
    for (int round = 1; round < 10; ++round)
        CHECK_FALSE(early.drops({1, 0})); // 5 of 5 on one side: also the end of it
    CHECK_FALSE(early.switched_off().empty());
}

TEST_CASE("disturbances that one side alone has end the quarantine") {
    QuarantineState state;
    for (int round = 0; round < 40; ++round)
        state.drops({});
    int dropped = 0;
    for (int round = 0; round < 10; ++round)
        dropped += state.drops({0, 1}) ? 1 : 0;
    CHECK(dropped == 4); // the fifth makes 5 to 0, which chance does in 6 % of cases
    CHECK_THAT(state.switched_off(), ContainsSubstring("0 disturbed runs were the baseline's and 5 the candidate's"));
    CHECK(state.candidate_flags() == 10);
}

TEST_CASE("stored samples make the same rounds again, with and without the dropped ones") {
    const Project counted = project();
    const auto workloads = counted.with_role(Role::tuning);
    const QuarantineRule rule = quarantine_rule(opening(0, 0));
    std::vector<SampleRecord> samples;
    for (std::int64_t round = 1; round <= 11; ++round)
        add_round(samples, round, 1, 0, 0);
    add_round(samples, 12, 1, 0, 30);                // dropped
    samples.push_back(sample(12, 2, "baseline", 0)); // and then interrupted
    const Replay before = replay_of(counted, workloads, samples, rule);
    CHECK(before.rounds.size() == 11);
    CHECK(before.all.size() == 12);
    add_round(samples, 12, 3, 0, 0);
    add_round(samples, 13, 1, 0, 40); // disturbed, but that would be more than a tenth
    const Replay replay = replay_of(counted, workloads, samples, rule);
    REQUIRE(replay.rounds.size() == 13);
    CHECK(replay.all.size() == 14);
    CHECK(replay.quarantine.dropped() == 1);
    CHECK(replay.rounds[11].workloads[0].objective.baseline == Approx(1.03)); // the third attempt's
    CHECK(replay.rounds[12].workloads[0].objective.baseline == Approx(1.01));
    const auto shown = quarantined(rule_for(counted, workloads, ""), replay);
    REQUIRE(shown);
    CHECK(shown->dropped == 1);
    CHECK(shown->candidate_flags == 2);
    CHECK(shown->without.rounds == 14);
    // Without a rule the last whole attempt of a round is the one, as in histories that know none.
    CHECK(rounds_of(counted, workloads, samples).size() == 13);
    CHECK_FALSE(quarantined(rule_for(counted, workloads, ""), replay_of(counted, workloads, samples, {})));
}
