// SPDX-License-Identifier: GPL-3.0-or-later
// Files that the programs themselves wrote (tests/data/results), and files written by their documentation where the
// program is not in the distribution.
#include "core/results/results.hpp"
#include "tests/catch.h"

#include <fstream>
#include <iterator>
#include <string>

using namespace holdfast;
using namespace holdfast::results;

namespace {

std::optional<double> value_of(const File& file, const std::string& benchmark, const std::string& quantity) {
    const auto number = number_of(file, benchmark, quantity);
    return number ? std::optional(*number) : std::nullopt;
}

std::string written(const char* name) {
    std::ifstream file(std::string(HOLDFAST_SOURCE_DIR) + "/tests/data/results/" + name, std::ios::binary);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

File read_well(const std::string& text) {
    auto file = read(text);
    INFO((file ? std::string() : file.error().message()));
    REQUIRE(file);
    return *file;
}

const Benchmark& named(const File& file, const std::string& name) {
    std::string there;
    for (const Benchmark& benchmark : file.benchmarks) {
        if (benchmark.name == name)
            return benchmark;
        there += benchmark.name + "\n";
    }
    FAIL("no benchmark " << name << " in\n" << there);
    return file.benchmarks.front();
}

const Quantity& quantity(const Benchmark& benchmark, const std::string& name) {
    for (const Quantity& each : benchmark.quantities)
        if (each.name == name)
            return each;
    FAIL("no quantity " << name << " in " << benchmark.name);
    return benchmark.quantities.front();
}

bool notes(const std::vector<std::string>& notes, const std::string& text) {
    for (const std::string& note : notes)
        if (note.find(text) != std::string::npos)
            return true;
    return false;
}

} // namespace

TEST_CASE("google-benchmark: repetitions are values, aggregates stay aggregates, cv stays a ratio") {
    const File file = read_well(written("google.json"));
    CHECK(file.format == Format::google_benchmark);
    REQUIRE(file.benchmarks.size() == 4);
    const Benchmark& scan = named(file, "BM_Scan/64/min_time:0.010/repeats:3");
    CHECK(scan.quantities.front().name == "time");
    const Quantity& time = scan.quantities.front();
    CHECK(time.unit == "s");
    CHECK(time.better == Better::lower);
    REQUIRE(time.values.size() == 3);
    CHECK(time.values[0] == 2.3398226362830343e-02 / 1e6); // its time_unit is us
    CHECK(time.median == 2.2363580012495374e-02 / 1e6);
    CHECK(time.mean == 2.2692894375771825e-02 / 1e6);
    CHECK(time.deviation == 6.1128161072576920e-04 / 1e6);
    CHECK(time.ratio_of_variation == 2.6937137264359135e-02); // "percentage": time_unit says nothing
    CHECK(time.number() == 2.2363580012495374e-02 / 1e6);
    CHECK(quantity(scan, "cpu-time").values.size() == 3);
    CHECK(quantity(scan, "bytes_per_second").unit == "B/s");
    CHECK(quantity(scan, "bytes_per_second").better == Better::higher);
    CHECK(quantity(scan, "items_per_second").unit == "1/s");
    CHECK(quantity(scan, "items_per_second").values[1] == 2.8806256911634045e+09);
    CHECK(quantity(scan, "rows").values.size() == 3);
    CHECK(notes(scan.notes, "waste left out: no number")); // a bare NaN
    CHECK(notes(file.notes, "2 rows of a fitted complexity left out"));
    const Quantity& plain = named(file, "BM_Plain/min_time:0.010").quantities.front();
    CHECK(plain.values == std::vector<double>{6.9162517737502984 / 1e9});
}

TEST_CASE("google-benchmark: a benchmark that failed has no number, whatever time the file gives it") {
    const File file = read_well(written("google.json"));
    const Benchmark& skipped = named(file, "BM_Skip");
    CHECK(skipped.error == "it failed: no data\tfile");
    CHECK(skipped.quantities.empty());
    const auto number = number_of(file, "BM_Skip", "");
    REQUIRE_FALSE(number);
    CHECK_THAT(number.error().found, ContainsSubstring("has no number: it failed: no data\\tfile"));
}

TEST_CASE("google-benchmark: with aggregates alone the median stands for it") {
    const File file = read_well(written("google_aggregates.json"));
    const Benchmark& scan = named(file, "BM_Scan/64/min_time:0.010/repeats:3");
    CHECK(scan.quantities.front().values.empty());
    CHECK(scan.quantities.front().number() == 2.2683569670317105e-02 / 1e6);
    CHECK(notes(scan.notes, "aggregates only"));
}

TEST_CASE("google-benchmark: before it wrote run_type, the name alone tells an aggregate") {
    const auto row = [](const std::string& name, const std::string& time) {
        return R"({"name": ")" + name + R"(", "iterations": 1, "real_time": )" + time +
               R"(, "cpu_time": 5, "time_unit": "us"})";
    };
    const File file = read_well(R"({"benchmarks": [)" + row("BM", "4") + "," + row("BM", "6") + "," +
                                row("BM_mean", "5") + "," + row("BM_median", "5") + "," + row("BM_stddev", "1.5") +
                                "," + row("BM_cv", "0.1") + "," + row("Other_mean", "7") + "]}");
    REQUIRE(file.benchmarks.size() == 2);
    const Quantity& time = named(file, "BM").quantities.front();
    CHECK(time.values == std::vector<double>{4 / 1e6, 6 / 1e6});
    CHECK(time.mean == 5 / 1e6);
    CHECK(time.median == 5 / 1e6);
    CHECK(time.deviation == 1.5 / 1e6);
    CHECK(time.ratio_of_variation == 0.1);
    CHECK(value_of(file, "Other_mean", "") == 7 / 1e6); // there is no "Other" that it could be of
    CHECK(notes(file.notes, "4 rows without \"run_type\" taken for aggregates"));

    const File typed = read_well(R"({"benchmarks": [
        {"name": "BM", "run_name": "BM", "run_type": "iteration", "real_time": 1, "time_unit": "ns"},
        {"name": "BM_mean", "run_name": "BM_mean", "run_type": "iteration", "real_time": 2, "time_unit": "ns"}]})");
    CHECK(value_of(typed, "BM_mean", "") == 2 / 1e9);
    CHECK(typed.notes.empty());
}

