// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that are put together or written in escapes, and what hides from the probe.
#include "core/review/look_texts.hpp"
#include "tests/unit/look_rows.hpp"

using namespace holdfast;
using namespace holdfast::test;

TEST_CASE("a path is seen in whatever pieces it is written") {
    const std::vector<std::string> surroundings{"look: surroundings"},
        hides{"look: hides from the probe", "look: surroundings"};
    check_rows({
        {"a.c", "+    f = fopen(\"/pr\" \"oc/meminfo\", \"r\");\n", surroundings},
        {"a.c", "+    f = fopen(\"/pr\"\n+              \"oc/meminfo\", \"r\");\n", surroundings},
        {"a.c", "     f = fopen(\"/pr\"\n+              \"oc/meminfo\", \"r\");\n", surroundings},
        {"a.c", "+#define A \"/pr\"\n+    f = fopen(A \"oc/meminfo\", \"r\");\n", surroundings},
        {"a.cpp", "+    f.open(std::string(\"/pr\") + \"oc/meminfo\");\n", surroundings},
        {"a.py", "+    f = open(\"/pr\" + 'oc/meminfo')\n", surroundings},
        {"a.py", "+    P = \"/pr\"\n+    f = open(P + 'oc/meminfo')\n", surroundings},
        {"a.js", "+  f = read('/pr' +\n+    'oc/meminfo');\n", surroundings},
        {"a.c", "+    f = fopen(\"\\x2fproc/meminfo\", \"r\");\n", surroundings},
        {"a.c", "+    f = fopen(\"\\057pro\" \"\\143/meminfo\", \"r\");\n", surroundings},
        {"a.c", "+    const char p[] = {'/', 'p', 'r', 'o', 'c', 0};\n", surroundings},
        {"a.c", "+    f = fopen(\"/pr\" \"oc/self/st\" \"atus\", \"r\");\n", hides},
        {"a.c", "+    puts(\"see \"\n+         \"/proc/meminfo\");\n",
         surroundings}, // a piece alone is looked at as before
        {"a.c", "+    take(\"/pr\", \"oc\");\n", {}},
        {"a.rs", "+fn first<'a>(x: &'a str) -> &'a str { open(\"/proc/meminfo\") }\n", surroundings},
    });
}

TEST_CASE("paths that lead out, or that are put together at run time, are seen") {
    const std::vector<std::string> files{"look: other files"};
    check_rows({
        {"a.c", "+    f = fopen(\"../../../../tmp/c\", \"a\");\n", files},
        {"a.c", "+    f = fopen(&\"q/tmp/c\"[1], \"a\");\n", files},
        {"a.c", "+    snprintf(q, sizeof q, \"/%s/%s\", a, b);\n", files},
        {"a.c", "+    chdir(\"/\");\n", files},
        {"a.c", "+    printf(\"%d/%d done\", a, b);\n", {}},
        {"a.c", "+#include \"../parts.h\"\n", {}},
    });
}

TEST_CASE("escapes are decoded, and broken ones are kept") {
    using review::look::decoded;
    CHECK(decoded("\\x2fproc\\057self\\n") == "/proc/self\n");
    CHECK(decoded("\\u002f\\u{2f}") == "//");
    CHECK(decoded("\\u00e4\\u20ac") == "ä€");
    CHECK(decoded("\\\\x2f") == "\\x2f");
    CHECK(decoded("\\xzz\\") == "xzz\\");
}

TEST_CASE("what hides from the probe is marked") {
    const std::vector<std::string> hides{"look: hides from the probe"};
    check_rows({
        {"a.c", "+__attribute__((no_sanitize(\"address\"))) int f(int n) {\n", hides},
        {"a.c", "+__attribute__((no_sanitize_address)) int f(int n) {\n", hides},
        {"a.c", "+#ifdef __SANITIZE_ADDRESS__\n", hides},
        {"a.c", "+#if __has_feature(address_sanitizer)\n", hides},
        {"a.c", "+const char* __asan_default_options(void) {\n", hides},
        {"a.c", "+void __ubsan_handle_add_overflow(void) {\n", hides},
        {"a.c", "+    if (RUNNING_ON_VALGRIND)\n", hides},
        {"a.c", "+#define NVALGRIND\n", hides},
        {"a.rs", "+#[cfg(sanitize = \"address\")]\n", hides},
        {"a.c", "+    if (prctl(PR_GET_SECCOMP) != 0)\n", {"look: hides from the probe", "look: other processes"}},
        {"a.c", "+    ptrace(PTRACE_TRACEME, 0, 0, 0);\n", {"look: hides from the probe", "look: other processes"}},
        {"a.c", "+    if (strstr(line, \"TracerPid\"))\n", hides},
        {"Makefile", "+CFLAGS += -fno-sanitize=address\n", {"look: hides from the probe", "build: flags"}},
        {"a.c", "+    sanitize(name);\n", {}},
        {"a.c", "+#if __has_feature(cxx_rtti)\n", {"build: source steers the compiler"}},
    });
}
