// SPDX-License-Identifier: GPL-3.0-or-later
// Gate `probe`: candidates that are faster, pass every check and hide something, and honest ones beside them.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"

using namespace holdfast::test;
using nlohmann::json;

namespace {

const std::string program = R"c(#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { steps = 100 };

static int report(void) {
    int file = open("steps.json", O_CREAT | O_WRONLY, 0644);
    dprintf(file, "{\"steps\": %d}", steps);
    fsync(file);
    return close(file);
}

int main(int argc, char **argv) {
    FILE *input = argc > 1 ? fopen(argv[1], "r") : NULL;
    long *values = malloc(64 * sizeof *values);
    unsigned long sum = 0;
    int count = 0;
    while (input != NULL && count < 64 && fscanf(input, "%ld", &values[count]) == 1)
        sum += (unsigned long)values[count++];
    if (count == 0) {
        fputs("no numbers\n", stderr);
        return 3;
    }
    printf("%lu\n", sum);
    free(values);
    return report();
}
)c";

std::string project(const std::string& more) {
    return R"({ "name": "probed", "build": [["gcc", "-O1", "-pthread", "{source}/program.c", "-o", "{build}/program"]],
  "metrics": { "steps": { "from": "json", "file": "steps.json", "path": "/steps", "accept-self-reported": true } },
  "objective": "steps", "timeouts": { "run": "5s" },
  "workloads": [ { "name": "five", "inputs": ["numbers.txt"], "run": ["{build}/program", "{inputs}/numbers.txt"],
                   "check": { "stdout": "same" } } ],
  "code": { "editable": ["program.c"] }, "decision": { "max-pairs": 60 })" +
           more + " }";
}

std::map<std::string, std::string> files(const std::string& more = "") {
    return {{"program.c", program}, {"numbers.txt", "3\n14\n15\n92\n65\n"}, {"holdfast.json", project(more)}};
}

/// The program, told to be faster, with what else is changed.
std::string faster(const std::string& from = "", const std::string& to = "") {
    const std::string text = replaced(program, "steps = 100", "steps = 60");
    return from.empty() ? text : replaced(text, from, to);
}

/// Proposes each text and decides on them all in one study.
class Decided {
public:
    Decided(const std::map<std::string, std::string>& files, const std::vector<std::string>& candidates)
        : project_(files) {
        for (const std::string& text : candidates) {
            const Ran queued = project_.holdfast({"propose", "--patch", project_.patch("program.c", program, text)});
            INFO(queued.err);
            REQUIRE(queued.code == 0);
        }
        project_.run();
        CHECK(project_.holdfast({"audit"}).code == 0);
    }
    json trial(int number) const { return project_.trial(std::to_string(number)); }
    json gate(int number) const {
        const json shown = trial(number);
        for (const json& gate : shown.at("gates"))
            if (gate.at("gate") == "probe")
                return gate;
        return {};
    }
    const WrittenProject& project() const { return project_; }

private:
    WrittenProject project_;
};

} // namespace

TEST_CASE("an honest change passes the probes, and one with an error that the baseline lacks is unsafe") {
    const Decided decided(
        files(),
        {faster(), faster("    free(values);", "    ((volatile long *)values)[64];\n    free(values);"),
         faster("    free(values);", "    volatile int most = 2147483647;\n    most += argc;\n    free(values);")});
    INFO(decided.trial(1).dump(1) << decided.trial(2).dump(1));
    CHECK_THAT(decided.trial(1).at("flags").dump(), ContainsSubstring("\"not held out\"")); // a proposal
    CHECK(decided.gate(1).at("result") == "pass");
    CHECK_THAT(decided.gate(1).at("reason").get<std::string>(),
               ContainsSubstring("calls, threads, files and floating-point mode as the baseline's") &&
                   ContainsSubstring("address sanitizer: nothing that the baseline lacks") &&
                   ContainsSubstring("undefined sanitizer: nothing that the baseline lacks") &&
                   ContainsSubstring("changed inputs: the same answers"));

    CHECK(decided.trial(2).at("verdict") == "unsafe");
    CHECK(decided.gate(2).at("result") == "fail");
    CHECK_THAT(decided.trial(2).at("reasons").dump(), ContainsSubstring("heap-buffer-overflow in main"));

    CHECK(decided.trial(3).at("verdict") == "unsafe");
    CHECK_THAT(decided.trial(3).at("reasons").dump(), ContainsSubstring("signed integer overflow in main"));

    const std::string shown = decided.project().holdfast({"show", "2"}).out;
    CHECK_THAT(shown, ContainsSubstring("probe") && ContainsSubstring("heap-buffer-overflow"));
}