TEST_CASE("google-benchmark: times without a unit are its default's, and that is said") {
    const File file = read_well(R"({"benchmarks": [{"name": "a", "run_name": "a", "real_time": 5}]})");
    CHECK(value_of(file, "a", "") == 5 / 1e9);
    CHECK(notes(file.notes, "1 rows without \"time_unit\" taken as ns"));
}

TEST_CASE("a time or a rate below zero is none") {
    const File file = read_well(R"({"benchmarks": [
        {"name": "a", "run_name": "a", "real_time": -5, "cpu_time": 1, "time_unit": "ns"},
        {"name": "b", "run_name": "b", "real_time": 5, "cpu_time": -1, "time_unit": "ns", "change": -3},
        {"name": "c", "run_name": "c", "run_type": "aggregate", "aggregate_name": "mean", "real_time": -1,
         "time_unit": "ns"}]})");
    CHECK(named(file, "a").error == "its time is below zero");
    CHECK(named(file, "c").error == "its time is below zero");
    CHECK(value_of(file, "b", "") == 5 / 1e9);
    CHECK(notes(named(file, "b").notes, "cpu-time left out: below zero"));
    CHECK(value_of(file, "b", "change") == -3.0); // a counter may be
}

TEST_CASE("hyperfine: seconds, parameters as texts, one run without a deviation") {
    const File file = read_well(written("hyperfine.json"));
    CHECK(file.format == Format::hyperfine);
    REQUIRE(file.benchmarks.size() == 2);
    const Benchmark& sleep = named(file, "sleep 0.01");
    REQUIRE(sleep.quantities.front().values.size() == 4);
    CHECK(sleep.quantities.front().values[1] == 0.017937771);
    CHECK(sleep.quantities.front().number().value() == Approx(0.0158428775));
    CHECK(quantity(sleep, "user").number() == 0.0007354999999999999);
    const File once = read_well(written("hyperfine_once.json"));
    CHECK_FALSE(once.benchmarks.front().quantities.front().deviation.has_value()); // "stddev": null
    CHECK(once.benchmarks.front().quantities.front().number() == 0.005377795);
}

