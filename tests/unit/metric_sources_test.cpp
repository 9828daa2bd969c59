// SPDX-License-Identifier: GPL-3.0-or-later
// Metrics out of other programs' files, the program's own word, and metrics that stand for others.
#include "core/project/grammar.hpp"
#include "core/results/results.hpp"
#include "core/review/rules.hpp"
#include "core/study/metric_trust.hpp"
#include "core/study/metrics.hpp"
#include "tests/catch.h"
#include "tests/unit/project_rows.hpp"

#include <chrono>
#include <cmath>

using namespace holdfast;

namespace {

Project with_metrics(const std::string& metrics, const std::string& objective = "wall") {
    auto project = load(project_text({{"metrics", metrics}, {"objective", "\"" + objective + "\""}}));
    INFO((project ? "" : all(project.error())));
    REQUIRE(project);
    return std::move(*project);
}

const char* const google = R"({"context": {}, "benchmarks": [
  {"name": "a", "run_name": "a", "run_type": "iteration", "real_time": 5, "cpu_time": 4, "time_unit": "us",
   "items_per_second": 200, "rows": 7},
  {"name": "b", "run_name": "b", "run_type": "iteration", "error_occurred": true, "error_message": "no data",
   "real_time": 0, "cpu_time": 0, "time_unit": "us"}]})";

/// What a run with this file gives: the metric `m`, or why there is none.
std::string told(const std::string& metric, const std::string& file = google) {
    const Project project = with_metrics(R"({"m": )" + metric + "}");
    const Folder out;
    if (!file.empty())
        out.write("bench.json", file);
    study::Usage usage;
    usage.wall = std::chrono::seconds(1);
    const auto read = study::read_metrics(project, project.workloads.front(), out.path(), "", usage);
    return read ? std::to_string(read->at("m")) : read.error();
}

std::string from_google(const std::string& more) {
    return R"({"from": "google-benchmark", "file": "{out}/bench.json")" + more + "}";
}

study::SampleRecord sample(std::int64_t round, const std::string& arm, const std::string& metrics) {
    study::SampleRecord record;
    record.trial = "t";
    record.phase = "confirm";
    record.workload = "w";
    record.round = round;
    record.attempt = 1;
    record.arm = arm;
    record.ending = "ok";
    record.metrics_json = metrics;
    return record;
}

std::string numbers(double rows, double wall, double cpu) {
    return "{\"rows\":" + std::to_string(rows) + ",\"wall\":" + std::to_string(wall) +
           ",\"cpu\":" + std::to_string(cpu) + "}";
}

/// Forty pairs in which each metric changes by its factor, with a little noise.
std::vector<study::SampleRecord> pairs(double rows, double wall, double cpu) {
    std::vector<study::SampleRecord> samples;
    for (int round = 1; round <= 40; ++round) {
        const double noise = 1 + 0.001 * (round % 7 - 3);
        samples.push_back(sample(round, "baseline", numbers(100, 1, 1)));
        samples.push_back(sample(round, "candidate", numbers(100 * rows * noise, wall * noise, cpu * noise)));
    }
    return samples;
}

decision::Verdict trusted(const Project& project, const std::vector<study::SampleRecord>& samples,
                          const std::vector<study::ProxyProof>& proofs = {}) {
    decision::Verdict verdict;
    study::add_metric_trust(project, project.objective, samples, proofs, verdict);
    return verdict;
}

const std::string own = R"({"rows": {"from": "stdout", "pattern": "(.+).", "accept-self-reported": true}})";

} // namespace

TEST_CASE("every program of the grammar is one that can be read") {
    std::vector<std::string> names;
    for (const results::Format format : results::formats())
        names.emplace_back(results::format_name(format));
    CHECK(names == benchmarking_tools());
}

