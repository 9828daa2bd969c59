// SPDX-License-Identifier: GPL-3.0-or-later
// The static look at a change: what it must mark, and what looks alike and must not be marked.
#include "tests/unit/look_rows.hpp"

#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;

TEST_CASE("what a change takes away is marked") {
    check_rows({
        {"a.c", "-    if (n > most)\n-        return -1;\n", {"look: check removed"}},
        {"a.cpp", "-    if (!ok(n)) {\n-        throw std::runtime_error(\"no\");\n-    }\n", {"look: check removed"}},
        {"a.py", "-    if n > most:\n-        raise ValueError(n)\n", {"look: check removed"}},
        {"a.go", "-\tif n > most {\n-\t\tpanic(n)\n-\t}\n", {"look: check removed"}},
        {"a.go", "-\tif err != nil {\n-\t\treturn err\n-\t}\n", {"look: error handling removed"}},
        {"a.c",
         "-    if (fwrite(p, 1, n, f) != n)\n-        return -1;\n+    fwrite(p, 1, n, f);\n",
         {"look: error handling removed"}},
        {"a.rs",
         "-    let x = read(f)?;\n+    let x = read(f).unwrap_or_default();\n",
         {"look: error handling removed"}},
        {"A.java", "-    } catch (IOException e) {\n", {"look: error handling removed"}},
        {"a.sh", "-set -eu\n", {"look: error handling removed"}},
        {"a.cpp", "-    const std::lock_guard guard(mutex_);\n", {"look: lock removed"}},
        {"a.rs", "-    let held = table.lock().unwrap();\n", {"look: lock removed"}},
        {"q.sql", "-SELECT a FROM t FOR UPDATE;\n+SELECT a FROM t;\n", {"look: lock removed"}},
        {"a.cpp", "-    sum += values.at(i);\n+    sum += values[i];\n", {"look: bounds check removed"}},
        {"a.rs", "+    let x = unsafe { *p.get_unchecked(i) };\n", {"look: unchecked access"}},
        {"a.c", "-    assert(n < most);\n", {"look: assertion removed"}},
        {"a.c", "-    fprintf(stderr, \"refused\\n\");\n", {"look: message removed"}},
    });
}

TEST_CASE("numbers that become narrower are marked, wider ones are not") {
    check_rows({
        {"a.c", "-    double sum = 0;\n+    float sum = 0;\n", {"look: narrower type"}},
        {"a.c", "-    int64_t total = n;\n+    int32_t total = n;\n", {"look: narrower type"}},
        {"a.cpp", "-    std::vector<size_t> rows;\n+    std::vector<int> rows;\n", {"look: narrower type"}},
        {"a.py",
         "-    x = np.zeros(n, dtype=np.float64)\n+    x = np.zeros(n, dtype=np.float32)\n",
         {"look: narrower type"}},
        {"a.c", "-    float sum = 0;\n+    double sum = 0;\n", {}},
        {"a.c", "-    double sum = 0;\n+    int rows = count(table, where);\n", {}},
        {"a.c", "+    _mm_setcsr(_mm_getcsr() | 0x8040);\n", {"look: floating-point environment"}},
    });
}

TEST_CASE("what a change adds that can deceive is marked") {
    check_rows({
        {"a.c", "+    clock_gettime(CLOCK_MONOTONIC, &t);\n", {"look: clock"}},
        {"a.py", "+    began = time.time()\n", {"look: clock"}},
        {"a.c", "+    if (getenv(\"BENCH\") != NULL)\n", {"look: surroundings"}},
        {"a.c", "+    if (strstr(argv[0], \"bench\"))\n", {"look: surroundings"}},
        {"a.js", "+  if (process.env.CI) return;\n", {"look: surroundings"}},
        {"a.c", "+__attribute__((constructor)) static void fill(void) {\n", {"look: work before main"}},
        {"a.cpp", "+static const Table table = make_table(1 << 20);\n", {"look: work before main"}},
        {"a.go", "+func init() {\n", {"look: work before main"}},
        {"a.c", "+    pthread_create(&t, NULL, work, NULL);\n", {"look: threads or processes"}},
        {"a.go", "+\tgo finish(table)\n", {"look: threads or processes"}},
        {"a.c", "+    FILE* f = fopen(\"/tmp/cache\", \"r\");\n", {"look: other files"}},
        {"a.c", "+    setrlimit(RLIMIT_AS, &all);\n", {"look: other processes"}},
        {"a.c", "+int fsync(int file) {\n+    return 0;\n+}\n", {"look: stands in for the library"}},
        {"a.c", "+#define fsync(file) 0\n", {"look: stands in for the library"}},
        {"a.c", "+    __asm__ volatile(\"nop\");\n", {"look: assembly"}},
        {"a.c", "+    return (struct sums){0.153846153846, 12.0659340659};\n", {"look: table of constants"}},
        {"a.c", "+    if (count == 1700)\n", {"look: exact size"}},
    });
    std::string table;
    for (int row = 0; row < 6; ++row)
        table += "+    1, 2, 3, 4, 5, 6, 7, 8,\n";
    CHECK(names(patch("a.c", table)) == std::vector<std::string>{"look: table of constants"});
}

