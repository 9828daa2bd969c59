// SPDX-License-Identifier: GPL-3.0-or-later
// A program beside a server: how each of them ends, and what is counted.
#include "sandbox_fixture.hpp"

#include "tests/catch.h"

#include <csignal>
#include <thread>

using namespace holdfast;
using namespace holdfast::test;
using study::Ending;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t mib = 1 << 20;

/// Both are the victim; the server's command line ends in a marker, and afterwards no process has it.
class Pair {
public:
    explicit Pair(const std::string& letters, const std::string& how = "") : marker_(unique_marker()) {
        execution = victim("ask", letters, marker_);
        execution.server = study::Beside{{"/build/victim", "server", how, marker_}, {"/build/victim", "ask", "p"}, {}};
    }
    study::ExecutionResult run(std::stop_token stop = {}) {
        auto result = test::run(execution, std::move(stop));
        CHECK(processes_with(marker_).empty());
        return result;
    }
    const std::string& marker() const { return marker_; }

    study::Execution execution;

private:
    std::string marker_;
};

std::chrono::nanoseconds cpu(const study::ExecutionResult& result) {
    return result.usage.user + result.usage.system;
}

} // namespace

TEST_CASE("a program reaches its server over the loopback of a network of their own") {
    Pair pair("pp");
    const auto result = pair.run();
    INFO(result.reason);
    CHECK(result.ok());
    CHECK(result.reason.empty());
    CHECK(result.standard_output == "pp");
    CHECK(result.standard_error.empty());
    CHECK_THAT(result.server_output, ContainsSubstring("listening\n"));
    // The same port again: nothing of the first network is there.
    CHECK(pair.run().ok());
}

TEST_CASE("the program's own failure beside a server is its ending") {
    Pair pair("");
    pair.execution.argv = {"sh", "-c", "echo out; echo err >&2; exit 7"};
    const auto result = pair.run();
    CHECK(result.ending == Ending::exited);
    CHECK(result.code == 7);
    CHECK(result.reason == "exit status 7");
    CHECK(result.standard_output == "out\n");
    CHECK(result.standard_error == "err\n");
}

TEST_CASE("the time is the program's, the processor time everybody's meanwhile") {
    struct Row {
        const char *letters, *what;
    };
    for (const Row& row : {Row{"b", "the server's own"}, Row{"c", "a child that the server reaps"},
                           Row{"d", "a daemon that stays"}, Row{"e", "a daemon that ends"}}) {
        INFO(row.what);
        Pair pair(row.letters, "q");
        // Before and after the run it does not count.
        pair.execution.server->ready = {"/build/victim", "ask", "b"};
        pair.execution.server->stop = {"sh", "-c", "/build/victim ask b; kill -9 -1"};
        const auto result = pair.run();
        INFO(result.reason << result.server_output);
        CHECK(result.ok());
        CHECK(result.usage.wall >= 195ms);
        CHECK(cpu(result) >= 180ms);
        CHECK(cpu(result) < 330ms);
    }
}

TEST_CASE("a server that does nothing costs nothing") {
    Pair pair("p");
    const auto result = pair.run();
    CHECK(result.ok());
    CHECK(cpu(result) < 60ms);
}

TEST_CASE("peak memory beside a server is that of both") {
    Pair pair("m");
    const auto result = pair.run();
    CHECK(result.ok());
    CHECK(result.usage.peak_memory_bytes > 60 * mib);
    CHECK(result.usage.peak_memory_bytes < 80 * mib);

    Pair limited("m");
    limited.execution.limits.memory_bytes = 40 * mib;
    const auto over = limited.run();
    CHECK(over.ending == Ending::memory);
    CHECK_THAT(over.reason, ContainsSubstring("more than 40.0 MiB"));
}

TEST_CASE("a server that does not become ready says so") {
    Pair pair("p");
    pair.execution.server->limit = 300ms;
    pair.execution.server->ready = {"sh", "-c", "exit 9"};
    auto result = pair.run();
    CHECK(result.ending == Ending::server);
    CHECK(result.reason == "the server was not ready within 0.3 s (its \"ready\" command: exit status 9)");
    CHECK_FALSE(result.ok());

    pair.execution.server->ready = {"/build/victim", "hang"};
    CHECK(pair.run().reason == "the server was not ready within 0.3 s");
}

TEST_CASE("a server that ends before it is ready says how") {
    Pair pair("p");
    pair.execution.server->ready = {"false"};
    pair.execution.server->start = {"sh", "-c", "echo cannot bind; exit 1"};
    auto result = pair.run();
    CHECK(result.ending == Ending::server);
    CHECK(result.code == 1);
    CHECK(result.reason == "the server ended with exit status 1 before it was ready");
    CHECK(result.server_output == "cannot bind\n");

    pair.execution.server->start = {"sh", "-c", "sleep 1 & exit 0"};
    CHECK_THAT(pair.run().reason, ContainsSubstring("before it was ready; \"start\" must stay in the foreground"));

    pair.execution.server->start = {"sh", "-c", "kill -SEGV $$"};
    CHECK(pair.run().reason == "the server ended before it was ready: killed by signal 11 (Segmentation fault)");
}

