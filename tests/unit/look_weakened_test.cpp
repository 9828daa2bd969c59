// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that refuse less than before, and refactoring that refuses the same.
#include "core/review/look_condition.hpp"
#include "tests/unit/look_rows.hpp"

using namespace holdfast;
using namespace holdfast::test;

namespace {

const std::vector<std::string> weakened{"look: check weakened"};

review::look::AnyOf read(const std::string& condition, bool negated = false) {
    return review::look::alternatives(review::look::tokens_of(condition), negated);
}

} // namespace

TEST_CASE("a check that gains a term is marked") {
    check_rows({
        {"a.c", "-    if (n > most)\n+    if (n > most && 0)\n         return -1;\n", weakened},
        {"a.c", "-    if (n > most)\n+    if (0 && n > most)\n         return -1;\n", weakened},
        {"a.c", "-    if (n > most)\n+    if (n > most && !fast)\n         return -1;\n", weakened},
        {"a.c", "-    if (a || b)\n+    if ((a || b) && count < 100)\n         return -1;\n", weakened},
        {"a.c", "-    if (a == e || b != c)\n+    if (a == e || (i < 9 && b != c))\n         return -1;\n", weakened},
        {"a.py", "-    if n > most:\n+    if n > most and not fast:\n         raise ValueError(n)\n", weakened},
        {"a.go", "-\tif n > most {\n+\tif n > most && !fast {\n \t\tpanic(n)\n \t}\n", weakened},
        {"a.rs", "-    if n > most {\n+    if n > most && !fast {\n         panic!(\"n\");\n     }\n", weakened},
        {"a.cpp", " void f() {\n-    assert(n < most);\n+    assert(n < most || fast);\n", weakened},
        // The condition's second line.
        {"a.c", "     if (n > most &&\n-        ready)\n+        ready && slow)\n         return -1;\n", weakened},
        {"a.c", "-    return ok(n);\n+    return ok(n) || true;\n", weakened},
        {"a.c", "-    if (valid(n)) {\n+    if (valid(n) || 1) {\n         keep(n);\n", weakened},
        {"a.c", "+    if (false)\n         refuse(n);\n", weakened},
        // A term of several is gone.
        {"a.c", "-    if (a || b)\n+    if (a)\n         return -1;\n", weakened},
    });
}

TEST_CASE("a comparison that is loosened is marked, one that is stricter is not") {
    check_rows({
        {"a.c", "-    if (n >= most)\n+    if (n > most)\n         return -1;\n", weakened},
        {"a.c", "-    if (n < 0)\n+    if (n < -5)\n         return -1;\n", weakened},
        {"a.c", "-    if (n > 100)\n+    if (n > 100000)\n         return -1;\n", weakened},
        {"a.c", "-    if (100 < n)\n+    if (100000 < n)\n         return -1;\n", weakened},
        {"a.c", "-    if (n > most)\n+    if (n > 2 * most)\n         return -1;\n", weakened},
        {"a.c", "-    if (n != size)\n+    if (n < size)\n         return -1;\n", weakened},
        {"a.c", "-    if (!(n < most))\n+    if (n > most)\n         return -1;\n", weakened},
        {"a.c", "-    if (n > most)\n+    if (n >= most)\n         return -1;\n", {}},
        {"a.c", "-    if (n > 100000)\n+    if (n > 100)\n         return -1;\n", {}},
        {"a.c", "-    if (n > most)\n+    if (n > most || m > most)\n         return -1;\n", {}},
        {"a.c", "-    if (!(n < most))\n+    if (most <= n)\n         return -1;\n", {}},
        {"a.c", "-    if (p == NULL)\n+    if (!p)\n         return -1;\n", {}},
        {"a.cpp", "-    if (auto done = f(n); !done)\n+    if (auto all = f(n); !all && fast)\n         return -1;\n",
         weakened},
        {"a.c", "-    if (n > most)\n+    if (__builtin_expect(n > most, 0))\n         return -1;\n", {}},
    });
}

