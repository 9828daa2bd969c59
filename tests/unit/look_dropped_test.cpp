// SPDX-License-Identifier: GPL-3.0-or-later
// What a program could be asked for and cannot any more.
#include "tests/unit/look_rows.hpp"

using namespace holdfast;
using namespace holdfast::test;

TEST_CASE("a flag of open that is gone is marked, one that moved is not") {
    const std::vector<std::string> gone{"look: open flag removed"};
    check_rows({
        {"a.c", "-    f = open(p, O_WRONLY | O_CREAT | O_TRUNC, 0644);\n+    f = open(p, O_WRONLY | O_CREAT, 0644);\n",
         gone},
        {"a.c", "-    f = open(p, O_EXCL | O_CLOEXEC);\n+    f = open(p, O_CLOEXEC);\n", gone},
        {"a.c", "-    f = open(p, O_TRUNC);\n+    g(p);\n+    f = open(q, O_APPEND | O_TRUNC);\n", {}},
    });
}

TEST_CASE("an option, a case, a route or a public function that is gone is marked") {
    const std::vector<std::string> gone{"look: option removed"};
    check_rows({
        {"a.c", "-        if (strncmp(argv[i], \"--block=\", 8) == 0)\n-            block = 1;\n", gone},
        {"a.cpp", "-    if (word == \"-v\")\n-        loud = true;\n", gone},
        {"a.py", "-    parser.add_argument(\"--block\", type=int)\n", gone},
        {"a.cpp", "-    app.add_flag(\"--block\", block);\n", gone},
        {"a.cpp", "-    parser.addOption({\"block\", \"how many\"});\n", gone},
        {"a.c", "-    {\"block\", required_argument, NULL, 'b'},\n", gone},
        {"a.go", "-\tblock := flag.Int(\"block\", 1, \"how many\")\n", gone},
        {"a.c", "-    case 'b':\n-        block = 1;\n-        break;\n", gone},
        {"a.c", "-    case KIND_OTHER:\n-        other(n);\n-        break;\n", gone},
        {"a.py", "-@app.route(\"/status\")\n", gone},
        {"a.h", "-int count_rows(const struct table *table);\n", gone},
        {"a.rs", "-pub fn count_rows(table: &Table) -> usize {\n", gone},
    });
}

TEST_CASE("an option that is read in another way or elsewhere is not marked") {
    check_rows({
        {"a.c",
         "-        if (strncmp(argv[i], \"--block=\", 8) == 0)\n+    {\"block\", required_argument, NULL, 'b'},\n",
         {}},
        {"a.c", "-    case KIND_OTHER:\n-        other(n);\n+    if (kind == KIND_OTHER)\n+        other(n);\n", {}},
        {"a.h",
         "-int count_rows(const struct table *table);\n+size_t count_rows(const struct table *table, int where);\n",
         {}},
        {"a.cpp", "-    run({\"git\", \"--no-pager\", \"log\"});\n", {}},
        {"a.c", "-static int count_rows(const struct table *table);\n", {}},
        {"a.hpp", "-    int count() const;\n", {}},
        {"a.c", "-    printf(\"usage: a [--block=N]\\n\");\n", {}},
    });
    const std::string moved = patch("a.cpp", "-    app.add_flag(\"--block\", block);\n") +
                              patch("b.cpp", "+    set.add_flag(\"-b,--block\", block);\n");
    CHECK(names(moved).empty());
}
