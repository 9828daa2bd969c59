// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/isolation.hpp"

#include "core/review/rules.hpp"
#include "core/study/quarantine.hpp"
#include "tests/catch.h"

#include <nlohmann/json.hpp>

using namespace holdfast;
using namespace holdfast::study;
using nlohmann::json;

namespace {

Isolation of_level(int level) {
    return {level,
            {{"reads a secret of the host", true, "No such file"},
             {"sees processes of the host", level >= 3, "12 of \x1b[31m"}},
            level >= 3 ? "" : "user namespaces are not permitted here",
            level >= 3 ? "" : "Run: sudo sysctl user.max_user_namespaces=15000",
            ""};
}

} // namespace

TEST_CASE("below L3 nothing runs until the level is accepted, and the gaps are named") {
    CHECK(sufficient(of_level(3), level_for_candidates));
    CHECK(sufficient(of_level(4), level_for_candidates));
    for (const int level : {2, 1, 0}) {
        INFO(level);
        const auto refusal = sufficient(of_level(level), level_for_candidates);
        REQUIRE_FALSE(refusal);
        CHECK(refusal.error().kind == Error::Kind::refused);
        CHECK_THAT(refusal.error().found, ContainsSubstring("isolation is L" + std::to_string(level)));
        CHECK_THAT(refusal.error().found, ContainsSubstring("sees processes of the host"));
        CHECK_THAT(refusal.error().remedy, ContainsSubstring("--accept-isolation L" + std::to_string(level)));
        CHECK_THAT(refusal.error().remedy, ContainsSubstring("max_user_namespaces"));
        CHECK(sufficient(of_level(level), level));
        CHECK(sufficient(of_level(level), 0));
        CHECK(bool(sufficient(of_level(level), 2)) == (level == 2));
    }
    Isolation none{0, {}, "no sandbox could be made", "Install it", ""};
    const auto refusal = sufficient(none, 0);
    REQUIRE_FALSE(refusal); // nothing was tried, so nothing can be accepted
    CHECK(refusal.error().remedy == "Install it");
}

TEST_CASE("a change of code needs L2") {
    CHECK(code_refusal(of_level(3)).empty());
    CHECK(code_refusal(of_level(2)).empty());
    CHECK_THAT(code_refusal(of_level(1)), ContainsSubstring("L2"));
    CHECK_THAT(code_refusal(of_level(0)), ContainsSubstring("only knobs"));
}

TEST_CASE("a study keeps every line of the report beside its workloads") {
    const std::string opening = with_isolation(R"({" rule": 3, "a": {"median": 1.5, "spread": 0.1}})", of_level(2));
    const json stored = json::parse(opening);
    CHECK(stored.at("a").at("median") == 1.5);
    CHECK(stored.at(" rule") == 3);
    const auto read = isolation_of(opening);
    REQUIRE(read);
    CHECK(read->level == 2);
    REQUIRE(read->canaries.size() == 2);
    CHECK(read->canaries[0].held);
    CHECK(read->canaries[0].detail == "No such file");
    CHECK(gaps_of(*read) == std::vector<std::string>{"sees processes of the host"});
    CHECK(quarantine_rule(opening).workloads.empty()); // it is no workload
    CHECK(isolation_of(with_isolation("", of_level(3)))->level == 3);
    for (const char* older : {"", "null", R"({" rule": 3})", R"({" isolation": 7})", "no JSON"}) {
        INFO(older);
        CHECK_FALSE(isolation_of(older));
        CHECK(isolation_text(3, older) == "L3");
    }
    CHECK(isolation_text(2, opening) == "L2; a program inside sees processes of the host");
    CHECK(isolation_text(3, with_isolation("", of_level(3))) == "L3, 2 escapes tried and stopped");
}

TEST_CASE("what ran below L3 carries a flag with its gaps") {
    CHECK(isolation_flag(3).empty());
    CHECK(isolation_flag(2) == "isolation L2");
    VerdictRecord verdict;
    verdict.flags_json = R"(["isolation L2"])";
    verdict.evidence_json = json{{"opening", json::parse(with_isolation("", of_level(2)))}}.dump();
    const auto flags = review::flags_of({}, verdict, {}, nullptr, "");
    REQUIRE(flags.size() == 1);
    CHECK(flags[0].name == "isolation L2");
    CHECK_THAT(flags[0].evidence, ContainsSubstring("sees processes of the host"));
}
