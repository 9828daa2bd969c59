// SPDX-License-Identifier: GPL-3.0-or-later
// Servers, generated inputs, conditions, tolerances, make knobs and fetch in the project file.
#include "core/project/knobs.hpp"
#include "tests/catch.h"
#include "tests/unit/project_rows.hpp"

using namespace holdfast;

namespace {

const std::string served = R"([{"name": "w", "start": ["{build}/server", "--port={port}", "--data={scratch}"],
    "ready": ["{build}/client", "ping", "{port}"], "stop": ["{build}/client", "quit"], "keep": true,
    "prepare": ["{build}/load", "{prepared}"], "run": ["{build}/client", "{port}"], "check": {"stdout": "same"}}])";

Project with(const std::string& key, const std::string& text) {
    auto project = load(project_text({{key, text}, {"constraints", ""}}));
    INFO((project ? "" : all(project.error())));
    REQUIRE(project);
    return std::move(*project);
}

const std::string conditional = R"([
    {"name": "opt", "type": "categorical", "values": ["-O2", "-O3"], "default": "-O2", "through": {"cmake": "FLAGS"}},
    {"name": "unroll", "type": "boolean", "default": false, "when": "opt == \"-O3\"", "through": {"argument": "--unroll={value}"}},
    {"name": "depth", "type": "integer", "min": 1, "max": 9, "default": 2, "when": "unroll", "through": {"argument": "--depth={value}"}}])";

} // namespace

TEST_CASE("a workload's server, with its places") {
    const Project project = with("workloads", served);
    const Workload& workload = project.workloads.front();
    REQUIRE(workload.server);
    CHECK(workload.server->keep);
    CHECK(workload.server->ready.size() == 3);
    const Places places{{"build", "/b"}, {"port", "7"}, {"scratch", "/s"}, {"seed", "1"}};
    const ServedCommands commands = expand(workload, places, {"-k"});
    CHECK(commands.start == Argv{"/b/server", "--port=7", "--data=/s", "-k"}); // knobs go to the server
    CHECK(commands.run == Argv{"/b/client", "7"});
    check_frozen(project);
}

TEST_CASE("knobs go where {knobs} stands, in start or run or both") {
    const Places places{{"port", "7"}};
    Workload workload;
    workload.run = {"client", "{knobs}", "end"};
    workload.server = Server{{"server"}, {}, {}, false};
    CHECK(expand(workload, places, {"-k"}).start == Argv{"server"});
    CHECK(expand(workload, places, {"-k"}).run == Argv{"client", "-k", "end"});
    workload.server->start = {"server", "{knobs}", "-d"};
    CHECK(expand(workload, places, {"-k"}).start == Argv{"server", "-k", "-d"});
    CHECK(expand(workload, places, {"-k"}).run == Argv{"client", "-k", "end"});
    workload.server.reset();
    CHECK(expand(workload, places, {"-k"}).start.empty());
}

TEST_CASE("generated inputs and their seeds") {
    const Project project = with("workloads", workloads_with(R"("generate": ["{build}/gen", "{seed}", "{generated}"],
        "seeds": [3, 1, 2], "inputs": [])"));
    CHECK(project.workloads.front().seeds == std::vector<std::int64_t>{3, 1, 2});
    CHECK(with("workloads", workloads_with("")).workloads.front().seeds == std::vector<std::int64_t>{1});
    check_frozen(project);
}

TEST_CASE("a knob counts only where its condition holds") {
    const Project project = with("knobs", conditional);
    Configuration configuration = project.defaults();
    CHECK(knob_arguments(project, configuration).empty());
    configuration["opt"] = std::string("-O3");
    CHECK(knob_arguments(project, configuration) == Argv{"--unroll=false"});
    configuration["unroll"] = true;
    configuration["depth"] = std::int64_t{5};
    CHECK(knob_arguments(project, configuration) == Argv{"--unroll=true", "--depth=5"});
    CHECK(admit(project, configuration));
    CHECK(settled(project, configuration) == configuration);
    configuration["opt"] = std::string("-O2"); // unroll no longer counts, and with it depth
    const auto refused = admit(project, configuration);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message(), ContainsSubstring("condition") && ContainsSubstring("opt =="));
    CHECK(settled(project, configuration) == project.defaults());
    CHECK(admit(project, settled(project, configuration)));
    check_frozen(project);
}

