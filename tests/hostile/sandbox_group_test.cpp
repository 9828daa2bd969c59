// SPDX-License-Identifier: GPL-3.0-or-later
// Control groups: what they stop and count that nothing else does, that none is left, and that all works without them.
#include "core/study/fingerprint.hpp"
#include "sandbox_fixture.hpp"

#include "sandbox/runner/cgroup_files.hpp"
#include "tests/catch.h"

#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

using namespace holdfast;
using namespace holdfast::test;
using study::Ending;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t mib = 1 << 20;
const std::string harness_program = std::string(HOLDFAST_BIN_DIR) + "/sandbox_harness";

/// Whether this machine lets this user make control groups; said once where it does not.
bool grouped() {
    static const bool used = [] {
        const auto machine = nlohmann::json::parse(runner().machine());
        const std::string groups = machine.at("control_groups");
        if (groups == "none")
            WARN("no control groups can be made here: only what holds without them is tried");
        return groups != "none";
    }();
    return used;
}

/// The parent groups of all runners that share a group with this process.
std::set<fs::path> parents() {
    std::set<fs::path> found;
    std::error_code error;
    for (const auto& hierarchy :
         sandbox::read_hierarchies(text_of("/proc/self/mountinfo"), text_of("/proc/self/cgroup")))
        for (const auto& entry : fs::directory_iterator(hierarchy.own, error))
            if (entry.path().filename().string().rfind("holdfast-", 0) == 0)
                found.insert(entry.path());
    return found;
}

/// The groups of sandboxes in them.
std::set<fs::path> sandboxes(const std::set<fs::path>& in) {
    std::set<fs::path> found;
    std::error_code error;
    for (const fs::path& parent : in)
        for (const auto& entry : fs::directory_iterator(parent, error))
            if (entry.is_directory() && entry.path().filename() != "self")
                found.insert(entry.path());
    return found;
}

std::set<fs::path> without(const std::set<fs::path>& all, const std::set<fs::path>& some) {
    std::set<fs::path> rest;
    for (const fs::path& path : all)
        if (some.count(path) == 0)
            rest.insert(path);
    return rest;
}

/// A harness with a sleeping program, once the program runs.
Child start_sleeping(const std::string& marker) {
    Child harness = start({harness_program, HOLDFAST_BIN_DIR, "0", "sh", "-c", "echo; sleep 600; exit", marker});
    REQUIRE(eventually([&] {
        for (const pid_t process : processes_with(marker))
            if (text_of("/proc/" + std::to_string(process) + "/cmdline").rfind(std::string("sh\0-c", 5), 0) == 0)
                return true;
        return false;
    }));
    return harness;
}

pid_t parent_of(pid_t process) {
    const std::string status = text_of("/proc/" + std::to_string(process) + "/status");
    const std::size_t at = status.find("\nPPid:");
    return at == std::string::npos ? -1 : pid_t(std::atoi(status.c_str() + at + 6));
}

} // namespace

TEST_CASE("memory past the limit between two looks is ended by the kernel, where it can be") {
    study::Execution execution = victim("allocate-and-end", "120");
    execution.limits.memory_bytes = 60 * mib;
    const auto result = run(execution);
    CHECK(result.ending == Ending::memory);
    CHECK_THAT(result.reason, ContainsSubstring("more than 60.0 MiB"));
    if (!grouped())
        return;
    CHECK(result.usage.memory_source == "cgroup");
    CHECK_THAT(result.reason, ContainsSubstring("control group"));
    CHECK(result.usage.peak_memory_bytes < 64 * mib); // with pages of libraries that others were charged for
    // One child that the kernel ended is enough, whatever its parent makes of it.
    execution.argv = {"sh", "-c", "/build/victim allocate-and-end 120; exit 0"};
    CHECK(run(execution).ending == Ending::memory);
}

TEST_CASE("files in memory count as memory, files that were only read do not") {
    if (!grouped())
        return;
    auto result = run(shell("head -c 40000000 /dev/zero > /dev/shm/x"));
    CHECK(result.ok());
    CHECK(result.usage.peak_memory_bytes > 38 * mib);
    const Tree big("file", std::string(40'000'000, 'x'));
    study::Execution execution = shell("cat /source/file > /out/copy");
    const Tree out;
    execution.mounts = {{big.path, "/source", false}, {out.path, "/out", true}};
    result = run(execution);
    CHECK(result.ok());
    CHECK(result.usage.peak_memory_bytes < 20 * mib);
}

TEST_CASE("time used behind the main process shows") {
    auto result = run(victim("burn-detached", "150"));
    CHECK(result.ok());
    CHECK(result.usage.background >= 140ms);
    CHECK(result.usage.user + result.usage.system >= result.usage.background);

    result = run(victim("burn", "100"));
    CHECK(result.usage.background < 5ms);
    result = run(victim("burn-in-child", "100")); // it waits for its child, as every shell does
    CHECK(result.usage.user + result.usage.system >= 95ms);
    CHECK(result.usage.background < 5ms);

    result = run(victim("burn-unreaped", "150"));
    CHECK(result.ok());
    if (!grouped())
        return;
    CHECK(result.usage.user + result.usage.system >= 140ms);
    CHECK(result.usage.user + result.usage.system < result.usage.wall * 2);
    CHECK(result.usage.background >= 140ms);
}