TEST_CASE("a server that ends during the run says how, whatever the program says") {
    Pair pair("ps");
    auto result = pair.run();
    CHECK(result.ending == Ending::server);
    CHECK(result.code == SIGSEGV);
    CHECK(result.reason == "the server ended during the run: killed by signal 11 (Segmentation fault)");

    Pair hanging("x");
    hanging.execution.argv = {"sh", "-c", "/build/victim ask x; sleep 60"};
    result = hanging.run();
    CHECK(result.ending == Ending::server);
    CHECK(result.reason == "the server ended during the run: exit status 3");
    CHECK(result.usage.wall < 10s);
}

TEST_CASE("commands of a server that cannot be started are named") {
    Pair pair("p");
    pair.execution.server->start = {"no-such-server"};
    auto result = pair.run();
    CHECK(result.ending == Ending::not_started);
    CHECK(result.reason == "the server cannot be started: no-such-server: No such file or directory");

    Pair ready("p");
    ready.execution.server->ready = {"no-such-ready"};
    CHECK(ready.run().reason == "the server's \"ready\" cannot be started: no-such-ready: No such file or directory");

    Pair stop("p");
    stop.execution.server->stop = {"no-such-stop"};
    result = stop.run();
    CHECK(result.ending == Ending::server);
    CHECK(result.reason == "the server's \"stop\" cannot be started: no-such-stop: No such file or directory");

    Pair program("p");
    program.execution.argv = {"no-such-program"};
    result = program.run();
    CHECK(result.ending == Ending::not_started);
    CHECK(result.reason == "cannot be started: no-such-program: No such file or directory");
}

TEST_CASE("a server that does not stop is killed and reported") {
    Pair pair("p", "i");
    pair.execution.server->limit = 400ms;
    auto result = pair.run();
    CHECK(result.ending == Ending::server);
    CHECK(result.reason == "the server did not stop within 0.4 s");

    pair.execution.server->stop = {"sh", "-c", "exit 2"};
    CHECK(pair.run().reason == "the server did not stop within 0.4 s (its \"stop\" command: exit status 2)");

    Pair daemon("p", "d");
    daemon.execution.server->limit = 400ms;
    CHECK(daemon.run().reason == "the server left processes that did not end within 0.4 s");
}

TEST_CASE("a server that stops by its command is fine whatever its exit status") {
    Pair pair("p");
    pair.execution.server->stop = {"/build/victim", "ask", "x"};
    CHECK(pair.run().ok());
}

TEST_CASE("what a program leaves beside its server is killed and reported, and the server is not touched") {
    for (const char* mode : {"survive", "survive-headless"}) {
        INFO(mode);
        Pair pair("p");
        pair.execution.argv = {"/build/victim", mode, "", pair.marker()};
        const auto result = pair.run();
        CHECK(result.ending == Ending::survivors);
        CHECK(result.reason == "left 1 process running (victim)");
    }
}

TEST_CASE("a server that prints without end is ended") {
    Pair pair("f");
    pair.execution.limits.output_bytes = 2 * mib;
    const auto result = pair.run();
    CHECK(result.ending == Ending::output);
    CHECK(result.reason == "the server printed more than 2.0 MiB");
    CHECK(result.server_output.size() == 2 * mib);
}

TEST_CASE("the time limit is the program's and ends the server too") {
    Pair pair("h");
    pair.execution.limits.time = 300ms;
    const auto result = pair.run();
    CHECK(result.ending == Ending::timeout);
    CHECK(result.reason == "ran longer than 0.3 s");
}

TEST_CASE("a stop request during each part ends everything at once") {
    struct Row {
        const char* part;
        Argv study::Beside::*command;
    };
    for (const Row& row : {Row{"ready", &study::Beside::ready}, Row{"stop", &study::Beside::stop}, Row{"run", nullptr},
                           Row{"start", &study::Beside::start}}) {
        INFO(row.part);
        Pair pair("p");
        const std::string marker = unique_marker();
        const Argv waiting = {"/build/victim", "hang", "", marker};
        if (row.command != nullptr)
            (*pair.execution.server).*row.command = waiting;
        else
            pair.execution.argv = waiting;
        std::stop_source stop;
        std::jthread stopper([&] {
            eventually([&] { return !processes_with(marker).empty(); });
            stop.request_stop();
        });
        const auto result = pair.run(stop.get_token());
        CHECK(result.ending == Ending::killed);
        CHECK(result.reason == "stopped on request");
        CHECK(processes_with(marker).empty());
    }
}

TEST_CASE("what a program beside its server does to process 1 and the server's keeper helps it nothing") {
    Pair pair("p");
    pair.execution.argv = {"sh", "-c",
                           "/build/victim attack-init; for f in fd mem environ maps; do "
                           "for p in 1 2; do ls /proc/$p/$f/ 2>/dev/null; cat /proc/$p/$f 2>/dev/null; "
                           "done; done; echo end"};
    CHECK(pair.run().standard_output == "alive\nend\n");
    // Killing the keeper is the end of the server.
    pair.execution.argv = {"sh", "-c", "kill -9 2; sleep 30"};
    const auto result = pair.run();
    CHECK(result.ending == Ending::server);
    CHECK(result.reason == "the server ended during the run: killed by signal 9 (Killed)");
}
