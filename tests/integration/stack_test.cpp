// SPDX-License-Identifier: GPL-3.0-or-later
// Accepted changes measured together against what the first of them was measured against.
#include "tests/catch.h"
#include "tests/integration/reviewed_project.hpp"

#include <nlohmann/json.hpp>

using namespace holdfast::test;
using nlohmann::json;

namespace {

const std::string offered = "holdfast measure --stack";

/// Trial 1, approved, applied and checked out.
void accept(const ReviewedProject& project) {
    REQUIRE(project.approve(1).code == 0);
    REQUIRE(project.holdfast({"apply", "1"}).code == 0);
    project.git({"merge", "--ff-only", "holdfast/1/1"});
}

} // namespace

TEST_CASE("without an accepted change there is no stack") {
    const ReviewedProject project;
    const Ran ran = project.holdfast({"measure", "--stack"});
    CHECK(ran.code == 4);
    CHECK_THAT(ran.err, ContainsSubstring("no commit that `holdfast apply` made"));
    REQUIRE(project.approve(1).code == 0);
    REQUIRE(project.holdfast({"apply", "1"}).code == 0); // on its own branch, which HEAD is not on
    CHECK(project.holdfast({"measure", "--stack"}).code == 4);
}

TEST_CASE("the stack is measured on all workloads, its knobs as HEAD has them, beside what was claimed") {
    const ReviewedProject project;
    accept(project);
    CHECK_THAT(project.holdfast({"run", "--trials", "0"}).err, ContainsSubstring(offered));
    const json document = project.document({"measure", "--stack", "--rounds", "12"});
    INFO(document.dump(1));
    CHECK(document.at("stack").at("trials") == json({1}));
    REQUIRE(document.at("stack").at("sides").size() == 2);
    for (const json& side : document.at("stack").at("sides")) {
        CHECK(side.at("confirmed") == true);
        CHECK(side.at("claimed").get<double>() < -0.4);
        CHECK_THAT(side.at("text").get<std::string>(),
                   ContainsSubstring("claimed −") && ContainsSubstring("measured −"));
    }
    CHECK(document.at("effects").at("workloads").size() == 3); // two tuning, one held-out
    CHECK(document.at("gap").is_object());
    CHECK(project.document({"validate"}).at("questions").at("asked-by-hand") == 1);
    CHECK(project.holdfast({"audit"}).code == 0);
    // It is not offered again until HEAD changes.
    CHECK(project.holdfast({"run", "--trials", "0"}).err.find(offered) == std::string::npos);
}

TEST_CASE("what was undone since is not confirmed") {
    const ReviewedProject project;
    accept(project);
    // A later commit that costs all of the gain.
    std::string text = read_text(project.path() / "work.sh");
    write_text(project.path() / "work.sh", replaced(text, "200 + 10", "500 + 10"));
    project.git({"commit", "-qam", "Another change"});
    const Ran ran = project.holdfast({"measure", "--stack", "--rounds", "12"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("warning: tuning: claimed −"));
    CHECK_THAT(ran.out, ContainsSubstring("regresses: shown not to hold"));
}

TEST_CASE("a change whose revert was not merged is still in HEAD, and measured with the rest") {
    const ReviewedProject project;
    accept(project);
    project.git({"checkout", "-q", "--detach"});
    const Ran reverted = project.holdfast({"revert", "1"}); // on holdfast/1/1, which HEAD is not on
    INFO(reverted.out << reverted.err);
    REQUIRE(reverted.code == 0);
    const Ran ran = project.holdfast({"measure", "--stack", "--rounds", "12"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("trial 1 was reverted, but HEAD still holds it"));
    CHECK(ran.out.find("warning: ") == std::string::npos);
    project.git({"merge", "-q", "--ff-only", "holdfast/1/1"});
    const Ran none = project.holdfast({"measure", "--stack"});
    CHECK(none.code == 4);
    CHECK_THAT(none.err, ContainsSubstring("or it has the reverts of all"));
}
