// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a patch steers the sanitizers.
#include "core/study/probes/steering.hpp"

#include "tests/catch.h"

using namespace holdfast;
using namespace holdfast::study::probes;

namespace {

std::string steers(const std::string& before, const std::string& after) {
    const auto change = before.empty() ? git::PlacedFile::Change::added : git::PlacedFile::Change::modified;
    return steers_sanitizers(git::PlacedPatch{{{"src/scan.c", change, before, after}}, "", 1, 1});
}

} // namespace

TEST_CASE("a patch that switches a sanitizer off, asks for it or stands in for it steers it") {
    const std::string plain = "int scan(void) { return 1; }\n";
    for (const char* line :
         {"__attribute__((no_sanitize(\"address\")))", "__attribute__((no_sanitize_thread)) int f(void);",
          "[[clang::disable_sanitizer_instrumentation]]", "#ifdef __SANITIZE_ADDRESS__",
          "#if __has_feature(thread_sanitizer)", "CFLAGS += -fno-sanitize=all", "add_compile_options(-fsanitize=leak)",
          "const char *__asan_default_options(void) { return \"\"; }", "void __lsan_disable(void);",
          "int __ubsan_on_report;", "void __tsan_init(void) {}", "getenv(\"ASAN_OPTIONS\")",
          "unlink(\"/sanitizer/log\")", "#define A no_san\\\nitize"}) {
        INFO(line);
        CHECK_THAT(steers(plain, plain + line + "\n"), StartsWith("src/scan.c brings "));
        CHECK_FALSE(steers("", std::string(line) + "\n").empty());
    }
}

TEST_CASE("what was there already, or is only moved or removed, steers nothing") {
    const std::string part = "__attribute__((no_sanitize(\"undefined\")))\nint hash(int x) { return x * 31; }\n";
    const std::string scan = "int scan(void) { return 1; }\n";
    CHECK(steers(scan, "int scan(void) { return 2; } /* sanitize input */\n").empty());
    CHECK(steers(part + scan, scan + part).empty());
    CHECK(steers(part + scan, part + "int scan(void) { return 2; }\n").empty());
    CHECK(steers(part + scan, scan).empty());
}

TEST_CASE("other text between an #if that asks for a sanitizer and its #endif steers it") {
    const std::string head = "#if defined(__SANITIZE_ADDRESS__)\n#ifdef X\nint a;\n#endif\n", tail = "#endif\nint c;\n";
    CHECK(steers(head + tail, head + "#endif\nint d;\n").empty());
    CHECK_THAT(steers(head + tail, head + "#define CAREFUL\n" + tail), ContainsSubstring("only a sanitizer's build"));
    CHECK_THAT(steers(head + "#else\nint b;\n" + tail, head + "#else\nint e;\n" + tail),
               ContainsSubstring("only a sanitizer's build"));
}
