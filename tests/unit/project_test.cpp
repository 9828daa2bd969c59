// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/hash.hpp"
#include "core/project/project.hpp"
#include "tests/catch.h"
#include "tests/unit/project_fixture.hpp"
#include "tests/unit/project_rows.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace holdfast;

TEST_CASE("a project file is read into values") {
    const auto project = load(R"json(// everything
{
  "name": "zorder",
  "build": [["cmake", "-S", "{source}", "-B", "{build}"]],
  "timeouts": {"build": "1h", "test": "90s", "run": "500ms"},
  "metrics": {
    "rows": {"from": "stdout", "pattern": "rows scanned: (\\d+)", "accept-self-reported": true},
    "p99": {
    "from" : "json",
             "file" : "{out}/report.json",
                      "path" : "/latency/p99",
                               "unit" : "ms",
                                        "better" : "higher",
                                                   "workloads" : [ "skewed", "uniform", "inline" ]
}
}
,
  "objective": "rows",
  "limits": {"peak-memory": {"worse-by-at-most": "10%"}, "cpu": {"at-most": 5, "worse-by-at-most": 0.2}},
  "workloads": [
    {"name": "inline", "role": "holdout", "run": ["{build}/zorder"], "check": {"command": ["cmp", "{out}/a", "{expected}/a"]}},
    {"name": "skewed", "role": "tuning", "weight": 2.5, "inputs": ["./data/skewed.bin", "data//x"],
     "prepare": ["sh", "-c", "awk '{print $1}' ${HOME}/x > {prepared}/y"], "run": ["{build}/zorder", "{knobs}", "{prepared}/y"],
     "check": {"stdout": "same", "files": {"answers": "same", "{out}/b/c": "same"}}},
    {"name": "uniform", "run": ["{build}/zorder"], "check": {"stdout": "same"}}
  ],
  "knobs": [{"name": "cache", "type": "real", "min": 0, "max": 1, "default": 1, "through": {"environment": "CACHE"}}],
  "constraints": ["cache > 0.5"],
  "code": {"editable": ["src/**"], "protected": ["tests/**"], "test": [["ctest", "--test-dir", "{build}"]]},
  "decision": {"minimum-effect": "2%", "harm-margin": 0.05, "false-proposal-rate": 0.2, "max-confirmations": 5,
               "max-pairs": 100, "holdout-pairs": 20, "holdout-questions": 7},
  "sandbox": {"memory": "512MiB", "processes": 64, "disk": "2GiB"}
})json");
    if (!project)
        FAIL(all(project.error()));
    CHECK(project->folder.is_absolute());
    CHECK(project->name == "zorder");
    CHECK(project->build == std::vector<Argv>{{"cmake", "-S", "{source}", "-B", "{build}"}});
    CHECK(project->timeouts.build == std::chrono::hours(1));
    CHECK(project->timeouts.test == std::chrono::seconds(90));
    CHECK(project->timeouts.run == std::chrono::milliseconds(500));
    REQUIRE(project->metrics.size() == 5);
    const Metric& p99 = project->metric("p99");
    CHECK(p99.source == Metric::Source::json_file);
    CHECK(p99.file == "report.json");
    CHECK(p99.path == "/latency/p99");
    CHECK(p99.unit == "ms");
    CHECK(p99.better == Better::higher);
    CHECK(project->metric("rows").pattern == "rows scanned: (\\d+)");
    CHECK(project->metric("wall").unit == "s");
    CHECK(project->metric("peak-memory").unit == "B");
    CHECK(project->objective == "rows");
    REQUIRE(project->limits.size() == 2);
    CHECK(project->limits[0].worse_by_at_most == 0.1);
    CHECK_FALSE(project->limits[0].at_most);
    CHECK(project->limits[1].at_most == 5.0);
    REQUIRE(project->workloads.size() == 3);
    CHECK(project->workloads[0].name == "skewed"); // tuning ones first
    CHECK(project->workloads[0].weight == 2.5);
    CHECK(project->workloads[0].inputs == std::vector<std::string>{"data/skewed.bin", "data/x"});
    CHECK(checked_files(project->workloads[0]) == std::vector<std::string>{"answers", "b/c"});
    CHECK(project->workloads[1].role == Role::tuning);
    CHECK(project->workloads[2].role == Role::holdout);
    CHECK(project->workloads[2].readable_holdout);
    CHECK(project->workloads[2].check.command.size() == 3);
    CHECK(project->with_role(Role::tuning).size() == 2);
    CHECK(project->holdout_file == ".holdfast/holdout.json");
    CHECK(project->defaults() == Configuration{{"cache", 1.0}});
    CHECK(project->code.test.size() == 1);
    CHECK(project->code.protected_paths == std::vector<std::string>{"tests/**"});
    CHECK(project->decision.minimum_effect == 0.02);
    CHECK(project->decision.harm_margin == 0.05);
    CHECK(project->decision.holdout_pairs == 20);
    CHECK(project->decision.holdout_questions == 7);
    CHECK(project->sandbox.memory_bytes == 512ULL << 20);
    CHECK(project->sandbox.processes == 64);
    CHECK(canonical_json(project->canonical) == project->canonical);
    CHECK(nlohmann::json::parse(project->canonical)["holdout"].is_null());
}

