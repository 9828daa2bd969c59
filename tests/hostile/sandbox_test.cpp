// SPDX-License-Identifier: GPL-3.0-or-later
// How programs end in the sandbox: each in the right way, with the right reason, and nothing is left.
#include "sandbox_fixture.hpp"

#include "tests/catch.h"

#include <atomic>
#include <csignal>
#include <set>
#include <sstream>
#include <thread>

using namespace holdfast;
using namespace holdfast::test;
using study::Ending;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t mib = 1 << 20;

/// Runs it with a marker as last argument; afterwards no process has it.
study::ExecutionResult run_clean(study::Execution execution) {
    const std::string marker = unique_marker();
    execution.argv.push_back(marker);
    auto result = run(execution);
    CHECK(processes_with(marker).empty());
    return result;
}

} // namespace

TEST_CASE("a program's exit status and output arrive unchanged") {
    const auto result = run(shell("printf 'a\\0b\\n'; printf warning >&2; exit 3"));
    CHECK(result.ending == Ending::exited);
    CHECK(result.code == 3);
    CHECK(result.reason == "exit status 3");
    CHECK(result.standard_output == std::string("a\0b\n", 4));
    CHECK(result.standard_error == "warning");
    CHECK_FALSE(result.ok());
    CHECK(run(shell("true")).ok());
    CHECK(run(shell("true")).reason.empty());
}

TEST_CASE("much output arrives whole when it is within the limit") {
    const auto result = run(shell("head -c 8000000 /dev/zero; head -c 5000000 /dev/zero >&2"));
    CHECK(result.ok());
    CHECK(result.standard_output == std::string(8'000'000, '\0'));
    CHECK(result.standard_error.size() == 5'000'000);
}

TEST_CASE("the environment is the allow-list and what the caller adds") {
    study::Execution execution = shell("env");
    execution.phase = study::Phase::build;
    execution.environment = {{"CFLAGS", "-O2 -g"}, {"LANG", "de_DE.UTF-8"}};
    std::istringstream lines(run(execution).standard_output);
    std::set<std::string> seen;
    for (std::string line; std::getline(lines, line);)
        seen.insert(line);
    seen.erase("PWD=/"); // the shell's own
    seen.erase("OLDPWD=/");
    CHECK(seen == std::set<std::string>{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/user", "LANG=de_DE.UTF-8",
                                        "TZ=UTC", "TMPDIR=/tmp", "CFLAGS=-O2 -g"});
}

TEST_CASE("each timed run has padding of another length, other phases have none") {
    std::set<std::string> lengths;
    for (int i = 0; i < 4; ++i)
        lengths.insert(run(shell("echo ${#PAD}")).standard_output);
    CHECK(lengths.size() > 1);
    study::Execution judge = shell("echo ${PAD-none}");
    judge.phase = study::Phase::judge;
    CHECK(run(judge).standard_output == "none\n");
}

TEST_CASE("a program starts in its folder, with empty input and no descriptor but three") {
    study::Execution execution = shell("pwd; cat; echo end");
    execution.folder = "/tmp";
    CHECK(run(execution).standard_output == "/tmp\nend\n");
    CHECK(run(victim("descriptors")).standard_output == "0 1 2 ");
}

TEST_CASE("a program that cannot start says why") {
    study::Execution missing;
    missing.argv = {"no-such-program"};
    auto result = run(missing);
    CHECK(result.ending == Ending::not_started);
    CHECK(result.reason == "cannot be started: no-such-program: No such file or directory");

    missing.argv = {"/etc/passwd"};
    result = run(missing);
    CHECK(result.ending == Ending::not_started);
    CHECK_THAT(result.reason, ContainsSubstring("Permission denied"));

    missing = shell("true");
    missing.folder = "/nowhere";
    result = run(missing);
    CHECK(result.ending == Ending::not_started);
    CHECK_THAT(result.reason, ContainsSubstring("/nowhere"));
}