TEST_CASE("hyperfine: exit codes are told, and a run that a signal ended is no measurement") {
    const File failing = read_well(written("hyperfine_failing.json"));
    CHECK(notes(named(failing, "false").notes, "3 of 3 runs: exit code 1"));
    CHECK(number_of(failing, "false", ""));
    CHECK(named(failing, "true").notes.empty());
    const File killed = read_well(written("hyperfine_killed.json"));
    CHECK_THAT(killed.benchmarks.front().error, ContainsSubstring("2 of 2 runs: exit code 137"));
    CHECK_FALSE(number_of(killed, "", ""));
    const File null = read_well(R"({"results": [{"command": "x", "mean": 1, "stddev": null, "median": 1,
        "times": [1, 1], "exit_codes": [0, null], "parameters": {"n": 5}}]})");
    CHECK_THAT(null.benchmarks.front().error, ContainsSubstring("1 of 2 runs: ended by a signal"));
}

TEST_CASE("hyperfine: commands of one name are told apart by their parameters, else none of them counts") {
    const std::string one = R"({"command": "sort", "mean": 1, "times": [1], "exit_codes": [0], "parameters": )";
    const File file = read_well(R"({"results": [)" + one + R"({"n": "1"}},)" + one + R"({"n": 2}}]})");
    CHECK(file.benchmarks.size() == 2);
    CHECK(number_of(file, "sort (n=2)", ""));
    const File same = read_well(R"({"results": [)" + one + R"({"n": "1"}},)" + one + R"({"n": "1"}}]})");
    REQUIRE(same.benchmarks.size() == 1);
    CHECK_FALSE(number_of(same, "sort (n=1)", ""));
    CHECK_THAT(number_of(same, "", "").error().found, ContainsSubstring("2 benchmarks of this name"));
}

TEST_CASE("pytest-benchmark: the data are of one call already") {
    const File file = read_well(written("pytest.json"));
    CHECK(file.format == Format::pytest_benchmark);
    CHECK(file.benchmarks.size() == 4); // test_broken is not in the file
    const Benchmark& sorted = named(file, "test_sorted[10]");
    const Quantity& time = sorted.quantities.front();
    REQUIRE(time.values.size() == 6);
    CHECK(time.number().value() == Approx(time.median.value()));
    CHECK(time.number().value() < 1e-4); // three iterations each, not divided again
    CHECK(quantity(sorted, "throughput").better == Better::higher);
    CHECK(quantity(sorted, "throughput").number().value() == Approx(1 / time.median.value()).epsilon(0.01));
    const Quantity& once = named(file, "test_once").quantities.front();
    CHECK_FALSE(once.deviation.has_value()); // the file says 0 for a single round
    const auto missing = number_of(file, "test_broken", "");
    REQUIRE_FALSE(missing);
    CHECK_THAT(missing.error().found, ContainsSubstring("none of the name \"test_broken\""));
}

TEST_CASE("Catch2: aggregates in nanoseconds; a failed benchmark has no number") {
    const File file = read_well(written("catch2.xml"));
    CHECK(file.format == Format::catch2);
    REQUIRE(file.benchmarks.size() == 3);
    const Quantity& sum = named(file, "sum 100").quantities.front();
    CHECK(sum.mean == 66.8312 / 1e9);
    CHECK(sum.deviation == 17.1663 / 1e9);
    CHECK(sum.number() == 66.8312 / 1e9);
    CHECK(named(file, "throws <&>").error == "it failed: no data");
    CHECK_FALSE(number_of(file, "throws <&>", ""));
}

