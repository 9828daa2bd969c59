// SPDX-License-Identifier: GPL-3.0-or-later
// Everything but a person that might approve: variables, options, settings, and what happens while a study runs.
#include "tests/catch.h"
#include "tests/integration/reviewed_project.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <regex>
#include <set>

using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

const std::string program = std::string(HOLDFAST_BIN_DIR) + "/holdfast";

void check_waiting(const ReviewedProject& project) {
    CHECK(project.trial(1).at("review") == "waiting");
    CHECK(project.holdfast({"apply", "1"}).code == 4);
}

std::set<std::string> variables_in(const std::string& text) {
    static const std::regex pattern("HOLDFAST_[A-Z][A-Z_]*");
    std::set<std::string> names;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at)
        names.insert(at->str());
    return names;
}

} // namespace

TEST_CASE("No variable stands for a person") {
    const ReviewedProject project;
    for (const char* variable :
         {"CI=true", "HOLDFAST_YES=1", "HOLDFAST_APPROVE=1", "HOLDFAST_TERMINAL=1", "HOLDFAST_PRESENCE=desktop",
          "DEBIAN_FRONTEND=noninteractive", "SSH_ASKPASS=/bin/true", "GIT_ASKPASS=/bin/true", "EDITOR=true",
          "TERM=dumb", "QT_QPA_PLATFORM=offscreen", "GIT_COMMITTER_NAME=Ada"}) {
        INFO(variable);
        CHECK(run_command({program, "-C", project.path().string(), "approve", "1"}, project.path(), {variable}).code ==
              4);
    }
    check_waiting(project);
    // What the program asks of its environment is no more than what the pages tell.
    std::string pages;
    for (const auto& page : fs::directory_iterator(fs::path(HOLDFAST_SOURCE_DIR) / "docs"))
        if (page.path().extension() == ".md")
            pages += read_text(page.path());
    const std::set<std::string> told = variables_in(pages);
    for (const std::string& name : variables_in(read_text(program))) {
        INFO(name);
        CHECK(
            (told.contains(name) || name.starts_with("HOLDFAST_BURDEN_"))); // those are set for the program it burdens
    }
}

TEST_CASE("No option and no setting stands for a person") {
    const ReviewedProject project;
    for (const char* option : {"--yes", "-y", "--force", "--no-input", "--assume-yes", "--approve-all", "--retyped=1",
                               "--acknowledge=self-reported", "--stdin", "--non-interactive", "--desktop"}) {
        INFO(option);
        const Ran ran = project.holdfast({"approve", "1", option});
        CHECK((ran.code == 2 || ran.code == 4));
    }
    for (const char* setting : {"holdfast.approve", "holdfast.yes", "holdfast.presence", "alias.approve"})
        project.git({"config", setting, "true"});
    CHECK(project.holdfast({"approve", "1"}).code == 4);
    const fs::path file = project.path() / "holdfast.json";
    const std::string before = read_text(file);
    for (const char* wish : {R"("approve": "auto")", R"("review": { "approve": "auto" })",
                             R"("review": { "reviewers": [], "presence": "none" })", R"("auto-approve": true)"}) {
        INFO(wish);
        write_text(file, "{ " + std::string(wish) + ", " + before.substr(before.find('{') + 1));
        CHECK(project.holdfast({"validate"}).code == 2);
        CHECK(project.holdfast({"approve", "1"}).code != 0);
    }
    write_text(file, before);
    check_waiting(project);
}

TEST_CASE("A person reviews and applies while a study runs, and both end well") {
    const ReviewedProject project;
    for (const char* size : {"size=7", "size=11", "size=12", "size=30"})
        REQUIRE(project.holdfast({"propose", "--set", size}).code == 0);
    Command running({program, "-C", project.path().string(), "run", "--tuner", "patch", "--seed", "2"}, project.path(),
                    {"HOLDFAST_LOCK=" + (project.scratch() / "machine").string()});
    while (project.trial(2).at("state") == "queued" && !running.wait_for(std::chrono::milliseconds(20))) {
    }
    const Ran approved = project.approve(1);
    INFO(approved.out << approved.err);
    CHECK(approved.code == 0);
    const Ran applied = project.holdfast({"apply", "1"});
    INFO(applied.out << applied.err);
    CHECK(applied.code == 0);
    const Ran ran = running.wait();
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK(project.trial(1).at("applied") != "");
    for (int number = 2; number <= 5; ++number)
        CHECK(project.trial(number).at("state") == "done");
    CHECK(project.holdfast({"audit"}).code == 0);
}