TEST_CASE("death by signal is named") {
    const auto result = run(shell("kill -SEGV $$"));
    CHECK(result.ending == Ending::signalled);
    CHECK(result.code == SIGSEGV);
    CHECK(result.reason == "killed by signal 11 (Segmentation fault)");
}

TEST_CASE("a program that hangs and ignores signals is ended by its time limit") {
    study::Execution execution = victim("hang");
    execution.limits.time = 200ms;
    const auto result = run_clean(execution);
    CHECK(result.ending == Ending::timeout);
    CHECK(result.reason == "ran longer than 0.2 s");
    CHECK(result.usage.wall >= 200ms);
}

TEST_CASE("output before a timeout is kept") {
    study::Execution execution = shell("echo early; sleep 100");
    execution.limits.time = 300ms;
    const auto result = run(execution);
    CHECK(result.ending == Ending::timeout);
    CHECK(result.standard_output == "early\n");
}

TEST_CASE("a fork bomb stays within the number of processes and ends") {
    study::Execution execution = victim("fork-bomb");
    execution.limits.processes = 40;
    execution.limits.time = 500ms;
    CHECK(run_clean(execution).ending == Ending::timeout);
}

TEST_CASE("exactly the allowed number of processes can exist") {
    study::Execution execution = victim("fork-count");
    execution.limits.processes = 30;
    const auto result = run_clean(execution);
    CHECK(result.standard_output == "30\n");
}

TEST_CASE("a program that prints without end is stopped, on either stream") {
    for (const char* stream : {"1", "2"}) {
        study::Execution execution = victim("print", stream);
        execution.limits.output_bytes = 3 * mib;
        const auto result = run_clean(execution);
        CHECK(result.ending == Ending::output);
        CHECK_THAT(result.reason, ContainsSubstring("printed more than 3.0 MiB on standard"));
        CHECK((*stream == '1' ? result.standard_output : result.standard_error).size() == 3 * mib);
    }
}

TEST_CASE("a program that prints one byte too much and ends at once is over the limit too") {
    study::Execution execution = shell("head -c 1001 /dev/zero");
    execution.limits.output_bytes = 1000;
    CHECK(run(execution).ending == Ending::output);
    execution.limits.output_bytes = 1001;
    CHECK(run(execution).ending == Ending::exited);
}

TEST_CASE("disk limits hold wherever a program writes") {
    struct Row {
        const char *mode, *place;
    };
    for (const Row& row : {Row{"fill", "/out/file"}, Row{"fill", "/tmp/file"}, Row{"fill", "/dev/shm/file"},
                           Row{"fill", "/home/user/file"}, Row{"fill-unnamed", "/out/file"}, Row{"fill-memfd", ""},
                           Row{"fill-hidden", "/out"}, Row{"many-files", "/out"}}) {
        INFO(row.mode << ' ' << row.place);
        const Tree out;
        study::Execution execution = victim(row.mode, row.place);
        execution.mounts.push_back({out.path, "/out", true});
        execution.limits.disk_bytes = 24 * mib;
        execution.limits.file_bytes = 64 * mib;
        const auto result = run_clean(execution);
        CHECK(result.ending == Ending::disk);
        CHECK(result.reason == "wrote more than 24.0 MiB of files");
    }
}

TEST_CASE("folders nested without end are a disk that cannot be measured") {
    const Tree out;
    study::Execution execution = victim("deep", "/out");
    execution.mounts.push_back({out.path, "/out", true});
    const auto result = run_clean(execution);
    CHECK(result.ending == Ending::disk);
    CHECK_THAT(result.reason, ContainsSubstring("nested"));
}

