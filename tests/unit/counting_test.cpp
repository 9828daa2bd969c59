// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions and energy: when they are measured, what measures them, and reading cachegrind's logs.
#include "core/study/cachegrind.hpp"
#include "core/study/counting.hpp"
#include "core/study/metrics.hpp"
#include "tests/catch.h"
#include "tests/unit/folder.hpp"
#include "tests/unit/project_fixture.hpp"

#include <algorithm>
#include <filesystem>

using namespace holdfast;
using namespace holdfast::study;
namespace fs = std::filesystem;

TEST_CASE("the label of simulated instructions says so") {
    CHECK(metric_label("instructions", R"({"instructions": "cachegrind"})") == "instructions (cachegrind)");
    CHECK(metric_label("instructions", R"({"instructions": "kernel"})") == "instructions");
    CHECK(metric_label("instructions", R"({"instructions": null})") == "instructions");
    CHECK(metric_label("instructions", "damaged") == "instructions");
    CHECK(metric_label("wall", R"({"instructions": "cachegrind"})") == "wall");
}

TEST_CASE("a run under cachegrind gets its arguments, a place for its logs, and more time and memory") {
    Execution execution;
    execution.argv = {"prog", "x"};
    execution.limits.time = std::chrono::seconds(2);
    execution.count_instructions = true;
    const Execution counted = under_cachegrind(execution, "/somewhere", "secret");
    CHECK(std::count(counted.argv.begin(), counted.argv.end(), "--log-file=/counts/secret-%p") == 1);
    CHECK(counted.argv.front() == "/usr/bin/valgrind");
    CHECK(counted.argv.back() == "x");
    CHECK(counted.argv[counted.argv.size() - 2] == "prog");
    REQUIRE(counted.mounts.size() == 1);
    CHECK(counted.mounts[0].writable);
    CHECK(counted.limits.time >= std::chrono::seconds(100));
    CHECK(counted.limits.memory_bytes > execution.limits.memory_bytes);
    CHECK_FALSE(counted.count_instructions);
}

namespace {

std::string log_of(const std::string& pid, const std::string& parent, const std::string& end) {
    const std::string mark = "==" + pid + "== ";
    return mark + "Cachegrind, a cache and branch-prediction profiler\n" + mark + "Command: w\n" + mark +
           "Parent PID: " + parent + "\n" + mark + "\n--" + pid + "-- warning: no L3\n" + end;
}

} // namespace

TEST_CASE("the counts of all processes are summed, and a missing one is an error") {
    const Folder logs;
    CHECK_FALSE(cachegrind_instructions(logs.path(), "k"));
    logs.write("k-12", log_of("12", "3", "==12== I   refs:      1,234,567\n"));
    logs.write("k-13", log_of("13", "12", "==13== I refs: 433\n"));
    const auto sum = cachegrind_instructions(logs.path(), "k");
    REQUIRE(sum);
    CHECK(*sum == 1'235'000);
    struct Row {
        const char* what;
        std::string log;
    };
    for (const Row& row :
         {Row{"killed", log_of("14", "13", "")}, Row{"empty", ""},
          Row{"no number", log_of("14", "13", "==14== I refs: many\n")},
          Row{"negative", log_of("14", "13", "==14== I refs: -5\n")},
          Row{"too large", log_of("14", "13", "==14== I refs: 99,999,999,999,999,999,999,999\n")},
          Row{"past the end", log_of("14", "13", "==14== I refs: 18,446,744,073,709,551,615\n")},
          Row{"bare", "==14== I refs: 1,000\n"}, Row{"of another process", log_of("12", "3", "==12== I refs: 5\n")},
          Row{"two counts", log_of("14", "13", "==14== I refs: 5\n==14== I refs: 5\n")},
          Row{"a line of the program's", log_of("14", "13", "hello\n==14== I refs: 5\n")},
          Row{"a parent that never ran", log_of("14", "77", "==14== I refs: 5\n")},
          Row{"its own parent", log_of("14", "14", "==14== I refs: 5\n")}}) {
        INFO(row.what);
        logs.write("k-14", row.log);
        const auto wrong = cachegrind_instructions(logs.path(), "k");
        REQUIRE_FALSE(wrong);
        CHECK_FALSE(wrong.error().remedy.empty());
    }
    fs::remove(logs.path() / "k-14");
    REQUIRE(cachegrind_instructions(logs.path(), "k"));
    CHECK_FALSE(cachegrind_instructions(logs.path(), "other"));
    for (const char* extra : {"15", "k-015", "k-x", "note"}) {
        logs.write(extra, log_of("15", "12", "==15== I refs: 5\n"));
        CHECK_FALSE(cachegrind_instructions(logs.path(), "k"));
        fs::remove(logs.path() / extra);
    }
    fs::create_symlink(logs.path() / "k-13", logs.path() / "k-15");
    CHECK_FALSE(cachegrind_instructions(logs.path(), "k"));
}