TEST_CASE("what a change does to the build is marked by kind") {
    check_rows({
        {"CMakeLists.txt", "+set(CMAKE_CXX_FLAGS \"-ffast-math\")\n", {"build: flags"}},
        {"Makefile", "-CFLAGS = -O2\n+CFLAGS = -Ofast -march=native -DNDEBUG\n", {"build: flags"}},
        {"cmake/rules.cmake", "+add_compile_options(-include hidden.h)\n", {"build: flags"}},
        {"Makefile", "+\tcc -Wl,--wrap=fsync -o $@ $<\n", {"build: flags"}},
        {"Cargo.toml", "+overflow-checks = false\n", {"build: flags"}},
        {"Makefile", "+answers.h: data.txt\n+\tpython3 make_answers.py\n", {"build: script"}},
        {"build.rs", "+    println!(\"x\");\n", {"build: script"}},
        {"meson.build", "+executable('tally', 'main.c')\n", {"build: script"}},
        {"src/layout.ld", "+. = 0x1000;\n", {"build: script"}},
        {"Cargo.toml", "+fast = \"1\"\n", {"build: dependencies"}},
        {"package.json", "+    \"left\": \"^1.0.0\",\n", {"build: dependencies"}},
        {"CMakeLists.txt", "+find_package(TBB)\n", {"build: dependencies"}},
        {".github/workflows/ci.yml", "-      - run: ./test\n", {"build: automation"}},
        {".gitattributes", "+*.c filter=lfs\n", {"build: git settings"}},
        {"sub/.gitmodules", "+[submodule \"x\"]\n", {"build: git settings"}},
        {"a.c", "+#pragma GCC optimize(\"fast-math\")\n", {"build: source steers the compiler"}},
        {"a.c", "+__attribute__((optimize(\"Ofast\"))) void f(void);\n", {"build: source steers the compiler"}},
        {"a.h", "+#pragma once\n", {}},
    });
}

TEST_CASE("lines that moved, were renamed or laid out anew are not marked") {
    check_rows({
        {"a.c",
         "-    if (n > most)\n-        return -1;\n     work(n);\n+    if (n > most)\n+        return -1;\n",
         {}},
        {"a.c", "-    if (count > most)\n-        return -1;\n+    if (rows > most)\n+        return -1;\n", {}},
        {"a.c", "-    if (n > most) return -1;\n+    if (n > most) {\n+        return -1;\n+    }\n", {}},
        {"a.cpp", "-    std::lock_guard<std::mutex> guard(mutex_);\n+    const std::lock_guard guard(mutex_);\n", {}},
        {"a.c", "-    assert(n<most);\n+    assert(n < most);\n", {}},
        {"a.c", "-// if (n > most) return -1;\n+// clock_gettime, fork and getenv are not used\n", {}},
        {"a.c", "-     * assert(n);\n+     * calls time() and getenv()\n", {}},
        {"a.c", "+    puts(\"fork, getenv and clock_gettime\");\n", {}},
        {"a.c", "-    if (n == 0)\n-        return 0;\n", {}},
        {"a.c", "+    if (count == 4096 || size == 255)\n", {}},
        {"notes.md", "+fork(); getenv(\"X\"); asm\n", {}},
    });
    const std::string moved = patch("a.c", "-    if (n > most)\n-        return -1;\n") +
                              patch("b.c", "+    if (n > most)\n+        return -1;\n");
    CHECK(names(moved).empty());
}

TEST_CASE("characters that nobody sees are marked in any file, in comments, and behind what is read of a line") {
    check_rows({
        {"a.c", "+int \xe3\x85\xa4; // a blank that is a name\n", {"hidden characters"}},
        {"notes.md", "+read \xe2\x80\xaethis\n", {"hidden characters"}},
        {"a.c", "+\tint tab; // na\xc3\xafve\r\n", {}},
        {"a.c", "-int \xe3\x85\xa4;\n", {}},
    });
    CHECK(names(patch("notes.md", "+" + std::string(100000, 'x') + "\x1b\n")) ==
          std::vector<std::string>{"hidden characters"});
    CHECK(names(patch("notes.md", "+" + std::string(99999, 'x') + "\xc3\xaf\n")).empty());
}

TEST_CASE("a mark names file, line and how many there are, safe to show") {
    const auto flags = review::look_flags(patch("a.c", " int x;\n+    fork(); // \x1b[2J\n+    fork();\n"));
    REQUIRE(flags.size() == 2);
    CHECK(flags[0].name == "hidden characters");
    CHECK(flags[1].evidence.find("a.c:11 gets the line `    fork(); // \\x1b[2J` and 1 more. ") == 0);
}

TEST_CASE("no text makes the look fail") {
    CHECK(review::look_flags("").empty());
    CHECK(review::look_flags("no patch").empty());
    CHECK(names(patch("a.c", "+" + std::string(1 << 16, '(') + "\n+\"\\\n+'\n+if\n+return\n+==\n")).empty());
    std::string many;
    for (int i = 0; i < 3000; ++i)
        many += "-    double a" + std::to_string(i) + " = f(x);\n+    float b" + std::to_string(i) + " = f(x);\n";
    CHECK(names(patch("a.c", many)) == std::vector<std::string>{"look: narrower type"});
    // Where there is too much to compare, what may only have moved is flagged rather than believed.
    std::string renamed;
    for (int i = 0; i < 3000; ++i)
        renamed += "-    assert(a" + std::to_string(i) + ");\n+    assert(b" + std::to_string(i) + ");\n";
    CHECK(names(patch("a.c", renamed)) == std::vector<std::string>{"look: assertion removed"});
}
