// SPDX-License-Identifier: GPL-3.0-or-later
// Changed inputs, and what is read out of the logs of sanitizers.
#include "core/study/probes/mutate.hpp"
#include "core/study/probes/probe.hpp"
#include "core/study/probes/sanitizer_log.hpp"

#include "tests/catch.h"

#include <set>

using namespace holdfast::study::probes;

namespace {

std::string finding_of(const std::string& log) {
    Findings findings;
    read_sanitizer_log(log, findings);
    REQUIRE(findings.size() == 1);
    return findings.begin()->first;
}

// As GCC 12 writes them.
const std::string overflow = R"(=================================================================
==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x55f1 bp 0x7ffc sp 0x7ffc
READ of size 4 at 0x602000000014 thread T0
    #0 0x55f1c0de in sum(int*, int) /source/program.c:12
    #1 0x55f1c0ff in main /source/program.c:20
    #2 0x7f1e in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

0x602000000014 is located 0 bytes to the right of 4-byte region [0x602000000010,0x602000000014)
allocated by thread T0 here:
    #0 0x7f2e in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x55f1c0aa in main /source/program.c:18
)";

std::string race(const char* first, const char* second) {
    return std::string("==================\nWARNING: ThreadSanitizer: data race (pid=3)\n"
                       "  Write of size 8 at 0x5580 by thread T2:\n    #0 ") +
           first +
           " /source/program.c:9 (program+0x1234)\n\n  Previous write of size 8 at 0x5580 by thread T1:\n    #0 " +
           second + " /source/program.c:19 (program+0x1299)\n    #1 start <null> (libtsan.so.2+0x2)\n\n";
}

} // namespace

TEST_CASE("a sanitizer's finding is told without what differs between two runs") {
    CHECK(finding_of(overflow) == "heap-buffer-overflow in sum(int*, int) < main");
    CHECK(finding_of("/source/a.c:12:5: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented\n"
                     "    #0 0x55d2 in next /source/a.c:12\n    #1 0x55e2 in main /source/a.c:30\n\n") ==
          "signed integer overflow in next < main");
    CHECK(finding_of("a.c:3:1: runtime error: shift exponent 40 is too large for 32-bit type 'int'\n") ==
          finding_of("a.c:9:9: runtime error: shift exponent 77 is too large for 32-bit type 'int'\n"));
    CHECK(finding_of("==9==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x5 bp 0x7 sp 0x7 T0)\n"
                     "    #0 0x55 in f (/build/program+0x11c9)\n") == "SEGV in f");
}

TEST_CASE("which side of a race is told first makes no difference") {
    CHECK(finding_of(race("add", "take")) == finding_of(race("take", "add")));
    CHECK(finding_of(race("add", "take")) == "data race in add and take");
}

TEST_CASE("several reports of one log are several findings, and a leak is known as one") {
    Findings findings;
    read_sanitizer_log(overflow + "\nunrelated\n" + race("add", "take") + overflow +
                           "==7==ERROR: LeakSanitizer: detected memory leaks\n\n"
                           "Direct leak of 40 byte(s) in 1 object(s) allocated from:\n"
                           "    #0 0x7f in __interceptor_malloc asan_malloc_linux.cpp:69\n"
                           "    #1 0x55 in keep /source/a.c:4\n",
                       findings);
    CHECK(findings.size() == 3);
    CHECK(findings.contains("memory leak in keep"));
    CHECK(is_leak("memory leak in keep"));
    CHECK_FALSE(is_leak("data race in add and take"));
    CHECK_THAT(findings.at("memory leak in keep"), ContainsSubstring("40 byte(s)"));
}

TEST_CASE("no log is too strange to be read") {
    for (const std::string& log :
         {std::string(), std::string("\n\n\n"), std::string("ERROR: AddressSanitizer: "), std::string(100'000, '#'),
          std::string("WARNING: ThreadSanitizer: \x1b[2J\n    #\n    #1\n    #2 0x\n")}) {
        Findings findings;
        read_sanitizer_log(log, findings);
        for (const auto& [finding, report] : findings)
            CHECK(finding.find('\x1b') == std::string::npos);
    }
}

TEST_CASE("changed inputs differ in kind, are the same for the same seed, and never fail") {
    const std::string text = "3 apples\n14 pears\n15 plums\n";
    std::set<std::string> made;
    for (std::size_t kind = 0; kind < mutation_kinds; ++kind) {
        std::mt19937_64 one(7), other(7);
        const Mutation first = mutate(text, kind, one), second = mutate(text, kind, other);
        CHECK(first.bytes == second.bytes);
        CHECK_FALSE(first.what.empty());
        made.insert(first.bytes);
    }
    CHECK(made.size() >= mutation_kinds - 1); // two lines may be swapped with themselves
    std::mt19937_64 random(1);
    for (std::size_t round = 0; round < 400; ++round)
        for (const std::string& bytes :
             {std::string(), std::string("x"), std::string("\n"), std::string("7"), std::string("\0\1\2", 3), text})
            CHECK(mutate(bytes, round, random).bytes.size() <= 2 * bytes.size() + 40);
}

TEST_CASE("what was not probed can be read out of the gate's row") {
    Found found;
    found.passed = {"20 changed inputs: the same answers"};
    CHECK(found.text() == "20 changed inputs: the same answers");
    CHECK(gaps_of(found.text()).empty());
    found.caution("fewer syncs", "fsync 12 → 0 on a");
    found.caution("fewer syncs", "fsync 3 → 1 on b");
    found.gaps = {"thread sanitizer: no", "the calls of a: why"};
    CHECK(found.text() == "fewer syncs: fsync 12 → 0 on a; fsync 3 → 1 on b; 20 changed inputs: the same answers; not "
                          "probed: thread sanitizer: no; the calls of a: why");
    CHECK(gaps_of(found.text()) == "thread sanitizer: no; the calls of a: why");
    CHECK(found.cautions.front().reason() == "Probe, fewer syncs: fsync 12 → 0 on a; fsync 3 → 1 on b.");
}