TEST_CASE("the smallest project gets the documented defaults") {
    const auto project = load(R"({"name": "x", "workloads": )" + workloads_with("") + "}");
    if (!project)
        FAIL(all(project.error()));
    CHECK(project->build.empty());
    CHECK(project->objective == "wall");
    CHECK(project->timeouts.run == std::chrono::seconds(60));
    CHECK(project->decision.max_pairs == 200);
    CHECK_FALSE(project->decision.holdout_pairs);
    CHECK(project->sandbox.memory_bytes == 4ULL << 30);
    CHECK(project->workloads[0].weight == 1);
    CHECK(project->workloads[0].role == Role::tuning);
    CHECK(project->defaults().empty());
    CHECK(project->knob("x") == nullptr);
}

TEST_CASE("held-out workloads come from their own file, which tuners cannot read") {
    const std::string holdout = R"({"workloads": [{"name": "secret", "run": ["{build}/p"], "check": {"stdout": "same"}},
                                    {"name": "other", "role": "holdout", "run": ["p"], "check": {"stdout": "same"}}]})";
    const auto project = load(project_text(), holdout);
    if (!project)
        FAIL(all(project.error()));
    const auto held_out = project->with_role(Role::holdout);
    REQUIRE(held_out.size() == 2);
    CHECK(held_out[0]->name == "secret");
    CHECK_FALSE(held_out[0]->readable_holdout);
    CHECK(nlohmann::json::parse(project->canonical)["holdout"]["workloads"].size() == 2);
    CHECK(project->canonical != load(project_text())->canonical);
}

TEST_CASE("comments, white space and key order do not change the canonical text") {
    const auto spaced = [](const std::string& workloads) {
        return load("\xef\xbb\xbf// c\n{ \"workloads\": " + workloads +
                    ", /* d */ \"objective\": \"cpu\",\n\"name\": \"x\" }");
    };
    const auto plain = load(R"({"name":"x","objective":"cpu","workloads":)" + workloads_with("") + "}");
    REQUIRE(plain);
    REQUIRE(spaced(workloads_with("")));
    REQUIRE(spaced(workloads_with("\"weight\": 1")));
    CHECK(plain->canonical == spaced(workloads_with(""))->canonical);
    CHECK(plain->canonical != spaced(workloads_with("\"weight\": 1"))->canonical);
}

TEST_CASE("keys written twice are told") {
    const auto project =
        load("{\"name\": \"x\",\n \"name\": \"y\",\n \"workloads\": " + workloads_with("\"weight\": 1, \"weight\": 2") +
             "}");
    REQUIRE_FALSE(project);
    REQUIRE(project.error().size() == 2);
    CHECK(project.error()[0].text() ==
          "holdfast.json:2:2: /name: found the key \"name\" a second time, allowed: each key once in an object");
    CHECK(project.error()[1].pointer == "/workloads/0/weight");
}

TEST_CASE("every problem of both files is told at once, in the files' order") {
    const auto project =
        load(project_text({{"name", "1"}, {"objective", "\"speed\""}, {"sandbox", "[]"}}),
             R"({"workloads": [{"name": "skewed", "role": "tuning", "run": ["p"], "check": {}}], "x": 1})");
    REQUIRE_FALSE(project);
    const std::string text = all(project.error());
    INFO(text);
    CHECK(project.error().size() == 7);
    CHECK(text.find("/name") < text.find("/objective"));
    CHECK(text.find("/objective") < text.find("/sandbox"));
    CHECK_THAT(text, ContainsSubstring(
                         "holdout.json:1:43: /workloads/0/role: found the text \"tuning\", allowed: \"holdout\""));
    CHECK_THAT(text, ContainsSubstring("a second workload called \"skewed\""));
    CHECK_THAT(text, ContainsSubstring("holdout.json:1:82: /x: found the unknown key"));
    const Error error = to_error(project.error());
    CHECK(error.kind == Error::Kind::invalid);
    CHECK_THAT(error.message(), ContainsSubstring("7 problems:\n  holdfast.json:"));
    CHECK_THAT(error.message(), ContainsSubstring("holdfast validate"));
}

