// SPDX-License-Identifier: GPL-3.0-or-later
// Where user namespaces are missing: what runs, what holds, and what is told to hold no more.
#include "sandbox/alone.hpp"
#include "sandbox_fixture.hpp"

#include "core/study/isolation.hpp"
#include "tests/catch.h"

#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

using namespace holdfast;
using namespace holdfast::test;
using study::Ending;

namespace {

/// As where bubblewrap can make no name space.
study::Runner& alone() {
    static const std::unique_ptr<study::Runner> only = [] {
        runner(); // sets the cache
        const Tree refusing("bwrap", "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n");
        std::filesystem::permissions(refusing.path / "bwrap", std::filesystem::perms(0755));
        auto started = sandbox::SandboxRunner::start(HOLDFAST_BIN_DIR, {.bubblewrap = refusing.path / "bwrap"});
        INFO((started ? "" : started.error().message()));
        REQUIRE(started);
        return std::move(*started);
    }();
    return *only;
}

study::ExecutionResult run_alone(const study::Execution& execution) {
    auto result = alone().execute(execution, {});
    INFO((result ? "" : result.error().message()));
    REQUIRE(result);
    return std::move(*result);
}

bool has_landlock_6() {
    return ::syscall(444, nullptr, 0, 1) >= 6; // landlock_create_ruleset, asked for its version
}

} // namespace

TEST_CASE("paths inside become paths of the host where they stand for themselves") {
    const std::vector<std::pair<std::string, std::string>> places = {
        {"/build", "/c/at/build"}, {"/out", "/c/at/out"}, {"/tmp", "/c/at/own-tmp"}};
    struct Row {
        const char *before, *after;
    };
    for (const Row& row : {Row{"/build", "/c/at/build"}, Row{"/build/x/build/y", "/c/at/build/x/build/y"},
                           Row{"-I/build/include", "-I/c/at/build/include"}, Row{"-DX=/out", "-DX=/c/at/out"},
                           Row{"cd /build && ./run > /out/a; rm /tmp/*", "cd /c/at/build && ./run > /c/at/out/a; rm "
                                                                         "/c/at/own-tmp/*"},
                           Row{"/build:/out", "/c/at/build:/c/at/out"}, Row{"/builder", "/builder"},
                           Row{"/build-2", "/build-2"}, Row{"/home/build", "/home/build"}, Row{"x/build", "x/build"},
                           Row{"/usr/tmp", "/usr/tmp"}, Row{"file:///build", "file:///build"}, Row{"", ""}}) {
        INFO(row.before);
        CHECK(sandbox::moved(row.before, places) == row.after);
    }
}

TEST_CASE("without user namespaces the level is L2, with the gaps named and the remedy") {
    const auto isolation = alone().isolation();
    REQUIRE(isolation);
    if (!has_landlock_6()) {
        CHECK(isolation->level < 2);
        return;
    }
    for (const study::Canary& canary : isolation->canaries)
        UNSCOPED_INFO(canary.name << (canary.held ? ": held, " : ": BROKEN, ") << canary.detail);
    CHECK(isolation->level == 2);
    const std::string gaps = study::gaps_text(*isolation);
    for (const char* gap :
         {"looks at files of the host", "sees processes of the host", "reaches a socket of the host by its path"})
        CHECK_THAT(gaps, ContainsSubstring(gap));
    CHECK_THAT(isolation->missing, ContainsSubstring("user namespaces have no rights here"));
    CHECK_THAT(isolation->remedy, ContainsSubstring("/etc/apparmor.d/bwrap"));
    CHECK(processes_with("holdfast-canary-").empty());
}

TEST_CASE("without user namespaces a program finds its places, and its traces are gone for the next") {
    const Tree source("file", "content"), out;
    study::Execution attempt =
        shell("cat /source/file; echo made > /out/made; ls /tmp $HOME | wc -w; echo x > /tmp/left; "
              "echo x > $HOME/left; mkdir /tmp/deep; pwd -L");
    attempt.mounts = {{source.path, "/source", false}, {out.path, "/out", true}};
    attempt.folder = "/out";
    for (int time = 0; time < 2; ++time) {
        const auto result = run_alone(attempt);
        INFO(result.reason << result.standard_error);
        CHECK(result.ok());
        CHECK_THAT(result.standard_output, ContainsSubstring("content2\n") || ContainsSubstring("content0\n"));
        CHECK(out.read("made") == "made\n");
        CHECK(result.usage.wall.count() > 0);
    }
}

TEST_CASE("without user namespaces nothing is read or written but what is mounted") {
    if (!has_landlock_6())
        return;
    const Tree secret("file", "secret"), source("file", "content");
    study::Execution attempt = shell("cat '" + secret.path.string() +
                                     "/file' /etc/hostname /root/x 2>/dev/null; (echo x > /source/new) 2>/dev/null; "
                                     "(echo x > '" +
                                     secret.path.string() +
                                     "/new') 2>/dev/null; kill $PPID 2>/dev/null; kill -9 $PPID; "
                                     "echo x > /dev/null && cat /source/file");
    attempt.mounts = {{source.path, "/source", false}};
    const auto result = run_alone(attempt);
    INFO(result.reason << result.standard_error);
    CHECK(result.ok());
    CHECK(result.standard_output == "content");
    CHECK_FALSE(std::filesystem::exists(secret.path / "new"));
    CHECK_FALSE(std::filesystem::exists(source.path / "new"));
}

TEST_CASE("without user namespaces limits hold and daemons end") {
    const std::string marker = unique_marker();
    CHECK(run_alone(victim("survive", "", marker)).ending == Ending::survivors);
    CHECK(processes_with(marker).empty());
    study::Execution hanging = victim("hang", "", marker);
    hanging.limits.time = std::chrono::milliseconds(100);
    CHECK(run_alone(hanging).ending == Ending::timeout);
    study::Execution greedy = victim("allocate-in-children", "30", marker);
    greedy.limits.memory_bytes = 100U << 20;
    CHECK(run_alone(greedy).ending == Ending::memory);
    study::Execution bomb = victim("fork-count", "", marker);
    bomb.limits.processes = 12;
    const auto bombed = run_alone(bomb);
    INFO(bombed.reason << bombed.standard_output);
    CHECK(std::atoi(bombed.standard_output.c_str()) < 500); // other tasks of the user come and go
    study::Execution filling = victim("fill", "/tmp/full", marker);
    filling.limits.disk_bytes = filling.limits.file_bytes = 4U << 20;
    CHECK(run_alone(filling).ending != Ending::exited);
    CHECK(eventually([&] { return processes_with(marker).empty(); }));
    CHECK(run_alone(victim("ask-port", "7000")).code == 5); // no network at all
}

TEST_CASE("without user namespaces a server is refused") {
    study::Execution beside = victim("ask", "p");
    beside.server = study::Beside{{"/build/victim", "server", ""}, {}, {}};
    const auto result = alone().execute(beside, {});
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == Error::Kind::refused);
    CHECK_THAT(result.error().found, ContainsSubstring("server"));
    CHECK_FALSE(alone().keep(beside, {}));
}