TEST_CASE("Catch2: the same name in two test cases is told apart by where it is; in one it cannot be") {
    const std::string results = R"(<BenchmarkResults name="b"><mean value="5"/></BenchmarkResults>)";
    const File apart = read_well(
        R"(<?xml version="1.0" encoding="UTF-8"?><Catch2TestRun name="t"><TestCase name="one">)" + results +
        R"(</TestCase><TestCase name="two"><Section name="s">)" + results + "</Section></TestCase></Catch2TestRun>");
    CHECK(apart.benchmarks.size() == 2);
    CHECK(value_of(apart, "one: b", "") == 5 / 1e9);
    CHECK(number_of(apart, "two: s: b", ""));
    const File twice =
        read_well(R"(<Catch name="t"><TestCase name="one">)" + results + results + "</TestCase></Catch>");
    CHECK_FALSE(number_of(twice, "", ""));
}

TEST_CASE("JMH: throughput per second and higher is better, times in seconds, texts where there is no number") {
    const File file = read_well(R"([
      {"benchmark": "org.x.Scan.run", "mode": "thrpt", "threads": 1, "forks": 2, "params": {"n": "64"},
       "primaryMetric": {"score": 2.5, "scoreError": "NaN", "scoreConfidence": ["NaN", "NaN"],
                         "scoreUnit": "ops/ms", "rawData": [[2.0, 3.0], [2.5, 2.6]]},
       "secondaryMetrics": {"gc.alloc.rate": {"score": 2.0, "scoreError": "NaN", "scoreUnit": "MB/sec",
                                              "rawData": [[2.0, 2.0], [2.0, 2.0]]},
                            "gc.time": {"score": 7, "scoreUnit": "ms", "rawData": [[7], ["NaN"]]}}},
      {"benchmark": "org.x.Scan.walk", "mode": "avgt",
       "primaryMetric": {"score": 1500, "scoreUnit": "us/op", "rawData": [[1000, 2000]]}, "secondaryMetrics": {}},
      {"benchmark": "org.x.Scan.none", "mode": "avgt",
       "primaryMetric": {"score": "NaN", "scoreUnit": "us/op", "rawData": [["+INF", "-INF"]]}, "secondaryMetrics": {}}
    ])");
    CHECK(file.format == Format::jmh);
    const Benchmark& run = named(file, "org.x.Scan.run (n=64)");
    const Quantity& rate = run.quantities.front();
    CHECK(rate.name == "throughput");
    CHECK(rate.unit == "1/s");
    CHECK(rate.better == Better::higher);
    CHECK(rate.values == std::vector<double>{2000, 3000, 2500, 2600});
    CHECK(rate.mean == 2500.0);
    CHECK(quantity(run, "gc.alloc.rate").unit == "B/s");
    CHECK(quantity(run, "gc.alloc.rate").number() == 2.0 * 1024 * 1024);
    CHECK(notes(run.notes, "all 4 values of gc.alloc.rate are equal"));
    CHECK(notes(run.notes, "gc.time left out"));
    CHECK(named(file, "org.x.Scan.walk").quantities.front().number() == 1500 / 1e6);
    CHECK(named(file, "org.x.Scan.walk").quantities.front().better == Better::lower);
    CHECK_FALSE(number_of(file, "org.x.Scan.none", ""));
}

TEST_CASE("JMH: a histogram counts each value as often as it says; several modes of one method") {
    const std::string tail = R"(, "secondaryMetrics": {}})";
    const File file = read_well(
        R"([{"benchmark": "a.B.c", "mode": "sample", "primaryMetric": {"score": 12, "scoreUnit": "ns/op",
             "rawDataHistogram": [[[[10, 6], [100, 1]], [[20, 3]]]]})" +
        tail + R"(,{"benchmark": "a.B.c", "mode": "avgt", "primaryMetric": {"score": 12, "scoreUnit": "ns/op",
             "rawData": [[12]]})" +
        tail + "]");
    CHECK(value_of(file, "a.B.c [sample]", "") == 10 / 1e9);
    CHECK(notes(named(file, "a.B.c [sample]").notes, "histogram of 10 calls"));
    CHECK(value_of(file, "a.B.c [avgt]", "") == 12 / 1e9);
}