TEST_CASE("energy is the meters' difference, instructions the kernel's count or none") {
    Project project;
    project.objective = "energy";
    project.objectives = {"energy"};
    Metric energy, instructions;
    energy.name = "energy";
    energy.source = Metric::Source::energy;
    instructions.name = "instructions";
    instructions.source = Metric::Source::instructions;
    project.metrics = {energy, instructions};
    Usage usage;
    usage.instructions = 1000;
    const Workload workload;
    const auto read = read_metrics(project, workload, "/nowhere", "", usage, {2.5, false});
    REQUIRE(read);
    CHECK(read->at("energy") == 2.5);
    CHECK(read->at("instructions") == 1000);
    const auto later = read_metrics(project, workload, "/nowhere", "", {}, {2.5, true});
    REQUIRE(later);
    CHECK(later->count("instructions") == 0);
    CHECK_THAT(read_metrics(project, workload, "/nowhere", "", {}, {2.5, false}).error(),
               ContainsSubstring("cores of two kinds"));
    CHECK_THAT(read_metrics(project, workload, "/nowhere", "", usage, {}).error(), ContainsSubstring("no reading"));
    CHECK_THAT(read_metrics(project, workload, "/nowhere", "", usage, {0.0, false}).error(),
               ContainsSubstring("not a positive"));
}

TEST_CASE("instructions and energy exist once the objective or a limit names them, unless the project has its own") {
    const auto load = [](const std::map<std::string, std::string>& changes) {
        const Folder folder;
        folder.write("holdfast.json", project_text(changes));
        return load_project(folder.path());
    };
    const auto has = [](const Project& project, const std::string& name) {
        return std::any_of(project.metrics.begin(), project.metrics.end(),
                           [&](const Metric& metric) { return metric.name == name; });
    };
    const auto plain = load({});
    REQUIRE(plain);
    CHECK_FALSE(has(*plain, "instructions"));
    CHECK_FALSE(has(*plain, "energy"));
    const auto both =
        load({{"objective", R"("instructions")"}, {"limits", R"({"energy": {"worse-by-at-most": "5%"}})"}});
    REQUIRE(both);
    CHECK(both->metric("instructions").source == Metric::Source::instructions);
    CHECK(both->metric("energy").unit == "J");
    const auto own = load({{"objective", R"("instructions")"},
                           {"metrics", R"json({"instructions": {"from": "stdout", "pattern": "n: (\\d+)",
                             "accept-self-reported": true}})json"}});
    REQUIRE(own);
    CHECK(own->metric("instructions").source == Metric::Source::standard_output);
    const auto near = load({{"objective", R"("instruction")"}});
    REQUIRE_FALSE(near);
    CHECK_THAT(near.error().front().allowed, ContainsSubstring("nearest: \"instructions\""));
}

TEST_CASE("processor time alone is doubtful for a change of code only") {
    Project project;
    project.objective = "cpu";
    project.objectives = {"cpu"};
    Metric cpu;
    cpu.name = "cpu";
    cpu.source = Metric::Source::cpu;
    project.metrics = {cpu};
    CHECK_FALSE(cpu_caution(project, "cpu", true).empty());
    CHECK(cpu_caution(project, "cpu", false).empty());
    project.objectives = {"cpu", "wall"}; // another objective says nothing of the time that is claimed
    CHECK_FALSE(cpu_caution(project, "cpu", true).empty());
    CHECK(cpu_caution(project, "wall", true).empty());
}

TEST_CASE("simulated instructions alone are doubtful for a change of code only") {
    Project project;
    project.objective = "instructions";
    project.objectives = {"instructions"};
    Metric instructions;
    instructions.name = "instructions";
    instructions.source = Metric::Source::instructions;
    project.metrics = {instructions};
    const std::string simulated = R"({"instructions": "cachegrind"})";
    CHECK_THAT(instructions_caution(project, "instructions", simulated, true),
               ContainsSubstring("counted by cachegrind"));
    CHECK(instructions_caution(project, "instructions", simulated, false).empty());
    CHECK(instructions_caution(project, "instructions", R"({"instructions": "kernel"})", true).empty());
    CHECK(instructions_caution(project, "instructions", "damaged", true).empty());
    project.objectives = {"instructions", "wall"};
    CHECK_FALSE(instructions_caution(project, "instructions", simulated, true).empty());
    CHECK(instructions_caution(project, "wall", simulated, true).empty());
}
