// SPDX-License-Identifier: GPL-3.0-or-later
// Changed lines that no workload runs, in C, in Python, and where it cannot be told.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"

using namespace holdfast::test;
using nlohmann::json;

namespace {

const std::string c_program = R"c(#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cost(const char *how) {
    if (strcmp(how, "seldom") == 0) {
        int more = 3;
        return 100 + more;
    }
    return 100;
}

int main(int argc, char **argv) {
    FILE *file = fopen("steps.json", "w");
    fprintf(file, "{\"steps\": %d}", cost(argc > 1 ? argv[1] : ""));
    fclose(file);
    puts("done");
    return 0;
}
)c";

const std::string python_program = R"py(import json, sys

def cost(how):
    if how == "seldom":
        return 103
    return 100

json.dump({"steps": cost(sys.argv[1])}, open("steps.json", "w"))
print("done")
)py";

std::string project(const std::string& build, const std::string& run, const std::string& editable) {
    return R"({ "name": "covered", "build": )" + build + R"(, "objective": "steps",
  "metrics": { "steps": { "from": "json", "file": "steps.json", "path": "/steps", "accept-self-reported": true } },
  "workloads": [ { "name": "usual", "run": )" +
           run + R"(, "check": { "stdout": "same" } } ],
  "code": { "editable": [")" +
           editable + R"("] }, "probe": { "sanitizers": [], "inputs": 0 }, "decision": { "max-pairs": 60 } })";
}

/// The gate's row, and what the export says was not tested.
struct Told {
    std::string result, reason, not_tested;
};

Told told(const WrittenProject& project, const std::string& patch) {
    const Ran queued = project.holdfast({"propose", "--patch", patch});
    INFO(queued.err);
    REQUIRE(queued.code == 0);
    project.run();
    const json trial = project.trial("1");
    INFO(trial.dump(1));
    CHECK_THAT(trial.at("flags").dump(), ContainsSubstring("\"not held out\"")); // it passed; coverage fails nothing
    Told found;
    for (const json& gate : trial.at("gates"))
        if (gate.at("gate") == "coverage")
            found = {gate.at("result"), gate.at("reason"), ""};
    for (const json& gate : trial.at("evidence-document").at("gates"))
        if (gate.at("gate") == "coverage")
            CHECK(gate.at("reason") == found.reason);
    found.not_tested = json::parse(project.holdfast({"export", "1", "--format", "json"}).out).at("not-tested").dump();
    CHECK(project.holdfast({"audit"}).code == 0);
    return found;
}

const std::string make_build = R"([["make", "-f", "{source}/Makefile", "VPATH={source}", "{build}/program"]])";
const std::string makefile = "$(MAKECMDGOALS): program.c\n\t$(CC) $(CFLAGS) $(LDFLAGS) $< -o $@\n";

} // namespace

TEST_CASE("changed lines of C that no workload runs are named") {
    const std::map<std::string, std::string> files{
        {"Makefile", makefile},
        {"program.c", c_program},
        {"holdfast.json", project(make_build, R"(["{build}/program", "often"])", "program.c")}};
    const WrittenProject covered(files);
    const Told all = told(covered, covered.patch("program.c", "return 100;", "return 60;"));
    CHECK(all.result == "pass");
    CHECK(all.reason ==
          "each of 1 changed line with code of its own (1 changed) was run, at least in part, by a workload");

    const WrittenProject partly(files);
    const std::string patch =
        partly.patch("program.c", "        int more = 3;\n        return 100 + more;\n    }\n    return 100;",
                     "        int more = 2;\n        return 101 + more;\n    }\n    return 60;");
    const Told some = told(partly, patch);
    CHECK(some.result == "stop");
    CHECK(some.reason == "program.c lines 7-8 are run by no workload");
    CHECK_THAT(some.not_tested, ContainsSubstring("run by no workload"));
}

TEST_CASE("changed lines of Python that no workload runs are named") {
    const WrittenProject python(
        {{"program.py", python_program},
         {"holdfast.json", project("[]", R"(["python3", "{source}/program.py", "often"])", "program.py")}});
    const Told some = told(
        python, python.patch("program.py", "        return 103\n    return 100", "        return 102\n    return 60"));
    CHECK(some.result == "stop");
    CHECK(some.reason == "program.py line 5 is run by no workload");
    CHECK_THAT(python.holdfast({"show", "1"}).out, ContainsSubstring("told"));
}

