// SPDX-License-Identifier: GPL-3.0-or-later
// What holdfast-init forbids programs, tried by real ones, and what they need nevertheless.
#include "sandbox_fixture.hpp"

#include "tests/catch.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <sstream>
#include <unistd.h>

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

/// forbidden.c, compiled in a sandbox with `flags`.
class Compiled {
public:
    explicit Compiled(const std::vector<std::string>& flags) {
        study::Execution compile;
        compile.phase = study::Phase::build;
        compile.argv = {"cc", "-w", "-g", "-o", "/build/forbidden", "/source/forbidden.c"};
        compile.argv.insert(compile.argv.end(), flags.begin(), flags.end());
        compile.mounts = {{source_.path, "/source", false}, {build_.path, "/build", true}};
        const auto result = run(compile);
        INFO(result.standard_error);
        REQUIRE(result.ok());
    }
    study::Execution execution(const std::vector<std::string>& arguments = {}) const {
        study::Execution execution;
        execution.argv = {"/build/forbidden"};
        execution.argv.insert(execution.argv.end(), arguments.begin(), arguments.end());
        execution.mounts = {{build_.path, "/build", false}};
        execution.limits.time = std::chrono::seconds(20);
        return execution;
    }

private:
    Tree source_{"forbidden.c", text_of(fs::path(HOLDFAST_SOURCE_DIR) / "tests/hostile/forbidden.c")};
    Tree build_;
};

const Compiled& forbidden() {
    static const Compiled only({});
    return only;
}

/// By name: "done", or the error's number.
std::map<std::string, std::string> tried(const study::ExecutionResult& result) {
    std::map<std::string, std::string> answers;
    std::istringstream lines(result.standard_output);
    for (std::string name, answer; lines >> name >> answer;)
        answers[name] = answer;
    return answers;
}

const std::string refused_by_filter = std::to_string(EPERM), not_there = std::to_string(ENOSYS),
                  no_family = std::to_string(EAFNOSUPPORT);

} // namespace

TEST_CASE("each forbidden call fails with an error, in the run and for the judge") {
    for (const study::Phase phase : {study::Phase::run, study::Phase::judge}) {
        study::Execution attempt = forbidden().execution();
        attempt.phase = phase;
        const auto result = run(attempt);
        INFO(result.reason << result.standard_output);
        REQUIRE(result.ok());
        auto answers = tried(result);
        REQUIRE(answers.size() == 58);
        const std::vector<std::string> allowed = {"ioctl-terminal", "socket-unix",   "socket-inet",
                                                  "socket-inet6",   "unshare-files", "personality-read"};
        for (const auto& [name, answer] : answers) {
            INFO(name);
            if (std::find(allowed.begin(), allowed.end(), name) != allowed.end())
                CHECK(answer == "done");
            else if (name == "io_uring_setup" || name == "clone3")
                CHECK(answer == not_there);
            else if (name.starts_with("socket-"))
                CHECK(answer == no_family);
            else
                CHECK(answer == refused_by_filter);
        }
    }
}

TEST_CASE("a build may fix its addresses and still traces nothing") {
    study::Execution attempt = forbidden().execution();
    attempt.phase = study::Phase::build;
    auto answers = tried(run(attempt));
    CHECK(answers["personality-fixed"] == "done");
    CHECK(answers["ptrace"] == refused_by_filter);
    CHECK(answers["mount"] == refused_by_filter);
    CHECK(answers["socket-16"] == no_family);
}

TEST_CASE("only a sanitizer's run traces, and only what is its own") {
    study::Execution attempt = forbidden().execution({"traced"});
    CHECK(tried(run(attempt))["seize"] == refused_by_filter);
    attempt.sanitizer = true;
    CHECK(tried(run(attempt))["seize"] == "done");
    attempt = forbidden().execution();
    attempt.sanitizer = true;
    auto answers = tried(run(attempt));
    CHECK(answers["process_vm_readv"] == "done");
    CHECK(answers["personality-fixed"] == "done");
    for (const char* still : {"mount", "keyctl", "bpf", "perf_event_open", "unshare-10000000"}) {
        INFO(still);
        CHECK(answers[still] == refused_by_filter);
    }
}

#if defined(__x86_64__)
TEST_CASE("calls of another architecture do not pass the filter") {
    const auto foreign = run(forbidden().execution({"foreign"}));
    CHECK(foreign.ending == study::Ending::signalled);
    CHECK(foreign.code == SIGSYS);
    CHECK(tried(run(forbidden().execution({"x32"})))["getpid"] == not_there);
}
#endif

