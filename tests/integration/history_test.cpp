// SPDX-License-Identifier: GPL-3.0-or-later
// Studies over time, what is said where there are none, and the project folder that is none.
#include "app/common/timeline.hpp"
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"

#include <filesystem>
#include <sqlite3.h>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void execute(const fs::path& store, const char* statements) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(store.c_str(), &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, statements, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

} // namespace

TEST_CASE("a sparkline has a column a value between its lowest and highest") {
    CHECK(app::sparkline({}).empty());
    CHECK(app::sparkline({1, 2, 3}) == "▁▅█");
    CHECK(app::sparkline({5, 5}) == "▅▅");
    CHECK(app::sparkline({1, 1, 3}, {{2, "│"}}) == "▁▁│█");
}

TEST_CASE("the history lists studies and comparisons, and a workload's baseline over time") {
    CounterProject project;
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    REQUIRE(project.holdfast({"run", "--tuner", "patch", "--seed", "1"}).code == 0);
    std::string work = project.work();
    work.replace(work.find("200 +"), 5, "100 +");
    project.repository().write("work.sh", work);
    const std::string commit = project.repository().commit("Count less\n\nBy a hundred.");
    REQUIRE(project.holdfast({"measure", "--set", "size=9", "--rounds", "6"}).code == 0);

    const json by_hand = project.document({"show", "2"});
    CHECK(by_hand.at("verdict").is_null());
    CHECK(by_hand.at("effects").at("tuning").at("rounds") == 6);
    CHECK(by_hand.at("effects").at("tuning").at("estimate").get<double>() < 0);
    CHECK(by_hand.at("effects").at("holdout").is_null());
    CHECK_THAT(project.holdfast({"show", "2"}).out,
               ContainsSubstring("measured by hand: a comparison, no verdict") && ContainsSubstring("over 6 rounds"));

    json document = project.document({"history"});
    const json& studies = document.at("studies");
    REQUIRE(studies.size() == 2);
    CHECK(studies[0].at("kind") == "study");
    CHECK(studies[0].at("subject") == "start");
    CHECK(studies[0].at("outcomes") == json{{"generalises", 1}});
    CHECK(studies[0].at("proposals") == 1);
    CHECK(studies[0].at("applied") == 0);
    CHECK(studies[1].at("kind") == "measure");
    CHECK(studies[1].at("baseline") == commit);
    CHECK(studies[1].at("subject") == "Count less");
    CHECK(studies[1].at("outcomes") == json{{"measured by hand", 1}});
    CHECK(studies[1].at("machine-changes").empty());
    CHECK(studies[0].at("machine") == studies[1].at("machine"));
    CHECK(document.at("workload").is_null());

    document = project.document({"history", "a", "--metric", "rows"});
    REQUIRE(document.at("workload").at("series").size() == 1);
    const json& series = document.at("workload").at("series")[0];
    CHECK(series.at("metric") == "rows");
    CHECK(series.at("better") == "lower");
    CHECK(series.at("changes").empty()); // four sessions are too few to tell
    const json& points = series.at("points");
    REQUIRE(points.size() == 4);
    CHECK(points[0].at("phase") == "opening");
    CHECK(points[0].at("samples") == 24); // two a round: both arms are the baseline
    CHECK(points[1].at("phase") == "screen");
    CHECK(points[1].at("samples") == 6);
    CHECK(points[2].at("phase") == "confirm");
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(points[i].at("study") == 1);
        CHECK(points[i].at("median") == 200 + 10 * (32 - 8));
        CHECK(points[i].at("low") == points[i].at("high"));
    }
    CHECK(points[3].at("phase") == "measure");
    CHECK(points[3].at("baseline") == commit);
    CHECK(points[3].at("median") == 100 + 10 * (32 - 8));
    CHECK(points[3].at("samples") == 6);
    CHECK(project.document({"history", "unseen", "--metric", "rows"})
              .at("workload")
              .at("series")[0]
              .at("points")[0]
              .at("phase") == "opening");
    CHECK(project.document({"history", "a"}).at("workload").at("series").size() > 2); // wall, cpu, ... too

    Ran text = project.holdfast({"history"});
    CHECK_THAT(text.out, ContainsSubstring("1 generalises"));
    CHECK_THAT(text.out, ContainsSubstring("Count less"));
    CHECK_THAT(text.out, !ContainsSubstring("machine changed"));
    text = project.holdfast({"history", "a"});
    CHECK_THAT(text.out, ContainsSubstring("medians  ███▁\n"));
    CHECK_THAT(text.out, ContainsSubstring("also measured: "));
    CHECK_THAT(project.holdfast({"history", "a", "--metric", "wall"}).out,
               ContainsSubstring("wall of the baseline on a"));

    execute(project.path() / ".holdfast" / "history.sqlite",
            "UPDATE studies SET machine_json = json_set(machine_json, '$.kernel', '9.9' || char(27)) WHERE number = 2");
    text = project.holdfast({"history", "a"});
    CHECK_THAT(text.out, ContainsSubstring("---- machine changed before study 2: kernel: "));
    CHECK_THAT(text.out, ContainsSubstring("→ 9.9\\x1b\n"));
    CHECK_THAT(text.out, ContainsSubstring("medians  ███┊▁\n"));
    document = project.document({"history"});
    CHECK(document.at("studies")[0].at("machine") != document.at("studies")[1].at("machine"));
    CHECK(document.at("studies")[1].at("machine-changes").size() == 1);
}

