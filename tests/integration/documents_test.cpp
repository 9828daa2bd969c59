// SPDX-License-Identifier: GPL-3.0-or-later
// Every document of `--json`, from the real program, against the schemas that are shipped for it.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tests/integration/reviewed_project.hpp"
#include "tests/json_schema.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path resources = fs::path(HOLDFAST_SOURCE_DIR) / "resources";
const std::vector<std::string> kinds = {"validate", "doctor",         "demo",          "propose",  "run",     "trials",
                                        "show",     "measure",        "audit",         "error",    "compare", "export",
                                        "import",   "imports",        "evidence-file", "trial",    "approve", "reject",
                                        "rework",   "apply",          "revert",        "init",     "version", "gc",
                                        "history",  "import-results", "front",         "calibrate"};

/// A candidate that was never built has no executables. The others are what documents of older versions do not have, or
/// are only written where there is something to tell.
const std::set<std::string> may_be_missing = {
    "candidate",   "allowed_cores",    "cpu_quota",  "memory_limit",  "kernel_build",
    "microcode",   "mitigations",      "on_battery", "huge_pages",    "energy_preference",
    "fingerprint", "instructions",     "quarantine", "throttled",     "energy_meters",
    "objectives",  "platform_profile", "quality",    "holdout-seeds", "control_groups"};