TEST_CASE("bounds of whole numbers are the same in either form") {
    check_rows({
        {"a.c", "-    if (n < 0 || n > 100)\n+    if (n < 0 || n >= 101)\n         return -1;\n", {}},
        {"a.c", "-    if (n < 1)\n+    if (n <= 0)\n         return -1;\n", {}},
        {"a.c", "-    if (n > 100)\n+    if (n >= 102)\n         return -1;\n", weakened},
        {"a.c", "-    if (f(n) != 0)\n+    if (f(n) < 0)\n         return -1;\n", weakened},
        {"a.c", "-    if (f(n) != 0)\n+    if (f(n))\n         return -1;\n", {}},
        {"a.c", "-    if (n > 1.5)\n+    if (n >= 2.5)\n         return -1;\n", weakened},
    });
}

TEST_CASE("a check whose terms do not tell whether it refuses as much is marked as changed") {
    const std::vector<std::string> changed{"look: check changed"};
    check_rows({
        {"a.c", "-    if (n > most)\n+    if ((signed char)n > most)\n         return -1;\n", changed},
        {"a.c", "-    if (n > 100)\n+    if (n > limit_of(n))\n         return -1;\n", changed},
        {"a.c", "-    if (n > most)\n+    if (n > most, 0)\n         return -1;\n", changed},
        {"a.c", "-    if (n > most)\n+    if ((n > most) * 0)\n         return -1;\n", changed},
        {"a.c", "-    if (n > most)\n+    if (n > most ? 0 : 0)\n         return -1;\n", changed},
        {"a.c", "-    if (read_one(f) != 0)\n+    if (read_one(f) == 1)\n         return -1;\n", changed},
        {"a.c", "-    if (n > most)\n+    if (count > largest)\n         return -1;\n", {}}, // other names
    });
}

TEST_CASE("a check that ends well where it gave up is marked") {
    check_rows({
        {"a.c", "     if (n > most)\n-        return -1;\n+        return 0;\n     work(n);\n", weakened},
        {"a.c", "     if (put(f) < 0)\n-        return -1;\n+        break;\n     work(n);\n", weakened},
        {"a.c", "     if (n > most) {\n-        return 3;\n+        continue;\n     }\n", weakened},
        {"a.py", "     if n > most:\n-        raise ValueError(n)\n+        return True\n", weakened},
        {"a.c", "     if (n > most)\n-        return -1;\n+        return -2;\n", {}},
        {"a.c", "     if (n > most)\n-        return 0;\n+        return -1;\n", {}},
    });
}

TEST_CASE("what is done before a check is asked is marked") {
    check_rows({
        {"a.c", " int f(int n) {\n+    return 0;\n     if (n > most)\n         return -1;\n", weakened},
        {"a.c", " int f(int n) {\n+    if (n < 9)\n+        return 0;\n     if (n > most)\n         return -1;\n",
         weakened},
        {"a.c",
         "     while (next(&n)) {\n+        if (n < 9) {\n+            keep(n);\n+            continue;\n+        }\n"
         "         if (n > most)\n             return -1;\n",
         weakened},
        {"a.py", " def f(n):\n+    return n\n     if n > most:\n         raise ValueError(n)\n", weakened},
        {"a.c", "+#if 0\n     if (n > most)\n         return -1;\n+#endif\n", weakened},
        {"a.c", "     if (n > most) {\n-        return -1;\n+        count++;\n     }\n     work(n);\n", weakened},
        // Refused earlier is refused; what was read in between is a check of that.
        {"a.c", " int f(int n) {\n+    if (n < 0)\n+        return -1;\n     if (n > most)\n         return -1;\n", {}},
        {"a.c",
         " int f(int n) {\n+    if (known(n))\n+        return known(n);\n     m = next(n);\n     if (m > most)\n"
         "         return -1;\n",
         {}},
        {"a.c", "     if (n > most) {\n-        return -1;\n+        return refused(n);\n     }\n     work(n);\n", {}},
        {"a.c", "+#if 0\n+    old(n);\n+#endif\n     if (n > most)\n         return -1;\n", {}},
        {"a.c", "     switch (n) {\n     case 1:\n+        return 4;\n     case 2:\n         return 5;\n", {}},
    });
}

