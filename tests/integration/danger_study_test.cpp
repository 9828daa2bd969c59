// SPDX-License-Identifier: GPL-3.0-or-later
// A change that wins by promising less is never a silent win: through a whole study to the person who approves.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tests/terminal.hpp"

#include <string>

using namespace holdfast::test;

namespace {

/// The counter project, which is faster with --fsync=off, and a patch that is as fast and edits db.conf.
void make_syncing(CounterProject& project) {
    ScratchRepository& repository = project.repository();
    const std::string file = read_text(project.path() / "holdfast.json");
    repository.write("work.sh", replaced(project.work(), "distance=$((size - best))",
                                         "case \"$*\" in *--fsync=off*) size=$((best + 3)) ;; esac\n"
                                         "distance=$((size - best))"));
    repository.write("holdfast.json", replaced(replaced(file, "\"knobs\": [",
                                                        R"("knobs": [{ "name": "flush", "type": "categorical", "values":
              ["on", "off"], "default": "on", "through": { "argument": "--fsync={value}" } }, )"),
                                               R"("editable": ["work.sh"])", R"("editable": ["work.sh", "db.conf"])"));
    repository.write("db.conf", "port = 1\nsynchronous_commit = on\n");
    repository.commit("a program that waits for the disk");
    run_command({"git", "config", "user.name", "Ada"}, project.path());
    run_command({"git", "config", "user.email", "ada@example.org"}, project.path());
}

const std::string patch = R"(--- a/work.sh
+++ b/work.sh
@@ -9,1 +9,1 @@
-distance=$((size - best))
+distance=2
--- a/db.conf
+++ b/db.conf
@@ -1,2 +1,2 @@
 port = 1
-synchronous_commit = on
+synchronous_commit = off
)";

Ran approve(const CounterProject& project, const std::string& answer, const std::string& trial) {
    return run_on_terminal(project.command({"approve", trial}), project.path(), project.environment(),
                           {{"[yes/no]", answer}, {"type the proposal's number:", trial}});
}

} // namespace