JsonSchema schema_of(const std::string& kind) {
    return JsonSchema::read(resources / "schemas" / (kind + ".schema.json"));
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

/// Standard output must be one document of this kind and nothing else.
json checked(const Ran& ran, const std::string& kind, int code) {
    INFO(kind << "\n" << ran.out << ran.err);
    CHECK(ran.code == code);
    json document = json::parse(ran.out, nullptr, false);
    REQUIRE(document.is_object());
    CHECK(document.value("schema", "") == "holdfast/" + kind + "/1");
    CHECK(joined(schema_of(kind).violations(document)) == "");
    return document;
}

json checked(const CounterProject& project, std::vector<std::string> words, const std::string& kind, int code) {
    words.emplace_back("--json");
    INFO(joined(words));
    return checked(project.holdfast(words), kind, code);
}

/// A patch file that is not in the working tree.
std::string patch_file(const CounterProject& project, const std::string& patch) {
    fs::path file = project.path() / ".git" / "candidate.patch";
    write_text(file, patch);
    return file.string();
}

std::string wrong_answer(const CounterProject& project) {
    // The byte is no UTF-8.
    return project.patch_to(replaced(project.work(), "the answer is", "the \xe4nswer is"));
}

const char* const protected_patch =
    "--- a/tests/guard.sh\n+++ b/tests/guard.sh\n@@ -1,2 +1,1 @@\n #!/bin/sh\n-exit 0\n";

void execute(const fs::path& store, const char* statements) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(store.c_str(), &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, statements, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

/// Calls `visit` with every schema in `schema`.
template <class Visit> void each_schema(const json& schema, const Visit& visit) {
    if (!schema.is_object())
        return;
    visit(schema);
    for (const char* name : {"items", "additionalProperties", "propertyNames", "not"})
        if (schema.contains(name))
            each_schema(schema.at(name), visit);
    for (const char* name : {"properties", "$defs", "anyOf", "oneOf"})
        if (schema.contains(name))
            for (const json& part : schema.at(name))
                each_schema(part, visit);
}

std::size_t count_violations(const char* schema, const char* document) {
    return JsonSchema(json::parse(schema)).violations(json::parse(document)).size();
}

} // namespace

TEST_CASE("the validator tells right from wrong for every keyword") {
    struct Row {
        const char *schema, *right, *wrong;
    };
    const std::vector<Row> rows = {
        {R"(true)", R"(1)", nullptr},
        {R"(false)", nullptr, R"(1)"},
        {R"({"type": "object"})", R"({})", R"([])"},
        {R"({"type": "array"})", R"([])", R"({})"},
        {R"({"type": "string"})", R"("")", R"(1)"},
        {R"({"type": "boolean"})", R"(false)", R"(0)"},
        {R"({"type": "null"})", R"(null)", R"(0)"},
        {R"({"type": "number"})", R"(1.5)", R"("1.5")"},
        {R"({"type": "number"})", R"(1)", R"(true)"},
        {R"({"type": "integer"})", R"(1)", R"(1.5)"},
        {R"({"type": "integer"})", R"(1.0)", R"("1")"},
        {R"({"type": ["string", "null"]})", R"(null)", R"(1)"},
        {R"({"properties": {"a": {"type": "string"}}})", R"({"a": "", "b": 1})", R"({"a": 1})"},
        {R"({"properties": {"a": true}, "additionalProperties": false})", R"({"a": 1})", R"({"a": 1, "b": 1})"},
        {R"({"additionalProperties": {"type": "null"}})", R"({"a": null})", R"({"a": 1})"},
        {R"({"propertyNames": {"pattern": "^a"}})", R"({"ab": 1})", R"({"ba": 1})"},
        {R"({"required": ["a"]})", R"({"a": null})", R"({"b": 1})"},
        {R"({"minProperties": 1})", R"({"a": 1})", R"({})"},
        {R"({"maxProperties": 1})", R"({"a": 1})", R"({"a": 1, "b": 1})"},
        {R"({"items": {"type": "string"}})", R"(["a"])", R"(["a", 1])"},
        {R"({"minItems": 2})", R"([1, 1])", R"([1])"},
        {R"({"maxItems": 1})", R"([1])", R"([1, 1])"},
        {R"({"uniqueItems": true})", R"([1, 2, "1"])", R"([1, 2, 1])"},
        {R"({"enum": ["a", null]})", R"(null)", R"("b")"},
        {R"({"const": "a"})", R"("a")", R"("b")"},
        {R"({"const": false})", R"(false)", R"(0)"},
        {R"({"minimum": 1})", R"(1)", R"(0.9)"},
        {R"({"maximum": 1})", R"(1)", R"(1.1)"},
        {R"({"exclusiveMinimum": 1})", R"(1.1)", R"(1)"},
        {R"({"exclusiveMaximum": 1})", R"(0.9)", R"(1)"},
        {R"({"pattern": "b"})", R"("abc")", R"("ac")"},
        {R"({"pattern": "^b$"})", R"("b")", R"("b\n")"},
        {R"({"minLength": 2})", R"("äö")", R"("ä")"},
        {R"({"maxLength": 1})", R"("ä")", R"("äö")"},
        {R"({"anyOf": [{"type": "null"}, {"minimum": 3}]})", R"(3)", R"(2)"},
        {R"({"oneOf": [{"minimum": 3}, {"maximum": 5}]})", R"(6)", R"(4)"},
        {R"({"oneOf": [{"minimum": 5}, {"maximum": 3}]})", R"(5)", R"(4)"},
        {R"({"not": {"const": 1}})", R"(2)", R"(1)"},
        {R"({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}})", R"(null)", R"(1)"},
        {R"({"$ref": "#/$defs/a", "minimum": 3, "$defs": {"a": {"type": "number"}}})", R"(3)", R"(2)"},
    };
    for (const Row& row : rows) {
        INFO(row.schema);
        if (row.right != nullptr)
            CHECK(count_violations(row.schema, row.right) == 0);
        if (row.wrong != nullptr)
            CHECK(count_violations(row.schema, row.wrong) > 0);
    }
}

TEST_CASE("the validator tells every violation and where it is") {
    const JsonSchema schema(json::parse(R"({"type": "object", "required": ["id"], "additionalProperties": false,
        "properties": {"id": {"type": "string"}, "a/b": {"items": {"$ref": "#/$defs/n"}}},
        "$defs": {"n": {"type": "number"}}})"));
    const auto lines = schema.violations(json::parse(R"({"a/b": [1, "x"], "more": 1})"));
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == R"(/: lacks "id")");
    CHECK(lines[1] == R"(/a~1b/1: "x" is not of type "number")");
    CHECK(lines[2] == "/more: must not be there");
    CHECK(schema.violations(json("x"), "n").size() == 1);
}

TEST_CASE("a schema that the validator cannot check whole is not read") {
    for (const char* schema : {
             R"({"format": "uuid"})",
             R"({"properties": {"a": {"patternProperties": {}}}})",
             R"({"$defs": {"unused": {"items": {"patternProperties": {}}}}})",
             R"({"anyOf": [{"type": "null"}, {"prefixItems": []}]})",
             R"({"typ": "string"})",
             R"({"type": "strnig"})",
             R"({"type": []})",
             R"({"type": 1})",
             R"({"required": "a"})",
             R"({"required": [1]})",
             R"({"enum": []})",
             R"({"enum": "a"})",
             R"({"pattern": "("})",
             R"({"minimum": "1"})",
             R"({"minItems": -1})",
             R"({"uniqueItems": 1})",
             R"({"anyOf": []})",
             R"({"items": [{}]})",
             R"({"additionalProperties": "no"})",
             R"({"properties": []})",
             R"({"dependentRequired": {"a": 1}})",
             R"({"description": 1})",
             R"({"$ref": "#/$defs/none"})",
             R"({"$ref": "#/properties/a", "properties": {"a": {}}})",
             R"({"$ref": "other.json"})",
             R"([])",
         }) {
        INFO(schema);
        CHECK_THROWS_AS(JsonSchema(json::parse(schema)), std::invalid_argument);
    }
    const JsonSchema endless(json::parse(R"({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})"));
    CHECK_THROWS_AS(endless.violations(json(1)), std::invalid_argument);
    CHECK_THROWS_AS(JsonSchema::read(resources / "schemas" / "none.schema.json"), std::invalid_argument);
}

TEST_CASE("the schemas are closed, complete and say the same of the same thing") {
    std::map<std::string, json> definitions;
    for (const std::string& kind : kinds) {
        const json schema = schema_of(kind).text();
        INFO(kind);
        CHECK(schema.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
        each_schema(schema, [](const json& part) {
            if (!part.contains("properties"))
                return;
            INFO(part.dump(2));
            CHECK(part.at("type") == "object");
            if (part.at("additionalProperties").is_object())
                return; // a map by name, of which some names are known
            CHECK(part.at("additionalProperties") == false);
            std::set<std::string> names, required;
            for (const auto& [name, property] : part.at("properties").items())
                names.insert(name);
            for (const json& name : part.at("required"))
                required.insert(name.get<std::string>());
            for (const std::string& name : may_be_missing)
                if (names.count(name) > 0)
                    required.insert(name);
            CHECK(names == required);
        });
        const json own = schema.value("$defs", json::object());
        for (const auto& [name, definition] : own.items()) {
            INFO(name);
            CHECK(definitions.emplace(name, definition).first->second == definition);
        }
    }
    for (const auto& entry : fs::directory_iterator(resources / "schemas")) {
        const std::string name = entry.path().filename().string();
        const std::string kind = name.substr(0, name.find('.'));
        INFO(name);
        CHECK((kind == "holdfast" || std::find(kinds.begin(), kinds.end(), kind) != kinds.end()));
    }
}

TEST_CASE("the examples' project files follow the schema for editors") {
    const JsonSchema schema = schema_of("holdfast");
    std::size_t seen = 0;
    const auto parsed = [](const fs::path& file) { return json::parse(read_text(file), nullptr, false, true); };
    for (const auto& entry : fs::directory_iterator(resources / "examples")) {
        if (!fs::exists(entry.path() / "holdfast.json"))
            continue;
        ++seen;
        INFO(entry.path());
        const json project = parsed(entry.path() / "holdfast.json");
        CHECK(joined(schema.violations(project)) == "");
        const json holdout = parsed(entry.path() / "holdout.json");
        for (const json& workload : holdout.at("workloads"))
            CHECK(joined(schema.violations(workload, "workload")) == "");
        json wrong = project;
        wrong["workloads"][0].erase("check");
        CHECK_FALSE(schema.violations(wrong).empty());
        wrong = project;
        wrong["knobs"] = json::parse(R"([{"name": "size", "type": "integer", "min": 1, "max": 9, "default": 2}])");
        CHECK_FALSE(schema.violations(wrong).empty());
        wrong = project;
        wrong["metrics"]["wall"] = {{"from", "stdout"}, {"pattern", "(.*)"}};
        CHECK_FALSE(schema.violations(wrong).empty());
        wrong = project;
        wrong["workload"] = wrong["workloads"];
        CHECK_FALSE(schema.violations(wrong).empty());
    }
    CHECK(seen == 2);
    const CounterProject counter;
    CHECK(joined(schema.violations(parsed(counter.path() / "holdfast.json"))) == "");
}

TEST_CASE("a project: valid, wrong, absent") {
    CounterProject project;
    json document = checked(project, {"validate"}, "validate", 0);
    CHECK(document.at("valid") == true);
    CHECK(
        document.at("knobs") ==
        json::parse(
            R"([{"name": "size", "type": "integer", "min": 1, "max": 64, "scale": "linear", "default": 32, "through": {"argument": "--size={value}"}}])"));
    CHECK(document.at("workloads").size() == 3);
    CHECK(document.at("decision").at("holdout-pairs") == 20);
    const std::string good = read_text(project.path() / "holdfast.json");
    project.repository().write("holdfast.json", replaced(good, R"("knobs": [)", R"("knobs": [
            { "name": "ratio", "type": "real", "min": 0.5, "max": 8, "scale": "log", "default": 1, "through": { "environment": "R" } },
            { "name": "level", "type": "categorical", "values": ["-O2", "-O3"], "default": "-O2", "through": { "environment": "L" } },
            { "name": "fast", "type": "boolean", "default": false, "through": { "environment": "F" } },)"));
    document = checked(project, {"validate"}, "validate", 0);
    CHECK(document.at("knobs").size() == 4);
    const std::string in_file = R"("through": { "file": "app.conf", "format": "conf", "key": "size" })";
    project.repository().write("holdfast.json",
                               replaced(good, R"("through": { "argument": "--size={value}" })", in_file));
    document = checked(project, {"validate"}, "validate", 2);
    CHECK_THAT(document.at("problems").at(0).at("found").get<std::string>(),
               ContainsSubstring("app.conf, key size: there is no such file in the commit"));
    project.repository().write("app.conf", "size 32\n");
    project.repository().commit("configuration");
    document = checked(project, {"validate"}, "validate", 0);
    CHECK(document.at("knobs").at(0).at("through").at("key") == "size");
    project.repository().write("holdfast.json", replaced(good, R"("min": 1)", R"("min": 99)"));
    document = checked(project, {"validate"}, "validate", 2);
    CHECK(document.at("valid") == false);
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"propose", "--set", "size=9"}, {"run"}, {"measure", "--set", "size=9"}})
        CHECK(checked(project, words, "error", 2).at("kind") == "invalid");
    project.repository().write("holdfast.json", "{ \"name\": \"\xff");
    checked(project, {"validate"}, "validate", 2);
    fs::remove(project.path() / "holdfast.json");
    checked(project, {"validate"}, "validate", 2);
    for (const auto& words : std::vector<std::vector<std::string>>{{"trials"}, {"show", "1"}, {"audit"}})
        checked(project, words, "error", 1);
}

TEST_CASE("the machine, with and without a sandbox") {
    const CounterProject project;
    const json document = checked(project, {"doctor"}, "doctor", 0);
    CHECK(document.at("level").get<int>() >= 3);
    CHECK_FALSE(document.at("canaries").empty());

    // A program without its helpers beside it.
    const ScratchFolder alone;
    fs::copy_file(fs::path(HOLDFAST_BIN_DIR) / "holdfast", alone.path() / "holdfast");
    const std::string program = (alone.path() / "holdfast").string();
    CHECK(checked(run_command({program, "doctor", "--json"}, alone.path()), "doctor", 4).at("level") == 0);
    checked(run_command({program, "demo", "--json"}, alone.path()), "error", 1);
}

TEST_CASE("what the program was built from") {
    const std::string program = std::string(HOLDFAST_BIN_DIR) + "/holdfast";
    CHECK(checked(run_command({program, "--version", "--json"}, "/"), "version", 0).at("version") == "0.1.0");
}

TEST_CASE("what the cache could do without, and the studies over time") {
    const CounterProject project;
    checked(project, {"measure", "--set", "size=9", "--rounds", "6"}, "measure", 0);
    const json document = checked(project, {"gc", "--history"}, "gc", 0);
    CHECK(document.at("applied") == false);
    CHECK_FALSE(document.at("kinds").empty());
    CHECK(document.at("history").at("before").get<int>() > 0);
    checked(project, {"gc", "--keep", "soon"}, "error", 2);
    CHECK(checked(project, {"history"}, "history", 0).at("studies").size() == 1);
    CHECK(checked(project, {"trials", "--front"}, "front", 0).at("fronts").empty());
    checked(project, {"history", "a"}, "history", 0);
    checked(project, {"history", "unsen"}, "error", 2);
}

TEST_CASE("the examples: listed, made, refused") {
    const ScratchFolder folder;
    const std::string program = std::string(HOLDFAST_BIN_DIR) + "/holdfast";
    const auto demo = [&](std::vector<std::string> words, int code) {
        words.insert(words.begin(), {program, "demo", "--json"});
        const Ran ran = run_command(words, folder.path());
        return checked(ran, code == 0 ? "demo" : "error", code);
    };
    CHECK(demo({}, 0).at("demos").size() == 2);
    json made = demo({"zorder", "here"}, 0);
    CHECK(made.at("folder") == (folder.path() / "here").string());
    CHECK(made.at("queued").size() == 1);
    demo({"zorder", "here"}, 2);
    demo({"zodrer"}, 2);
    demo({"zorder", "not utf-8 \xff"}, 0);
    for (const char* name : {"zorder", "zorder-code"}) {
        made = demo({name, std::string("all-") + name}, 0);
        const std::string at = made.at("folder");
        checked(run_command({program, "-C", at, "validate", "--json"}, folder.path()), "validate", 0);
        const json trials = checked(run_command({program, "-C", at, "trials", "--json"}, folder.path()), "trials", 0);
        CHECK(trials.at("trials").size() == made.at("queued").size());
    }
}

TEST_CASE("candidates from the queue to the verdict and the audit") {
    CounterProject project;
    for (const auto& words : std::vector<std::vector<std::string>>{{"propose"},
                                                                   {"propose", "--set", "size=900"},
                                                                   {"propose", "--set", "s\xffze=9"},
                                                                   {"propose", "--patch", "/nowhere/at/all"}})
        CHECK(checked(project, words, "error", 2).at("kind") == "invalid");
    const json refused = checked(project, {"propose", "--patch", patch_file(project, protected_patch)}, "error", 4);
    CHECK(refused.at("kind") == "refused");
    CHECK_THAT(refused.at("attempted").get<std::string>(), ContainsSubstring("tests/guard.sh"));

    CHECK(checked(project, {"propose", "--set", "size=9"}, "propose", 0).at("number") == 1);
    checked(project, {"propose", "--set", "size=60"}, "propose", 0);
    checked(project, {"propose", "--patch", patch_file(project, wrong_answer(project))}, "propose", 0);
    checked(project, {"propose", "--set", "size=31", "--patch", patch_file(project, wrong_answer(project))}, "propose",
            0);
    checked(project, {"propose", "--set", "size=9"}, "error", 2); // queued already
    json trials = checked(project, {"trials"}, "trials", 0).at("trials");
    REQUIRE(trials.size() == 4);
    CHECK(trials[0].at("state") == "queued");
    CHECK(trials[0].at("evidence").is_null());
    CHECK(checked(project, {"show", "1"}, "show", 0).at("patch").is_null());
    checked(project, {"run", "--resume"}, "error", 2);

    const std::string seed = "18446744073709551615";
    const json ran = checked(project, {"run", "--trials", "4", "--leaders", "1", "--seed", seed}, "run", 0);
    CHECK(ran.at("seed") == seed);
    CHECK(ran.at("proposals").get<int>() >= 1);
    CHECK(ran.at("decided").size() >= 4);

    trials = checked(project, {"trials"}, "trials", 0).at("trials");
    CHECK(trials[0].at("verdict") == "generalises");
    CHECK(trials[0].at("review") == "waiting");
    CHECK(trials[1].at("verdict") == "regresses");
    CHECK(trials[2].at("verdict") == "incorrect");
    for (const json& trial : trials) {
        const json shown = checked(project, {"show", trial.at("id")}, "show", 0);
        for (const auto& [name, value] : trial.items())
            CHECK(shown.at(name) == value);
        CHECK(shown.at("evidence-document").is_null() == trial.at("verdict").is_null());
    }
    CHECK_THAT(checked(project, {"show", "3"}, "show", 0).at("patch").get<std::string>(),
               ContainsSubstring("the \xef\xbf\xbdnswer"));
    checked(project, {"show", "999"}, "error", 2);
    for (const json& trial : trials)
        if (!trial.at("verdict").is_null())
            checked(project.holdfast({"export", trial.at("id"), "--format", "json"}), "trial", 0);
    json compared = checked(project, {"compare", "1", "2", "3"}, "compare", 0);
    CHECK(compared.at("trials").size() == 3);
    CHECK(compared.at("knobs")[0].at("name") == "size");
    CHECK(compared.at("workloads")[2].at("effects")[1].is_null()); // the second was not asked on held-out workloads
    checked(project, {"compare", "1"}, "error", 2);
    checked(project, {"compare", "1", "999"}, "error", 2);
    const std::string report = (project.path() / ".git" / "report.md").string();
    json exported = checked(project, {"export", "1", "--format", "markdown", "-o", report}, "export", 0);
    CHECK(exported.at("bytes") == fs::file_size(report));
    CHECK(exported.at("text").is_null());
    checked(project, {"export", "1", "--format", "csv", "-o", report}, "error", 2); // there is a file already
    CHECK(exported.at("bytes") == fs::file_size(report));
    checked(project, {"export", "1", "--format", "csv", "-o", report, "--force"}, "export", 0);
    exported = checked(project, {"export", "1", "--format", "csv"}, "export", 0);
    CHECK(exported.at("text") == read_text(report));
    CHECK_THAT(checked(project, {"export", "1", "--format", "html"}, "export", 0).at("text").get<std::string>(),
               StartsWith("<!DOCTYPE html>") && EndsWith("</html>\n"));
    checked(project.holdfast({"export", "1", "--format", "evidence"}), "evidence-file", 0);
    const std::string evidence = (project.path() / ".git" / "evidence.json").string();
    checked(project, {"export", "1", "--format", "evidence", "--without-holdout", "-o", evidence}, "export", 0);
    checked(Ran{0, read_text(evidence), ""}, "evidence-file", 0);
    checked(project, {"import", evidence}, "error", 2); // its own
    const json list = checked(project, {"import", "--list"}, "imports", 0);
    CHECK(list.at("imports").empty());
    CHECK(list.at("results").empty());
    checked(project, {"export", "1", "--format", "csv", "--without-holdout"}, "error", 2);
    checked(project, {"export", "1", "--format", "env"}, "error", 4); // not approved
    checked(project, {"export", "1", "--format", "enf"}, "error", 2);
    checked(project, {"export", "1", "--format", "csv", "-o", "/nowhere/at/all"}, "error", 2);
    CHECK(checked(project, {"run", "--trials", "0"}, "run", 3).at("decided").empty());

    CHECK(checked(project, {"audit"}, "audit", 0).at("clean") == true);
    execute(project.path() / ".holdfast" / "history.sqlite", "UPDATE verdicts SET verdict = 'unsafe' WHERE rowid = 1");
    CHECK(checked(project, {"audit"}, "audit", 1).at("clean") == false);
}

TEST_CASE("a program compared with itself, and what is told of it afterwards") {
    const CounterProject project;
    json document = checked(project, {"calibrate", "--rounds", "10", "--sessions", "2", "--seed", "3"}, "calibrate", 0);
    REQUIRE(document.at("workloads").size() == 3);
    for (const json& workload : document.at("workloads"))
        for (const char* effect : {"arms", "slot"})
            for (const char* part : {"low", "estimate", "high"})
                CHECK(workload.at(effect).at(part).get<double>() == Approx(0).margin(1e-9));
    CHECK(checked(project, {"calibrate", "--last"}, "calibrate", 0) == document);
    document = checked(project, {"validate"}, "validate", 0);
    CHECK(document.at("workloads")[0].at("smallest-provable").at("rounds") == 200);
    CHECK(checked(project, {"history"}, "history", 0).at("studies")[0].at("kind") == "calibrate");
    checked(project, {"calibrate", "--workload", "unsene"}, "error", 2);
    checked(project, {"calibrate", "--rounds", "3"}, "error", 2);
    checked(project, {"calibrate", "--last", "--seed", "3"}, "error", 2);
}

TEST_CASE("comparisons by hand: done, held-out, stopped, impossible") {
    const CounterProject project;
    const auto measure = [&](std::vector<std::string> words, const std::string& kind, int code) {
        words.insert(words.begin(), {"measure", "--rounds", "6"});
        return checked(project, words, kind, code);
    };
    json document = measure({"--set", "size=9", "--workload", "b"}, "measure", 0);
    REQUIRE(document.at("effects").at("workloads").size() == 1);
    CHECK(document.at("effects").at("workloads")[0].at("name") == "b");
    document = measure({"--set", "size=9", "--workload", "unseen"}, "measure", 0);
    CHECK(document.at("effects").at("workloads")[0].at("name") == "unseen");
    document = measure({"--set", "size=60", "--fail-on", "regresses"}, "measure", 3);
    CHECK(document.at("regresses") == true);
    CHECK(document.at("effects").at("metric") == "rows");
    document = measure({"--patch", patch_file(project, wrong_answer(project))}, "measure", 3);
    CHECK(document.at("verdict") == "incorrect");
    CHECK(document.at("effects").is_null());
    CHECK(measure({"--patch", patch_file(project, protected_patch)}, "measure", 4).at("verdict") == "refused");
    document = measure({"--candidate", "HEAD"}, "measure", 0);
    CHECK(document.at("base") == document.at("candidate"));
    document = measure({"--trial", "1"}, "measure", 0); // what was measured on b alone, on all tuning workloads
    CHECK(document.at("effects").at("workloads").size() == 2);
    measure({"--trial", "999"}, "error", 2);
    measure({"--trial", "1", "--set", "size=9"}, "error", 2);
    measure({"--workload", "unsene"}, "error", 2);
    const json trials = checked(project, {"trials"}, "trials", 0);
    for (const json& trial : trials.at("trials"))
        checked(project, {"show", trial.at("id")}, "show", 0);
    CHECK(checked(project, {"audit"}, "audit", 0).at("questions") == 1);
}

TEST_CASE("a study that is interrupted, and one that finds the history taken") {
    const CounterProject project;
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    Command running(project.command({"run", "--trials", "30", "--json"}), project.path(), project.environment());
    while (!running.wait_for(std::chrono::milliseconds(20)))
        if (checked(project, {"trials"}, "trials", 0).at("trials")[0].at("state") == "running")
            break;
    CHECK(checked(project, {"run", "--trials", "0"}, "error", 4).at("kind") == "refused");
    running.signal(SIGINT);
    CHECK(checked(running.wait(), "error", 130).at("kind") == "interrupted");
    checked(project, {"trials"}, "trials", 0);
    checked(project, {"show", "1"}, "show", 0);
}

TEST_CASE("wrong command lines and an output that is full") {
    const CounterProject project;
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"frobnicate"}, {"show"}, {"measure", "--rounds", "1"}, {"run", "--no"}})
        CHECK(checked(project, words, "error", 2).at("kind") == "invalid");
    std::vector<std::string> full{"/bin/sh", "-c", "exec \"$@\" > /dev/full", "sh"};
    for (const std::string& word : project.command({"validate", "--json"}))
        full.push_back(word);
    const Ran ran = run_command(full, project.path(), project.environment());
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring("standard output"));
}

