// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/line_kinds.hpp"
#include "tests/catch.h"

using namespace holdfast::study;

namespace {

using Lines = std::set<std::size_t>;

} // namespace

TEST_CASE("comments, brackets and blank lines have nothing to run, everything else may have") {
    const LineKinds kinds = line_kinds("\n"               // 1
                                       "  // a comment\n" // 2
                                       "/* one\n"         // 3
                                       "   return 7;\n"   // 4
                                       "*/ }\n"           // 5
                                       "} else {\n"       // 6
                                       "*/ x = 7;\n"      // 7
                                       "int a; // b\n"    // 8
                                       "});\n"            // 9
                                       "\"/*\"\n"         // 10
                                       "elsewhere\n"      // 11
                                       "try {",           // 12
                                       Language::compiled);
    CHECK(kinds.silent == Lines{1, 2, 3, 4, 5, 6, 9, 12});
    CHECK(kinds.partial.empty());
}

TEST_CASE("no comment begins in a text") {
    const auto silent = [](const char* text) { return line_kinds(text, Language::compiled).silent; };
    CHECK(silent("a = \"\\\"/*\";\nb = 1;").empty());
    CHECK(silent("a = '\"'; b = \"/*\";\nb = 1;").empty());
    CHECK(silent("a = 1'000; b = '\"'; c = \"/*\";\nb = 1;").empty());
    CHECK(silent("a = \"x \\\n /* \" ;\nb = 1;").empty());
    CHECK(silent("a = R\"(\" /* )\";\nb = 1;\n// c").size() == 1);
}

TEST_CASE("lambdas and texts run as code run apart from their line") {
    CHECK(
        line_kinds("auto f = [&](int x) { return x; };\nif (a[i]) {\na[i] = f(3);\ng([] { h(); });", Language::compiled)
            .partial == Lines{1, 4});
    const LineKinds kinds =
        line_kinds("f = lambda x: x\nexec('''\ny = 1\n# c\n''')\nlambdas = 3\nelse:\n)", Language::python);
    CHECK(kinds.partial == Lines{1, 2});
    CHECK(kinds.silent == Lines{4, 7, 8});
}

TEST_CASE("what takes lines from the count is found where the patch changes it") {
    const std::string text = "#include <a>\n  #  if X\n__attribute__((no_profile_instrument_function))\n%:pragma x\n"
                             "#define A 1\n#\\\nline 7\n__attribute__((no_instrument_function))\n";
    const auto hidden = [&](std::size_t line) { return !hides_lines(text, Language::compiled, {line}).empty(); };
    for (const std::size_t line : {2, 3, 4, 6, 8})
        CHECK(hidden(line));
    for (const std::size_t line : {1, 5, 7, 9, 0})
        CHECK_FALSE(hidden(line));
    CHECK(hides_lines(text, Language::python, {2}).empty());
}

TEST_CASE("lines under other numbers and an ended trace are found anywhere") {
    CHECK_FALSE(renames_lines("a\n# line 7\n", Language::compiled).empty());
    CHECK_FALSE(renames_lines("a\n# 16 \"b.c\"\n", Language::compiled).empty());
    CHECK(renames_lines("a\n#if 7\n#linear\n", Language::compiled).empty());
    CHECK_FALSE(renames_lines("import sys\nsys.settrace(None)\n", Language::python).empty());
    CHECK(renames_lines("# line 7\n", Language::python).empty());
}
