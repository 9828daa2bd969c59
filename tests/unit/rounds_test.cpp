// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/rounds.hpp"

#include "core/study/session.hpp"
#include "tests/catch.h"

using namespace holdfast;
using namespace holdfast::study;

TEST_CASE("the held-out rounds follow what the decision took, and what the veto of tails lacks") {
    DecisionSettings settings;
    settings.max_pairs = 150;
    CHECK(holdout_rounds(settings, 10, 400, 2) == 40); // never fewer
    CHECK(holdout_rounds(settings, 30, 400, 2) == 60);
    CHECK(holdout_rounds(settings, 120, 400, 2) == 150); // nor more than max-pairs
    CHECK(holdout_rounds(settings, 10, 30, 1) == static_cast<int>(tail_pairs) - 30);
    CHECK(holdout_rounds(settings, 10, 31, 2) == 45);
    CHECK(holdout_rounds(settings, 10, 30, 0) == 90); // a forecast before any is known
    settings.max_pairs = 12;
    CHECK(holdout_rounds(settings, 10, 0, 1) == 40);
    settings.holdout_pairs = 6;
    CHECK(holdout_rounds(settings, 100, 0, 1) == 6);
}

TEST_CASE("a study goes on by the revision of the rule that it began with") {
    Project project;
    Metric metric;
    metric.name = project.objective = "wall";
    project.metrics = {metric};
    Workload workload;
    workload.name = "rule";
    const std::vector<const Workload*> workloads{&workload};
    const auto before = rule_for(project, workloads, R"({"rule":{"median":2.5,"spread":0.1}})");
    CHECK(before.revision == 1);
    CHECK(before.workloads[0].opening_median == 2.5);
    const auto now = rule_for(project, workloads, R"({" rule":2,"rule":{"median":2.5,"spread":0.1}})");
    CHECK(now.revision == 2);
    CHECK(now.workloads[0].opening_median == 2.5);
    CHECK(rule_for(project, workloads, "").revision == decision::rule_revision);
}
