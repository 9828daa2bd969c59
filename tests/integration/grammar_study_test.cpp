// SPDX-License-Identifier: GPL-3.0-or-later
// Servers, generated inputs, conditions, tolerances, fetch and what the sandbox lets in, measured for real.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"

#include <utility>

using namespace holdfast::test;

namespace {

using Files = std::map<std::string, std::string>;

class Tried : public WrittenProject {
public:
    Tried(const std::string& project, Files files) : WrittenProject(with(std::move(files), project)) {}

    /// The largest value of the metric `asked` among all samples.
    int most_asked() const {
        const Ran ran = run_command({"sqlite3", (path() / ".holdfast" / "history.sqlite").string(),
                                     "SELECT max(json_extract(metrics_json, '$.asked')) FROM samples"},
                                    path(), {});
        return std::stoi(ran.out);
    }

private:
    static Files with(Files files, const std::string& project) {
        files["holdfast.json"] = project;
        return files;
    }
};

const char* const server = R"py(import os, socket, sys
port, data, size = int(sys.argv[1]), sys.argv[2], int(sys.argv[3].split("=")[1])
with open(os.path.join(data, "loaded")) as loaded:
    value = loaded.read().strip()
open(os.path.join(data, "written"), "w").write("mine")
listener = socket.create_server(("127.0.0.1", port))
count = 0
while True:
    connection, _ = listener.accept()
    word = connection.recv(100).decode().strip()
    if word == "quit":
        break
    if word == "ask":
        count += 1
        total = sum(i % 7 for i in range(size * 1000))
    connection.sendall((value + " " + str(count if word == "count" else 0) + "\n").encode())
    connection.close()
)py";

const char* const client = R"py(import socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
connection.sendall((sys.argv[2] + "\n").encode())
print(connection.recv(100).decode().split(" ")[0].strip())
if len(sys.argv) > 3:
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
    connection.sendall(b"count\n")
    open("asked.json", "w").write('{"asked": ' + connection.recv(100).decode().split(" ")[1].strip() + "}")
)py";

std::string served(const std::string& more) {
    return R"({ "name": "served", "build": [],
  "metrics": { "asked": { "from": "json", "file": "asked.json", "path": "/asked", "accept-self-reported": true } },
  "objective": "asked",
  "timeouts": { "run": "20s", "ready": "10s" },
  "workloads": [ { "name": "ask", "prepare": ["sh", "-c", "echo loaded > {prepared}/loaded"],
    "start": ["python3", "{source}/server.py", "{port}", "{scratch}", "{knobs}"],
    "ready": ["python3", "{source}/client.py", "{port}", "ping"],
    "stop": ["python3", "{source}/client.py", "{port}", "quit"],
    "run": ["python3", "{source}/client.py", "{port}", "ask", "count"],
    "check": { "stdout": "same" })" +
           more + R"( } ],
  "knobs": [ { "name": "size", "type": "integer", "min": 1, "max": 9, "default": 1, "through": { "argument": "--size={value}" } } ] })";
}

} // namespace

TEST_CASE("a server is fresh for every run, with a private copy of what prepare made") {
    const Tried project(served(""), {{"server.py", server}, {"client.py", client}});
    // Each run's server has been asked once, so both arms count 1 in every pair.
    CHECK(project.measured({"--set", "size=2"}).estimate == 0);
    CHECK(project.most_asked() == 1);
}

TEST_CASE("a kept server answers all runs of a session") {
    const Tried project(served(R"(, "keep": true)"), {{"server.py", server}, {"client.py", client}});
    CHECK(project.measured({"--set", "size=2"}).estimate == 0); // both arms count up alike
    CHECK(project.most_asked() == 7);                           // the warm-up and six rounds
}

