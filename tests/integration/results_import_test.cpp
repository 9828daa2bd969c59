// SPDX-License-Identifier: GPL-3.0-or-later
// Other programs' result files beside a real history, and as metrics of a real study.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"
#include "tests/json_schema.hpp"

#include <filesystem>
#include <unistd.h>

using namespace holdfast::test;
using nlohmann::json;

namespace {

const std::filesystem::path top = HOLDFAST_SOURCE_DIR;

std::string written(const std::string& name) {
    return (top / "tests/data/results" / name).string();
}

json checked(const json& document, const std::string& kind) {
    const auto violations = JsonSchema::read(top / "resources/schemas" / (kind + ".schema.json")).violations(document);
    INFO(document.dump(1));
    INFO((violations.empty() ? "" : violations.front()));
    CHECK(violations.empty());
    return document;
}

const char* const plain = R"({ "name": "plain", "build": [], "objective": "wall",
  "workloads": [ { "name": "w", "run": ["sh", "{source}/run.sh"], "check": { "stdout": "same" } } ] })";

/// The program's report is what google-benchmark would write; it tells its knob as its time.
const char* const reporting = R"sh(size=$1
printf '{"context": {}, "benchmarks": [{"name": "BM_%s", "run_name": "BM_%s", "run_type": "iteration", ' "${2:-a}" "${2:-a}" > bench.json
printf '"real_time": %s, "cpu_time": 1, "time_unit": "ns", "tail": %s}]}' "$size" "$((size * 2))" >> bench.json
echo answer 42
)sh";

std::string reporting_project(const std::string& metric, const std::string& more = "") {
    return R"({ "name": "reporting", "build": [],
  "metrics": { "scan": { "from": "google-benchmark", "file": "{out}/bench.json", "benchmark": "BM_a", "accept-self-reported": true)" +
           metric + " }" + more + R"( }, "objective": "scan",
  "workloads": [ { "name": "w", "run": ["sh", "{source}/run.sh", "{knobs}"], "check": { "stdout": "same" } } ],
  "code": { "editable": ["run.sh"] }, "probe": { "sanitizers": [], "inputs": 0 }, "decision": { "max-confirmations": 4 },
  "knobs": [ { "name": "size", "type": "integer", "min": 1, "max": 99, "default": 20, "through": { "argument": "{value}" } } ] })";
}

} // namespace

TEST_CASE("a result file is imported once, listed, audited and never more than described") {
    const WrittenProject project({{"holdfast.json", plain}, {"run.sh", "echo answer 42\n"}});
    json imported = checked(project.document({"import", written("google.json")}), "import-results");
    CHECK(imported.at("already") == false);
    CHECK(imported.at("format") == "google-benchmark");
    CHECK(imported.at("name") == "google.json");
    CHECK(imported.at("commit").is_string());
    CHECK(imported.at("benchmarks").size() == 4);
    const json& time = imported.at("benchmarks")[0].at("quantities")[0];
    CHECK(time.at("unit") == "s");
    CHECK(time.at("values") == 3);
    CHECK(time.at("number") == 2.2363580012495374e-02 / 1e6);
    CHECK(imported.at("benchmarks")[2].at("error") == "it failed: no data\tfile");
    CHECK_THAT(imported.at("caveat").get<std::string>(), ContainsSubstring("nothing is decided by them"));
    CHECK(checked(project.document({"import", written("google.json")}), "import-results").at("already") == true);
    for (const char* name : {"hyperfine.json", "pytest.json", "catch2.xml"})
        CHECK(checked(project.document({"import", written(name)}), "import-results").at("already") == false);
    const json list = checked(project.document({"import", "--list"}), "imports");
    CHECK(list.at("imports").empty());
    REQUIRE(list.at("results").size() == 4);
    CHECK(list.at("results")[0].at("benchmarks") == imported.at("benchmarks"));
    const json audit = checked(project.document({"audit"}), "audit");
    CHECK(audit.at("clean") == true);
    CHECK(audit.at("results-files") == 4);
    CHECK(audit.at("imports") == 0);
    CHECK(project.document({"trials"}).at("trials").empty());
}

