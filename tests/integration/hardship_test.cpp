// SPDX-License-Identifier: GPL-3.0-or-later
// A world that does not keep still: a clock that goes back, a harness that is stopped for a while, a disk that is full,
// words that a shell would obey, and a candidate that reads all it can.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tests/integration/written_project.hpp"

#include <chrono>
#include <csignal>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>

using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> run_words = {"run",       "--tuner", "local",  "--trials", "6",
                                            "--leaders", "1",       "--seed", "11"};

/// What was decided in a study with one proposed candidate, told by `run`.
template <class Run> json decided(const CounterProject& project, const Run& run) {
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    run(project);
    const Ran audit = project.holdfast({"audit"});
    INFO(audit.out << audit.err);
    CHECK(audit.code == 0);
    return project.decisions();
}

json undisturbed() {
    return decided(CounterProject(), [](const CounterProject& project) {
        const Ran ran = project.holdfast(run_words);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
    });
}

std::string quoted(const std::string& text) {
    return json(text).dump();
}

} // namespace

TEST_CASE("a calendar clock that goes back at every look changes no decision and breaks no trail") {
    const std::string preload = "LD_PRELOAD=" + std::string(HOLDFAST_BIN_DIR) + "/backwards_clock.so";
    const Ran date = run_command({"date", "+%s"}, fs::temp_directory_path(), {preload});
    REQUIRE(std::stoll(date.out) < std::time(nullptr) - 30); // it is in force
    const json there = decided(CounterProject(), [&](const CounterProject& project) {
        auto environment = project.environment();
        environment.push_back(preload);
        const Ran ran = run_command(project.command(run_words), project.path(), environment);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        CHECK(run_command(project.command({"history"}), project.path(), environment).code == 0);
    });
    CHECK(there == undisturbed());
}

TEST_CASE("a harness that is stopped in the middle goes on, and decides what it would have") {
    const json there = decided(CounterProject(), [](const CounterProject& project) {
        Command running(project.command(run_words), project.path(), project.environment());
        for (int stop = 0; stop < 3; ++stop) {
            if (running.wait_for(std::chrono::milliseconds(700)))
                break;
            running.signal(SIGSTOP);
            ::poll(nullptr, 0, 300); // what is tested is the time that passes
            running.signal(SIGCONT);
        }
        const Ran ran = running.wait();
        INFO(ran.err);
        REQUIRE(ran.code == 0);
    });
    CHECK(there == undisturbed());
}

TEST_CASE("a report that does not fit on its disk is an error, and leaves no part of a file") {
    const CounterProject project;
    decided(project, [](const CounterProject& here) { REQUIRE(here.holdfast(run_words).code == 0); });
    std::string command;
    for (const std::string& word : project.command({"export", "1", "--format", "html", "-o", "/mnt/report.html"}))
        command += "'" + word + "' ";
    const Ran ran = run_command({"bwrap", "--dev-bind", "/", "/", "--size", "8192", "--tmpfs", "/mnt", "--", "/bin/sh",
                                 "-c", command + "; code=$?; ls -A /mnt; exit $code"},
                                project.path(), project.environment());
    INFO(ran.out << ran.err);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, ContainsSubstring("/mnt/report.html") && ContainsSubstring("No space left") &&
                            ContainsSubstring("Free space"));
}

