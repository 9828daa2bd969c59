// SPDX-License-Identifier: GPL-3.0-or-later
// Projects that a compiler builds: with CMake, with Make, and a header-only library with a benchmark of its own.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"

using namespace holdfast::test;
using nlohmann::json;

namespace {

const char* const pairs_header = R"cpp(#pragma once
#include <cstdint>
#include <vector>
std::uint64_t pair_sum(const std::vector<std::uint32_t>& values);
)cpp";

// The sum of a ^ b over all pairs, in time that grows with the square of their number.
const char* const pairs_source = R"cpp(#include "pairs.hpp"
std::uint64_t pair_sum(const std::vector<std::uint32_t>& values) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t k = i + 1; k < values.size(); ++k)
            sum += values[i] ^ values[k];
    return sum;
}
)cpp";
const std::string by_pairs = R"cpp(    for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t k = i + 1; k < values.size(); ++k)
            sum += values[i] ^ values[k];
)cpp";

/// Bit by bit: each of `bits` bits differs in ones * zeros pairs.
std::string by_bits(int bits) {
    return "    for (int bit = 0; bit < " + std::to_string(bits) + R"cpp(; ++bit) {
        std::uint64_t ones = 0;
        for (const std::uint32_t value : values)
            ones += value >> bit & 1;
        sum += ones * (values.size() - ones) << bit;
    }
)cpp";
}

const char* const pairs_program = R"cpp(#include "pairs.hpp"
#include <cstdio>
#include <cstdlib>
int main(int, char** arguments) {
    std::vector<std::uint32_t> values;
    std::uint32_t state = 1;
    for (int i = std::atoi(arguments[1]); i > 0; --i)
        values.push_back((state = state * 1664525 + 1013904223) >> 1);
    std::printf("%llu\n", static_cast<unsigned long long>(pair_sum(values)));
}
)cpp";

// Here the highest bit counts, which the program's numbers do not have.
const char* const pairs_test = R"cpp(#include "pairs.hpp"
int main() { return pair_sum({0x80000000U, 1, 2}) == 0x80000001ULL + 0x80000002ULL + 3 ? 0 : 1; }
)cpp";

std::string workload(const std::string& program, int count) {
    return R"({ "name": "pairs )" + std::to_string(count) + R"(", "run": ["{build}/)" + program + R"(", ")" +
           std::to_string(count) + R"("], "check": { "stdout": "same" } })";
}

const char* const quick = R"("decision": { "max-pairs": 12, "holdout-pairs": 6 })";

WrittenProject cmake_project() {
    return WrittenProject({{"src/pairs.hpp", pairs_header},
                           {"src/pairs.cpp", pairs_source},
                           {"src/tool.cpp", pairs_program},
                           {"tests/pairs_test.cpp", pairs_test},
                           {"CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.20)
project(pairs LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
enable_testing()
add_library(pairs src/pairs.cpp)
target_include_directories(pairs PUBLIC src)
add_executable(tool src/tool.cpp)
target_link_libraries(tool pairs)
add_executable(pairs_test tests/pairs_test.cpp)
target_link_libraries(pairs_test pairs)
add_test(NAME pairs COMMAND pairs_test)
)"},
                           {".holdfast/holdout.json", R"({ "workloads": [)" + workload("tool", 7000) + "] }"},
                           {"holdfast.json", R"({
  "name": "pairs",
  "build": [["cmake", "-S", "{source}", "-B", "{build}", "-DCMAKE_BUILD_TYPE=Release"], ["cmake", "--build", "{build}", "-j2"]],
  "objective": "wall",
  "workloads": [)" + workload("tool", 6000) + R"(],
  "knobs": [{ "name": "optimisation", "type": "categorical", "values": ["-O0", "-O2"], "default": "-O0",
              "through": { "cmake": "CMAKE_CXX_FLAGS_RELEASE" } }],
  "probe": { "sanitizers": [], "inputs": 0 },
  "code": { "editable": ["src/**"], "protected": ["tests/**"], "test": [["ctest", "--test-dir", "{build}", "--output-on-failure"]] },
  )" + quick + "\n}\n"}});
}

} // namespace

TEST_CASE("a CMake project: a compiler flag is measured, a right patch generalises, one that breaks a test does not") {
    const WrittenProject project = cmake_project();
    REQUIRE(project.holdfast({"validate"}).code == 0);
    const auto flag = project.measured({"--set", "optimisation=-O2"});
    INFO(flag.verdict << flag.reason);
    CHECK(flag.verdict.empty());
    CHECK(flag.estimate < -0.1);

    const std::string right = project.patch("src/pairs.cpp", by_pairs, by_bits(32));
    const std::string wrong = project.patch("src/pairs.cpp", by_pairs, by_bits(31));
    REQUIRE(project.holdfast({"propose", "--patch", right}).code == 0);
    REQUIRE(project.holdfast({"propose", "--patch", wrong}).code == 0);
    project.run();
    const json better = project.trial("2"); // 1 was the measurement
    INFO(better.dump(1));
    CHECK(better.at("verdict") == "generalises");
    CHECK(better.at("tuning").at("estimate").get<double>() < -0.3);
    check_failed_test(project.trial("3"), "ctest --test-dir");
}

TEST_CASE("a Make project: CFLAGS is a knob, make check judges a patch, and CC may name ccache") {
    const WrittenProject project({{"sum.c", R"c(#include "sum.h"
unsigned long sum(unsigned n) {
    unsigned long total = 0;
    for (unsigned i = 1; i <= n; ++i)
        total += i * (unsigned long)i;
    return total;
}
)c"},
                                  {"sum.h", "unsigned long sum(unsigned n);\n"},
                                  {"main.c", R"c(#include "sum.h"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** words) {
    if (count == 1)
        return sum(3) != 14 || sum(0) != 0;
    printf("%lu\n", sum(atoi(words[1])));
}
)c"},
                                  {"Makefile", R"(CFLAGS = -O0
tool: main.o sum.o
	$(CC) -o $@ main.o sum.o
main.o sum.o: sum.h
check: tool
	./tool
)"},
                                  {"holdfast.json", R"({
  "name": "squares",
  "build": [["cp", "-a", "{source}/.", "{build}"], ["make", "-C", "{build}", "CC=ccache gcc"]],
  "objective": "wall",
  "workloads": [)" + workload("tool", 30000000) + R"(],
  "knobs": [{ "name": "cflags", "type": "categorical", "values": ["-O0", "-O2", "-O2 -g"], "default": "-O0",
              "through": { "make": "CFLAGS" } }],
  "probe": { "sanitizers": [], "inputs": 0 },
  "code": { "editable": ["*.c"], "protected": ["Makefile"], "test": [["make", "-C", "{build}", "check"]] }
}
)"}});
    REQUIRE(project.holdfast({"validate"}).code == 0);
    const auto flag = project.measured({"--set", "cflags=-O2 -g"});
    INFO(flag.verdict << flag.reason);
    CHECK(flag.verdict.empty());
    CHECK(flag.estimate < -0.1);
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("sum.c", "i = 1", "i = 2")}).code == 0);
    project.run();
    check_failed_test(project.trial("2"), "make -C");
}