TEST_CASE("what is shown has units, spread, notes and the caveat, and nothing that a terminal obeys") {
    const WrittenProject project({{"holdfast.json", plain}, {"run.sh", "echo answer 42\n"}});
    const Ran shown = project.holdfast({"import", written("google.json")});
    CHECK(shown.code == 0);
    CHECK_THAT(shown.out,
               ContainsSubstring("imported: google-benchmark, google.json: 4 benchmarks, 1 without a number") &&
                   ContainsSubstring("22.36 ns") && ContainsSubstring("2.7 %") && ContainsSubstring("GiB/s") &&
                   ContainsSubstring("higher is better") && ContainsSubstring("no data\\tfile") &&
                   ContainsSubstring("waste left out: no number") && ContainsSubstring("Descriptive only"));
    const ScratchFolder folder;
    write_text(folder.path() / "bad\x1b[31m.json",
               R"({"results": [{"command": "\u001b[2J\u202eevil", "mean": 1, "times": [1, 1]}]})");
    const Ran hostile = project.holdfast({"import", (folder.path() / "bad\x1b[31m.json").string()});
    CHECK(hostile.code == 0);
    CHECK(hostile.out.find('\x1b') == std::string::npos);
    CHECK_THAT(hostile.out, ContainsSubstring("\\x1b[2J\\u202eevil") && ContainsSubstring("all 2 values of time"));
    const Ran list = project.holdfast({"import", "--list"});
    CHECK(list.out.find('\x1b') == std::string::npos);
    CHECK_THAT(list.out, ContainsSubstring("google.json") && ContainsSubstring("imported at commit"));
}

TEST_CASE("of a huge file the first benchmarks are kept, and what was left out is said") {
    const WrittenProject project({{"holdfast.json", plain}, {"run.sh", "echo answer 42\n"}});
    const ScratchFolder folder;
    std::string text = R"({"benchmarks": [)";
    for (int i = 0; i < 10'007; ++i)
        text += (i == 0 ? "" : ",") + std::string(R"({"name": "b)") + std::to_string(i) + R"(", "run_name": "b)" +
                std::to_string(i) + R"(", "real_time": 5, "time_unit": "ns", "label": ")" + std::string(400, 'x') +
                "\"}";
    write_text(folder.path() / "huge.json", text + "]}");
    const Ran shown = project.holdfast({"import", (folder.path() / "huge.json").string()});
    CHECK(shown.code == 0);
    CHECK_THAT(shown.out,
               ContainsSubstring("10000 benchmarks; of 10007 benchmarks the first 10000 are kept, 7 left out"));
    CHECK_THAT(shown.err, ContainsSubstring("import: reading 4") && ContainsSubstring("import: storing"));
    CHECK_THAT(project.holdfast({"import", "--list"}).out, ContainsSubstring("7 left out"));
}

TEST_CASE("what is no result file is refused and nothing is stored") {
    const WrittenProject project({{"holdfast.json", plain}, {"run.sh", "echo answer 42\n"}});
    const ScratchFolder folder;
    const auto refused = [&](const std::string& text) {
        write_text(folder.path() / "file", text);
        const Ran ran = project.holdfast({"import", (folder.path() / "file").string()});
        CHECK(ran.code == 2);
        return ran.err;
    };
    CHECK_THAT(refused("hello"), ContainsSubstring("in no format that is known"));
    CHECK_THAT(refused(read_text(written("google.json")).substr(0, 3000)), ContainsSubstring("cut short"));
    CHECK_THAT(refused("\xff\xfe{\0"), ContainsSubstring("UTF-16"));
    CHECK_THAT(refused("{\"schema\": \"holdfast/evidence-file/1\"}"), ContainsSubstring("evidence"));
    const std::string large = (folder.path() / "large").string();
    write_text(large, "{");
    REQUIRE(::truncate(large.c_str(), off_t{201} << 20) == 0);
    CHECK_THAT(project.holdfast({"import", large}).err, ContainsSubstring("larger than 200 MiB"));
    CHECK_FALSE(std::filesystem::exists(project.path() / ".holdfast" / "history.sqlite"));
}

TEST_CASE("a study decides by a benchmark's report, and a report without the benchmark is a failure") {
    const WrittenProject project({{"holdfast.json", reporting_project("")}, {"run.sh", reporting}});
    CHECK_THAT(project.holdfast({"validate"}).out, ContainsSubstring("the program tells it of itself"));
    CHECK(project.measured({"--set", "size=10"}).estimate == Approx(-0.5));
    const auto renamed =
        project.measured({"--patch", project.patch("run.sh", "${2:-a}\" \"${2:-a}", "${2:-b}\" \"${2:-b}")});
    CHECK(renamed.verdict == "failed");
    CHECK_THAT(renamed.reason, ContainsSubstring("missing metric scan") &&
                                   ContainsSubstring("none of the name \"BM_a\", but \"BM_b\""));
}

TEST_CASE("a proxy stays unproven until enough trials measured both, and says how far it is") {
    const WrittenProject project(
        {{"holdfast.json", reporting_project(R"(, "proxy-for": "tail")",
                                             R"(, "tail": { "from": "google-benchmark", "file": "{out}/bench.json",
              "benchmark": "BM_a", "value": "tail" })")},
         {"run.sh", reporting}});
    json document = checked(project.document({"validate"}), "validate");
    CHECK(document.at("self-reported") == true);
    CHECK(document.at("proxies")[0].at("trials") == 0);
    for (int size = 21; size <= 28; ++size)
        REQUIRE(project.holdfast({"propose", "--set", "size=" + std::to_string(size)}).code == 0);
    project.run();
    const json first = project.trial("1"), last = project.trial("8");
    CHECK(first.at("flags") == json({"self-reported", "unproven proxy"}));
    CHECK_THAT(first.at("reasons").dump(), ContainsSubstring("The objective scan stands for tail") &&
                                               ContainsSubstring("over 1 candidate, and at least 0.8 must be shown"));
    CHECK(last.at("flags") == json({"self-reported"}));
    CHECK_THAT(last.at("reasons").dump(), ContainsSubstring("over 8 candidates."));
    document = checked(project.document({"validate"}), "validate");
    CHECK(document.at("proxies")[0].at("proven") == true);
    CHECK(document.at("proxies")[0].at("trials") == 8);
    CHECK_THAT(project.holdfast({"validate"}).out,
               ContainsSubstring("proxy       scan for tail: Spearman correlation 1.00"));
    CHECK_THAT(project.holdfast({"show", "1"}).out, ContainsSubstring("unproven proxy"));
}