TEST_CASE("one problem makes a one-line error") {
    const auto project = load(project_text({{"objective", "\"wal\""}}));
    REQUIRE_FALSE(project);
    const std::string message = to_error(project.error()).message();
    CHECK(message.find('\n') == std::string::npos);
    CHECK_THAT(message, ContainsSubstring("/holdfast.json: holdfast.json:"));
}

TEST_CASE("a file that cannot be read is told plainly") {
    const auto told = [](const std::filesystem::path& folder, const std::string& found) {
        const auto project = load_project(folder);
        REQUIRE_FALSE(project);
        CHECK_THAT(all(project.error()), ContainsSubstring(found));
    };
    const Folder folder;
    const auto file = folder.path() / "holdfast.json";
    told(folder.path(), "holdfast.json: found no such file, allowed: a holdfast.json; docs/guide.md");
    told(folder.path() / "nowhere", "no such file");
    std::filesystem::create_directory(file);
    told(folder.path(), "found a folder, allowed: a file");
    std::filesystem::remove(file);
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    told(folder.path(), "no regular file");
    std::filesystem::remove(file);
    folder.write("holdfast.json", std::string((4 << 20) + 1, ' '));
    told(folder.path(), "more than 4 MiB");
    folder.write("holdfast.json", "");
    told(folder.path(), "holdfast.json:1:1: found end of input");
    folder.write("holdfast.json", "{\"name\": \"\xff\"}");
    told(folder.path(), "holdfast.json:1:11: found the byte 0xff, which is not UTF-8 here");
    folder.write("holdfast.json", "[]");
    told(folder.path(), "holdfast.json:1:1: found an empty array, allowed: an object");
    folder.write("holdfast.json", std::string(100'000, '['));
    told(folder.path(), "64 levels");
    folder.write("holdfast.json", project_text());
    std::filesystem::create_directories(folder.path() / ".holdfast/holdout.json");
    told(folder.path(), "holdout.json: found a folder");
    if (::geteuid() != 0) { // root reads everything
        std::filesystem::permissions(file, std::filesystem::perms::none);
        told(folder.path(), "cannot be opened (Permission denied)");
    }
}

TEST_CASE("the folder is absolute however it was named") {
    const Folder folder;
    folder.write("holdfast.json", project_text());
    CHECK(load_project(folder.path() / "")->folder == folder.path());
    CHECK(load_project(folder.path() / "sub/..")->folder == folder.path());
}

TEST_CASE("another held-out file may be named") {
    const Folder folder;
    folder.write("holdfast.json", project_text({{"holdout-file", "\"private/h.json\""}}));
    CHECK_FALSE(load_project(folder.path()).has_value());
    folder.write("private/h.json", "{\"workloads\": " + workloads_with("") + "}");
    CHECK(load_project(folder.path())->with_role(Role::holdout).size() == 1);
    CHECK(load_project(folder.path())->holdout_file == "private/h.json");
}

TEST_CASE("the shipped schema names the keys the reader accepts") {
    std::ifstream file(std::string(HOLDFAST_SOURCE_DIR) + "/resources/schemas/holdfast.schema.json");
    const auto schema = nlohmann::json::parse(file, nullptr, false);
    REQUIRE(schema.is_object());
    const auto& top = schema["properties"];
    const std::tuple<std::string, std::string, nlohmann::json> rows[] = {
        {"qqqqq", "1", top},
        {"timeouts", R"({"qqqqq": 1})", top["timeouts"]["properties"]},
        {"decision", R"({"qqqqq": 1})", top["decision"]["properties"]},
        {"sandbox", R"({"qqqqq": 1})", top["sandbox"]["properties"]},
        {"probe", R"({"qqqqq": 1})", top["probe"]["properties"]},
        {"review", R"({"qqqqq": 1})", top["review"]["properties"]},
        {"code", R"({"qqqqq": 1})", top["code"]["properties"]},
        {"limits", R"({"wall": {"qqqqq": 1}})", top["limits"]["additionalProperties"]["properties"]},
        {"workloads", workloads_with("\"qqqqq\": 1"), schema["$defs"]["workload"]["properties"]},
    };
    for (const auto& [key, text, properties] : rows) {
        const auto project = load(project_text({{key, text}}));
        REQUIRE_FALSE(project);
        const std::string allowed = project.error().front().allowed;
        INFO(key << ": " << allowed);
        for (const auto& property : properties.items())
            CHECK_THAT(allowed, ContainsSubstring('"' + property.key() + '"'));
        CHECK(std::count(allowed.begin(), allowed.end(), '"') == static_cast<std::ptrdiff_t>(2 * properties.size()));
    }
}

TEST_CASE("the guide's example of a project file is valid") {
    std::ifstream file(std::string(HOLDFAST_SOURCE_DIR) + "/docs/guide.md");
    const std::string guide{std::istreambuf_iterator<char>(file), {}};
    const std::string fence = "```jsonc\n";
    const std::size_t begin = guide.find(fence) + fence.size();
    REQUIRE(begin > fence.size());
    const Folder folder;
    folder.write("holdfast.json", guide.substr(begin, guide.find("```", begin) - begin));
    const auto project = load_project(folder.path());
    INFO((project ? "" : all(project.error())));
    CHECK(project.has_value());
}

TEST_CASE("the example projects come back from what a study freezes of them") {
    const auto examples = std::filesystem::path(HOLDFAST_SOURCE_DIR) / "resources" / "examples";
    for (const char* name : {"zorder", "zorder-code"}) {
        CAPTURE(name);
        const Folder folder;
        std::filesystem::copy_file(examples / name / "holdfast.json", folder.path() / "holdfast.json");
        std::filesystem::create_directory(folder.path() / ".holdfast");
        std::filesystem::copy_file(examples / name / "holdout.json", folder.path() / ".holdfast" / "holdout.json");
        const auto project = load_project(folder.path());
        if (!project)
            FAIL(all(project.error()));
        CHECK_FALSE(project->with_role(Role::holdout).empty());
        check_frozen(*project);
    }
}

TEST_CASE("a text that no study froze brings no project back") {
    const auto project = load(project_text());
    REQUIRE(project);
    const auto frozen = [&](const std::string& from, const std::string& to) {
        std::string text = project->canonical;
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        return project_from_frozen("/nowhere", text.replace(at, from.size(), to));
    };
    CHECK(frozen("{", "{"));
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"{", "{ "},                                // not canonical
             {"{", "{\"holdout\":null,"},                // a key twice
             {"\"holdout\":null,", ""},                  // no word about the held-out file
             {"zorder\",\"workloads", "\",\"workloads"}, // a name that load_project refuses too
         })
        CHECK_FALSE(frozen(from, to));
    for (const std::string& text : {std::string(), std::string("{}"), std::string("null"), std::string("\xff"),
                                    std::string("{\"holdout\":null,\"project\":[]}"), std::string(5000, '[')}) {
        const auto none = project_from_frozen("/nowhere", text);
        REQUIRE_FALSE(none);
        CHECK(to_error(none.error()).kind == Error::Kind::invalid);
        CHECK_FALSE(none.error().front().text().empty());
    }
}

TEST_CASE("a knob passed through a file has file, format and key") {
    const auto project = load(project_text(
        {{"constraints", ""}, {"knobs", R"([{"name": "cache", "type": "integer", "min": 1, "max": 9, "default": 5,
                        "through": {"file": "./conf/app.conf", "format": "postgresql", "key": "cache.size"}}])"}}));
    if (!project)
        FAIL(all(project.error()));
    const Knob& knob = project->knobs.front();
    CHECK(knob.through == Knob::Through::file);
    CHECK(knob.target == "conf/app.conf");
    CHECK(knob.format == ConfigFormat::postgresql);
    CHECK(knob.key == "cache.size");
}

TEST_CASE("the held-out file is no knob's file") {
    const auto project = load(project_text({{"constraints", ""},
                                            {"holdout-file", "\"held.json\""},
                                            {"knobs", R"([{"name": "a", "type": "boolean", "default": true,
                                     "through": {"file": "held.json", "format": "json", "key": "workloads"}}])"}}));
    REQUIRE_FALSE(project);
    CHECK_THAT(all(project.error()), ContainsSubstring("held-out file"));
}