TEST_CASE("a header-only library: its own Google Benchmark gives the objective, its self-test the answer") {
    const WrittenProject project({{"include/bits.hpp", R"cpp(#pragma once
#include <cstdint>
inline int bits(std::uint64_t value) {
    int count = 0;
    for (int i = 0; i < 64; ++i)
        count += static_cast<int>(value >> i & 1);
    return count;
}
)cpp"},
                                  {"tests/self_test.cpp", R"cpp(#include "bits.hpp"
#include <cstdio>
int main() {
    for (std::uint64_t value = 1; value != 0; value *= 6)
        std::printf("%llu %d\n", static_cast<unsigned long long>(value), bits(value));
    return bits(0) == 0 && bits(~std::uint64_t{0}) == 64 ? 0 : 1;
}
)cpp"},
                                  {"bench/bench.cpp", R"cpp(#include "bits.hpp"
#include <benchmark/benchmark.h>
void count(benchmark::State& state) {
    std::uint64_t value = 0x123456789abcdefULL;
    for (auto _ : state)
        benchmark::DoNotOptimize(value += static_cast<std::uint64_t>(bits(value)));
}
BENCHMARK(count);
BENCHMARK_MAIN();
)cpp"},
                                  {"holdfast.json", R"({
  "name": "bits",
  "build": [["g++", "-std=c++17", "-O1", "-I{source}/include", "{source}/tests/self_test.cpp", "-o", "{build}/self_test"],
            ["g++", "-std=c++17", "-O1", "-I{source}/include", "{source}/bench/bench.cpp", "-o", "{build}/bench", "-lbenchmark", "-lpthread"]],
  "metrics": { "count": { "from": "google-benchmark", "file": "{out}/bench.json", "benchmark": "count", "unit": "ns", "accept-self-reported": true } },
  "objective": "count",
  "workloads": [{ "name": "count",
    "run": ["/bin/sh", "-c", "{build}/self_test > {out}/answers && exec {build}/bench --benchmark_min_time=0.02 --benchmark_out={out}/bench.json --benchmark_out_format=json"],
    "check": { "files": { "answers": "same" } } }],
  "probe": { "sanitizers": [], "inputs": 0 },
  "code": { "editable": ["include/**"], "protected": ["tests/**", "bench/**"], "test": [["{build}/self_test"]] }
}
)"}});
    REQUIRE(project.holdfast({"validate"}).code == 0);
    const std::string loop = "    for (int i = 0; i < 64; ++i)\n        count += static_cast<int>(value >> i & 1);\n";
    const auto better =
        project.measured({"--patch", project.patch("include/bits.hpp", loop,
                                                   "    for (; value != 0; value &= value - 1)\n        ++count;\n")});
    INFO(better.verdict << better.reason);
    CHECK(better.verdict.empty());
    CHECK(better.estimate < -0.1);
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("include/bits.hpp", "i < 64", "i < 63")}).code == 0);
    project.run();
    check_failed_test(project.trial("2"), "{build}/self_test");
}