TEST_CASE("The documents of review, apply and revert keep their schemas") {
    const ReviewedProject project;
    const auto document = [&](std::vector<std::string> words, const std::string& kind, int code) {
        words.emplace_back("--json");
        return checked(project.holdfast(words), kind, code);
    };
    CHECK(document({"reject", "1", "--reason", "not now"}, "reject", 0).at("comment") == "not now");
    CHECK(document({"rework", "1", "--reason", "smaller", "--share"}, "rework", 0).at("shared") == true);
    CHECK(document({"approve", "1"}, "error", 4).at("kind") == "refused");
    CHECK(document({"apply", "1"}, "error", 4).at("kind") == "refused");

    const Ran approved = project.approve(1, {"--json", "--comment", "good"});
    INFO(approved.out);
    REQUIRE(approved.code == 0);
    const std::string shown = approved.out.substr(approved.out.find("\n{"));
    checked(Ran{0, shown, ""}, "approve", 0);
    CHECK(document({"apply", "1", "--dry-run"}, "apply", 0).at("done") == nullptr);
    CHECK(document({"apply", "1"}, "apply", 0).at("plan") == nullptr);
    CHECK(document({"show", "1"}, "show", 0).at("review") == "approved");
    CHECK(document({"revert", "1", "--dry-run"}, "revert", 0).at("done") == nullptr);
    CHECK(document({"revert", "1"}, "revert", 0).at("done").at("action") == "reverted");
    CHECK(document({"trials"}, "trials", 0).at("trials").at(0).at("review") == "reverted");
    CHECK(document({"audit"}, "audit", 0).at("clean") == true);
}