TEST_CASE("one file past its limit ends the program with SIGXFSZ") {
    study::Execution execution = victim("fill", "/tmp/file");
    execution.limits.file_bytes = 2 * mib;
    const auto result = run_clean(execution);
    CHECK(result.ending == Ending::signalled);
    CHECK(result.code == SIGXFSZ);
    CHECK_THAT(result.reason, ContainsSubstring("sandbox.disk"));

    execution = shell("head -c 9000000 /dev/zero > /tmp/file; exit $?"); // a shell hides the signal in a status
    execution.limits.file_bytes = 2 * mib;
    CHECK(run_clean(execution).reason == "exit status 153, a shell's when a file grew past what sandbox.disk allows");
}

TEST_CASE("memory past the limit ends a program that stays, one that ends at once, and many small ones") {
    for (const auto& [mode, megabytes] : {std::pair{"allocate", "400"}, std::pair{"allocate-and-end", "120"},
                                          std::pair{"allocate-in-children", "40"}}) {
        INFO(mode);
        study::Execution execution = victim(mode, megabytes);
        execution.limits.memory_bytes = 100 * mib;
        const auto result = run_clean(execution);
        CHECK(result.ending == Ending::memory);
        CHECK_THAT(result.reason, ContainsSubstring("more than 100 MiB"));
    }
}

TEST_CASE("peak memory is the sum over processes where they were seen, else the largest") {
    auto result = run(victim("allocate-and-end", "50"));
    CHECK(result.ok());
    CHECK(result.usage.peak_memory_bytes > 50 * mib);
    CHECK(result.usage.peak_memory_bytes < 60 * mib);

    study::Execution several = victim("allocate-in-children", "30");
    several.limits.time = 1500ms; // time enough for all of them on a loaded machine
    result = run(several);
    CHECK(result.ending == Ending::timeout);
    CHECK((result.usage.memory_source == "pss" || result.usage.memory_source == "cgroup"));
    CHECK(result.usage.peak_memory_bytes > 180 * mib);
    CHECK(result.usage.peak_memory_bytes < 200 * mib);
}

TEST_CASE("files in memory are memory, named or not, while it runs and when it has ended") {
    for (const char* place : {"/tmp/x", "/dev/shm/x"}) {
        INFO(place);
        const auto result = run(shell("head -c 50000000 /dev/zero > " + std::string(place)));
        CHECK(result.ok());
        CHECK(result.usage.peak_memory_bytes > 50'000'000);
        CHECK(result.usage.peak_memory_bytes < 70'000'000);
    }
    auto removed = run(shell("head -c 50000000 /dev/zero > /tmp/x; sleep 0.6; rm /tmp/x"));
    CHECK(removed.usage.peak_memory_bytes > 50'000'000);
    study::Execution unnamed = shell("exec 9> /dev/shm/x; rm /dev/shm/x; head -c 50000000 /dev/zero >&9; sleep 0.9");
    CHECK(run(unnamed).usage.peak_memory_bytes > 50'000'000);
}

TEST_CASE("helpers that end just after their program are no leftovers, a real one is named") {
    const std::string pool = R"(
import multiprocessing, multiprocessing.shared_memory as shared, os, sys
def square(x):
    return x * x
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    block = shared.SharedMemory(create=True, size=4096)
    with multiprocessing.Pool(2) as workers:
        block.buf[0] = sum(workers.map(square, range(8)))
    print(block.buf[0])
    block.close()
    block.unlink()
    if sys.argv[2] == "stay" and os.fork() == 0:
        os.setsid()
        os.execl("/bin/sleep", "sleep", "60")
)";
    const Tree code("pool.py", pool);
    study::Execution execution;
    execution.mounts = {{code.path, "/source", false}};
    execution.limits.time = std::chrono::seconds(20);
    for (const char* method : {"fork", "forkserver"})
        for (const auto phase : {study::Phase::run, study::Phase::build, study::Phase::judge}) {
            INFO(method);
            execution.phase = phase;
            execution.argv = {"python3", "/source/pool.py", method, "end"};
            const auto result = run(execution);
            INFO(result.reason << result.standard_error);
            CHECK(result.ok());
            CHECK(result.standard_output == "140\n");
        }
    execution.argv = {"python3", "/source/pool.py", "fork", "stay"};
    const auto left = run(execution);
    CHECK(left.ending == Ending::survivors);
    CHECK(left.reason == "left 1 process running (sleep)");
    execution.argv = {"python3", "-c",
                      "import os, time\nif os.fork() == 0:\n    open('/proc/self/comm', 'w').write('a\\x1bb')\n"
                      "    time.sleep(60)\nelse:\n    time.sleep(0.2)"};
    CHECK(run(execution).reason == "left 1 process running (a\\x1bb)");
}

