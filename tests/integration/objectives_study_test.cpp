// SPDX-License-Identifier: GPL-3.0-or-later
// Studies with two objectives, and their front, by the real program.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"
#include "tests/json_schema.hpp"

#include <algorithm>
#include <filesystem>

using namespace holdfast::test;
using nlohmann::json;

namespace {

// The level trades rows for bytes; waste costs both.
const std::map<std::string, std::string> files{
    {"run.sh", R"sh(level=5 waste=4
for word in "$@"; do case $word in --level=*) level=${word#--level=} ;; --waste=*) waste=${word#--waste=} ;; esac; done
echo "answer $((12 * $1))"
echo "{\"rows\": $((100 * level + 50 * waste)), \"bytes\": $((10000 / level + 50 * waste))}" > counters.json
)sh"},
    {"holdfast.json", R"({ "name": "traded", "build": [],
  "metrics": { "rows": { "from": "json", "file": "counters.json", "path": "/rows", "accept-self-reported": true },
               "bytes": { "from": "json", "file": "counters.json", "path": "/bytes", "accept-self-reported": true } },
  "objective": ["rows", "bytes"],
  "workloads": [ { "name": "w", "run": ["sh", "{source}/run.sh", "7", "{knobs}"], "check": { "stdout": "same" } } ],
  "decision": { "holdout-pairs": 20 },
  "knobs": [ { "name": "level", "type": "integer", "min": 1, "max": 9, "default": 5, "through": { "argument": "--level={value}" } },
             { "name": "waste", "type": "integer", "min": 0, "max": 9, "default": 4, "through": { "argument": "--waste={value}" } } ] })"},
    {".holdfast/holdout.json",
     R"({ "workloads": [ { "name": "unseen", "run": ["sh", "{source}/run.sh", "9", "{knobs}"], "check": { "stdout": "same" } } ] })"}};

void check_schema(const std::string& kind, const json& document) {
    const auto file = std::filesystem::path(HOLDFAST_SOURCE_DIR) / "resources" / "schemas" / (kind + ".schema.json");
    for (const std::string& line : JsonSchema::read(file).violations(document))
        FAIL_CHECK(kind << ": " << line);
}

bool has_flag(const json& trial, const std::string& flag) {
    const json& flags = trial.at("flags");
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

const json& point_of(const json& front, const json& number) {
    for (const json& point : front.at("points"))
        if (point.at("trial") == number)
            return point;
    throw std::runtime_error("no such point in " + front.dump());
}

} // namespace