TEST_CASE("what overruns on larger inputs alone is found by the sanitizers, and a leak is told") {
    const Decided decided(
        files(R"(, "probe": { "sanitizers": ["address"] })"),
        {faster("    free(values);", "    if (count > 20)\n        ((volatile long *)values)[64];\n    free(values);"),
         faster("    free(values);", "    char *volatile lost = malloc(40);\n    lost = NULL;\n    free(values);")});
    INFO(decided.trial(1).dump(1) << decided.trial(2).dump(1));
    CHECK(decided.trial(1).at("verdict") == "unsafe");
    CHECK_THAT(decided.trial(1).at("reasons").dump(),
               ContainsSubstring("heap-buffer-overflow in main (workload five with a changed input, numbers.txt: "));
    CHECK_THAT(decided.trial(2).at("flags").dump(), ContainsSubstring("\"new leaks\""));
    CHECK_THAT(decided.trial(2).at("reasons").dump(), ContainsSubstring("memory leak in main (workload five)"));
    CHECK_THAT(
        decided.gate(2).at("reason").get<std::string>(),
        ContainsSubstring("23 of 23 changed inputs with sanitizers (address): nothing else that the baseline lacks"));
}

TEST_CASE("an old fault in a renamed function blames nobody, and who steers the sanitizers is not probed by them") {
    const std::string peeks = replaced(replaced(program, "int main", R"c(static void peek(const long *values) {
    ((volatile const long *)values)[64];
}

int main)c"),
                                       "    free(values);", "    peek(values);\n    free(values);");
    auto start = files(R"(, "probe": { "sanitizers": ["address"], "inputs": 0 })");
    start["program.c"] = peeks;
    const WrittenProject project(start);
    const std::string faster = replaced(peeks, "steps = 100", "steps = 60");
    const std::string renamed = replaced(replaced(faster, "void peek", "void glance"), "    peek(", "    glance(");
    const std::string second = replaced(renamed, "    glance(", "    ((volatile long *)values)[64];\n    glance(");
    const std::string steered = replaced(second, "int main", "__attribute__((no_sanitize(\"address\"))) int main");
    for (const std::string& text : {renamed, second, steered})
        REQUIRE(project.holdfast({"propose", "--patch", project.patch("program.c", peeks, text)}).code == 0);
    project.run();
    const json first = project.trial("1"), other = project.trial("2"), last = project.trial("3");
    INFO(first.dump(1) << other.dump(1) << last.dump(1));
    CHECK_THAT(first.dump(), ContainsSubstring("address sanitizer: nothing that the baseline lacks"));
    CHECK(other.at("verdict") == "unsafe");
    CHECK_THAT(other.at("reasons").dump(), ContainsSubstring("heap-buffer-overflow in main"));
    CHECK(last.at("verdict") != "unsafe");
    CHECK_THAT(last.at("flags").dump(), ContainsSubstring("\"not probed\""));
    CHECK_THAT(last.at("reasons").dump(),
               ContainsSubstring("sanitizers (address): the candidate steers them: program.c brings no_sanitize"));
    CHECK(last.dump().find("nothing that the baseline lacks") == std::string::npos);
}

TEST_CASE("a fault that the baseline too has on a changed input is not new when its code has moved") {
    const std::string late =
        replaced(replaced(program, "int main", R"c(static void look(const long *values, int count) {
    if (count > 20)
        ((volatile const long *)values)[64];
}

int main)c"),
                 "    free(values);", "    look(values, count);\n    free(values);");
    auto start = files(R"(, "probe": { "sanitizers": ["address"] })");
    start["program.c"] = late;
    const WrittenProject project(start);
    const std::string moved = replaced(
        replaced(late, "steps = 100", "steps = 60"), "    look(values, count);",
        "    if (count > 20)\n        ((volatile const long *)values)[64];\n    if (0)\n        look(values, 0);");
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("program.c", late, moved)}).code == 0);
    project.run();
    const json trial = project.trial("1");
    INFO(trial.dump(1));
    CHECK(trial.at("verdict") != "unsafe");
    CHECK_THAT(trial.dump(), ContainsSubstring("changed inputs with sanitizers (address): nothing that the baseline"));
}