TEST_CASE("time that a kept server uses between two runs shows with the next") {
    study::Execution execution = victim("burn", "10");
    execution.server = study::Beside{{"sh", "-c", "while :; do /build/victim burn 20; sleep 0.01; done"}, {}, {}};
    const auto kept = runner().keep(execution, {});
    INFO((kept ? "" : kept.error().message()));
    REQUIRE(kept);
    const auto first = (*kept)->run({});
    REQUIRE(first);
    CHECK(first->usage.background == 0ms);
    std::chrono::nanoseconds seen{0};
    const bool shown = eventually([&] {
        const auto next = (*kept)->run({});
        REQUIRE(next);
        seen += next->usage.background;
        return seen >= 60ms;
    });
    CHECK(shown);
}

TEST_CASE("a sandbox begins in a group with its limits, and no group is left") {
    if (!grouped())
        return;
    runner();
    const std::set<fs::path> before = parents();
    CHECK(sandboxes(before).empty());
    CHECK(run(shell("true")).ok());
    CHECK(run(victim("survive")).ending == Ending::survivors);
    CHECK(sandboxes(parents()).empty());

    const std::string marker = unique_marker();
    Child harness = start_sleeping(marker);
    std::set<fs::path> here = sandboxes(without(parents(), before));
    CHECK_FALSE(here.empty());
    bool memory = false, pids = false;
    for (const fs::path& group : here) {
        for (const char* file : {"memory.max", "memory.limit_in_bytes"})
            if (fs::exists(group / file)) {
                memory = true;
                CHECK(text_of(group / file) == std::to_string(4ULL << 30) + "\n");
            }
        if (fs::exists(group / "pids.max")) {
            pids = true;
            CHECK(text_of(group / "pids.max") == "264\n");
        }
        CHECK_FALSE(text_of(group / "cgroup.procs").empty());
    }
    CHECK(memory);
    CHECK(pids);

    SECTION("the runner is killed") {
        for (const pid_t process : processes_with("holdfast-runner"))
            if (parent_of(process) == harness.pid)
                end_process(process);
        CHECK_THAT(read_all_and_wait(harness), ContainsSubstring("ended unexpectedly"));
        CHECK(eventually([&] { return without(parents(), before).empty(); }));
    }
    SECTION("the harness is killed: the next start clears away") {
        end_process(harness.pid);
        read_all_and_wait(harness);
        CHECK(eventually([&] { return processes_with(marker).empty(); }));
        CHECK(eventually([&] {
            Child next = start({harness_program, HOLDFAST_BIN_DIR, "0", "true"});
            read_all_and_wait(next);
            return without(parents(), before).empty();
        }));
    }
    CHECK(processes_with(marker).empty());
}

TEST_CASE("without control groups the same limits hold, at level 3") {
    sandbox::SandboxOptions options;
    options.groups = false;
    runner(); // it sets the cache folder of the test
    auto other = sandbox::SandboxRunner::start(HOLDFAST_BIN_DIR, options);
    REQUIRE(other);
    const auto isolation = (*other)->isolation();
    REQUIRE(isolation);
    CHECK(isolation->level == 3);
    CHECK(isolation->missing.empty());
    CHECK(isolation->groups == "none: switched off");
    CHECK(nlohmann::json::parse((*other)->machine()).at("control_groups") == "none");
    for (const study::Canary& canary : isolation->canaries) {
        INFO(canary.name << ": " << canary.detail);
        CHECK((canary.held || canary.leaves == 3));
    }
    study::Execution execution = victim("allocate-and-end", "120");
    execution.limits.memory_bytes = 60 * mib;
    auto result = (*other)->execute(execution, {});
    INFO((result ? "" : result.error().message()));
    REQUIRE(result);
    CHECK(result->ending == Ending::memory);
    CHECK(result->usage.memory_source != "cgroup");
    result = (*other)->execute(victim("burn-detached", "100"), {});
    INFO((result ? "" : result.error().message()));
    REQUIRE(result);
    CHECK(result->usage.background >= 90ms);
    // Other things count as memory: studies tell it, and go on with neither changed.
    CHECK(study::machine_differences((*other)->machine(), runner().machine()).size() == (grouped() ? 1 : 0));
}

TEST_CASE("nothing of a run is there in the next: files, sockets, shared memory, semaphores, queues") {
    CHECK(run(victim("leave")).standard_output == "left\n");
    CHECK(run(victim("find")).standard_output.empty());
    study::Execution execution = victim("leave");
    execution.argv = {"sh", "-c", "/build/victim leave; /build/victim find"};
    CHECK(run(execution).standard_output == "left\n/tmp/left\n/home/user/left\n/dev/shm/left\nsocket\n"
                                            "System V object\nmessage queue\n");
}

TEST_CASE("a program cannot link what it may only read into its outputs") {
    const Tree source("secret", "x"), out;
    study::Execution execution = shell("ln /source/secret /out/hard 2>/dev/null && echo linked; "
                                       "ln /build/victim /out/program 2>/dev/null && echo linked; "
                                       "ls /out");
    execution.mounts = {{source.path, "/source", false}, {victim_folder(), "/build", false}, {out.path, "/out", true}};
    CHECK(run(execution).standard_output.empty());
    CHECK(fs::hard_link_count(source.path / "secret") == 1);
}
