// SPDX-License-Identifier: GPL-3.0-or-later
// Tolerances, quality and several objectives in the project file.
#include "core/project/grammar.hpp"
#include "core/stats/sequential.hpp"
#include "tests/catch.h"
#include "tests/unit/project_rows.hpp"

#include <cmath>

using namespace holdfast;

namespace {

const std::string six = R"("seeds": [1, 2, 3, 4, 5, 6])";

std::string workload(const std::string& check, const std::string& more = six, const std::string& run = "{seed}") {
    return R"([{"name": "w", )" + (more.empty() ? "" : more + ", ") + R"("run": ["{build}/p", ")" + run +
           R"("], "check": )" + check + "}]";
}

std::string quality(const std::string& text) {
    return workload(R"({"quality": )" + text + "}");
}

Project with(const std::map<std::string, std::string>& changes) {
    auto project = load(project_text(changes));
    INFO((project ? "" : all(project.error())));
    REQUIRE(project);
    return std::move(*project);
}

const std::string metrics = R"json({"psnr": {"from": "stdout", "pattern": "psnr (.*)", "better": "higher"}})json";
const std::string of_another = R"json({"loss": {"from": "stdout", "pattern": "loss (.*)", "workloads": ["v"]}})json";

} // namespace

TEST_CASE("tolerances in ulps and of the range") {
    const Project project = with({{"workloads", workload(R"({"stdout": {"numeric": {"ulps": 4}},
        "files": {"f": {"numeric": {"rtol": 0.01, "of-range": true}}}})")}});
    const Check& check = project.workloads.front().check;
    CHECK(check.standard_output->numeric->ulps == 4);
    CHECK(check.files.front().numeric->of_range);
    CHECK_FALSE(check.files.front().numeric->ulps);
    check_frozen(project);
    const std::string place = "/workloads/0/check/stdout/numeric";
    const auto numeric = [](const std::string& text) { return workload(R"({"stdout": {"numeric": )" + text + "}}"); };
    check_rows({
        {"workloads", numeric(R"({"ulps": 0})"), place + "/ulps", "the number 0", "from 1"},
        {"workloads", numeric(R"({"ulps": 1.5})"), place + "/ulps", "1.5", "integer"},
        {"workloads", numeric(R"({"rtol": 0.1, "of-range": 1})"), place + "/of-range", "the number 1", "true"},
        {"workloads", numeric(R"({"atol": 0.1, "of-range": true})"), place + "/of-range", "without an \"rtol\"",
         "\"rtol\""},
        {"workloads", numeric(R"({"of-range": false})"), place, "an object", "\"ulps\""},
        {"workloads", numeric(R"({"ulp": 1})"), place + "/ulp", "ulp", "ulps"},
    });
}

TEST_CASE("a quality check by a command or by a metric") {
    const Project told =
        with({{"metrics", R"json({"psnr": {"from": "stdout", "pattern": "psnr (.*)", "better": "higher"}})json"},
              {"workloads", quality(R"({"metric": "psnr", "worse-by-at-most": 0.5})")}});
    const auto& by_metric = told.workloads.front().check.quality;
    REQUIRE(by_metric);
    CHECK(by_metric->metric == "psnr");
    CHECK(by_metric->better == Better::higher); // the metric's
    CHECK(by_metric->margin == 0.5);
    CHECK_FALSE(by_metric->relative);
    check_frozen(told);
    const Project judged = with({{"workloads", quality(R"({"command": ["{source}/judge", "{out}", "{expected}"],
        "better": "lower", "worse-by-at-most": "2%"})")}});
    const auto& by_command = judged.workloads.front().check.quality;
    REQUIRE(by_command);
    CHECK(by_command->command.size() == 3);
    CHECK(by_command->better == Better::lower);
    CHECK(by_command->relative);
    CHECK(by_command->margin == Approx(0.02));
    check_frozen(judged);
}

TEST_CASE("quality checks that could never be shown, or say nothing, are refused") {
    const std::string at = "/workloads/0/check/quality";
    const std::string command = R"("command": ["j"], "better": "higher")";
    const auto demand = [&](const std::string& seeds, const std::string& run) {
        return workload(R"({"quality": {)" + command + R"(, "worse-by-at-most": 1}})", seeds, run);
    };
    check_rows({
        {"workloads", demand(R"("seeds": [1, 2, 3, 4, 5])", "{seed}"), at, "over 5 seeds", "at least 6"},
        {"workloads", demand("", "{seed}"), at, "over 1 seed", "at least 6"},
        {"workloads", demand(six, "x"), at, "no command uses", "{seed}"},
        {"workloads", quality("{" + command + "}"), at, "no \"worse-by-at-most\"", "0.5"},
        {"workloads", quality("{" + command + R"(, "worse-by-at-most": 0})"), at + "/worse-by-at-most", "the number 0",
         "above 0"},
        {"workloads", quality("{" + command + R"(, "worse-by-at-most": "60%"})"), at + "/worse-by-at-most", "60%",
         "at most 50%"},
        {"workloads", quality("{" + command + R"(, "worse-by-at-most": true})"), at + "/worse-by-at-most", "true",
         "a number"},
        {"workloads", quality(R"({"command": ["j"], "worse-by-at-most": 1})"), at, "an object", "\"better\""},
        {"workloads", quality(R"({"command": ["j"], "better": "up", "worse-by-at-most": 1})"), at + "/better", "up",
         "\"higher\""},
        {"workloads", quality(R"({"better": "higher", "worse-by-at-most": 1})"), at, "an object", "\"metric\""},
        {"workloads", quality("{" + command + R"(, "metric": "m", "worse-by-at-most": 1})"), at + "/command",
         "\"metric\" and \"command\"", "one of them"},
        {"workloads", quality(R"({"metric": "wall", "worse-by-at-most": 1})"), at + "/metric", "wall", "declares none"},
        {"workloads", quality(R"({"command": ["{nowhere}"], "better": "higher", "worse-by-at-most": 1})"),
         at + "/command/0", "{nowhere}", ""},
    });
    const auto other =
        load(project_text({{"metrics", of_another},
                           {"workloads", R"([{"name": "v", "run": ["p"], "check": {"stdout": "same"}}, )" +
                                             quality(R"({"metric": "loss", "worse-by-at-most": 1})").substr(1)}}));
    REQUIRE_FALSE(other);
    CHECK_THAT(all(other.error()), ContainsSubstring("a metric that this workload reports"));
}

TEST_CASE("six seeds are the first that can show anything") {
    const auto most = [](std::size_t seeds) {
        stats::EProcess process(-1);
        for (std::size_t i = 0; i < seeds; ++i)
            process.add(0);
        return process.log_e();
    };
    CHECK(most(least_quality_seeds) >= std::log(20));
    CHECK(most(least_quality_seeds - 1) < std::log(20));
}

TEST_CASE("two or three objectives") {
    const Project project = with({{"objective", R"(["peak-memory", "wall"])"}});
    CHECK(project.objectives == std::vector<std::string>{"peak-memory", "wall"});
    CHECK(project.objective == "peak-memory");
    check_frozen(project);
    CHECK(with({{"objective", R"("cpu")"}}).objectives == std::vector<std::string>{"cpu"});
    CHECK(with({{"objective", ""}}).objectives == std::vector<std::string>{"wall"});
}