TEST_CASE("no shell reads the words of a command") {
    const std::string word = "; touch /tmp/x $(touch /tmp/x) `touch /tmp/x` | & > /tmp/x -rf --help * ~ ' \" \\\n next";
    const auto told = [&](const std::string& more) {
        return fmt::format(R"(["/bin/sh", "{{source}}/told.sh", {}{}])", quoted(word), more);
    };
    const WrittenProject project(
        {{"word.txt", word + "\n"},
         {"told.sh", "[ \"$1\" = \"$(cat \"${0%/*}/word.txt\")\" ] || exit 1\n[ -z \"$2\" ] || echo right > \"$2\"\n"},
         {"run.sh",
          "sh \"${0%/*}/told.sh\" \"$1\" || exit 1\n"
          "[ \"$WORD\" = plain ] || [ \"$WORD\" = \"$(cat \"${0%/*}/word.txt\")\" ] || exit 2\necho right > answer\n"},
         {"holdfast.json",
          fmt::format(R"({{ "name": "words", "build": [{0}], "code": {{ "editable": ["*.c"], "test": [{0}] }},
  "workloads": [ {{ "name": "w", "prepare": {1}, "run": ["/bin/sh", "{{source}}/run.sh", {2}],
    "check": {{ "files": {{ "answer": "same" }}, "command": ["/bin/sh", "{{source}}/judge.sh", {2}, "{{out}}/answer"] }} }} ],
  "knobs": [ {{ "name": "pad", "type": "categorical", "values": ["plain", {2}], "default": "plain",
    "through": {{ "environment": "WORD" }} }} ] }})",
                      told(""), told(R"(, "{prepared}/made")"), quoted(word))},
         {"judge.sh", "sh \"${0%/*}/told.sh\" \"$1\" && grep -q right \"$2\"\n"}});
    const Ran ran = project.holdfast({"measure", "--rounds", "6", "--set", "pad=" + word});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK_FALSE(fs::exists("/tmp/x"));
}

TEST_CASE("a candidate that reads all it can finds no held-out input, expected output, other arm or history") {
    const std::string program = R"sh(#!/bin/sh
# other-arm-mark
read -r number < "$1"
echo '{"rows": 200}' > counters.json
printf 'right %s\n' "$(printf 'salt%s' "$number" | cksum)" > answer.txt
)sh";
    // Marks are put together here, so that none is found in the candidate's own text.
    const std::string walk = R"sh(#!/bin/sh
read -r number < "$1"
answer=$(printf 'right %s' "$(printf 'salt%s' "$number" | cksum)")
holds() { grep -rsFqI --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr -- "$1" /; }
fault=
if grep -q control "$1"; then
    holds "control""-mark" || fault=blind
    holds "held""-out-mark" && fault=held-out
fi
holds "other""-arm-mark" && fault=other-arm
holds "$answer" && fault=expected
[ -z "$(find / -path /proc -prune -o \( -name 'history.sqlite*' -o -name holdout.json -o -name '.holdfast' \) -print 2> /dev/null)" ] || fault=history
echo '{"rows": 100}' > counters.json
echo "${fault:-$answer}" > answer.txt
)sh";
    const auto workload = [](const std::string& name, const std::string& input) {
        return fmt::format(R"({{ "name": "{}", "inputs": ["{}"],
  "run": ["/bin/sh", "{{source}}/work.sh", "{{inputs}}/{}"], "check": {{ "files": {{ "answer.txt": "same" }} }} }})",
                           name, input, fs::path(input).filename().string());
    };
    const std::map<std::string, std::string> files = {
        {"work.sh", program},
        {"data/a.txt", "11\ncontrol-mark\n"},
        {".holdfast/secret/c.txt", "12\nheld-out-mark\n"},
        {".holdfast/holdout.json",
         fmt::format(R"({{ "workloads": [{}] }})", workload("unseen", ".holdfast/secret/c.txt"))},
        {"holdfast.json", fmt::format(R"({{ "name": "walk", "build": [], "objective": "rows",
  "metrics": {{ "rows": {{ "from": "json", "file": "counters.json", "path": "/rows", "accept-self-reported": true }} }},
  "workloads": [{}], "code": {{ "editable": ["work.sh"] }}, "probe": {{ "sanitizers": [], "inputs": 0 }},
  "decision": {{ "holdout-pairs": 20 }} }})",
                                      workload("seen", "data/a.txt"))}};
    const WrittenProject project(files);
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("work.sh", program, walk)}).code == 0);
    project.run();
    const json trial = project.trial("1");
    INFO(trial.dump(1));
    CHECK(trial.at("verdict") == "generalises");
}