TEST_CASE("a workload that nobody measured is named, with the nearest one") {
    const CounterProject project;
    REQUIRE(project.holdfast({"measure", "--set", "size=9", "--rounds", "6", "--workload", "a"}).code == 0);
    Ran ran = project.holdfast({"history", "unsen"});
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, ContainsSubstring("Did you mean unseen?"));
    ran = project.holdfast({"history", "b"});
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, ContainsSubstring("no study ran it"));
    ran = project.holdfast({"history", "a", "--metric", "row"});
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, ContainsSubstring("no study measured that metric"));
    CHECK_THAT(ran.err, ContainsSubstring("rows"));
    ran = project.holdfast({"history", "--metric", "rows"});
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, ContainsSubstring("holdfast history WORKLOAD --metric rows"));
}

TEST_CASE("a folder without a project is a usage error for every command that reads") {
    const ScratchFolder empty;
    const std::string program = std::string(HOLDFAST_BIN_DIR) + "/holdfast";
    for (const std::string& folder : {empty.path().string(), std::string("/nowhere/at/all")})
        for (const auto& words : std::vector<std::vector<std::string>>{{"trials"},
                                                                       {"show", "1"},
                                                                       {"audit"},
                                                                       {"history"},
                                                                       {"validate"},
                                                                       {"compare", "1", "2"},
                                                                       {"gc", "--history"}}) {
            std::vector<std::string> argv{program, "-C", folder};
            argv.insert(argv.end(), words.begin(), words.end());
            const Ran ran = run_command(argv, "/");
            INFO(folder << " " << words.front() << ": " << ran.out << ran.err);
            CHECK(ran.code == 2);
        }
    CHECK(fs::is_empty(empty.path()));
}

TEST_CASE("a history of no bytes is told, when it is read and when it is begun anew") {
    const CounterProject project;
    const fs::path history = project.path() / ".holdfast" / "history.sqlite";
    write_text(history, "");
    const Ran read = project.holdfast({"trials"});
    CHECK(read.code == 1);
    CHECK_THAT(read.err, ContainsSubstring("the file is empty (0 bytes)"));
    CHECK(fs::file_size(history) == 0);
    const Ran run = project.holdfast({"run", "--trials", "0"});
    CHECK_THAT(run.err, ContainsSubstring("was empty (0 bytes) and is begun anew"));
    CHECK(fs::file_size(history) > 0);
    CHECK_THAT(project.holdfast({"run", "--trials", "0"}).err, !ContainsSubstring("begun anew"));
}