TEST_CASE("make knobs are added to the commands that run make") {
    const auto loaded =
        load(project_text({{"build", R"([["make", "-C", "{source}"], ["/usr/bin/gmake", "x"], ["cp", "a", "b"]])"},
                           {"constraints", ""},
                           {"knobs", R"([{"name": "flags", "type": "categorical", "values": ["-O2", "-O3 -g"],
                                             "default": "-O2", "through": {"make": "CFLAGS"}}])"}}));
    REQUIRE(loaded);
    Configuration configuration = loaded->defaults();
    configuration["flags"] = std::string("-O3 -g");
    CHECK(build_commands(*loaded, configuration) == std::vector<Argv>{{"make", "-C", "{source}", "CFLAGS=-O3 -g"},
                                                                      {"/usr/bin/gmake", "x", "CFLAGS=-O3 -g"},
                                                                      {"cp", "a", "b"}});
}

TEST_CASE("a file knob's value may carry a unit") {
    const Project project = with("knobs", R"([{"name": "mem", "type": "integer", "min": 1, "max": 900, "default": 4,
        "through": {"file": "pg.conf", "format": "postgresql", "key": "work_mem", "value": "{value}MB"}}])");
    CHECK(written_value(project.knobs.front(), Value(std::int64_t{64})) == Value(std::string("64MB")));
    CHECK(knob_files(project, project.defaults()).front().second == "4MB");
    check_frozen(project);
}

TEST_CASE("tolerances, fetch, what the sandbox lets in, and the time for a server") {
    const Project project = with("workloads", workloads_with(""));
    CHECK_FALSE(project.workloads.front().check.standard_output->numeric);
    const Project numeric = with("workloads", R"([{"name": "w", "run": ["{build}/p"], "check":
        {"stdout": {"numeric": {"rtol": 1e-6}}, "files": {"a": {"numeric": {"atol": 0.5}}, "b": "same"}}}])");
    CHECK(numeric.workloads.front().check.standard_output->numeric->rtol == 1e-6);
    CHECK(numeric.workloads.front().check.files[0].numeric->atol == 0.5);
    CHECK_FALSE(numeric.workloads.front().check.files[1].numeric);
    check_frozen(numeric);
    const auto fetched =
        load(project_text({{"fetch", R"([["git", "clone", "x", "{deps}/x"]])"},
                           {"sandbox", R"({"read": ["~/.venv", "/opt/data"], "environment": ["LANG"]})"},
                           {"timeouts", R"({"ready": "5s"})"},
                           {"workloads", R"([{"name": "w", "run": ["{deps}/p"], "check": {"stdout": "same"}}])"}}));
    REQUIRE(fetched);
    CHECK(fetched->fetch.size() == 1);
    CHECK(fetched->sandbox.read == std::vector<std::string>{"~/.venv", "/opt/data"});
    CHECK(fetched->timeouts.ready == std::chrono::seconds(5));
}