TEST_CASE("a win by a durability knob or line generalises with its flag and is not approved without it") {
    CounterProject project({8, 7, true});
    make_syncing(project);
    const ScratchFolder folder;
    write_text(folder.path() / "c.patch", patch);
    REQUIRE(project.holdfast({"propose", "--set", "flush=off"}).code == 0);
    const Ran proposed = project.holdfast({"propose", "--patch", (folder.path() / "c.patch").string()});
    INFO(proposed.err);
    REQUIRE(proposed.code == 0);
    const Ran ran = project.holdfast({"run", "--tuner", "patch", "--seed", "1"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);

    const std::vector<std::string> flags{"durability: fsync = off", "durability: synchronous_commit = off"};
    const auto trials = project.document({"trials"}).at("trials");
    REQUIRE(trials.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string number = std::to_string(i + 1);
        CHECK(trials[i].at("verdict") == "generalises");
        CHECK(trials[i].at("flags") == nlohmann::json({"self-reported", flags[i]}));
        CHECK(project.document({"show", number}).at("flags") == nlohmann::json({"self-reported", flags[i]}));
        CHECK(project.holdfast({"show", number}).out.find("flag       " + flags[i] + ": ") != std::string::npos);

        const Ran declined = approve(project, "no", number);
        CHECK(declined.code == 4);
        CHECK(declined.out.find("flag: self-reported") != std::string::npos);
        CHECK(declined.out.find("was not acknowledged") != std::string::npos);
        CHECK(project.holdfast({"apply", number}).code == 4);
    }
    const Ran approved = approve(project, "yes", "1");
    INFO(approved.out);
    CHECK(approved.out.find("flag: " + flags[0]) != std::string::npos);
    CHECK(approved.code == 0);

    // Wherever trials are chosen among, and wherever the change goes.
    for (const std::string& flag : flags) {
        CHECK(ran.out.find("! " + flag) != std::string::npos);
        CHECK(project.holdfast({"trials"}).out.find("! " + flag) != std::string::npos);
        CHECK(project.holdfast({"compare", "1", "2"}).out.find("! " + flag) != std::string::npos);
    }
    CHECK(project.holdfast({"export", "1", "--format", "markdown"}).out.find("\\! durability: fsync = off") !=
          std::string::npos);
    for (const char* format : {"env", "postgresql", "redis", "ini", "sysctl"}) {
        const Ran exported = project.holdfast({"export", "1", "--format", format});
        INFO(format << exported.err);
        CHECK(exported.out.find("# ! durability: fsync = off. ") != std::string::npos);
    }
    const std::string line = "\nAcknowledged: durability: fsync = off\n";
    CHECK(project.holdfast({"export", "1", "--format", "patch"}).out.find(line) != std::string::npos);
    const Ran planned = project.holdfast({"apply", "1", "--dry-run"});
    CHECK(planned.out.find("flag    ! durability: fsync = off\n") != std::string::npos);
    CHECK(planned.out.find(line) != std::string::npos);
    REQUIRE(project.holdfast({"apply", "1"}).code == 0);
    CHECK(run_command({"git", "log", "-1", "--format=%B", "holdfast/1/1"}, project.path()).out.find(line) !=
          std::string::npos);
}

TEST_CASE("measure says what a knob or a revision costs beside its number") {
    CounterProject project({8, 7, true});
    make_syncing(project);
    project.repository().write("db.conf", "port = 1\nsynchronous_commit = off\n");
    project.repository().commit("commits do not wait");
    struct Row {
        std::vector<std::string> what;
        std::string flag;
    };
    const std::vector<Row> rows = {
        {{"--set", "flush=off"}, "durability: fsync = off"},
        {{"--base", "HEAD~1", "--candidate", "HEAD"}, "durability: synchronous_commit = off"},
    };
    std::size_t number = 0;
    for (const Row& row : rows) {
        std::vector<std::string> arguments{"measure", "--rounds", "8"};
        arguments.insert(arguments.end(), row.what.begin(), row.what.end());
        const Ran text = project.holdfast(arguments);
        INFO(text.out << text.err);
        CHECK(text.out.find("flag: ! " + row.flag) != std::string::npos);
        arguments.insert(arguments.end(), {"--format", "markdown"});
        const std::string report = project.holdfast(arguments).out, headline = report.substr(0, report.find("\n\nThe"));
        INFO(report);
        CHECK(headline.find("**\\! durability: ") != std::string::npos);
        number += 2;
        CHECK(project.holdfast({"show", std::to_string(number)}).out.find("flag       " + row.flag + ": ") !=
              std::string::npos);
        CHECK(project.document({"show", std::to_string(number)}).at("flags") == nlohmann::json{row.flag});
    }
}

TEST_CASE("measure says what a look at the change finds") {
    CounterProject project({8, 7, true});
    project.repository().write("work.sh", project.work() + ": \"/proc/meminfo\"\n");
    project.repository().commit("asks where it runs");
    const Ran text = project.holdfast({"measure", "--rounds", "8", "--base", "HEAD~1", "--candidate", "HEAD"});
    INFO(text.out << text.err);
    CHECK(text.out.find("flag: look: surroundings: work.sh:") != std::string::npos);
    CHECK(project.document({"show", "1"}).at("flags").dump().find("\"look: surroundings\"") != std::string::npos);

    // Before anything measured it, too.
    const std::string before = project.work() + ": \"/proc/meminfo\"\n";
    project.repository().write("work.sh", before + ": \"/proc/cpuinfo\"\n");
    const std::string patch = run_command({"git", "diff"}, project.path()).out;
    project.repository().write("work.sh", before);
    project.repository().write("change.patch", patch);
    const Ran queued = project.holdfast({"propose", "--patch", "change.patch"});
    INFO(queued.out << queued.err);
    REQUIRE(queued.code == 0);
    CHECK(project.holdfast({"show", "2"}).out.find("flag       look: surroundings: work.sh:") != std::string::npos);
}
