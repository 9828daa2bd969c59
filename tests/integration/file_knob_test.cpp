// SPDX-License-Identifier: GPL-3.0-or-later
// A knob in a configuration file, from the command line to the verdict.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"

#include <string>

using namespace holdfast::test;

namespace {

const std::string conf = "# how much is read at once\n[work]\nsize = 40   ; rows\nother = 1\n";

/// The counter project with its knob in conf/app.ini, whose text in the commit differs from the knob's default.
void into_file(CounterProject& project, const std::string& text = conf) {
    const std::string good = read_text(project.path() / "holdfast.json");
    std::string moved = replaced(good, R"("through": { "argument": "--size={value}" })",
                                 R"("through": { "file": "conf/app.ini", "format": "ini", "key": "work.size" })");
    moved = replaced(moved, R"("editable": ["work.sh"])", R"("editable": ["work.sh", "conf/**"])");
    project.repository().write("holdfast.json", moved);
    project.repository().write("conf/app.ini", text);
    project.repository().write("work.sh",
                               replaced(project.work(), "size=32\n",
                                        "size=$(sed -n 's/^size = \\([0-9]*\\).*/\\1/p' \"${0%/*}/conf/app.ini\")\n"));
    project.repository().commit("the knob is in a file");
}

nlohmann::json trial_of(const CounterProject& project, const std::string& number) {
    return project.document({"show", number});
}

std::string tree_of(CounterProject& project, const std::string& text) {
    const std::string before = read_text(project.path() / "conf/app.ini");
    project.repository().write("conf/app.ini", text);
    project.repository().git({"add", "conf/app.ini"});
    const std::string tree = ScratchRepository::first_line(project.repository().git({"write-tree"}));
    project.repository().write("conf/app.ini", before);
    project.repository().git({"add", "conf/app.ini"});
    return tree;
}

} // namespace

TEST_CASE("a knob in a file is measured in that file and gets its verdict") {
    CounterProject project;
    into_file(project);
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    const Ran ran = project.holdfast({"run", "--trials", "0"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const auto trial = trial_of(project, "1");
    CHECK(trial.at("verdict") == "generalises");
    // 440 rows with the default 32 against 210: the commit's own 40 is not what is compared.
    CHECK(trial.at("tuning").at("estimate").get<double>() > -0.56);
    CHECK(trial.at("tuning").at("estimate").get<double>() < -0.5);
    CHECK(trial.at("result-tree") == tree_of(project, replaced(conf, "40", "9")));
    CHECK(read_text(project.path() / "conf/app.ini") == conf);
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("the knob is set after the patch, and a patch that takes its place away is refused") {
    CounterProject project;
    into_file(project);
    const auto file = project.path() / ".git" / "candidate.patch";
    const std::string header = "--- a/conf/app.ini\n+++ b/conf/app.ini\n";
    write_text(file, header + "@@ -3,2 +3,2 @@\n-size = 40   ; rows\n-other = 1\n+size = 3   ; rows\n+other = 2\n");
    REQUIRE(project.holdfast({"propose", "--patch", file.string(), "--set", "size=9"}).code == 0);
    write_text(file, header + "@@ -4,1 +4,2 @@\n other = 1\n+size = 7\n");
    const Ran twice = project.holdfast({"propose", "--patch", file.string()});
    CHECK(twice.code == 4);
    CHECK_THAT(twice.err, ContainsSubstring("conf/app.ini, key work.size"));
    CHECK_THAT(twice.err, ContainsSubstring("again in line 5"));
    const Ran ran = project.holdfast({"run", "--trials", "0"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(trial_of(project, "1").at("result-tree") ==
          tree_of(project, replaced(replaced(conf, "40", "9"), "other = 1", "other = 2")));
}

TEST_CASE("a baseline without the knob's file is an error that names file and key") {
    CounterProject project;
    into_file(project);
    project.repository().git({"rm", "-q", "conf/app.ini"});
    project.repository().commit("no configuration");
    for (const auto& words : std::vector<std::vector<std::string>>{{"propose", "--set", "size=9"}, {"run"}}) {
        const Ran ran = project.holdfast(words);
        CHECK(ran.code == 2);
        CHECK_THAT(ran.err, ContainsSubstring("conf/app.ini, key work.size"));
        CHECK_THAT(ran.err, ContainsSubstring("no such file in the commit"));
    }
}
