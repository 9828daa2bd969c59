// SPDX-License-Identifier: GPL-3.0-or-later
// Every page of the guide that tells how to do a thing is done as it says.
#include "tests/catch.h"
#include "tests/integration/guide_page.hpp"
#include "tests/scratch.hpp"

#include <algorithm>

using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> pages() {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(fs::path(HOLDFAST_SOURCE_DIR) / "docs")) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("guide-") && name.ends_with(".md"))
            found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string fault_of_text(const std::string& text) {
    const ScratchFolder folder;
    write_text(folder.path() / "page.md", text);
    return fault_of(folder.path() / "page.md").value_or("");
}

} // namespace

TEST_CASE("every page of the guide does what it says") {
    REQUIRE(pages().size() >= 4);
    const std::string guide = read_text(fs::path(HOLDFAST_SOURCE_DIR) / "docs/guide.md");
    for (const fs::path& page : pages()) {
        const std::string fault = fault_of(page).value_or("");
        INFO(fault);
        CHECK(fault.empty());
        CHECK_THAT(guide, ContainsSubstring("(" + page.filename().string() + ")"));
    }
}

TEST_CASE("a page is executed from top to bottom in one folder, and its files and outputs count") {
    CHECK(fault_of_text("Text\n```sh data/make.sh\necho 12 made \"$1\"\n```\n\n```sh\nsh data/make.sh it | tee out\n"
                        "```\n\n```text\n7 made it\n```\n\n```sh\ngrep -q made out\n```\n```jsonc\nnot { run\n```\n") ==
          "");
}

TEST_CASE("a page that is not true is told with its line") {
    CHECK_THAT(fault_of_text("Text\n\n```sh\ntrue\nfalse\ntrue\n```\n"),
               Catch::Matchers::StartsWith("page.md:5: exit 1"));
    CHECK_THAT(fault_of_text("```sh\necho one two\n```\n\n```text\ntwo one\n```\n"),
               Catch::Matchers::StartsWith("page.md:6: not printed: two one"));
    CHECK_THAT(fault_of_text("Text\n```jsonc\n{}\n```\n```sh file.sh\ntrue\n```\n"),
               Catch::Matchers::StartsWith("page.md:1: no sh block"));
    // Behind other text it is an example, not what was printed.
    CHECK(fault_of_text("```sh\necho one\n```\nOr also:\n```text\ntwo\n```\n") == "");
}

TEST_CASE("expected lines come in their order, with words in their order and any numbers") {
    const std::string printed = "a 1 b\nall  wall  \xE2\x88\x92"
                                "3.2 % [\xE2\x88\x92"
                                "4.1, 2]\nend\n";
    CHECK_FALSE(missing_line("all wall 99 %\nend\n", printed));
    CHECK_FALSE(missing_line("a b\n...\nend\n", printed));
    CHECK(missing_line("end\nall\n", printed) == "all");
    CHECK(missing_line("b a\n", printed) == "b a");
}