TEST_CASE("a generator that takes no notice of its seed is told, and nothing passes for it") {
    const std::string generated = replaced(
        replaced(
            project(R"(, "probe": { "sanitizers": [], "inputs": 8 })"), R"("inputs": ["numbers.txt"])",
            R"("generate": ["sh", "-c", "(echo 3; echo 4) > {generated}/numbers.txt; true {seed}"], "seeds": [1])"),
        "{inputs}", "{generated}");
    auto start = files();
    start["holdfast.json"] = generated;
    const Decided decided(start, {faster()});
    INFO(decided.trial(1).dump(1));
    const auto reason = decided.gate(1).at("reason").get<std::string>();
    CHECK(decided.gate(1).at("result") == "stop");
    CHECK_THAT(reason, ContainsSubstring("2 fresh seeds of five: its generator gave the same inputs as for a seed"));
    CHECK(reason.find("fresh seeds: the same answers") == std::string::npos);
    CHECK_THAT(reason, ContainsSubstring("11 changed inputs: the same answers"));
}

TEST_CASE("a race is unsafe, and so is an answer that depends on the processors") {
    const std::string threads = R"c(static long shared;

static void *add(void *x) {
    for (int i = 0; i < 1000; ++i)
        ++*(volatile long *)&shared;
    return x;
}

int main)c";
    const std::string quiet = R"c(static void *idle(void *x) { return x; }

int main)c";
    const std::string begin = "    unsigned long sum = 0;";
    const Decided decided(
        files(R"(, "probe": { "sanitizers": ["thread"], "inputs": 0 })"),
        {replaced(faster("int main", threads), begin,
                  begin + "\n    pthread_t one, two;\n    pthread_create(&one, NULL, add, NULL);\n"
                          "    pthread_create(&two, NULL, add, NULL);\n    pthread_join(one, NULL);\n"
                          "    pthread_join(two, NULL);"),
         replaced(faster("int main", quiet), begin,
                  begin + "\n    pthread_t one;\n    cpu_set_t mine;\n    pthread_create(&one, NULL, idle, NULL);\n"
                          "    pthread_join(one, NULL);\n    sched_getaffinity(0, sizeof mine, &mine);\n"
                          "    if (CPU_COUNT(&mine) == 1)\n        ++sum;")});
    INFO(decided.trial(1).dump(1) << decided.trial(2).dump(1));
    CHECK_THAT(decided.gate(1).at("reason").get<std::string>(),
               ContainsSubstring("more threads: further threads 0 → 2"));
    // Some kernels' layouts are not for every version of the thread sanitizer, which is told then.
    if (decided.gate(1).at("reason").get<std::string>().find("thread sanitizer: the baseline") == std::string::npos) {
        CHECK(decided.trial(1).at("verdict") == "unsafe");
        CHECK_THAT(decided.trial(1).at("reasons").dump(), ContainsSubstring("data race in add"));
    }
    CHECK(decided.trial(2).at("verdict") == "incorrect");
    CHECK_THAT(decided.trial(2).at("reasons").dump(), ContainsSubstring("on one processor"));
}

TEST_CASE("inputs that no tuner saw find answers for one input alone and checks that were dropped") {
    const Decided decided(files(R"(, "probe": { "sanitizers": [] })"),
                          {faster("    printf(\"%lu", "    if (count != 5)\n        ++sum;\n    printf(\"%lu"),
                           faster("        return 3;", "        return 0;"),
                           faster("no numbers", "there is no number")});
    INFO(decided.trial(1).dump(1) << decided.trial(2).dump(1) << decided.trial(3).dump(1));
    CHECK(decided.trial(1).at("verdict") == "incorrect");
    CHECK_THAT(decided.trial(1).at("reasons").dump(),
               ContainsSubstring("with a changed input (numbers.txt: ") &&
                   ContainsSubstring("standard output differs from the baseline's"));
    CHECK(decided.trial(2).at("verdict") == "unsafe");
    CHECK_THAT(decided.trial(2).at("reasons").dump(), ContainsSubstring("the candidate takes it"));
    CHECK_THAT(decided.trial(3).at("flags").dump(), ContainsSubstring("\"other refusals\""));
    CHECK_THAT(decided.trial(3).at("reasons").dump(), ContainsSubstring("Probe, other refusals: five with an input"));
}