TEST_CASE("a metric out of a benchmark's file: seconds, another unit of time, another quantity") {
    CHECK(told(from_google(R"(, "benchmark": "a")")) == std::to_string(5e-6));
    CHECK(told(from_google(R"(, "benchmark": "a", "unit": "ns")")) == std::to_string(5000.0));
    CHECK(told(from_google(R"(, "benchmark": "a", "unit": "us", "value": "cpu-time")")) == std::to_string(4.0));
    CHECK(told(from_google(R"(, "benchmark": "a", "value": "items_per_second")")) == std::to_string(200.0));
    CHECK(told(from_google(R"(, "benchmark": "a", "value": "rows", "unit": "rows", "better": "higher")")) ==
          std::to_string(7.0));
}

TEST_CASE("unit and direction are the file's when the project says none") {
    const Project project = with_metrics(R"({"t": {"from": "hyperfine", "file": "h.json"},
        "c": {"from": "google-benchmark", "file": "g.json", "value": "bytes_per_second"},
        "p": {"from": "jmh", "file": "j.json", "value": "throughput"}})");
    CHECK(project.metric("t").unit == "s");
    CHECK(project.metric("t").better == Better::lower);
    CHECK(project.metric("c").unit == "B/s");
    CHECK(project.metric("c").better == Better::higher);
    CHECK(project.metric("p").better == Better::higher);
    CHECK(project.metric("p").self_reported());
}

TEST_CASE("a benchmark that is missing, failed or unnamed is a missing metric that says what is there") {
    CHECK_THAT(told(from_google(R"(, "benchmark": "c")")), ContainsSubstring("missing metric m: bench.json") &&
                                                               ContainsSubstring("none of the name \"c\"") &&
                                                               ContainsSubstring("\"a\" or \"b\""));
    CHECK_THAT(told(from_google(R"(, "benchmark": "b")")), ContainsSubstring("it failed: no data"));
    CHECK_THAT(told(from_google("")), ContainsSubstring("holds 2 benchmarks"));
    CHECK_THAT(told(from_google(R"(, "benchmark": "a", "value": "cpu_time")")),
               ContainsSubstring("nearest: \"cpu-time\""));
    CHECK_THAT(told(from_google(R"(, "benchmark": "a")"), ""), ContainsSubstring("wrote no file bench.json"));
    CHECK_THAT(told(from_google(R"(, "benchmark": "a")"), std::string(google).substr(0, 100)),
               ContainsSubstring("cut short"));
    CHECK_THAT(told(R"({"from": "hyperfine", "file": "bench.json"})"), ContainsSubstring("no array \"results\""));
}

TEST_CASE("a unit or a direction that the file contradicts is no number") {
    CHECK_THAT(told(from_google(R"(, "benchmark": "a", "better": "higher")")), ContainsSubstring("lower is better"));
    const std::string rate = R"([{"benchmark": "a.B.c", "mode": "thrpt",
        "primaryMetric": {"score": 5, "scoreUnit": "ops/ms", "rawData": [[5]]}}])";
    CHECK_THAT(told(R"({"from": "jmh", "file": "bench.json"})", rate),
               ContainsSubstring("of throughput higher is better"));
    CHECK_THAT(told(R"({"from": "jmh", "file": "bench.json", "better": "higher", "unit": "ns"})", rate),
               ContainsSubstring("throughput is in 1/s, not in ns"));
    CHECK(told(R"({"from": "jmh", "file": "bench.json", "better": "higher"})", rate) == std::to_string(5000.0));
    CHECK(told(R"({"from": "jmh", "file": "bench.json", "value": "throughput"})", rate) == std::to_string(5000.0));
}

