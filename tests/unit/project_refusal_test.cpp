// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of project files that are wrong in one place.
#include "tests/unit/project_rows.hpp"

using namespace std::string_literals;

namespace {

std::string knobs_with(const std::string& members) {
    return "[{\"name\": \"k\", " + members + "}]";
}

const std::string through = R"("through": {"argument": "--k={value}"})";

std::string integer_knob(const std::string& min, const std::string& max, const std::string& otherwise,
                         const std::string& more = "") {
    return knobs_with(R"("type": "integer", "min": )" + min + ", \"max\": " + max + ", \"default\": " + otherwise +
                      ", " + through + more);
}

std::string metric_with(const std::string& members) {
    return "{\"m\": {" + members + "}}";
}

} // namespace

TEST_CASE("an unknown key names the nearest valid one") {
    check_rows({
        {"knob", "[]", "/knob", "the unknown key \"knob\"", "nearest: \"knobs\""},
        {"fetched", "[]", "/fetched", "the unknown key \"fetched\"", "nearest: \"fetch\""},
        {"model", "{}", "/model", "the unknown key", ""},
        {"timeouts", R"({"readi": "1s"})", "/timeouts/readi", "the unknown key", "\"run\""},
        {"workloads", workloads_with(R"("wieght": 1)"), "/workloads/0/wieght", "unknown key", "nearest: \"weight\""},
        {"workloads", workloads_with(R"("starts": [])"), "/workloads/0/starts", "unknown key", "nearest: \"start\""},
        {"decision", R"({"minimum_effect": 0})", "/decision/minimum_effect", "unknown key",
         "nearest: \"minimum-effect\""},
        {"sandbox", R"({"reed": []})", "/sandbox/reed", "unknown key", "memory"},
        {"code", R"({"editble": []})", "/code/editble", "unknown key", "nearest: \"editable\""},
        {"limits", R"({"wall": {"at-mots": 1, "at-most": 1}})", "/limits/wall/at-mots", "unknown",
         "nearest: \"at-most\""},
        {"knobs", integer_knob("1", "9", "2", R"(, "values": [])"), "/knobs/0/values", "unknown key", ""},
        {"knobs", knobs_with(R"("type": "boolean", "default": true, "min": 1, )" + through), "/knobs/0/min", "unknown",
         ""},
        {"a/b~c", "1", "/a~1b~0c", "the unknown key \"a/b~c\"", ""},
        {"\\u001b[1m", "1", "/\x1b[1m", "the unknown key \"\\x1b[1m\"", ""},
    });
}