TEST_CASE("a kept server that does not stop is told once") {
    std::string stubborn = server;
    stubborn = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + stubborn;
    std::string text = replaced(served(R"(, "keep": true)"), "\"10s\"", "\"4s\"");
    text = replaced(text, R"("stop": ["python3", "{source}/client.py", "{port}", "quit"],)", "");
    const Tried project(text, {{"server.py", stubborn}, {"client.py", client}});
    const Ran ran = project.holdfast({"measure", "--set", "size=2", "--rounds", "6"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    const std::string said = "workload ask: the server did not stop within 4 s";
    CHECK_THAT(ran.err, ContainsSubstring(said));
    CHECK(ran.err.find(said) == ran.err.rfind(said));
}

TEST_CASE("a server that never becomes ready says so, with its words") {
    const Tried project(served(""),
                        {{"server.py", "print('no port for me')\nraise SystemExit(3)\n"}, {"client.py", client}});
    const Ran ran = project.holdfast({"measure", "--set", "size=2", "--rounds", "6"});
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring("before it was ready") && ContainsSubstring("no port for me"));
}

TEST_CASE("generated inputs are the same for both arms, one after the other") {
    const std::string project = R"({ "name": "generated", "build": [],
  "metrics": { "seed": { "from": "json", "file": "seed.json", "path": "/seed", "accept-self-reported": true } }, "objective": "seed",
  "workloads": [ { "name": "w", "generate": ["sh", "-c", "echo {seed} >> {generated}/seed"], "seeds": [5, 7, 9],
    "run": ["sh", "{source}/run.sh", "{generated}/seed", "{knobs}"], "check": { "stdout": "same" } } ],
  "knobs": [ { "name": "pad", "type": "integer", "min": 1, "max": 9, "default": 1, "through": { "argument": "{value}" } } ] })";
    const Tried tried(
        project, {{"run.sh", "read -r seed < \"$1\"; echo \"{\\\"seed\\\": $seed}\" > seed.json; echo seed $seed\n"}});
    CHECK(tried.measured({"--set", "pad=2"}).estimate == 0);
    // A program that knows one seed only is wrong on the others.
    const std::string cheat = "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-read -r seed < \"$1\"; echo \"{\\\"seed\\\": "
                              "$seed}\" > seed.json; echo seed $seed\n"
                              "+echo '{\"seed\": 5}' > seed.json; echo seed 5\n";
    const ScratchFolder folder;
    write_text(folder.path() / "cheat.patch", cheat);
    const std::string editable = project.substr(0, project.size() - 1) + R"(, "code": { "editable": ["run.sh"] } })";
    const Tried open(
        editable, {{"run.sh", "read -r seed < \"$1\"; echo \"{\\\"seed\\\": $seed}\" > seed.json; echo seed $seed\n"}});
    const auto wrong = open.measured({"--patch", (folder.path() / "cheat.patch").string()});
    CHECK(wrong.verdict == "incorrect");
}