TEST_CASE("what is wrong with them is told where it is") {
    const auto workload = [](const std::string& members) {
        return R"([{"name": "w", "check": {"stdout": "same"}, )" + members + "}]";
    };
    const std::string run = R"("run": ["{build}/p"])";
    const auto knob = [](const std::string& members) {
        return R"([{"name": "a", "type": "boolean", "default": true, "through": {"argument": "--a={value}"}},
                   {"name": "b", "type": "boolean", "default": true, )" +
               members + "}]";
    };
    check_rows({
        {"workloads", workload(run + R"(, "ready": ["x"])"), "/workloads/0/ready", "without \"start\"", "start"},
        {"workloads", workload(run + R"(, "keep": true)"), "/workloads/0/keep", "without \"start\"", "start"},
        {"workloads", workload(run + R"(, "start": ["x"], "keep": 1)"), "/workloads/0/keep", "1", "true"},
        {"workloads", workload(run + R"(, "start": ["x"], "keep": true, "seeds": [1, 2])"), "/workloads/0/keep",
         "several seeds", "one seed"},
        {"workloads", workload(run + R"(, "start": ["x", "{seed}"], "keep": true)"), "/workloads/0/start/1", "{seed}",
         "{port}"},
        {"workloads", workload(R"("run": ["{build}/p", "{port}"])"), "/workloads/0/run/1", "{port}", "{scratch}"},
        {"workloads", workload(R"("run": ["{build}/p", "{generated}/x"])"), "/workloads/0/run", "without \"generate\"",
         "fills it"},
        {"workloads", workload(R"("run": ["{build}/p", "{prepared}/x"])"), "/workloads/0/run", "without \"prepare\"",
         "fills it"},
        {"workloads", workload(R"("run": ["{build}/p", "{deps}/x"])"), "/workloads/0/run/1", "{deps}", "{source}"},
        {"workloads", workload(run + R"(, "seeds": [])"), "/workloads/0/seeds", "empty", "1 to 100"},
        {"workloads", workload(run + R"(, "seeds": [1, 1])"), "/workloads/0/seeds/1", "second time", "once"},
        {"workloads", workload(run + R"(, "seeds": [-1])"), "/workloads/0/seeds/0", "-1", "from 0"},
        {"workloads",
         workload(run + R"(, "generate": ["g", "{generated}"], "seeds": [1, 2], "prepare": ["p", "{generated}"])"),
         "/workloads/0/prepare", "several seeds", "one seed"},
        {"workloads", R"([{"name": "w", "run": ["p"], "check": {"stdout": {"numeric": {}}}}])",
         "/workloads/0/check/stdout/numeric", "", "above 0"},
        {"workloads", R"([{"name": "w", "run": ["p"], "check": {"stdout": {"numeric": {"rtol": 0.5}}}}])",
         "/workloads/0/check/stdout/numeric/rtol", "0.5", "0 to 0.1"},
        {"workloads", R"([{"name": "w", "run": ["p"], "check": {"stdout": {"exact": 1}}}])",
         "/workloads/0/check/stdout/exact", "unknown key", "numeric"},
        {"workloads", R"([{"name": "w", "run": ["p"], "check": {"stdout": 1}}])", "/workloads/0/check/stdout", "1",
         "\"same\""},
        {"knobs", knob(R"("when": "c", "through": {"argument": "--b={value}"})"), "/knobs/1/when", "c",
         "declared before"},
        {"knobs", knob(R"("when": "b", "through": {"argument": "--b={value}"})"), "/knobs/1/when", "b",
         "declared before"},
        {"knobs", knob(R"("when": "1 + 1", "through": {"argument": "--b={value}"})"), "/knobs/1/when", "1 + 1",
         "true or false"},
        {"knobs", knob(R"("danger": "high", "through": {"argument": "--b={value}"})"), "/knobs/1/danger", "high",
         "durability"},
        {"knobs", knob(R"("through": {"make": "A-B"})"), "/knobs/1/through/make", "A-B", "CFLAGS"},
        {"knobs", knob(R"("through": {"make": "AB"})"), "/knobs/1/through", "without a build command that runs make",
         "make"},
        {"knobs", knob(R"("through": {"argument": "{value}", "value": "{value}MB"})"), "/knobs/1/through/value",
         "without \"file\"", "file"},
        {"knobs", knob(R"("through": {"file": "f", "format": "ini", "key": "k", "value": "MB"})"),
         "/knobs/1/through/value", "MB", "{value}"},
        {"workloads", R"([{"name": "w", "run": ["p"], "check": {"stdout": {"numeric": {"atol": 1e308}}}}])",
         "/workloads/0/check/stdout/numeric/atol", "1e308", "from 0 to 1e300"},
        {"sandbox", R"({"read": ["/"]})", "/sandbox/read/0", "the text \"/\"", "below /"},
        {"sandbox", R"({"read": ["data"]})", "/sandbox/read/0", "data", "absolute"},
        {"sandbox", R"({"read": ["/opt/../etc"]})", "/sandbox/read/0", "/opt/../etc", "absolute"},
        {"sandbox", R"({"environment": ["LD_PRELOAD"]})", "/sandbox/environment/0", "LD_PRELOAD", "other than"},
        {"timeouts", R"({"ready": 5})", "/timeouts/ready", "5", "60s"},
    });
}

TEST_CASE("the probes of changed code have defaults and can be switched off") {
    const auto usual = load(project_text({}));
    REQUIRE(usual);
    CHECK(usual->probe.sanitizers == std::vector<std::string>{"address", "undefined", "thread"});
    CHECK(usual->probe.inputs == 20);
    CHECK(usual->probe.time == std::chrono::minutes(5));
    const auto off = load(project_text({{"probe", R"({"sanitizers": [], "inputs": 0, "time": "30s"})"}}));
    REQUIRE(off);
    CHECK(off->probe.sanitizers.empty());
    CHECK(off->probe.inputs == 0);
    CHECK(off->probe.time == std::chrono::seconds(30));
}