TEST_CASE("a study with two objectives claims the one that is shown, flags trades and keeps their front") {
    const WrittenProject project(files);
    for (const char* set : {"level=4", "level=7", "waste=0", "waste=9"})
        REQUIRE(project.holdfast({"propose", "--set", set}).code == 0);
    CHECK_THAT(project.holdfast({"trials", "--front"}).out, ContainsSubstring("No study with two or three objectives"));
    project.run();

    const json fewer_rows = project.trial("1"), fewer_bytes = project.trial("2"), both = project.trial("3"),
               worse = project.trial("4");
    for (const json* trial : {&fewer_rows, &fewer_bytes, &both, &worse})
        check_schema("show", *trial);
    INFO(fewer_rows.dump(1));
    CHECK(fewer_rows.at("verdict") == "generalises");
    CHECK(has_flag(fewer_rows, "trade-off: bytes"));
    CHECK(fewer_rows.at("effects").at("metric") == "rows");
    INFO(fewer_bytes.dump(1));
    CHECK(fewer_bytes.at("verdict") == "generalises");
    CHECK(has_flag(fewer_bytes, "trade-off: rows"));
    CHECK(fewer_bytes.at("effects").at("metric") == "bytes");
    CHECK(fewer_bytes.at("effects").at("objectives").at(1).at("claimed") == true);
    CHECK(fewer_bytes.at("holdout").at("estimate").get<double>() < -0.1);
    CHECK(both.at("verdict") == "generalises");
    CHECK(both.at("flags").dump().find("trade-off") == std::string::npos);
    CHECK(worse.at("verdict") == "regresses");

    const json fronts = project.document({"trials", "--front"});
    check_schema("front", fronts);
    REQUIRE(fronts.at("fronts").size() == 1);
    const json& front = fronts.at("fronts").at(0);
    CHECK(front.at("points").size() == 5);
    CHECK(point_of(front, nullptr).at("on-front") == false);
    CHECK(point_of(front, 3).at("on-front") == true);
    CHECK(point_of(front, 3).at("certain") == true);
    CHECK(point_of(front, 4).at("on-front") == false);
    CHECK(point_of(front, nullptr).at("holds") == true);
    CHECK(point_of(front, 4).at("holds") == false);
    CHECK(point_of(front, 3).at("holdout").size() == 2);
    CHECK(point_of(front, 4).at("holdout").is_null());
    CHECK_THAT(project.holdfast({"trials", "--front"}).out,
               ContainsSubstring("on the front") && ContainsSubstring("●") && ContainsSubstring("bytes") &&
                   ContainsSubstring("not on the front: regresses") && ContainsSubstring("; held-out "));
    const std::string csv = project.holdfast({"trials", "--front", "--csv"}).out;
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 11);
    CHECK(csv.starts_with("study,trial,"));
    CHECK(project.holdfast({"trials", "--csv"}).code == 2);

    CHECK_THAT(project.holdfast({"show", "2"}).out,
               ContainsSubstring("claimed") && ContainsSubstring("trade-off: rows"));
    CHECK_THAT(project.holdfast({"export", "2", "--format", "markdown"}).out, ContainsSubstring("traded: shown worse"));
    CHECK(project.holdfast({"audit"}).code == 0);

    // Another machine computes claim, trade and verdict again from the samples.
    const WrittenProject other(files);
    const auto file = other.path() / ".git" / "evidence.json";
    REQUIRE(project.holdfast({"export", "2", "--format", "evidence", "-o", file.string()}).code == 0);
    check_schema("evidence-file", json::parse(read_text(file)));
    const json imported = other.document({"import", file.string()});
    INFO(imported.dump(1));
    CHECK(imported.dump().find("\"recomputed\":true") != std::string::npos);
}

TEST_CASE("a search over two objectives sends on what no other look beats") {
    const WrittenProject project(files);
    const Ran ran = project.holdfast({"run", "--tuner", "random", "--trials", "12", "--leaders", "2", "--seed", "4"});
    INFO(ran.err);
    CHECK((ran.code == 0 || ran.code == 3));
    const json trials = project.document({"trials"});
    check_schema("trials", trials);
    std::vector<std::vector<double>> looks, sent;
    for (const json& trial : trials.at("trials")) {
        if (trial.at("search").is_null() || !trial.at("search").contains("objectives"))
            continue;
        const auto gains = trial.at("search").at("objectives").get<std::vector<double>>();
        REQUIRE(gains.size() == 2);
        CHECK(trial.at("search").at("estimate").get<double>() == Approx((gains[0] + gains[1]) / 2).margin(1e-12));
        looks.push_back(gains);
        if (!trial.at("verdict").is_null())
            sent.push_back(gains);
    }
    CHECK(looks.size() >= 10);
    REQUIRE_FALSE(sent.empty());
    const auto beaten = [&](const std::vector<double>& one) {
        return std::any_of(looks.begin(), looks.end(),
                           [&](const auto& other) { return other[0] >= one[0] && other[1] >= one[1] && other != one; });
    };
    CHECK_FALSE(beaten(sent.front()));
}

TEST_CASE("measure and validate tell every objective") {
    const WrittenProject project(files);
    const json measured = project.document({"measure", "--set", "level=4", "--rounds", "8"});
    check_schema("measure", measured);
    CHECK(measured.at("effects").at("metric") == "rows");
    CHECK(measured.at("effects").at("objectives").size() == 2);
    CHECK(measured.at("regresses") == true); // of two revisions nobody says which objective pays
    CHECK_THAT(project.holdfast({"measure", "--set", "level=4", "--rounds", "8"}).out,
               ContainsSubstring("bytes over all workloads") && ContainsSubstring("shown worse"));
    const json validated = project.document({"validate"});
    check_schema("validate", validated);
    CHECK(validated.dump().find(R"("objectives":["rows","bytes"])") != std::string::npos);
}