TEST_CASE("a tolerance lets rounding pass and nothing more") {
    const auto project = [](const std::string& tolerance) {
        return R"({ "name": "numeric", "build": [],
  "workloads": [ { "name": "w", "run": ["sh", "{source}/run.sh", "{knobs}"], "check": { "stdout": { "numeric": )" +
               tolerance + R"( } } } ],
  "knobs": [ { "name": "last", "type": "integer", "min": 1, "max": 9, "default": 1, "through": { "argument": "{value}" } } ] })";
    };
    const std::map<std::string, std::string> files{{"run.sh", "echo sum 3.14159$1 of 10\n"}};
    CHECK(Tried(project(R"({ "rtol": 1e-5 })"), files).measured({"--set", "last=7"}).verdict.empty());
    CHECK(Tried(project(R"({ "rtol": 1e-8 })"), files).measured({"--set", "last=7"}).verdict == "incorrect");
}

TEST_CASE("a make knob builds another program, a condition leaves one out") {
    const std::string project = R"({ "name": "made", "build": [["make", "-f", "{source}/Makefile", "B={build}"]],
  "metrics": { "level": { "from": "json", "file": "level.json", "path": "/level", "accept-self-reported": true } }, "objective": "level",
  "workloads": [ { "name": "w", "run": ["{build}/program"], "check": { "stdout": "same" } } ],
  "knobs": [ { "name": "level", "type": "integer", "min": 1, "max": 9, "default": 4, "through": { "make": "LEVEL" } },
             { "name": "extra", "type": "integer", "min": 0, "max": 9, "default": 0, "when": "level < 3", "through": { "make": "EXTRA" } } ] })";
    const std::string makefile = "EXTRA = 0\nall:\n\tprintf '#!/bin/sh\\necho \"{\\\\\"level\\\\\": $$(($(LEVEL) + "
                                 "$(EXTRA)))}\" > level.json\\necho done\\n' > $(B)/program\n\tchmod +x $(B)/program\n";
    const Tried tried(project, {{"Makefile", makefile}});
    CHECK(tried.measured({"--set", "level=8"}).estimate == Approx(1.0));
    CHECK(tried.measured({"--set", "level=2", "--set", "extra=1"}).estimate == Approx(-0.25));
    const Ran refused = tried.holdfast({"measure", "--set", "extra=1", "--rounds", "6"});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, ContainsSubstring("level < 3"));
}

TEST_CASE("fetch needs consent, sees the network once, and its result is read-only for both arms") {
    const std::string project = R"({ "name": "fetched", "build": [], "fetch": [["sh", "{source}/fetch.sh", "{deps}"]],
  "workloads": [ { "name": "w", "run": ["sh", "{source}/run.sh", "{deps}", "{knobs}"], "check": { "stdout": "same" } } ],
  "knobs": [ { "name": "pad", "type": "integer", "min": 1, "max": 9, "default": 1, "through": { "argument": "{value}" } } ] })";
    const Tried tried(project,
                      {{"fetch.sh", "date +%s%N > \"$1/when\"; echo fetched > \"$1/what\"\n"},
                       {"run.sh", "cat \"$1/what\"; echo x > \"$1/what\" 2>/dev/null && echo written; true\n"}});
    const Ran refused = tried.holdfast({"measure", "--set", "pad=2", "--rounds", "6"});
    CHECK(refused.code == 4);
    CHECK_THAT(refused.err, ContainsSubstring("--fetch") && ContainsSubstring("fetch.sh"));
    CHECK(tried.measured({"--set", "pad=2", "--fetch"}).verdict.empty());
    CHECK(tried.measured({"--set", "pad=3"}).verdict.empty()); // kept: nothing to agree to
}

TEST_CASE("what the sandbox section lets in is seen, and the rest is not") {
    const ScratchFolder outside;
    write_text(outside.path() / "data", "from outside\n");
    write_text(outside.path() / "secret", "hidden\n");
    std::filesystem::permissions(outside.path(), std::filesystem::perms::others_all,
                                 std::filesystem::perm_options::add);
    const std::string project = R"({ "name": "outside", "build": [],
  "workloads": [ { "name": "w", "run": ["sh", "{source}/run.sh", "{knobs}"], "check": { "stdout": "same", "command": ["grep", "-q", "^from outside marked$", "{out}/seen"] } } ],
  "sandbox": { "read": [")" + (outside.path() / "data").string() +
                                R"("], "environment": ["MARK"] },
  "knobs": [ { "name": "pad", "type": "integer", "min": 1, "max": 9, "default": 1, "through": { "argument": "{value}" } } ] })";
    const Tried tried(
        project, {{"run.sh", "echo \"$(cat " + (outside.path() / "data").string() + ") $MARK$OTHER\" > seen; cat " +
                                 (outside.path() / "secret").string() + " 2>/dev/null; echo end\n"}});
    const Ran ran = tried.holdfast({"measure", "--rounds", "6", "--set", "pad=2"}, {"MARK=marked", "OTHER=no"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
}
