// SPDX-License-Identifier: GPL-3.0-or-later
// A server that stays between runs.
#include "sandbox_fixture.hpp"

#include "tests/catch.h"

#include <csignal>
#include <fstream>
#include <thread>

using namespace holdfast;
using namespace holdfast::test;
using study::Ending;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t mib = 1 << 20;

study::Execution pair(const std::string& letters, const std::string& marker, const std::string& how = "") {
    study::Execution execution = victim("ask", letters, marker);
    execution.server = study::Beside{{"/build/victim", "server", how, marker}, {"/build/victim", "ask", "p"}, {}};
    return execution;
}

std::unique_ptr<study::KeptSandbox> keep(const study::Execution& execution) {
    auto kept = runner().keep(execution, {});
    INFO((kept ? "" : kept.error().message()));
    REQUIRE(kept);
    return std::move(*kept);
}

study::ExecutionResult run(study::KeptSandbox& kept, std::stop_token stop = {}) {
    auto result = kept.run(std::move(stop));
    INFO((result ? "" : result.error().message()));
    REQUIRE(result);
    return std::move(*result);
}

std::chrono::nanoseconds cpu(const study::ExecutionResult& result) {
    return result.usage.user + result.usage.system;
}

} // namespace

TEST_CASE("one kept server serves fifty runs and stops") {
    const std::string marker = unique_marker();
    const auto kept = keep(pair("pp", marker));
    std::string log;
    for (int round = 0; round < 50; ++round) {
        INFO("round " << round);
        const auto result = run(*kept);
        REQUIRE(result.ok());
        CHECK(result.standard_output == "pp");
        CHECK(result.usage.wall > 0ns);
        log += result.server_output;
    }
    CHECK_THAT(log, ContainsSubstring("listening\n"));
    CHECK(log.size() == 11); // that, and what `ready` printed, once
    const auto stopped = kept->stop({});
    REQUIRE(stopped);
    CHECK(stopped->ok());
    CHECK(stopped->reason.empty());
    CHECK(processes_with(marker).empty());
    CHECK_FALSE(kept->run({}));
}

TEST_CASE("each run of a kept server has its own processor time and memory") {
    const std::string marker = unique_marker(), folder = "/out";
    const Tree out("letters", "b");
    study::Execution execution = pair("", marker);
    execution.mounts.push_back({out.path, "/out", true});
    execution.argv = {"sh", "-c", "exec /build/victim ask $(cat /out/letters)"};
    const auto kept = keep(execution);
    const auto with = [&](const char* letters) {
        std::ofstream(out.path / "letters") << letters;
        return run(*kept);
    };
    for (int round = 0; round < 3; ++round) {
        const auto busy = with("b"), quiet = with("p");
        CHECK(busy.standard_output == "b");
        CHECK(cpu(busy) >= 180ms);
        CHECK(cpu(busy) < 330ms);
        CHECK(quiet.standard_output == "p");
        CHECK(cpu(quiet) < 60ms);
        CHECK(quiet.usage.peak_memory_bytes < 20 * mib);
    }
    CHECK(with("m").usage.peak_memory_bytes > 60 * mib);
}

TEST_CASE("what a run leaves in a kept sandbox does not accumulate") {
    const std::string marker = unique_marker(), daemon = unique_marker();
    study::Execution execution = pair("", marker);
    execution.argv = {"sh", "-c", "/build/victim survive-headless '' " + daemon + "; /build/victim ask d"};
    const auto kept = keep(execution);
    for (int round = 0; round < 3; ++round) {
        const auto result = run(*kept);
        CHECK(result.ending == Ending::survivors);
        CHECK(result.reason == "left 1 process running (victim)");
        CHECK(result.standard_output == "d");
        CHECK(processes_with(daemon).empty());
        // The server and its own daemons, one more each round, are still there.
        CHECK(processes_with(marker).size() == std::size_t(round + 2));
    }
}

TEST_CASE("runs elsewhere go on while a server is kept, also in other runners") {
    const std::string marker = unique_marker();
    const auto kept = keep(pair("p", marker)), other = keep(pair("p", marker));
    CHECK(test::run(shell("true")).ok());
    const auto third = sandbox::SandboxRunner::start(HOLDFAST_BIN_DIR);
    REQUIRE(third);
    for (int round = 0; round < 3; ++round) {
        CHECK(run(*kept).ok());
        CHECK(run(*other).ok());
        CHECK(test::run(shell("true")).ok());
    }
}