TEST_CASE("JMH: the median of a histogram lies between its two middle values, as JMH's 50th percentile does") {
    const auto median_of = [](const std::string& bins) {
        return value_of(read_well(R"([{"benchmark": "a", "mode": "sample", "primaryMetric": {"score": 12,
            "scoreUnit": "s/op", "rawDataHistogram": [[)" +
                                  bins + "]]}}]"),
                        "", "");
    };
    CHECK(median_of("[[1, 5], [3, 4], [100, 1]]") == 2.0);
    CHECK(median_of("[[1, 5], [2, 0], [3, 4], [100, 1]]") == 2.0);
    CHECK(median_of("[[3, 4], [1, 4], [100, 1]]") == 3.0);
    CHECK(median_of("[[7, 1]]") == 7.0);
}

TEST_CASE("JMH: a mode that is none of its own, or with a unit of another one, has no number") {
    const auto error_of = [](const std::string& mode, const std::string& unit) {
        return read_well(R"([{"benchmark": "a", )" + mode + R"( "primaryMetric": {"score": 1, "scoreUnit": ")" + unit +
                         R"(", "rawData": [[1, 2]]}}])")
            .benchmarks.front()
            .error;
    };
    CHECK(error_of(R"("mode": "avgt",)", "us/op").empty());
    CHECK(error_of(R"("mode": "Throughput",)", "ops/ms") ==
          "its mode \"Throughput\" is none of JMH's: thrpt, avgt, sample, ss");
    CHECK_FALSE(error_of("", "ops/ms").empty());
    CHECK(error_of(R"("mode": "avgt",)", "ops/ms") == "its unit \"ops/ms\" is none of its mode \"avgt\"");
    CHECK_FALSE(error_of(R"("mode": "thrpt",)", "us/op").empty());
    CHECK_FALSE(error_of(R"("mode": "ss",)", "parsec/op").empty());
}

TEST_CASE("nanobench: a batch that is not above zero leaves no number") {
    for (const std::string batch : {"0", "-2", "\"many\""})
        CHECK(read_well(R"x({"results": [{"name": "a", "batch": )x" + batch +
                        R"x(, "median(elapsed)": 1e-6, "measurements": [{"elapsed": 1e-6}]}]})x")
                  .benchmarks.front()
                  .error.find("batch") != std::string::npos);
}

TEST_CASE("nanobench: seconds of one iteration, a batch as throughput, counters that nobody counted left out") {
    const File file = read_well(R"x({"results": [
      {"title": "scan", "name": "rows", "unit": "byte", "batch": 1000, "epochs": 3, "median(elapsed)": 2e-06,
       "medianAbsolutePercentError(elapsed)": 0.01, "median(instructions)": 300, "median(pagefaults)": 0,
       "totalTime": 0.1,
       "measurements": [
         {"iterations": 10, "elapsed": 1e-06, "pagefaults": 0, "instructions": 300},
         {"iterations": 11, "elapsed": 2e-06, "pagefaults": 0, "instructions": 300},
         {"iterations": 12, "elapsed": 4e-06, "pagefaults": 0, "instructions": 301}]},
      {"title": "other", "name": "rows", "unit": "op", "batch": 1, "median(elapsed)": nan,
       "measurements": [{"iterations": 1, "elapsed": -nan}]}]})x");
    CHECK(file.format == Format::nanobench);
    const Benchmark& rows = named(file, "scan: rows");
    CHECK(rows.quantities.front().values == std::vector<double>{1e-6, 2e-6, 4e-6});
    CHECK(quantity(rows, "throughput").unit == "B/s");
    CHECK(quantity(rows, "throughput").number().value() == Approx(1000 / 2e-6));
    CHECK(quantity(rows, "instructions").number() == 300.0);
    CHECK(rows.quantities.size() == 3);
    CHECK(notes(rows.notes, "one iteration, which processes 1000"));
    CHECK_FALSE(number_of(file, "other: rows", ""));
}