TEST_CASE("lines of C that nothing counts are never told as run") {
    const std::map<std::string, std::string> files{
        {"Makefile", makefile},
        {"program.c", c_program},
        {"holdfast.json", project(make_build, R"(["{build}/program", "often"])", "program.c")}};
    const auto changed = [&](const std::string& from, const std::string& to) {
        const WrittenProject hidden(files);
        const Told found =
            told(hidden, hidden.patch("program.c", from, replaced(to, "return 100;\n}\n", "return 60;\n}\n")));
        CHECK(found.result == "stop");
        CHECK(found.reason.find("each of") == std::string::npos);
        CHECK_THAT(found.not_tested, ContainsSubstring("told") || ContainsSubstring("unknown"));
        return found.reason;
    };
    const std::string body =
        c_program.substr(c_program.find("static int"), c_program.find("int main") - c_program.find("static int"));
    const std::string seldom = "        int more = 3;\n        return 100 + more;\n";
    CHECK_THAT(changed(body, "static int rare(void);\n" + body +
                                 "__attribute__((no_profile_instrument_function)) static int rare(void) {\n"
                                 "    return 3;\n}\n"),
               ContainsSubstring("unknown: program.c: line 14 has no_profile"));
    CHECK_THAT(changed(body, replaced(body, seldom, "#line 15\n        return 101;\n#line 9\n")),
               ContainsSubstring("is a #line"));
    CHECK_THAT(
        changed(body, replaced(body, seldom, "#ifndef __OPTIMIZE__\n" + seldom + "#else\n" + seldom + "#endif\n")),
        ContainsSubstring("so that what counts"));
    // A declaration is no comment: nothing says that it is run.
    CHECK(changed(body, "static int rare(void);\n\n// Seldom.\n" + body) ==
          "1 of 4 changed lines was run, at least in part, by a workload; could not be told: program.c line 5, which "
          "gcov does not name");
}

TEST_CASE("code of Python in texts and lambdas is never told as run") {
    const std::map<std::string, std::string> files{
        {"program.py", python_program},
        {"holdfast.json", project("[]", R"(["python3", "{source}/program.py", "often"])", "program.py")}};
    const WrittenProject hidden(files);
    const Told found = told(hidden, hidden.patch("program.py", "    return 100\n",
                                                 "    return 60\n\nrare = lambda x: x * 3\n"
                                                 "exec('''\ndef more(x):\n    return x\n''')\n"));
    CHECK(found.result == "stop");
    CHECK_THAT(found.reason, ContainsSubstring("could not be told: program.py") &&
                                 ContainsSubstring("which Python's trace does not name") &&
                                 ContainsSubstring("may run later or never"));
    CHECK(found.reason.find("each of") == std::string::npos);
    CHECK_THAT(found.not_tested, ContainsSubstring("could not be told"));

    const WrittenProject deaf(files);
    const Told none = told(deaf, deaf.patch("program.py", "    return 100\n", "    return 60\n\nsys.settrace(None)\n"));
    CHECK(none.reason == "coverage of the changed lines is unknown: program.py: line 8 changes who follows its lines");
}

TEST_CASE("where coverage cannot be told it says so") {
    const std::string shell = "echo '{\"steps\": 100}' > steps.json\necho done\n";
    const WrittenProject script(
        {{"program.sh", shell}, {"holdfast.json", project("[]", R"(["sh", "{source}/program.sh"])", "program.sh")}});
    const Told none = told(script, script.patch("program.sh", "100", "60"));
    CHECK(none.result == "stop");
    CHECK(none.reason == "coverage of the changed lines is unknown: program.sh: no way is known to follow it");
    CHECK_THAT(none.not_tested, ContainsSubstring("unknown"));

    // A build that takes nothing from its environment.
    const WrittenProject closed(
        {{"program.c", c_program},
         {"holdfast.json", project(R"([["gcc", "{source}/program.c", "-o", "{build}/program"]])",
                                   R"(["{build}/program", "often"])", "program.c")}});
    const Told deaf = told(closed, closed.patch("program.c", "return 100;", "return 60;"));
    CHECK(deaf.result == "stop");
    CHECK_THAT(deaf.reason,
               ContainsSubstring("coverage of the changed lines is unknown: program.c: no run left counters"));
}