TEST_CASE("a kept server that does not become ready is told by every run") {
    const std::string marker = unique_marker();
    study::Execution execution = pair("p", marker);
    execution.server->start = {"sh", "-c", "echo broken; exit 1"};
    execution.server->ready = {"false"};
    const auto kept = keep(execution);
    for (int round = 0; round < 2; ++round) {
        const auto result = run(*kept);
        CHECK(result.ending == Ending::server);
        CHECK(result.reason == "the server ended with exit status 1 before it was ready");
        CHECK(result.server_output == "broken\n");
    }
}

TEST_CASE("a kept server that dies is told by that and every later run") {
    const std::string marker = unique_marker();
    const Tree out("letters", "p");
    study::Execution execution = pair("", marker);
    execution.mounts.push_back({out.path, "/out", true});
    execution.argv = {"sh", "-c", "exec /build/victim ask $(cat /out/letters)"};
    {
        const auto kept = keep(execution);
        CHECK(run(*kept).ok());
        std::ofstream(out.path / "letters") << "s";
        const std::string reason = "the server ended during the run: killed by signal 11 (Segmentation fault)";
        CHECK(run(*kept).reason == reason);
        CHECK(run(*kept).reason == reason);
        CHECK(processes_with(marker).empty());
    }
    std::ofstream(out.path / "letters") << "p";
    const auto kept = keep(execution);
    CHECK(run(*kept).ok());
    for (const pid_t process : processes_with(marker))
        end_process(process);
    REQUIRE(eventually([&] { return processes_with(marker).empty(); }));
    // The kernel may still be ending it when the run begins.
    const auto result = run(*kept);
    INFO(result.reason);
    CHECK(result.ending == Ending::server);
    CHECK((result.reason == "the server ended between two runs: killed by signal 9 (Killed)" ||
           result.reason == "the server ended during the run: killed by signal 9 (Killed)"));
    CHECK(run(*kept).reason == result.reason);
}

TEST_CASE("a limit that a kept sandbox passes is an ending of that and every later run") {
    const std::string marker = unique_marker();
    study::Execution execution = pair("m", marker);
    execution.limits.memory_bytes = 40 * mib;
    const auto kept = keep(execution);
    CHECK(run(*kept).ending == Ending::memory);
    CHECK(run(*kept).ending == Ending::memory);

    execution = pair("h", marker);
    execution.limits.time = 300ms;
    const auto slow = keep(execution);
    CHECK(run(*slow).reason == "ran longer than 0.3 s");
    CHECK(run(*slow).ending == Ending::timeout);
    CHECK(processes_with(marker).empty());
}

TEST_CASE("a kept server that does not stop is killed and reported") {
    const std::string marker = unique_marker();
    study::Execution execution = pair("p", marker, "i");
    execution.server->limit = 400ms;
    const auto kept = keep(execution);
    CHECK(run(*kept).ok());
    const auto stopped = kept->stop({});
    REQUIRE(stopped);
    CHECK(stopped->reason == "the server did not stop within 0.4 s");
    CHECK(processes_with(marker).empty());
}

TEST_CASE("a stop request ends a kept sandbox, and its end ends everything") {
    const std::string marker = unique_marker();
    {
        const auto kept = keep(pair("h", marker));
        std::stop_source stop;
        std::jthread stopper([&] {
            eventually([&] { return processes_with(marker).size() >= 2; });
            stop.request_stop();
        });
        CHECK(run(*kept, stop.get_token()).reason == "stopped on request");
        CHECK(processes_with(marker).empty());
        CHECK(run(*kept).ending == Ending::killed);
    }
    {
        const auto kept = keep(pair("p", marker));
        CHECK_FALSE(processes_with(marker).empty());
    }
    CHECK(processes_with(marker).empty());
}

TEST_CASE("a harness that is killed while it keeps a server leaves nothing") {
    const std::string marker = unique_marker();
    Child harness = start({std::string(HOLDFAST_BIN_DIR) + "/sandbox_harness", HOLDFAST_BIN_DIR, "0", "sh", "-c",
                           "sleep 600; exit", marker},
                          {"HOLDFAST_KEEP=1"});
    char begins = 0;
    REQUIRE(::read(harness.output, &begins, 1) == 1);
    REQUIRE(begins == 'k');
    CHECK(processes_with(marker).size() >= 2); // the harness and the server
    end_process(harness.pid);
    read_all_and_wait(harness);
    CHECK(eventually([&] { return processes_with(marker).empty(); }));
}

TEST_CASE("an execution without a server cannot be kept") {
    const auto kept = runner().keep(shell("true"), {});
    REQUIRE_FALSE(kept);
    CHECK(kept.error().kind == Error::Kind::invalid);
}