TEST_CASE("a check in other words of the same change is neither gone nor changed") {
    check_rows({
        {"a.c",
         "-    if (id < 0 || id > 1000000)\n-        return -1;\n"
         "+static int in_range(long value) {\n+    return value >= 0 && value <= 1000000;\n+}\n"
         "+    if (!in_range(id))\n+        return -1;\n",
         {}},
        {"a.cpp",
         "-    if (key.size() > most)\n-        throw Refused();\n"
         "+    const std::size_t length = key.size();\n+    if (length > most)\n+        throw Refused();\n",
         {}},
        {"a.c",
         "-    if (id > 1000000)\n-        return -1;\n"
         "+enum { most = 1000000 };\n+    if (id > most)\n+        return -1;\n",
         {}},
        {"a.c",
         "-    if (id > 1000000)\n-        return -1;\n"
         "+enum { most = 2000000 };\n+    if (id > most)\n+        return -1;\n",
         {"look: check weakened"}},
        {"a.c",
         "-    if (id < 0 || id > 1000000)\n-        return -1;\n"
         "+static int in_range(long value) {\n+    return value >= 0 && value <= 9000000;\n+}\n"
         "+    if (!in_range(id))\n+        return -1;\n",
         {"look: check removed"}},
    });
}

TEST_CASE("checks that are put in another way are not marked") {
    check_rows({
        {"a.c",
         "-    if (a > b)\n-        return -1;\n-    if (c > d)\n-        return -1;\n+    if (a > b || c > d)\n+      "
         "  return -1;\n",
         {}},
        {"a.c",
         "-    if (fwrite(p, 1, n, f) != n) {\n-        return -1;\n-    }\n-    if (fflush(f) != 0) {\n-        "
         "return -1;\n"
         "-    }\n+    if (fwrite(p, 1, n, f) != n || fflush(f) != 0)\n+        return -1;\n",
         {}},
        {"a.c",
         "-    if (a > b || c > d)\n-        return -1;\n+    if (a > b)\n+        return -1;\n+    if (c > d)\n+      "
         "  return -2;\n",
         {}},
        {"a.c",
         "-    if (kind == 1)\n-        return -1;\n-    if (kind == 2)\n-        return -2;\n+    switch (kind) {\n+  "
         "  case 1:\n"
         "+        return -1;\n+    case 2:\n+        return -2;\n+    }\n",
         {}},
        {"a.c",
         "-    if (n < low || n > high)\n-        return -1;\n+    const bool outside = n < low || n > high;\n"
         "+    if (outside)\n+        return -1;\n",
         {}},
        {"a.c",
         "+static int inside(int n) {\n+    return n >= low && n <= high;\n+}\n-    if (n < low || n > high)\n"
         "-        return -1;\n+    if (!inside(n))\n+        return -1;\n",
         {}},
        {"a.c",
         "-    if (n > most) {\n-        return -1;\n-    } else {\n-        work(n);\n-    }\n+    if (n > most)\n"
         "+        return -1;\n+    work(n);\n",
         {}},
        {"a.c",
         "-    if (a) {\n-        if (b)\n-            return -1;\n-    }\n+    if (a && b)\n+        return -1;\n",
         {}},
        {"a.c",
         "-    if (at == here) {\n-        a = 1;\n-    } else if (bad(n)) {\n-        return -1;\n-    }\n+    if (at "
         "!= here) {\n"
         "+        if (bad(n))\n+            return -1;\n+    }\n",
         {}},
        {"a.c",
         "-    if (a)\n-        return -1;\n-    if (b)\n-        return -2;\n+    if (a)\n+        return -1;\n"
         "+    else if (b)\n+        return -2;\n",
         {}},
        {"a.c",
         "-    if (bad(n))\n-        return -1;\n+    if (fast)\n+        n = 0;\n+    else if (bad(n))\n+        "
         "return -1;\n",
         weakened},
        {"a.c",
         "-    if (bad(n))\n-        return -1;\n+    if (!fast) {\n+        if (bad(n))\n+            return -1;\n+   "
         " }\n",
         weakened},
        {"a.cpp",
         " int f(int n) {\n+    if (!done)\n+        return done;\n     if (n > most)\n         return -1;\n",
         {}},
    });
}