TEST_CASE("a program's own word decides alone only where a person said so") {
    const std::string metric = R"({"rows": {"from": "stdout", "pattern": "(.+)."}})";
    const auto refused = load(project_text({{"metrics", metric}, {"objective", "\"rows\""}}));
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().size() == 1);
    CHECK(refused.error().front().pointer == "/objective");
    CHECK_THAT(refused.error().front().found, ContainsSubstring("tells of itself, as the only objective"));
    CHECK_THAT(refused.error().front().allowed, ContainsSubstring("\"accept-self-reported\": true"));
    CHECK(load(project_text({{"metrics", metric}, {"limits", R"({"rows": {"at-most": 5}})"}})));
    CHECK(with_metrics(own, "rows").metric("rows").accept_self_reported);
}

TEST_CASE("a study that was frozen before the word existed is read as it was, and new verdicts of it carry the flag") {
    const Project accepted = with_metrics(own, "rows");
    std::string frozen = accepted.canonical;
    const std::string word = "\"accept-self-reported\":true,";
    REQUIRE(frozen.find(word) != std::string::npos);
    frozen.erase(frozen.find(word), word.size());
    const auto old = project_from_frozen("/nowhere", frozen);
    REQUIRE(old);
    CHECK(old->objective == "rows");
    CHECK(trusted(*old, pairs(0.9, 0.9, 0.9)).flags == std::vector<std::string>{"self-reported"});
}

TEST_CASE("a self-reported objective is set beside wall and cpu, and their disagreement is said with numbers") {
    const Project project = with_metrics(own, "rows");
    const auto sentence = [&](double rows, double wall, double cpu) {
        const decision::Verdict verdict = trusted(project, pairs(rows, wall, cpu));
        REQUIRE(verdict.flags == std::vector<std::string>{"self-reported"});
        REQUIRE(verdict.reasons.size() == 1);
        return verdict.reasons.front();
    };
    const std::string lone = sentence(0.9, 1, 1);
    CHECK_THAT(lone, ContainsSubstring("The objective rows is what the measured program tells of itself") &&
                         ContainsSubstring("rows −10.00 % [−10.09, −9.91]") && ContainsSubstring("wall 0.00 % [") &&
                         ContainsSubstring("40 rounds") &&
                         ContainsSubstring("claims an improvement that wall and cpu do not show"));
    CHECK_THAT(sentence(0.9, 0.9, 1), ContainsSubstring("wall shows the improvement too"));
    CHECK_THAT(sentence(0.9, 1.1, 0.9), ContainsSubstring("claims an improvement, and wall became worse"));
    CHECK_THAT(sentence(1.1, 0.9, 0.9), ContainsSubstring("shows no improvement, and wall and cpu did improve"));
    CHECK_THAT(sentence(1, 1, 1), ContainsSubstring("wall and cpu show no improvement either"));
    CHECK(trusted(with_metrics(own), pairs(0.9, 1, 1)).flags.empty()); // the objective is wall
}

TEST_CASE("a second objective does not make the claimed one's word any better") {
    const auto project = load(project_text(
        {{"metrics", R"({"rows": {"from": "stdout", "pattern": "(.+)."}})"}, {"objective", R"(["rows", "wall"])"}}));
    REQUIRE(project);
    decision::Verdict claims_rows, claims_wall;
    study::add_metric_trust(*project, "rows", pairs(0.9, 1, 1), {}, claims_rows);
    CHECK(claims_rows.flags == std::vector<std::string>{"self-reported"});
    REQUIRE(claims_rows.reasons.size() == 1);
    CHECK_THAT(claims_rows.reasons.front(), ContainsSubstring("claims an improvement that wall and cpu do not show"));
    study::add_metric_trust(*project, "wall", pairs(0.9, 1, 1), {}, claims_wall);
    CHECK(claims_wall.flags.empty());
}

