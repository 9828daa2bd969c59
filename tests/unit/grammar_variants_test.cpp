// SPDX-License-Identifier: GPL-3.0-or-later
// Fresh seeds, variants and cards of workloads in the project file.
#include "core/project/card.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"
#include "tests/unit/project_rows.hpp"

using namespace holdfast;

namespace {

std::string variant(const std::string& more) {
    return R"("inputs": ["a"], "variants": [{"name": "renamed", "make": ["{build}/rename", "{inputs}", "{variant}"])" +
           more + "}]";
}

std::string held_out(const std::string& more) {
    return R"([{"name": "t", "run": ["{build}/p"], "check": {"stdout": "same"}},
        {"name": "w", "role": "holdout", "run": ["{build}/p", "{seed}"], "check": {"stdout": "same"}, )" +
           more + "}]";
}

Project with_workloads(const std::string& text) {
    auto project = load(project_text({{"workloads", text}, {"constraints", ""}}));
    INFO((project ? "" : all(project.error())));
    REQUIRE(project);
    return std::move(*project);
}

} // namespace

TEST_CASE("fresh seeds of a held-out workload") {
    const Project project = with_workloads(held_out(R"("seeds": {"fresh": 5})"));
    CHECK(project.workloads.back().fresh_seeds == 5);
    CHECK(project.workloads.back().seeds == std::vector<std::int64_t>{1});
    CHECK(project.workloads.front().fresh_seeds == 0);
    check_frozen(project);
    const std::string generated = R"([{"name": "w", "generate": ["{build}/g", "{seed}", "{generated}"], )";
    check_rows({
        {"workloads", held_out(R"("seeds": {"fresh": 0})"), "/workloads/1/seeds/fresh", "0", "from 1 to 100"},
        {"workloads", held_out(R"("seeds": {"fresh": 101})"), "/workloads/1/seeds/fresh", "101", "from 1 to 100"},
        {"workloads", held_out(R"("seeds": {})"), "/workloads/1/seeds", "no \"fresh\"", "how many"},
        {"workloads", held_out(R"("seeds": {"frehs": 5, "fresh": 2})"), "/workloads/1/seeds/frehs", "unknown key",
         "nearest: \"fresh\""},
        {"workloads", held_out(R"("seeds": 5)"), "/workloads/1/seeds", "the number 5", "\"fresh\""},
        {"workloads",
         generated + R"("seeds": {"fresh": 2}, "run": ["{build}/p", "{generated}"], "check": {"stdout": "same"}}])",
         "/workloads/0/seeds", "fresh seeds in a tuning workload", "held-out questions"},
    });
    const std::string no_seed = test::replaced(held_out(R"("seeds": {"fresh": 2})"), R"(, "{seed}")", "");
    check_rows({{"workloads", no_seed, "/workloads/1/seeds", "no command of the workload takes", "\"generate\""}});
    const std::string kept = held_out(R"("seeds": {"fresh": 2}, "start": ["{build}/server"], "keep": true)");
    check_rows({{"workloads", kept, "/workloads/1/keep", "several seeds", "\"keep\": false"}});
}

TEST_CASE("variants of a workload") {
    const Project project = with_workloads(
        workloads_with(variant(R"(, "restore": ["{build}/restore", "{stdout}", "{out}", "{restored}"])")));
    REQUIRE(project.workloads.front().variants.size() == 1);
    CHECK(project.workloads.front().variants.front().name == "renamed");
    CHECK(project.workloads.front().variants.front().make.size() == 3);
    CHECK(project.workloads.front().variants.front().restore.size() == 4);
    check_frozen(project);
    const std::string two =
        R"("inputs": ["a"], "variants": [{"name": "v", "make": ["a"]}, {"name": "v", "make": ["b"]}])";
    check_rows({
        {"workloads", workloads_with(two), "/workloads/0/variants/1/name", "a second variant called \"v\"", "once"},
        {"workloads", workloads_with(variant(R"(, "mak": [])")), "/workloads/0/variants/0/mak", "unknown key", "make"},
        {"workloads", workloads_with(R"("inputs": ["a"], "variants": [])"), "/workloads/0/variants", "array",
         "1 to 20 variants"},
        {"workloads", workloads_with(R"("inputs": ["a"], "variants": [{"make": ["a"]}])"), "/workloads/0/variants/0",
         "no \"name\"", "renamed"},
        {"workloads", workloads_with(R"("inputs": ["a"], "variants": [{"name": "v"}])"), "/workloads/0/variants/0",
         "no \"make\"", "{variant}"},
        {"workloads", workloads_with(R"("variants": [{"name": "v", "make": ["a"]}])"), "/workloads/0/variants",
         "without \"inputs\" and \"generate\"", "{inputs}"},
        {"workloads", workloads_with(R"("inputs": ["a"], "variants": [{"name": "v", "make": ["{out}"]}])"),
         "/workloads/0/variants/0/make/0", "the unknown placeholder {out}", "{variant}"},
        {"workloads",
         workloads_with(R"("inputs": ["a"], "variants": [{"name": "v", "make": ["a"], "restore": ["{expected}"]}])"),
         "/workloads/0/variants/0/restore/0", "the unknown placeholder {expected}", "{restored}"},
    });
}

TEST_CASE("a workload's card") {
    const Project project = with_workloads(workloads_with(
        R"("card": {"about": "last week's orders", "use": "nine of ten queries", "size": "a tenth of a day"})"));
    const WorkloadCard& card = project.workloads.front().card;
    CHECK(card.about == "last week's orders");
    CHECK(card.sensitivity.empty());
    CHECK(card_text(card) == "last week's orders; use: nine of ten queries; size: a tenth of a day");
    CHECK(card_text({}).empty());
    CHECK(card_text({"", "", "", "the cache"}) == "sensitivity: the cache");
    check_frozen(project);
    check_rows({
        {"workloads", workloads_with(R"("card": "orders")"), "/workloads/0/card", "the text \"orders\"", "\"about\""},
        {"workloads", workloads_with(R"("card": {})"), "/workloads/0/card", "object", "\"about\""},
        {"workloads", workloads_with(R"("card": {"abuot": "x"})"), "/workloads/0/card/abuot", "unknown key",
         "nearest: \"about\""},
        {"workloads", workloads_with(R"("card": {"about": 7})"), "/workloads/0/card/about", "the number 7", "a text"},
        {"workloads", workloads_with(R"("card": {"about": ""})"), "/workloads/0/card/about", "", "printable"},
        {"workloads", workloads_with(R"("card": {"size": "a\u001b[31m"})"), "/workloads/0/card/size", "\\x1b",
         "printable"},
        {"workloads", workloads_with(R"("card": {"use": ")" + std::string(501, 'x') + "\"}"), "/workloads/0/card/use",
         "x", "500 bytes"},
    });
}