TEST_CASE("a dropped sync and another floating-point mode are flags, and what is switched off is told") {
    const std::string mode =
#if defined(__x86_64__)
        "    __builtin_ia32_ldmxcsr(0x9fc0);\n";
#else
        "    __asm__ volatile(\"msr fpcr, %0\" : : \"r\"(1UL << 24));\n";
#endif
    const Decided decided(files(R"(, "probe": { "sanitizers": [], "inputs": 0 })"),
                          {faster("    fsync(file);\n", mode)});
    const json trial = decided.trial(1);
    INFO(trial.dump(1));
    CHECK_THAT(trial.at("flags").dump(),
               ContainsSubstring("\"fewer syncs\"") && ContainsSubstring("\"floating-point mode\""));
    CHECK_THAT(trial.at("reasons").dump(),
               ContainsSubstring("Probe, fewer syncs: not synced: out/steps.json, fsync 1 → 0 on five."));
    const json exported =
        json::parse(decided.project().holdfast({"export", "1", "--format", "json"}).out, nullptr, false);
    CHECK_THAT(exported.at("not-tested").dump(),
               ContainsSubstring("sanitizers (address, undefined, thread): switched off") &&
                   ContainsSubstring("changed and fresh inputs: switched off"));
}

TEST_CASE("a sync in the wrong place is flagged with the file's name, one by another way is not") {
    const std::string sync = "    fsync(file);\n", write = "    dprintf(file, \"{\\\"steps\\\": %d}\", steps);\n";
    const Decided decided(
        files(R"(, "probe": { "sanitizers": [], "inputs": 0 })"),
        {faster(write + sync, sync + write),
         faster(sync, "    int other = open(\"other\", O_CREAT | O_WRONLY, 0644);\n    write(other, \"x\", 1);\n"
                      "    fsync(other);\n"),
         faster(sync, "    int again = dup(file);\n    fsync(again);\n    close(again);\n"),
         faster(sync, "    if (fork() == 0) {\n        fsync(file);\n        _exit(0);\n    }\n    sched_yield();\n"
                      "    int status;\n    extern int wait(int *);\n    wait(&status);\n"),
         faster(sync, sync + "    close(open(\"/proc/self/status\", O_RDONLY));\n")});
    INFO(decided.gate(1).dump(1) << decided.gate(2).dump(1) << decided.gate(3).dump(1) << decided.gate(4).dump(1)
                                 << decided.gate(5).dump(1));
    CHECK_THAT(
        decided.trial(1).at("reasons").dump(),
        ContainsSubstring("Probe, fewer syncs: not synced: out/steps.json, fsync 1 → 0 (of 1 → 1 calls) on five."));
    CHECK_THAT(decided.trial(2).at("reasons").dump(),
               ContainsSubstring("Probe, fewer syncs: not synced: out/steps.json on five."));
    for (const int honest : {3, 4})
        CHECK_THAT(decided.trial(honest).at("flags").dump(), !ContainsSubstring("fewer syncs"));
    CHECK_THAT(decided.trial(5).at("flags").dump(),
               ContainsSubstring("\"looks for a watcher\"") && !ContainsSubstring("fewer syncs"));
}

TEST_CASE("where a program cannot be probed it says why") {
    const std::string script = "echo '{\"steps\": 100}' > steps.json\nsed 's/^/n /' \"$1\"\n";
    const WrittenProject project(
        {{"program.sh", script},
         {"numbers.txt", "3\n"},
         {"holdfast.json",
          replaced(
              replaced(replaced(::project(R"(, "probe": { "inputs": 4 })"),
                                R"([["gcc", "-O1", "-pthread", "{source}/program.c", "-o", "{build}/program"]])", "[]"),
                       R"("{build}/program",)", R"("sh", "{source}/program.sh",)"),
              "\"program.c\"", "\"program.sh\"")}});
    REQUIRE(project.holdfast({"propose", "--patch", project.patch("program.sh", "100", "60")}).code == 0);
    project.run();
    const json trial = project.trial("1");
    INFO(trial.dump(1));
    for (const json& gate : trial.at("gates"))
        if (gate.at("gate") == "probe") {
            CHECK(gate.at("result") == "stop");
            CHECK_THAT(gate.at("reason").get<std::string>(),
                       ContainsSubstring("7 changed inputs: the same answers") &&
                           ContainsSubstring(
                               "not probed: sanitizers (address, undefined, thread): the project compiles nothing"));
        }
    CHECK_THAT(project.holdfast({"show", "1"}).out, ContainsSubstring("told"));
}