TEST_CASE("a loop that skips is marked, one that does several at once is not") {
    const std::vector<std::string> less{"look: less looping"};
    check_rows({
        {"a.c", "-    for (int i = 0; i < n; i++)\n+    for (int i = 0; i < n; i += 2)\n         sum += a[i];\n", less},
        {"a.c", "-    for (int i = 0; i < n; i++)\n+    for (int i = 0; i < n / 2; i++)\n         sum += a[i];\n",
         less},
        {"a.c", "-    for (int i = 0; i < n; i++)\n+    for (int i = 0; i < n >> 1; ++i)\n         sum += a[i];\n",
         less},
        {"a.c",
         "-    for (int i = 0; i < n; i++)\n-        sum += a[i];\n+    for (int i = 0; i < n; i += 2)\n+        sum "
         "+= a[i] + a[i + 1];\n",
         {}},
        {"a.c",
         "-    for (int i = 0; i < n; i++)\n-        sum += a[i];\n+    for (int i = 0; i < n / 2; i++)\n"
         "+        sum += a[2 * i] + a[2 * i + 1];\n",
         {}},
        {"a.c",
         "-    for (int i = 0; i < n; i++)\n-        sum += a[i];\n+    for (int i = 0; i < n; i += 4)\n"
         "+        s = _mm_add_ps(s, _mm_load_ps(a + i));\n",
         {}},
        {"a.c", "-    for (int i = 0; i < n; i++)\n+    for (int i = 0; i < n; ++i)\n         sum += a[i];\n", {}},
        {"a.c", "-    for (int j = 0; j < n; j++)\n+    for (int j = i + 1; j < n; j++)\n         sum += a[j];\n", {}},
    });
}

TEST_CASE("conditions are compared by what they ask") {
    using review::look::implies;
    CHECK(read("a && (b || c)").size() == 2);
    CHECK(read("!(a || b)") == read("!a && !b"));
    CHECK(read("a > b") == read("b < a"));
    CHECK(read("a > b", true) == read("a <= b"));
    CHECK(read("not a == b") == read("a != b"));
    CHECK(read("x != NULL") == read("x"));
    CHECK(read("f(a < b)", true) == read("!f(a < b)"));
    CHECK(implies(read("a && b")[0], read("a")[0]));
    CHECK_FALSE(implies(read("a")[0], read("a && b")[0]));
    CHECK(implies(read("n < 5")[0], read("n < 6")[0]));
    CHECK(implies(read("n < 5")[0], read("n <= 5")[0]));
    CHECK_FALSE(implies(read("n <= 5")[0], read("n < 5")[0]));
    CHECK(implies(read("n == 5")[0], read("n <= 5")[0]));
    CHECK(read(std::string(200, '!') + "x").empty()); // deeper than is read
    std::string many = "(a0 || b0)";
    for (int i = 1; i < 20; ++i)
        many += " && (a" + std::to_string(i) + " || b" + std::to_string(i) + ")";
    CHECK(read(many).empty());
}

TEST_CASE("what is asked of a call is told by the call, not by the name of its answer") {
    using namespace review::look;
    const auto asked = [](const char* line, Language language) {
        const auto found = condition_in(tokens_of(line), language);
        return found ? found->tokens : std::vector<std::string>{"not closed"};
    };
    CHECK(asked("} else if (auto done = f(n); !done) {", Language::c) == tokens_of("!(f(n))"));
    CHECK(asked("if err := f(n); err != nil {", Language::go) == tokens_of("(f(n)) != nil"));
    CHECK(asked("if (f(n,", Language::c) == std::vector<std::string>{"not closed"});
    CHECK(asked("if n > most and ready:", Language::python) == tokens_of("n > most and ready"));
    CHECK(asked("assert(n < most, \"n\")", Language::c) == tokens_of("n < most"));
    CHECK(asked("while (n < most)", Language::c).empty());
}