TEST_CASE("programs of every phase have no capabilities and gain none") {
    for (const study::Phase phase : {study::Phase::build, study::Phase::run, study::Phase::judge}) {
        study::Execution attempt = shell("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
        attempt.phase = phase;
        std::istringstream lines(run(attempt).standard_output);
        int seen = 0;
        for (std::string key, value; lines >> key >> value; ++seen) {
            INFO(key);
            CHECK(value == (key == "NoNewPrivs:" ? "1" : key == "Seccomp:" ? "2" : "0000000000000000"));
        }
        CHECK(seen == 7);
    }
}

TEST_CASE("process 1 does not say who started it") {
    const auto result = run(shell("tr '\\0' ' ' < /proc/1/cmdline; cat /proc/1/comm; head -1 /proc/1/status; "
                                  "cat /proc/1/environ /proc/1/maps 2>/dev/null; readlink /proc/1/exe /proc/1/cwd"));
    CHECK(result.standard_output == "/init init\nName:\tinit\n");
}

TEST_CASE("files move between folders of what may be written, and nothing else is") {
    const Tree out;
    const std::string moves =
        "set -e; for top in /out /tmp /dev/shm $HOME; do cd $top; mkdir a b; echo x > a/f; "
        "/usr/bin/python3 -c 'import os; os.rename(\"a/f\", \"b/f\"); os.link(\"b/f\", \"a/g\")'; "
        "cat a/g; done; "
        "for place in / /usr /etc /in /dev; do ! (echo x > $place/new) 2>/dev/null; done";
    for (const bool network : {false, true}) {
        study::Execution attempt = shell(moves);
        const Tree in("file", "unchanged");
        attempt.phase = network ? study::Phase::build : study::Phase::run;
        attempt.network = network;
        attempt.mounts = {{out.path, "/out", true}, {in.path, "/in", false}};
        const auto result = run(attempt);
        INFO(network << result.reason << result.standard_error);
        CHECK(result.ok());
        CHECK(result.standard_output == "x\nx\nx\nx\n");
        for (const char* folder : {"a", "b"})
            fs::remove_all(out.path / folder);
    }
}

TEST_CASE("LeakSanitizer and ThreadSanitizer work where a sanitizer is asked for") {
    const Compiled leaky({"-fsanitize=address"}), threads({"-fsanitize=thread"});
    study::Execution attempt = leaky.execution({"leak"});
    attempt.sanitizer = true;
    const auto leak = run(attempt);
    INFO(leak.standard_error);
    CHECK_FALSE(leak.ok());
    CHECK_THAT(leak.standard_error, ContainsSubstring("detected memory leaks"));
    attempt = threads.execution({"leak"});
    attempt.sanitizer = true;
    const auto ran = run(attempt);
    INFO(ran.standard_error);
    CHECK(ran.standard_output == "ran\n");
    CHECK(ran.ok());
}

TEST_CASE("languages find what they need") {
    struct Row {
        const char *program, *script;
    };
    for (const Row& row :
         {Row{"/usr/bin/python3", "import threading, multiprocessing as m, subprocess, socket, tempfile, asyncio\n"
                                  "t = threading.Thread(target=lambda: None); t.start(); t.join()\n"
                                  "with m.Pool(2) as p: assert p.map(abs, [-1, -2]) == [1, 2]\n"
                                  "assert subprocess.run(['true']).returncode == 0\n"
                                  "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
                                  "c = socket.create_connection(s.getsockname()); c.close()\n"
                                  "assert socket.getaddrinfo('127.0.0.1', 80)\n"
                                  "asyncio.run(asyncio.sleep(0))\n"
                                  "print('fine')"},
          Row{"/usr/bin/node", "const {Worker} = require('worker_threads');\n"
                               "new Worker('1', {eval: true}).on('exit', () => {\n"
                               "  require('fs').writeFileSync('/tmp/x', 'y');\n"
                               "  const s = require('net').createServer().listen(0, '127.0.0.1', () => {\n"
                               "    s.close(); console.log('fine'); }); });"},
          Row{"/usr/bin/perl", "print \"fine\\n\" if fork() || exit; wait;"}}) {
        if (::access(row.program, X_OK) != 0)
            continue;
        study::Execution attempt;
        attempt.argv = {row.program, std::string(row.program).ends_with("python3") ? "-c" : "-e", row.script};
        attempt.limits.time = std::chrono::seconds(20);
        const auto result = run(attempt);
        INFO(row.program << ": " << result.reason << result.standard_error);
        CHECK(result.ok());
        CHECK(result.standard_output == "fine\n");
    }
}