TEST_CASE("criterion: each measured value is divided by its iteration count") {
    const File file = read_well("group,function,value,throughput_num,throughput_type,sample_measured_value,unit,"
                                "iteration_count\nSums,scan,64,64,bytes,100,ns,10\nSums,scan,64,64,bytes,240,ns,20\n"
                                "Sums,\"a, \"\"b\"\"\",,,,3,us,3\n");
    CHECK(file.format == Format::criterion);
    const Benchmark& scan = named(file, "Sums/scan/64");
    CHECK(scan.quantities.front().values == std::vector<double>{100 / 1e9 / 10, 240 / 1e9 / 20});
    CHECK(quantity(scan, "throughput").unit == "B/s");
    CHECK(quantity(scan, "throughput").values[0] == Approx(64 / 1e-8));
    CHECK(named(file, "Sums/a, \"b\"").quantities.front().values == std::vector<double>{1 / 1e6});
    const File old = read_well("group,function,value,sample_time_nanos,iteration_count\nF,g,,900,9\n");
    CHECK(value_of(old, "F/g", "time") == 900 / 1e9 / 9);
}

TEST_CASE("criterion: messages of cargo-criterion") {
    const std::string messages =
        R"({"reason":"benchmark-complete","id":"norm","iteration_count":[30,60],"measured_values":[300.0,660.0],)"
        R"("unit":"ns","throughput":[{"per_iteration":1024,"unit":"elements"}],"mean":{"estimate":10.5,"unit":"ns"},)"
        R"("median":{"estimate":10.4,"unit":"ns"}})"
        "\n"
        R"({"reason":"group-complete","group_name":"norm","benchmarks":["norm"]})"
        "\n";
    const File file = read_well(messages);
    CHECK(file.format == Format::criterion);
    const Quantity& time = named(file, "norm").quantities.front();
    CHECK(time.values == std::vector<double>{300 / 1e9 / 30, 660 / 1e9 / 60});
    CHECK(time.median == 10.4 / 1e9);
    CHECK(quantity(named(file, "norm"), "throughput").unit == "1/s");
    const auto cut = read(messages + R"({"reason":"benchmark-comp)");
    REQUIRE_FALSE(cut);
    CHECK_THAT(cut.error().found, ContainsSubstring("line 3: it is cut short"));
}

TEST_CASE("a file with several benchmarks or quantities needs names, and an unknown one is never passed over") {
    const File file = read_well(written("google.json"));
    const auto several = number_of(file, "", "");
    REQUIRE_FALSE(several);
    CHECK_THAT(several.error().found, ContainsSubstring("holds 4 benchmarks"));
    const auto near = number_of(file, "BM_Scan/64/min_time:0.010/repeats:4", "");
    REQUIRE_FALSE(near);
    CHECK_THAT(near.error().found, ContainsSubstring("nearest: \"BM_Scan/64/min_time:0.010/repeats:3\""));
    const auto value = number_of(file, "BM_Plain/min_time:0.010", "cpu_time");
    REQUIRE_FALSE(value);
    CHECK_THAT(value.error().found, ContainsSubstring("nearest: \"cpu-time\""));
    CHECK_FALSE(value.error().remedy.empty());
    CHECK(value_of(file, "BM_Plain/min_time:0.010", "cpu-time") == 6.9165764187830723 / 1e9);
}

TEST_CASE("what is stored reads back the same") {
    for (const char* name :
         {"google.json", "google_aggregates.json", "hyperfine_failing.json", "pytest.json", "catch2.xml"}) {
        const File file = read_well(written(name));
        const auto back = from_json(to_json(file));
        REQUIRE(back);
        CHECK(to_json(*back) == to_json(file));
        CHECK(back->benchmarks.size() == file.benchmarks.size());
        CHECK(back->benchmarks.front().quantities.front().number() ==
              file.benchmarks.front().quantities.front().number());
    }
    for (const char* text : {"", "{}", "[]", R"({"format":"x","benchmarks":[],"notes":[]})",
                             R"({"format":"jmh","benchmarks":[{"name":1}],"notes":[]})"})
        CHECK_FALSE(from_json(text));
}

TEST_CASE("formats have names") {
    CHECK(formats().size() == 7);
    for (const Format format : formats())
        CHECK(format_from_name(format_name(format)) == format);
    CHECK_FALSE(format_from_name("gtest").has_value());
}