TEST_CASE("wrong settings are told with what was found and what is allowed") {
    check_rows({
        {"name", "\"\"", "/name", "the text \"\"", "1 to 100 bytes"},
        {"name", "7", "/name", "the number 7", "a name"},
        {"name", "\"a\\u001b[31m\"", "/name", "\\x1b", "printable"},
        {"name", "\"a\\u202eb\"", "/name", "\\u202e", "printable"},
        {"name", "", "", "no \"name\"", "the project's name"},
        {"build", R"([["cmake", "."], "make"])", "/build/1", "the text \"make\"", "an array of texts"},
        {"review", R"({"signatures": "requird"})", "/review/signatures", "the text \"requird\"", "\"required\""},
        {"review", R"({"signatures": true})", "/review/signatures", "true", "\"optional\""},
        {"review", R"({"signatures": "required"})", "/review/signatures", "without \"allowed-signers\"",
         "whose key is whose"},
        {"review", R"({"allowed-signers": "../x"})", "/review/allowed-signers", "../x", "without \"..\""},
        {"probe", R"({"sanitizers": ["memory"]})", "/probe/sanitizers/0", "\"memory\"", "\"address\""},
        {"probe", R"({"sanitizers": ["thread", "thread"]})", "/probe/sanitizers/1", "\"thread\"", "each name once"},
        {"probe", R"({"inputs": -1})", "/probe/inputs", "-1", ""},
        {"probe", R"({"time": 5})", "/probe/time", "the number 5", "\"5m\""},
        {"timeouts", R"({"run": 60})", "/timeouts/run", "the number 60", "\"60s\""},
        {"timeouts", R"({"run": "60"})", "/timeouts/run", "the text \"60\"", "ms, s, m or h"},
        {"timeouts", R"({"run": "0s"})", "/timeouts/run", "0s", ""},
        {"timeouts", "[]", "/timeouts", "an empty array", "an object"},
        {"objective", R"(["wall"])", "/objective", "an array", "two or three"},
        {"objective", R"([])", "/objective", "an empty array", "two or three"},
        {"objective", R"(["wall", "cpu", "peak-memory", "energy"])", "/objective", "an array", "two or three"},
        {"objective", R"(["wall", "wall"])", "/objective/1", "\"wall\" a second time", "each once"},
        {"objective", R"(["wall", 3])", "/objective/1", "the number 3", "the name of a metric"},
        {"objective", R"(["wall", "cpuu"])", "/objective/1", "the unknown metric \"cpuu\"", "nearest: \"cpu\""},
        {"objective", R"("wal")", "/objective", "the unknown metric \"wal\"", "nearest: \"wall\""},
        {"limits", R"({"peak-memroy": {"at-most": 1}})", "/limits/peak-memroy", "unknown", "nearest: \"peak-memory\""},
        {"limits", R"({"wall": {}})", "/limits/wall", "an empty object", "worse-by-at-most"},
        {"limits", R"({"wall": {"worse-by-at-most": "10"}})", "/limits/wall/worse-by-at-most", "\"10\"", "\"10%\""},
        {"limits", R"({"wall": {"worse-by-at-most": -0.1}})", "/limits/wall/worse-by-at-most", "-0.1", "from 0"},
        {"limits", R"({"wall": {"at-most": "5"}})", "/limits/wall/at-most", "the text", "a number"},
        {"limits", "[]", "/limits", "an empty array", "an object"},
        {"code", R"({"editable": ["/etc/**"]})", "/code/editable/0", "/etc/**", "relative"},
        {"code", R"({"protected": ["../x"]})", "/code/protected/0", "../x", "\"..\""},
        {"code", R"({"test": [[]]})", "/code/test/0", "an empty array", "a command"},
        {"decision", R"({"minimum-effect": 0.5})", "/decision/minimum-effect", "0.5", "below 0.5"},
        {"decision", R"({"minimum-effect": "-1%"})", "/decision/minimum-effect", "-1%", "from 0"},
        {"decision", R"({"harm-margin": 0})", "/decision/harm-margin", "the number 0", "above 0"},
        {"decision", R"({"harm-margin": "60%"})", "/decision/harm-margin", "60%", "below 0.5"},
        {"decision", R"({"false-proposal-rate": "10%"})", "/decision/false-proposal-rate", "the text", "a number"},
        {"decision", R"({"false-proposal-rate": 0.5})", "/decision/false-proposal-rate", "0.5", ""},
        {"decision", R"({"max-confirmations": 0})", "/decision/max-confirmations", "0", "from 1 to 1000"},
        {"decision", R"({"max-confirmations": 2.9})", "/decision/max-confirmations", "2.9", "an integer"},
        {"decision", R"({"max-pairs": 11})", "/decision/max-pairs", "11", "from 12 to 10000"},
        {"decision", R"({"max-pairs": 99999999999999999999})", "/decision/max-pairs", "99999999999999999999",
         "an integer"},
        {"decision", R"({"holdout-pairs": 5})", "/decision/holdout-pairs", "5", "from 6 to 10000"},
        {"decision", R"({"max-pairs": true})", "/decision/max-pairs", "true", ""},
        {"decision", R"({"quarantine": "no"})", "/decision/quarantine", "the text", "true or false"},
        {"decision", R"({"quarantine": 0})", "/decision/quarantine", "the number 0", "true or false"},
        {"sandbox", R"({"memory": 4})", "/sandbox/memory", "the number 4", "\"4GiB\""},
        {"sandbox", R"({"memory": "4gb"})", "/sandbox/memory", "4gb", ""},
        {"sandbox", R"({"disk": "1B"})", "/sandbox/disk", "1B", "1MiB"},
        {"sandbox", R"({"processes": 0})", "/sandbox/processes", "0", "from 1"},
        {"holdout-file", R"("private/none.json")", "/holdout-file", "does not exist", "held-out"},
        {"holdout-file", R"("../holdout.json")", "/holdout-file", "../holdout.json", "inside"},
        {"holdout-file", R"("/etc/passwd")", "/holdout-file", "/etc/passwd", "inside"},
        {"holdout-file", R"("./holdfast.json")", "/holdout-file", "holdfast.json", "another file"},
        {"holdout-file", R"("a\u0000b")", "/holdout-file", "\\x00", "without NUL"},
    });
}

TEST_CASE("wrong metrics are told") {
    const std::string standard_output = R"("from": "stdout", "pattern": "(.).")";
    const auto pattern = [](const std::string& text) {
        return metric_with(R"("from": "stdout", "pattern": ")" + text + '"');
    };
    const auto json = [](const std::string& members) { return metric_with("\"from\": \"json\", " + members); };
    const auto tool = [](const std::string& members) {
        return metric_with("\"from\": \"google-benchmark\", \"file\": \"r.json\", " + members);
    };
    check_rows({
        {"metrics", "[]", "/metrics", "an empty array", "an object"},
        {"metrics", "{\"wall\": {" + standard_output + "}}", "/metrics/wall", "the metric \"wall\"", "another name"},
        {"metrics", "{\"peak-memory\": {" + standard_output + "}}", "/metrics/peak-memory", "", "another name"},
        {"metrics", "{\"a\\nb\": {" + standard_output + "}}", "/metrics/a\nb", "a\\nb", "printable"},
        {"metrics", metric_with(R"("from": "stdout")"), "/metrics/m", "no \"pattern\"", "one group"},
        {"metrics", metric_with(R"("pattern": "(.).")"), "/metrics/m", "no \"from\"", "\"stdout\", \"json\""},
        {"metrics", metric_with(R"("from": "stdin")"), "/metrics/m/from", "stdin", "\"stdout\", \"json\""},
        {"metrics", metric_with(R"("from": "jhm")"), "/metrics/m/from", "jhm", "\"jmh\""},
        {"metrics", metric_with(R"("from": "jmh")"), "/metrics/m", "no \"file\"", "below {out}"},
        {"metrics", metric_with(R"("from": "jmh", "file": "../r")"), "/metrics/m/file", "../r", "below {out}"},
        {"metrics", tool(R"("path": "/a")"), "/metrics/m/path", "unknown key", ""},
        {"metrics", tool(R"("pattern": "(.).")"), "/metrics/m/pattern", "unknown key", ""},
        {"metrics", tool(R"("benchmark": "")"), "/metrics/m/benchmark", "the text \"\"", "as the file has it"},
        {"metrics", tool(R"("benchmark": 1)"), "/metrics/m/benchmark", "the number 1", "a name"},
        {"metrics", tool(R"("unit": "parsec")"), "/metrics/m/unit", "parsec", "it is a time"},
        {"metrics", tool(R"("value": "cpu-time", "unit": "rows")"), "/metrics/m/unit", "rows", "it is a time"},
        {"metrics", tool(R"("value": [])"), "/metrics/m/value", "an empty array", "a name"},
        {"metrics", json(R"("file": "r", "path": "/a", "benchmark": "b")"), "/metrics/m/benchmark", "unknown key", ""},
        {"metrics", tool(R"("accept-self-reported": "yes")"), "/metrics/m/accept-self-reported", "yes",
         "true or false"},
        {"metrics", tool(R"("proxy-for": "walk")"), "/metrics/m/proxy-for", "\"walk\"", "nearest: \"wall\""},
        {"metrics", tool(R"("proxy-for": "m")"), "/metrics/m/proxy-for", "itself", "no proxy"},
        {"metrics", tool(R"("proxy-for": 5)"), "/metrics/m/proxy-for", "the number 5", "users see"},
        {"metrics", pattern("("), "/metrics/m/pattern", "\"(\"", "regular expression"},
        {"metrics", pattern("a"), "/metrics/m/pattern", "0 groups", "exactly one"},
        {"metrics", pattern("(a)(b)"), "/metrics/m/pattern", "2 groups", "(?:...)"},
        {"metrics", pattern(std::string(600, '(')), "/metrics/m/pattern", "600 bytes", "500"},
        {"metrics", pattern("(x{1000}){1000}"), "/metrics/m/pattern", "", ""},
        {"metrics", json(R"("path": "/a")"), "/metrics/m", "no \"file\"", "{out}"},
        {"metrics", json(R"("file": "r.json")"), "/metrics/m", "no \"path\"", "JSON pointer"},
        {"metrics", json(R"("file": "{out}/../r", "path": "/a")"), "/metrics/m/file", "..", "below {out}"},
        {"metrics", json(R"("file": "{build}/r", "path": "/a")"), "/metrics/m/file", "{build}", "below {out}"},
        {"metrics", json(R"("file": "r", "path": "a")"), "/metrics/m/path", "\"a\"", "JSON pointer"},
        {"metrics", json(R"("file": "r", "path": "/a~2")"), "/metrics/m/path", "/a~2", ""},
        {"metrics", json(R"("file": "r", "path": "/a", "pattern": "(.).")"), "/metrics/m/pattern", "unknown key", ""},
        {"metrics", metric_with(standard_output + R"(, "better": "more")"), "/metrics/m/better", "more", "\"lower\""},
        {"metrics", metric_with(standard_output + R"(, "unit": "a\tb")"), "/metrics/m/unit", "a\\tb", "printable"},
        {"metrics", metric_with(standard_output + R"(, "workloads": [])"), "/metrics/m/workloads", "empty", ""},
        {"metrics", metric_with(standard_output + R"(, "workloads": ["skewd"])"), "/metrics/m/workloads/0",
         "unknown workload", "nearest: \"skewed\""},
        {"metrics", metric_with(standard_output + R"(, "workloads": ["skewed", "skewed"])"), "/metrics/m/workloads/1",
         "second time", ""},
        {"metrics", R"({"m": 1})", "/metrics/m", "the number 1", "an object"},
    });
}

TEST_CASE("the objective and the limits must be reported by every workload") {
    const std::string two = R"([{"name": "a", "run": ["p"], "check": {"stdout": "same"}},
                                {"name": "b", "run": ["p"], "check": {"stdout": "same"}}])";
    const std::string metric = metric_with(R"("from": "stdout", "pattern": "(.).", "workloads": ["a"])");
    CHECK(load(project_text({{"workloads", two}, {"metrics", metric}})));
    const auto objective = load(project_text({{"workloads", two}, {"metrics", metric}, {"objective", "\"m\""}}));
    REQUIRE_FALSE(objective);
    CHECK_THAT(all(objective.error()),
               ContainsSubstring("/objective: found the metric \"m\", which the workload \"b\" does not report"));
    const auto limit =
        load(project_text({{"workloads", two}, {"metrics", metric}, {"limits", R"({"m": {"at-most": 1}})"}}));
    REQUIRE_FALSE(limit);
    CHECK(limit.error().front().pointer == "/limits/m");
}

TEST_CASE("wrong workloads are told") {
    const std::string check = R"("check": {"stdout": "same"})";
    const auto checked_by = [](const std::string& text) {
        return R"([{"name": "w", "run": ["p"], "check": )" + text + "}]";
    };
    const auto named = [&](const std::string& name) {
        return "[{\"name\": \"" + name + "\", \"run\": [\"p\"], " + check + "}]";
    };
    const auto run = [&](const std::string& command) {
        return "[{\"name\": \"w\", \"run\": " + command + ", " + check + "}]";
    };
    check_rows({
        {"workloads", "", "", "no \"workloads\"", "at least one"},
        {"workloads", "{}", "/workloads", "an empty object", "an array"},
        {"workloads", "[]", "/workloads", "no workload with the role \"tuning\"", "at least one"},
        {"workloads", workloads_with(R"("role": "holdout")"), "/workloads", "no workload with the role", ""},
        {"workloads", workloads_with(R"("role": "tuing")"), "/workloads/0/role", "tuing", "nearest: \"tuning\""},
        {"workloads", R"([{"name": "w", "run": ["p"]}])", "/workloads/0", "no \"check\"", "answers wrongly"},
        {"workloads", checked_by("{}"), "/workloads/0/check", "an empty object", "answers wrongly"},
        {"workloads", checked_by("true"), "/workloads/0/check", "true", "an object"},
        {"workloads", checked_by(R"({"stdout": "similar"})"), "/workloads/0/check/stdout", "similar", "\"same\""},
        {"workloads", checked_by(R"({"stdout": {"numeric": {}}})"), "/workloads/0/check/stdout/numeric",
         "an empty object", "\"same\""},
        {"workloads", checked_by(R"({"files": {}})"), "/workloads/0/check/files", "an empty object", ""},
        {"workloads", checked_by(R"({"files": {"../x": "same"}})"), "/workloads/0/check/files/..~1x", "../x",
         "below {out}"},
        {"workloads", checked_by(R"({"files": {"x": 1}})"), "/workloads/0/check/files/x", "the number 1", "\"same\""},
        {"workloads", checked_by(R"({"command": []})"), "/workloads/0/check/command", "an empty array", "a command"},
        {"workloads", "[{\"name\": \"w\", " + check + "}]", "/workloads/0", "no \"run\"", "an array of texts"},
        {"workloads", "[{\"run\": [\"p\"], " + check + "}]", "/workloads/0", "no \"name\"", ""},
        {"workloads", named(std::string(101, 'x')), "/workloads/0/name", "...", "100 bytes"},
        {"workloads", named("a\\nb"), "/workloads/0/name", "a\\nb", "printable"},
        {"workloads", named(" a"), "/workloads/0/name", "\" a\"", "no space"},
        {"workloads", run("\"p\""), "/workloads/0/run", "the text \"p\"", "an array of texts"},
        {"workloads", run("[\"p\", 1]"), "/workloads/0/run/1", "the number 1", "a text"},
        {"workloads", run(R"(["p", "a\u0000"])"), "/workloads/0/run/1", "\\x00", "NUL"},
        {"workloads", run("[\"\"]"), "/workloads/0/run", "an array", "the program first"},
        {"workloads", run("[\"{knobs}\"]"), "/workloads/0/run", "an array", "the program first"},
        {"workloads", workloads_with(R"("weight": 0)"), "/workloads/0/weight", "the number 0", "above 0"},
        {"workloads", workloads_with(R"("weight": -1)"), "/workloads/0/weight", "-1", "above 0"},
        {"workloads", workloads_with(R"("weight": "2")"), "/workloads/0/weight", "the text", "a number"},
        {"workloads", workloads_with(R"("weight": 1e300)"), "/workloads/0/weight", "1e300", ""},
        {"workloads", workloads_with(R"("inputs": ["/etc/passwd"])"), "/workloads/0/inputs/0", "/etc/passwd", "inside"},
        {"workloads", workloads_with(R"("inputs": ["a/../b"])"), "/workloads/0/inputs/0", "a/../b", "\"..\""},
        {"workloads", workloads_with(R"("inputs": [""])"), "/workloads/0/inputs/0", "\"\"", ""},
        {"workloads", workloads_with(R"("inputs": ["."])"), "/workloads/0/inputs/0", "\".\"", ""},
        {"workloads", workloads_with(R"("inputs": ["data/"])"), "/workloads/0/inputs/0", "data/", ""},
        {"workloads", workloads_with(R"("inputs": ["a/x", "b/x"])"), "/workloads/0/inputs/1",
         "a second input called \"x\"", "different last"},
        {"workloads", workloads_with(R"("inputs": "x")"), "/workloads/0/inputs", "the text", "an array"},
        {"workloads", workloads_with(R"("prepare": ["p", "{out}"])"), "/workloads/0/prepare/1", "placeholder {out}",
         "{prepared}"},
    });
}

TEST_CASE("placeholders must be known where they stand") {
    const auto run = [](const std::string& words) {
        return R"([{"name": "w", "run": ["p", )" + words + R"(], "check": {"stdout": "same"}}])";
    };
    const auto judge = [](const std::string& word) {
        return R"([{"name": "w", "run": ["p"], "check": {"command": ["p", ")" + word + "\"]}}]";
    };
    check_rows({
        {"workloads", run("\"{ouut}/x\""), "/workloads/0/run/1", "placeholder {ouut}", "nearest: \"{out}\""},
        {"workloads", run("\"{expected}\""), "/workloads/0/run/1", "{expected}", "{inputs}"},
        {"workloads", run("\"a{source}b{xyz}\""), "/workloads/0/run/1", "{xyz}", ""},
        {"workloads", run("\"--x={knobs}\""), "/workloads/0/run/1", "inside a longer word", "a word of its own"},
        {"workloads", run("\"{knobs}\", \"{knobs}\""), "/workloads/0/run/2", "second time", "once"},
        {"workloads", run("\"${out}/x\""), "/workloads/0/run/1", "${out}", "without the $"},
        {"workloads", run("\"{prepared}/x\""), "/workloads/0/run", "without \"prepare\"", ""},
        {"workloads", judge("{knobs}"), "/workloads/0/check/command/1", "{knobs}", "{expected}"},
        {"workloads", judge("{prepared}"), "/workloads/0/check/command/1", "{prepared}", ""},
        {"build", R"([["cmake", "{source}", "{out}"]])", "/build/0/2", "{out}", "\"{source}\" or \"{build}\""},
        {"code", R"({"test": [["ctest", "{inputs}"]]})", "/code/test/0/1", "{inputs}", ""},
    });
    for (const char* fine : {"{print $1}", "{}", "{a,b}", "{\\\"a\\\": 1}", "${HOME}", "{", "}", "{source"}) {
        INFO(fine);
        CHECK(load(project_text({{"workloads", run("\"" + std::string(fine) + "\"")}})));
    }
}

TEST_CASE("wrong knobs are told") {
    const std::string boolean_type = R"("type": "boolean", "default": true)";
    const auto categorical = [](const std::string& values, const std::string& otherwise) {
        return knobs_with(R"("type": "categorical", "values": )" + values + ", \"default\": " + otherwise + ", " +
                          through);
    };
    const auto real = [](const std::string& members) {
        return knobs_with(R"("type": "real", )" + members + ", " + through);
    };
    const auto passed = [&](const std::string& pass) { return knobs_with(boolean_type + ", \"through\": " + pass); };
    const auto named = [&](const std::string& name) {
        return "[{\"name\": \"" + name + "\", " + boolean_type + ", " + through + "}]";
    };
    check_rows({
        {"knobs", "[1]", "/knobs/0", "the number 1", "an object"},
        {"knobs", "[{" + boolean_type + ", " + through + "}]", "/knobs/0", "no \"name\"", "block_rows"},
        {"knobs", named("Big"), "/knobs/0/name", "Big", "a-z first"},
        {"knobs", named("a-b"), "/knobs/0/name", "a-b", ""},
        {"knobs", named("1a"), "/knobs/0/name", "1a", ""},
        {"knobs", named("true"), "/knobs/0/name", "true", "no constant"},
        {"knobs", knobs_with(R"("default": 1, "type": "int", )" + through), "/knobs/0/type", "int",
         "\"integer\", \"real\""},
        {"knobs", knobs_with("\"default\": 1, " + through), "/knobs/0", "no \"type\"", "\"categorical\""},
        {"knobs", knobs_with("\"type\": \"boolean\", " + through), "/knobs/0", "no \"default\"", "baseline"},
        {"knobs", knobs_with(boolean_type), "/knobs/0", "no \"through\"", "\"cmake\""},
        {"knobs", knobs_with(R"("type": "boolean", "default": 1, )" + through), "/knobs/0/default", "the number 1",
         "true or"},
        {"knobs", integer_knob("1", "9", "10"), "/knobs/0/default", "10", "an integer from 1 to 9"},
        {"knobs", integer_knob("1", "9", "2.9"), "/knobs/0/default", "2.9", "an integer from 1 to 9"},
        {"knobs", integer_knob("1", "9", "2.0"), "/knobs/0/default", "2.0", "an integer"},
        {"knobs", integer_knob("1", "9", "\"2\""), "/knobs/0/default", "the text", "an integer"},
        {"knobs", integer_knob("1.5", "9", "2"), "/knobs/0/min", "1.5", "an integer from"},
        {"knobs", integer_knob("1", "99999999999999999999", "2"), "/knobs/0/max", "99999999999999999999", "an integer"},
        {"knobs", integer_knob("9", "1", "2"), "/knobs/0/max", "1", "above min, which is 9"},
        {"knobs", integer_knob("9", "9", "9"), "/knobs/0/max", "9", "above min"},
        {"knobs", integer_knob("0", "9", "2", R"(, "scale": "log")"), "/knobs/0/min", "0", "scale is log"},
        {"knobs", integer_knob("1", "9", "2", R"(, "scale": "logs")"), "/knobs/0/scale", "logs", "nearest: \"log\""},
        {"knobs", real(R"("min": 0, "max": 1e308, "default": 0)"), "/knobs/0/max", "1e308", "1e300"},
        {"knobs", real(R"("min": 0, "max": 1, "default": 1.5)"), "/knobs/0/default", "1.5", "a number from 0 to 1"},
        {"knobs", real(R"("max": 1, "default": 1.5)"), "/knobs/0", "no \"min\"", "a number"},
        {"knobs", categorical("[\"a\"]", "\"a\""), "/knobs/0/values", "an array", "at least two"},
        {"knobs", categorical("[]", "\"a\""), "/knobs/0/values", "an empty array", "at least two"},
        {"knobs", categorical("[\"a\", \"a\"]", "\"a\""), "/knobs/0/values/1", "second time", "each value once"},
        {"knobs", categorical("[\"a\", 1]", "\"a\""), "/knobs/0/values/1", "the number 1", "a text"},
        {"knobs", categorical("[\"a\", \"b\"]", "\"c\""), "/knobs/0/default", "the text \"c\"", "\"a\" or \"b\""},
        {"knobs", passed("{}"), "/knobs/0/through", "0 ways", "one of"},
        {"knobs", passed(R"({"argument": "{value}", "cmake": "X"})"), "/knobs/0/through", "2 ways", "one of"},
        {"knobs", passed(R"({"header": "x"})"), "/knobs/0/through/header", "unknown key", "\"argument\""},
        {"knobs", passed(R"({"argument": "--x"})"), "/knobs/0/through/argument", "--x", "{value}"},
        {"knobs", passed(R"({"argument": "--x={valeu}"})"), "/knobs/0/through/argument", "{valeu}", "{value}"},
        {"knobs", passed(R"({"argument": "{value}{out}"})"), "/knobs/0/through/argument", "{out}", "{value}"},
        {"knobs", passed(R"({"environment": "A=B"})"), "/knobs/0/through/environment", "A=B", "a variable"},
        {"knobs", passed(R"({"environment": "PATH"})"), "/knobs/0/through/environment", "decides what runs", "LD_*"},
        {"knobs", passed(R"({"environment": "LD_PRELOAD"})"), "/knobs/0/through/environment", "LD_PRELOAD",
         "other than"},
        {"knobs", passed(R"({"environment": ""})"), "/knobs/0/through/environment", "\"\"", "a variable"},
        {"knobs", passed(R"({"cmake": "X;Y"})"), "/knobs/0/through/cmake", "X;Y", "a variable"},
        {"knobs",
         "[{\"name\": \"a\", " + boolean_type + ", " + through + "}, {\"name\": \"a\", " + boolean_type + ", " +
             through + "}]",
         "/knobs/1/name", "a second knob called \"a\"", "each name once"},
        {"knobs",
         "[{\"name\": \"a\", " + boolean_type + R"(, "through": {"environment": "X"}}, {"name": "b", )" + boolean_type +
             R"(, "through": {"environment": "X"}}])",
         "/knobs/1/through", "the variable X", "of its own"},
        {"build", R"([["make"]])", "/knobs/1/through", "a cmake knob", "cmake"},
        {"knobs", passed(R"({"file": "a.ini", "format": "xml", "key": "k"})"), "/knobs/0/through/format", "\"xml\"",
         "\"template\""},
        {"knobs", passed(R"({"file": "a.ini", "key": "k"})"), "/knobs/0/through", "format", "\"ini\""},
        {"knobs", passed(R"({"file": "a.ini", "format": "ini"})"), "/knobs/0/through", "key", "the key"},
        {"knobs", passed(R"({"file": "a.ini", "format": "ini", "key": "a\nb"})"), "/knobs/0/through/key", "a\\nb",
         "printable"},
        {"knobs", passed(R"({"file": "../a.ini", "format": "ini", "key": "k"})"), "/knobs/0/through/file", "../a.ini",
         "inside"},
        {"knobs", passed(R"({"file": "./holdfast.json", "format": "json", "key": "name"})"), "/knobs/0/through/file",
         "holdfast.json", "not Holdfast's own"},
        {"knobs", passed(R"({"file": ".holdfast/x", "format": "ini", "key": "k"})"), "/knobs/0/through/file",
         ".holdfast/x", "not Holdfast's own"},
        {"knobs", passed(R"({"file": "data//skewed.bin", "format": "ini", "key": "k"})"), "/knobs/0/through/file",
         "data//skewed.bin", "neither a workload's input"},
        {"knobs", passed(R"({"file": "a.ini", "format": "ini", "key": "k", "cmake": "X"})"), "/knobs/0/through",
         "2 ways", "\"file\""},
        {"knobs", passed(R"({"cmake": "X", "key": "k"})"), "/knobs/0/through/key", "without \"file\"", "beside"},
        {"knobs",
         "[{\"name\": \"a\", " + boolean_type +
             R"(, "through": {"file": "a.ini", "format": "ini", "key": "k"}}, {"name": "b", )" + boolean_type +
             R"(, "through": {"file": "a.ini", "format": "ini", "key": "k"}}])",
         "/knobs/1/through", "the key k of a.ini", "of its own"},
    });
}

TEST_CASE("wrong constraints are told with the column inside them") {
    check_rows({
        {"constraints", "\"x\"", "/constraints", "the text", "an array"},
        {"constraints", "[1]", "/constraints/0", "the number 1", "an expression"},
        {"constraints", R"(["block_rows % 0.5 == 0"])", "/constraints/0", "column 12: % between", "two integers"},
        {"constraints", R"(["block_row > 1"])", "/constraints/0", "column 1: the unknown name", "\"block_rows\""},
        {"constraints", R"(["block_rows"])", "/constraints/0", "the text \"block_rows\"", "true or false"},
        {"constraints", R"(["simd", "block_rows > 600"])", "/constraints/1", "false under the defaults",
         "defaults meet"},
        {"constraints", R"(["1 / (block_rows - 512) > 1"])", "/constraints/0", "column 3: division by zero", "meet"},
    });
}