TEST_CASE("a daemon does not survive and is reported") {
    const auto result = run_clean(victim("survive"));
    CHECK(result.ending == Ending::survivors);
    CHECK(result.code == 0);
    CHECK(result.reason == "left 1 process running (victim)");
    CHECK_FALSE(result.ok());
}

TEST_CASE("a child that ends shortly after the main process is no survivor") {
    const auto result = run(victim("linger"));
    CHECK(result.ok());
    CHECK(result.usage.wall >= 2ms);
}

TEST_CASE("the time of a detached child is counted") {
    const auto result = run(victim("burn-detached", "150"));
    CHECK(result.ok());
    CHECK(result.usage.user + result.usage.system >= 140ms);
    CHECK(result.usage.wall >= 140ms);
}

TEST_CASE("usage is that of the program") {
    const auto result = run(victim("burn", "100"));
    CHECK(result.ok());
    CHECK(result.usage.user + result.usage.system >= 95ms);
    CHECK(result.usage.wall >= 95ms);
    CHECK(result.usage.minor_faults > 0);
    CHECK(result.usage.peak_memory_bytes < 8 * mib);
}

TEST_CASE("signals to process 1 do nothing and it shows neither descriptors, memory nor host paths") {
    CHECK(run(victim("attack-init")).standard_output == "alive\n");
    const auto result = run(shell("tr '\\0' ' ' < /proc/1/cmdline; for f in fd mem environ maps cwd root exe; do "
                                  "ls /proc/1/$f/ >/dev/null 2>&1 && echo $f; cat /proc/1/$f 2>/dev/null; done"));
    CHECK(result.standard_output == "/init ");
}

TEST_CASE("a stop request ends a run at once") {
    const std::string marker = unique_marker();
    std::stop_source stop;
    study::Execution execution = victim("hang", "", marker);
    std::jthread stopper([&] {
        eventually([&] { return !processes_with(marker).empty(); });
        stop.request_stop();
    });
    const auto result = run(execution, stop.get_token());
    CHECK(result.ending == Ending::killed);
    CHECK(result.reason == "stopped on request");
    CHECK(processes_with(marker).empty());
    // The request is over; the next run is not touched by it, and one that is stopped already does not run.
    CHECK(run(shell("true")).ok());
    CHECK(run(victim("hang"), stop.get_token()).ending == Ending::killed);
}

TEST_CASE("many runs from several threads, each by itself") {
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 3; ++thread)
            threads.emplace_back([&, thread] {
                for (int i = 0; i < 10; ++i) {
                    const std::string text = std::to_string(thread * 10 + i);
                    const auto result = runner().execute(shell("echo " + text), {});
                    right += result && result->ok() && result->standard_output == text + "\n";
                }
            });
    }
    CHECK(right == 30);
}

TEST_CASE("a program under AddressSanitizer runs: address space is not limited") {
    const Tree source("leak.c", "#include <stdlib.h>\nint main(void) { volatile char* p = malloc(8); return p[8]; }\n");
    const Tree build;
    study::Execution execution = shell("cc -g -fsanitize=address -o /build/leak /source/leak.c && /build/leak");
    execution.mounts = {{source.path, "/source", false}, {build.path, "/build", true}};
    const auto result = run(execution);
    CHECK_THAT(result.standard_error, ContainsSubstring("heap-buffer-overflow"));
}
