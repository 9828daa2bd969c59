// SPDX-License-Identifier: GPL-3.0-or-later
// What is read out of the logs of sanitizers, and the gate's row.
#include "core/study/probes/probe.hpp"
#include "core/study/probes/sanitizer_log.hpp"

#include "tests/catch.h"

using namespace holdfast;
using namespace holdfast::study::probes;

namespace {

std::string finding_of(const std::string& log) {
    Findings findings;
    read_sanitizer_log(log, findings);
    REQUIRE(findings.size() == 1);
    return findings.begin()->first.text();
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
    const Finding leak{"memory leak", {"keep"}};
    REQUIRE(findings.contains(leak));
    CHECK(leak.text() == "memory leak in keep");
    CHECK(leak.is_leak());
    CHECK_FALSE(Finding{"data race", {"add", "take"}}.is_leak());
    CHECK_THAT(findings.at(leak), ContainsSubstring("40 byte(s)"));
}

TEST_CASE("an old fault in a function that the patch renames is not new, and a second one is") {
    git::PlacedFile file{"scan.cpp", git::PlacedFile::Change::modified, "int scan(int);\nint keep(int);\n",
                         "int read_all(int);\nint keep(int);\n"};
    const Renames renames(git::PlacedPatch{{file}, "", 1, 1});
    const Finding old{"heap-buffer-overflow", {"scan(int*)", "main"}};
    const Finding renamed{"heap-buffer-overflow", {"read_all(int*)", "main"}};
    const Finding elsewhere{"heap-buffer-overflow", {"keep(int*)", "main"}};
    const Finding deeper{"heap-buffer-overflow", {"read_all(int*)", "keep", "main"}};
    const Finding other{"heap-use-after-free", {"read_all(int*)", "main"}};
    const Findings known{{old, ""}};
    CHECK(without_known({{old, ""}}, known, renames).empty());
    CHECK(without_known({{renamed, ""}}, known, renames).empty());
    CHECK(without_known({{renamed, ""}}, known, Renames()).size() == 1);
    CHECK(without_known({{renamed, ""}}, {}, renames).size() == 1);
    // The baseline's own is still there, so that it stands for no other.
    CHECK(without_known({{old, ""}, {renamed, ""}}, known, renames).contains(renamed));
    for (const Finding& fresh : {elsewhere, deeper, other})
        CHECK(without_known({{fresh, ""}}, known, renames).contains(fresh));
}

TEST_CASE("a renamed method is known by the last part of its name") {
    git::PlacedFile file{"table.cpp", git::PlacedFile::Change::modified, "struct Table { int scan(); };",
                         "struct Table { int read_all(); };"};
    const Renames renames(git::PlacedPatch{{file}, "", 1, 1});
    CHECK(renames.same_functions({"ns::Table<int, (N)3>::scan(long*, int) const"}, {"ns::Table<int>::read_all(long)"}));
    CHECK(renames.same_functions({"(anonymous namespace)::scan(int)", "main"},
                                 {"(anonymous namespace)::read_all(int)", "main"}));
    CHECK_FALSE(renames.same_functions({"read_all()"}, {"scan()"}));
    CHECK_FALSE(renames.same_functions({"ns::scan::other()"}, {"ns::read_all::other()"}));
}

TEST_CASE("no log is too strange to be read") {
    for (const std::string& log :
         {std::string(), std::string("\n\n\n"), std::string("ERROR: AddressSanitizer: "), std::string(100'000, '#'),
          std::string("WARNING: ThreadSanitizer: \x1b[2J\n    #\n    #1\n    #2 0x\n")}) {
        Findings findings;
        read_sanitizer_log(log, findings);
        for (const auto& [finding, report] : findings)
            CHECK(finding.text().find('\x1b') == std::string::npos);
    }
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