TEST_CASE("what a changed program tells against itself is flagged, a knob's is not") {
    const auto project = load(project_text({{"metrics", R"({"rows": {"from": "stdout", "pattern": "(.+)."}})"},
                                            {"limits", R"({"rows": {"at-most": 5}})"}}));
    REQUIRE(project);
    study::TrialRecord trial;
    study::VerdictRecord verdict;
    CHECK(review::flags_of(trial, verdict, {}, &*project, "").empty());
    trial.patch = "+x\n";
    const auto flags = review::flags_of(trial, verdict, {}, &*project, "");
    REQUIRE(flags.size() == 1);
    CHECK(flags[0].name == "self-reported limit");
    CHECK_THAT(flags[0].evidence, ContainsSubstring("against it itself: rows."));
}

TEST_CASE("instructions of a simulator as the only objective are set beside wall and cpu") {
    const auto project = load(project_text({{"objective", R"("instructions")"}}));
    REQUIRE(project);
    const std::string simulated = R"({"instructions": "cachegrind"})";
    study::TrialRecord trial;
    const auto flags = [&](double wall, double cpu, const std::string& machine) {
        auto found = review::flags_of(trial, {}, pairs(1, wall, cpu), &*project, machine);
        std::erase_if(found, [](const review::Flag& flag) { return flag.name != "instructions alone"; });
        return found;
    };
    CHECK(flags(0.9, 0.9, simulated).empty());
    REQUIRE(flags(1.02, 0.9, simulated).size() == 1);
    CHECK_THAT(flags(1.02, 0.9, simulated)[0].evidence,
               ContainsSubstring("wall +2.0 % (median of 40 pairs), which does not agree") &&
                   ContainsSubstring("cpu −10.0 %"));
    CHECK(flags(1.02, 0.9, R"({"instructions": "kernel"})").empty());
    trial.patch = "+x\n";
    REQUIRE(flags(0.9, 0.9, simulated).size() == 1);
    CHECK_THAT(flags(0.9, 0.9, simulated)[0].evidence, ContainsSubstring("can tell that it is watched"));
}

TEST_CASE("the flag is acknowledged by name, with the sentence as its evidence") {
    const Project project = with_metrics(own, "rows");
    const decision::Verdict verdict = trusted(project, pairs(0.9, 1, 1));
    study::VerdictRecord record;
    record.flags_json = R"(["self-reported","unproven proxy"])";
    record.reasons_json =
        R"(["It is better.",")" + verdict.reasons.front() +
        R"(","The objective rows stands for p99: no trial measured both, and at least 0.8 must be shown."])";
    const auto flags = review::flags_of({}, record, {}, &project, "");
    REQUIRE(flags.size() == 2);
    CHECK(flags[0].name == "self-reported");
    CHECK(flags[0].evidence == verdict.reasons.front());
    CHECK_THAT(flags[1].evidence, ContainsSubstring("stands for p99: no trial measured both"));
}

TEST_CASE("a proxy is proven by the lower end of its correlation") {
    const Project project = with_metrics(
        R"({"scan": {"from": "stdout", "pattern": "(.+).", "accept-self-reported": true, "proxy-for": "wall"}})",
        "scan");
    CHECK(project.metric("scan").proxy_for == "wall");
    study::ProxyProof proof{"scan", "wall", {0.95, {0.81, 0.99}, 14}};
    CHECK(proof.proven());
    decision::Verdict verdict = trusted(project, {}, {proof});
    CHECK(verdict.flags == std::vector<std::string>{"self-reported"});
    CHECK(verdict.reasons.back() ==
          "The objective scan stands for wall: Spearman correlation 0.95 [0.81, 0.99] over 14 candidates.");
    proof.correlation.interval.low = 0.79;
    verdict = trusted(project, {}, {proof});
    CHECK(verdict.flags == std::vector<std::string>{"self-reported", "unproven proxy"});
    CHECK_THAT(verdict.reasons.back(), EndsWith("[0.79, 0.99] over 14 candidates, and at least 0.8 must be shown."));
    CHECK(study::describe({"scan", "wall", {}}) == "no trial measured both");
    CHECK(study::describe({"scan", "wall", {NAN, {-1, 1}, 1}}) == "no Spearman correlation over 1 candidate");
}
