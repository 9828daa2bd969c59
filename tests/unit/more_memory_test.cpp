// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that a candidate takes on one workload only.
#include "core/review/more_memory.hpp"
#include "tests/catch.h"

#include <string>
#include <vector>

using namespace holdfast;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

using Samples = std::vector<study::SampleRecord>;

/// Runs whose memory spreads by a few pages, one odd one among them.
void add(Samples& samples, const std::string& workload, const std::string& phase, std::uint64_t baseline,
         std::uint64_t candidate, int rounds) {
    for (int round = 1; round <= rounds; ++round)
        for (const bool is_candidate : {false, true}) {
            study::SampleRecord sample;
            sample.workload = workload;
            sample.phase = phase;
            sample.round = round;
            sample.arm = is_candidate ? "candidate" : "baseline";
            sample.ending = "ok";
            sample.usage.peak_memory_bytes =
                (is_candidate ? candidate : baseline) + static_cast<std::uint64_t>(round % 5) * 4096;
            if (round == 3)
                sample.usage.peak_memory_bytes *= 3;
            samples.push_back(sample);
        }
}

Project project() {
    Project project;
    project.objective = "cpu";
    project.objectives = {"cpu"};
    return project;
}

bool flagged(std::uint64_t baseline, std::uint64_t candidate, int rounds = 12, const std::string& phase = "confirm") {
    Samples samples;
    add(samples, "one", phase, baseline, candidate, rounds);
    add(samples, "other", phase, 50 * mebibyte, 50 * mebibyte, rounds);
    return review::more_memory(samples, project()).has_value();
}

} // namespace

TEST_CASE("more memory on one of two workloads is a flag that names it") {
    Samples samples;
    add(samples, "wide", "confirm", 10 * mebibyte, 12 * mebibyte, 30);
    add(samples, "narrow\x1b", "confirm", 10 * mebibyte, 10 * mebibyte, 30);
    add(samples, "unseen", "holdout", 20 * mebibyte, 40 * mebibyte, 12);
    const auto flag = review::more_memory(samples, project());
    REQUIRE(flag);
    CHECK(flag->name == "more memory");
    CHECK_THAT(flag->evidence, ContainsSubstring("on unseen 20 MiB → 40 MiB") &&
                                   ContainsSubstring("on wide 10 MiB → 12 MiB") && !ContainsSubstring("narrow"));
}

TEST_CASE("memory that is little more, or not shown to be more, is no flag") {
    CHECK(flagged(10 * mebibyte, 12 * mebibyte));
    CHECK(flagged(10 * mebibyte, 12 * mebibyte, 12, "holdout"));
    CHECK_FALSE(flagged(10 * mebibyte, 12 * mebibyte, 12, "screen"));
    CHECK_FALSE(flagged(10 * mebibyte, 12 * mebibyte, 5));     // too few to show anything
    CHECK_FALSE(flagged(100 * mebibyte, 108 * mebibyte));      // less than a tenth
    CHECK_FALSE(flagged(2 * mebibyte, 2 * mebibyte + 700000)); // less than 1 MiB
    CHECK_FALSE(flagged(12 * mebibyte, 10 * mebibyte));
}

TEST_CASE("memory that the person asked for or allowed is no flag") {
    Samples samples;
    add(samples, "wide", "confirm", 10 * mebibyte, 15 * mebibyte, 30);
    Project objective = project();
    objective.objectives = {"cpu", "peak-memory"};
    CHECK_FALSE(review::more_memory(samples, objective));
    Project limited = project();
    limited.limits = {{"peak-memory", 0.6, std::nullopt}};
    CHECK_FALSE(review::more_memory(samples, limited));
    limited.limits = {{"peak-memory", 0.2, std::nullopt}};
    CHECK(review::more_memory(samples, limited));
    limited.limits = {{"peak-memory", std::nullopt, 16.0 * mebibyte}};
    CHECK_FALSE(review::more_memory(samples, limited));
    CHECK_FALSE(review::more_memory({}, project()));
}
