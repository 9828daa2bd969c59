// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/told_error.hpp"

#include "tests/catch.h"
#include "tests/json_schema.hpp"

#include <map>

namespace holdfast::test {

namespace fs = std::filesystem;

namespace {

Ran run(const Situation& situation, const fs::path& folder, bool json) {
    std::vector<std::string> argv = situation.through;
    argv.push_back(std::string(HOLDFAST_BIN_DIR) + "/holdfast");
    argv.insert(argv.end(), situation.words.begin(), situation.words.end());
    if (json)
        argv.emplace_back("--json");
    return run_command(argv, folder, situation.environment);
}

int code_of(const std::string& kind) {
    static const std::map<std::string, int> codes = {{"failed", 1}, {"invalid", 2}, {"refused", 4}};
    return codes.at(kind);
}

void check_words(const Ran& ran, const Situation& situation) {
    CHECK(ran.code == code_of(situation.kind));
    CHECK_THAT(ran.err, ContainsSubstring("holdfast: Cannot "));
    CHECK_THAT(ran.err, ContainsSubstring(situation.found));
    CHECK_THAT(ran.err, ContainsSubstring(situation.remedy));
    for (const char* inside :
         {"std::", "terminate called", "what():", "Assertion", "nullptr", ".cpp", ".hpp", "nlohmann", "json.exception",
          "SQLITE_", "errno", "\x1b", HOLDFAST_SOURCE_DIR "/core", HOLDFAST_SOURCE_DIR "/app"})
        CHECK(ran.err.find(inside) == std::string::npos);
    if (!ran.err.empty())
        CHECK(ran.err.back() == '\n');
}

void check_document(const Ran& ran, const Situation& situation) {
    static const JsonSchema schema =
        JsonSchema::read(fs::path(HOLDFAST_SOURCE_DIR) / "resources/schemas/error.schema.json");
    const auto document = nlohmann::json::parse(ran.out, nullptr, false); // the whole output, so nothing else is on it
    REQUIRE(document.is_object());
    std::string violations;
    for (const std::string& line : schema.violations(document))
        violations += line + "\n";
    CHECK(violations.empty());
    CHECK(document.at("kind") == situation.kind);
    const std::string attempted = document.at("attempted"), found = document.at("found"),
                      remedy = document.at("remedy");
    CHECK_FALSE(attempted.empty());
    CHECK_THAT(found, ContainsSubstring(situation.found));
    CHECK_THAT(remedy, ContainsSubstring(situation.remedy));
    CHECK_FALSE(remedy.empty());
    CHECK_THAT(ran.err, ContainsSubstring("holdfast: Cannot " + attempted + ": "));
    CHECK_THAT(ran.err, ContainsSubstring(found.substr(0, found.find('\n'))));
}

} // namespace

void check_slow_situation(const Situation& situation, const fs::path& folder) {
    const Ran ran = run(situation, folder, true);
    INFO(situation.name << "\n" << ran.out << ran.err);
    check_words(ran, situation);
    check_document(ran, situation);
}

void check_situation(const Situation& situation, const fs::path& folder) {
    const Ran ran = run(situation, folder, false);
    INFO(situation.name << "\n" << ran.out << ran.err);
    check_words(ran, situation);
    CHECK(ran.out.empty());
    check_slow_situation(situation, folder);
}

} // namespace holdfast::test
