// SPDX-License-Identifier: GPL-3.0-or-later
// What a CI server does: a branch proposed, two revisions compared, the answer as exit code, document and Markdown.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <sstream>
#include <string>

using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// The counter project on main, with branches made of it.
class Branched {
public:
    /// A branch on which `path` has this text; main is checked out again.
    void branch(const std::string& name, const std::string& path, const std::string& text) {
        git({"checkout", "-q", "-b", name, "main"});
        project_.repository().write(path, text);
        project_.repository().commit(name);
        git({"checkout", "-q", "main"});
    }
    /// One whose program counts from `base` in place of 200.
    void counting_from(const std::string& name, const std::string& base) {
        branch(name, "work.sh", replaced(project_.work(), "$((200 +", "$((" + base + " +"));
    }
    std::string git(const std::vector<std::string>& words) {
        return ScratchRepository::first_line(project_.repository().git(words));
    }
    Ran measure(std::vector<std::string> words) const {
        words.insert(words.begin(), {"measure", "--rounds", "8"});
        return project_.holdfast(words);
    }
    json document(std::vector<std::string> words, int code) const {
        words.emplace_back("--json");
        const Ran ran = measure(words);
        INFO(ran.out << ran.err);
        CHECK(ran.code == code);
        return json::parse(ran.out);
    }
    CounterProject& project() { return project_; }
    const fs::path& path() const { return project_.path(); }

private:
    CounterProject project_;
};

const std::string no_change = "no change";

std::int64_t samples_in(sqlite3* database) {
    sqlite3_stmt* query = nullptr;
    REQUIRE(sqlite3_prepare_v2(database, "SELECT count(*) FROM samples", -1, &query, nullptr) == SQLITE_OK);
    REQUIRE(sqlite3_step(query) == SQLITE_ROW);
    const std::int64_t count = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return count;
}

} // namespace

TEST_CASE("a branch is proposed as what it changed, and gets its verdict") {
    Branched branched;
    branched.counting_from("faster", "100");
    branched.project().repository().write("notes.txt", "others' work\n");
    branched.project().repository().commit("Others");
    const Ran queued = branched.project().holdfast({"propose", "--rev", "faster"});
    INFO(queued.err);
    REQUIRE(queued.code == 0);
    const std::string patch = branched.project().document({"show", "1"}).at("patch");
    CHECK_THAT(patch, ContainsSubstring("+echo \"{\\\"rows\\\": $((100 +"));
    CHECK(patch.find("notes.txt") == std::string::npos);
    REQUIRE(branched.project().holdfast({"run", "--trials", "0"}).code == 0);
    const json shown = branched.project().document({"show", "1"});
    CHECK(shown.at("verdict") == "generalises");
    branched.git({"merge", "-q", "-m", "Merge", "faster"});
    CHECK(shown.at("result-tree") == branched.git({"rev-parse", "HEAD^{tree}"}));
}

TEST_CASE("a branch that is no candidate is refused before it is queued") {
    Branched branched;
    branched.counting_from("faster", "100");
    branched.branch("guards", "tests/guard.sh", "#!/bin/sh\nexit 1\n");
    branched.branch("judge", "holdfast.json", "{}\n");
    struct Row {
        std::vector<std::string> words;
        int code;
        const char* found;
    };
    const std::vector<Row> rows = {
        {{"--rev", "fasterr"}, 2, "Did you mean faster?"},   {{"--rev", "main"}, 2, "HEAD has everything"},
        {{"--rev", "guards"}, 4, "tests/guard.sh"},          {{"--rev", "judge"}, 4, "holdfast.json"},
        {{"--rev", "faster", "--patch", "-"}, 2, "--patch"},
    };
    for (const Row& row : rows) {
        std::vector<std::string> words{"propose"};
        words.insert(words.end(), row.words.begin(), row.words.end());
        const Ran ran = branched.project().holdfast(words);
        INFO(ran.err);
        CHECK(ran.code == row.code);
        CHECK_THAT(ran.err, ContainsSubstring(row.found));
    }
    CHECK_FALSE(fs::exists(branched.path() / ".holdfast" / "history.sqlite"));
}

TEST_CASE("two revisions are compared and the exit code tells") {
    Branched branched;
    branched.counting_from("faster", "100");
    branched.counting_from("slower", "400");
    branched.branch("wrong", "work.sh", replaced(branched.project().work(), "the answer is", "the answer was"));
    branched.branch("broken", "work.sh", "exit 3\n");

    json document = branched.document({"--candidate", "faster", "--fail-on", "regresses"}, 0);
    CHECK(document.at("base") == branched.git({"rev-parse", "main"}));
    CHECK(document.at("candidate") == branched.git({"rev-parse", "faster"}));
    CHECK(document.at("effects").at("estimate").get<double>() < -0.1);
    CHECK(document.at("flags") == json({"self-reported"}));
    REQUIRE(document.at("notes").size() == 1);
    CHECK_THAT(document.at("notes")[0].get<std::string>(),
               ContainsSubstring("The objective rows is what the measured program tells of itself: rows −"));
    CHECK_THAT(branched.measure({"--candidate", "faster", "--format", "markdown"}).out,
               ContainsSubstring("self-reported: The objective rows"));
    document = branched.document({"--candidate", "slower", "--fail-on", "regresses"}, 3);
    CHECK(document.at("regresses") == true);
    CHECK(branched.measure({"--candidate", "slower"}).code == 0);
    CHECK(branched.document({"--candidate", "wrong"}, 3).at("verdict") == "incorrect");
    CHECK(branched.document({"--candidate", "broken"}, 3).at("verdict") == "failed");
    // The other way round, and from a HEAD that is on no branch.
    branched.git({"checkout", "-q", "--detach", "faster"});
    document = branched.document({"--base", "slower", "--candidate", "HEAD", "--fail-on", "regresses"}, 0);
    CHECK(document.at("effects").at("estimate").get<double>() < -0.3);
    CHECK(branched.measure({"--candidate", "slower", "--base", "fastre"}).code == 2);
    CHECK(branched.measure({"--base", "faster"}).code == 2);
    CHECK(branched.measure({"--candidate", "faster", "--set", "size=9"}).code == 2);
    CHECK(branched.measure({"--trial", "1"}).code == 2); // what it measured is not in the trial
    CHECK_THAT(branched.project().holdfast({"trials"}).out, ContainsSubstring("a commit"));
    CHECK(branched.project().holdfast({"audit"}).code == 0);
}

TEST_CASE("an argument that is empty, as an unset variable makes it, is refused by name") {
    const Branched branched;
    struct Row {
        std::vector<std::string> words;
        const char* name;
    };
    const std::vector<Row> rows = {
        {{"measure", "--base", "main", "--candidate", "", "--fail-on", "regresses"}, "--candidate"},
        {{"measure", "--base", "main", "--candidate=", "--fail-on", "regresses"}, "--candidate"},
        {{"measure", "--base", "", "--candidate", "main"}, "--base"},
        {{"measure", "--patch", ""}, "--patch"},
        {{"measure", "--trial", ""}, "--trial"},
        {{"measure", "--set", ""}, "--set"},
        {{"measure", "--workload", ""}, "--workload"},
        {{"measure", "--fail-on", ""}, "--fail-on"},
        {{"measure", "--format", ""}, "--format"},
        {{"measure", "--rounds", ""}, "--rounds"},
        {{"measure", "--seed", ""}, "--seed"},
        {{"measure", "-o", ""}, "--output"},
        {{"propose", "--rev", ""}, "--rev"},
        {{"run", "--tuner", ""}, "--tuner"},
        {{"run", "--budget", ""}, "--budget"},
        {{"run", "--fix", ""}, "--fix"},
        {{"show", ""}, "ID"},
        {{"history", ""}, "WORKLOAD"},
        {{"import", ""}, "FILE"},
        {{"-C", "", "trials"}, "-C"},
    };
    for (const Row& row : rows) {
        std::vector<std::string> argv{std::string(HOLDFAST_BIN_DIR) + "/holdfast"};
        argv.insert(argv.end(), row.words.begin(), row.words.end());
        const Ran ran = run_command(argv, branched.path(), {});
        INFO(row.name << ": " << ran.err);
        CHECK(ran.code == 2);
        CHECK_THAT(ran.err, ContainsSubstring(std::string(row.name) + " is empty"));
    }
    CHECK_FALSE(fs::exists(branched.path() / ".holdfast" / "history.sqlite"));
}

TEST_CASE("a comparison that ends in an error is over, and no study is offered to go on with") {
    Branched branched;
    branched.counting_from("faster", "100");
    CHECK(branched.measure({"--candidate", "faster"}).code == 0);
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open((branched.path() / ".holdfast" / "history.sqlite").c_str(), &database) == SQLITE_OK);
    sqlite3_busy_timeout(database, 10000);
    const std::int64_t before = samples_in(database);
    // Before it has begun, a trigger would be noticed and nothing added to the history.
    Command measuring(branched.project().command({"measure", "--rounds", "40", "--candidate", "faster"}),
                      branched.path(), branched.project().environment());
    while (samples_in(database) == before && !measuring.wait_for(std::chrono::milliseconds(10))) {
    }
    REQUIRE(sqlite3_exec(database,
                         "CREATE TRIGGER full BEFORE INSERT ON samples WHEN NEW.round >= 3 "
                         "BEGIN SELECT RAISE(ABORT, 'no room'); END",
                         nullptr, nullptr, nullptr) == SQLITE_OK);
    CHECK(measuring.wait().code == 1);
    REQUIRE(sqlite3_exec(database, "DROP TRIGGER full", nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
    const json trials = branched.project().document({"trials"}).at("trials");
    REQUIRE(trials.size() == 2);
    CHECK(trials[1].at("state") == "done");
    CHECK(trials[1].at("verdict") == "not-comparable");
    const Ran ran = branched.project().holdfast({"run", "--trials", "0"});
    INFO(ran.err);
    CHECK(ran.err.find("--resume") == std::string::npos);
    CHECK(branched.project().holdfast({"audit"}).code == 0);
}

TEST_CASE("a candidate that cannot be exported has failed, and its base is an error; both are named") {
    Branched branched;
    branched.git({"checkout", "-q", "-b", "leaving", "main"});
    fs::create_symlink("../../etc/passwd", branched.path() / "users");
    branched.project().repository().commit("leaving");
    branched.git({"checkout", "-q", "main"});
    const json document = branched.document({"--candidate", "leaving"}, 3);
    CHECK(document.at("verdict") == "failed");
    CHECK_THAT(document.at("stopped").get<std::string>(),
               ContainsSubstring(branched.git({"rev-parse", "leaving"})) && ContainsSubstring("leaves the repository"));
    const Ran ran = branched.measure({"--base", "leaving", "--candidate", "main"});
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring("baseline " + branched.git({"rev-parse", "leaving"})));
    // What compared revisions is no evidence of a candidate; nothing was tampered with.
    const Ran exported = branched.project().holdfast({"export", "1", "--format", "evidence"});
    CHECK(exported.code == 2);
    CHECK_THAT(exported.err, ContainsSubstring("trial 1 compared two revisions"));
    REQUIRE(branched.measure({"--candidate", "main"}).code == 0);
    CHECK_THAT(branched.project().holdfast({"export", "2", "--format", "evidence"}).err,
               ContainsSubstring("compared two revisions"));
}

TEST_CASE("why a candidate failed is told from the end of its log, which carries nobody's markup") {
    Branched branched;
    std::string script = "#!/bin/sh\nfor i in $(seq 100); do echo \"line $i\" >&2; done\n";
    script += "printf '```\\n\\033[31m@team last\\n' >&2\nexit 3\n";
    branched.branch("loud", "work.sh", script);
    const std::string log = branched.document({"--candidate", "loud"}, 3).at("log");
    CHECK_THAT(log, ContainsSubstring("last") && ContainsSubstring("line 90"));
    CHECK(log.find("line 60\n") == std::string::npos);
    CHECK(log.find('\033') == std::string::npos);
    CHECK_THAT(branched.measure({"--candidate", "loud"}).out, ContainsSubstring("The end of its log:"));
    const std::string markdown = branched.measure({"--candidate", "loud", "--format", "markdown"}).out;
    CHECK_THAT(markdown, ContainsSubstring("````text\n") && ContainsSubstring("@team last\n````\n"));
    CHECK(branched.document({"--candidate", "main"}, 0).at("log").is_null());
}

TEST_CASE("a candidate that is the baseline is told to be noise") {
    const Branched branched;
    CHECK_THAT(branched.measure({}).out, ContainsSubstring("The candidate is the baseline"));
    CHECK(branched.measure({"--set", "size=9"}).out.find("is the baseline") == std::string::npos);
}

TEST_CASE("what only the base changed is not said of the candidate") {
    Branched branched;
    branched.counting_from("older", "100");
    const std::string good = read_text(branched.path() / "holdfast.json");
    branched.project().repository().write("holdfast.json", good + "\n");
    branched.project().repository().write("tests/guard.sh", "#!/bin/sh\nexit 0 # newer\n");
    branched.project().repository().commit("Newer");
    const json notes = branched.document({"--candidate", "older"}, 0).at("notes");
    REQUIRE(notes.size() == 3); // and that the objective is the program's own word
    CHECK_THAT(notes[0].get<std::string>(), ContainsSubstring("lacks what the base changed in holdfast.json"));
    CHECK_THAT(notes[1].get<std::string>(),
               ContainsSubstring("lacks what the base changed in protected files") && ContainsSubstring("guard.sh"));
}

TEST_CASE("a candidate does not choose its judge, and what it changes of the judge is told") {
    Branched branched;
    const std::string good = read_text(branched.path() / "holdfast.json");
    branched.git({"checkout", "-q", "-b", "judge", "main"});
    branched.project().repository().write("holdfast.json",
                                          replaced(good, R"("objective": "rows")", R"("objective": "wall")"));
    branched.project().repository().write("tests/guard.sh", "#!/bin/sh\nexit 0 # always\n");
    branched.project().repository().write("work.sh", replaced(branched.project().work(), "the answer is", "answer:"));
    branched.project().repository().commit("judge");
    branched.git({"checkout", "-q", "main"});
    const json document = branched.document({"--candidate", "judge"}, 3);
    CHECK(document.at("verdict") == "incorrect"); // by main's check
    REQUIRE(document.at("notes").size() == 2);
    CHECK_THAT(document.at("notes")[0].get<std::string>(), ContainsSubstring("changes holdfast.json"));
    CHECK_THAT(document.at("notes")[1].get<std::string>(),
               ContainsSubstring("protected files") && ContainsSubstring("tests/guard.sh"));
    // The working tree's own project file takes no part.
    branched.project().repository().write("holdfast.json", "{");
    CHECK(branched.document({"--candidate", "main"}, 0).at("effects").at("metric") == "rows");
    CHECK_THAT(branched.document({"--candidate", "main"}, 0).at("notes")[0].get<std::string>(),
               ContainsSubstring("same files"));
    branched.git({"rm", "-q", "-f", "holdfast.json"});
    branched.git({"commit", "-q", "-m", "No project"});
    const Ran ran = branched.measure({"--candidate", "judge"});
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, ContainsSubstring("no such file in the commit"));
}

TEST_CASE("a setting in a file is measured as each revision has it") {
    Branched branched;
    const std::string good = read_text(branched.path() / "holdfast.json");
    branched.project().repository().write(
        "holdfast.json", replaced(good, R"("through": { "argument": "--size={value}" })",
                                  R"("through": { "file": "app.ini", "format": "ini", "key": "work.size" })"));
    branched.project().repository().write("app.ini", "[work]\nsize = 40\n"); // not the knob's default, 32
    branched.project().repository().write(
        "work.sh", replaced(branched.project().work(), "size=32\n",
                            "size=$(sed -n 's/^size = \\([0-9]*\\).*/\\1/p' \"${0%/*}/app.ini\")\n"));
    branched.project().repository().commit("Into a file");
    branched.branch("same", "work.sh", read_text(branched.path() / "work.sh") + "# the same\n");
    branched.branch("smaller", "app.ini", "[work]\nsize = 20\n");
    CHECK(branched.document({"--candidate", "same"}, 0).at("effects").at("estimate").get<double>() == Approx(0));
    // 200 + 10 * (20 - 8.5) over 200 + 10 * (40 - 8.5)
    CHECK(branched.document({"--candidate", "smaller"}, 0).at("effects").at("estimate").get<double>() ==
          Approx(-0.388).margin(0.005));
}

TEST_CASE("a shallow clone is told how to fetch what is missing") {
    Branched branched;
    branched.counting_from("faster", "100");
    branched.git({"commit", "-q", "--allow-empty", "-m", "Second"});
    const fs::path clone = branched.path() / ".git" / "clone";
    branched.git({"clone", "-q", "--depth", "1", "file://" + branched.path().string(), clone.string()});
    const auto measure = [&](const std::vector<std::string>& words) {
        std::vector<std::string> argv{
            std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", clone.string(), "measure", "--rounds", "6"};
        argv.insert(argv.end(), words.begin(), words.end());
        return run_command(argv, clone, branched.project().environment());
    };
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"--base", branched.git({"rev-parse", "HEAD~1"}), "--candidate", "HEAD"},
                                               {"--base", "HEAD~1", "--candidate", "HEAD"},
                                               {"--candidate", "faster"}}) {
        const Ran ran = measure(words);
        INFO(ran.err);
        CHECK(ran.code == 2);
        CHECK_THAT(ran.err, ContainsSubstring("git fetch --depth") && ContainsSubstring("fetch-depth: 0"));
    }
    CHECK(measure({"--candidate", "HEAD"}).code == 0); // without held-out workloads, which are in no commit
}

TEST_CASE("the Markdown says in words what was found and what was not, and carries nobody's markup") {
    Branched branched;
    branched.counting_from("faster", "100");
    branched.counting_from("slower", "400");
    const std::string hostile = "x`<img>@team|#1";
    branched.branch(hostile, "notes.txt", "nothing that is run\n");
    const auto markdown = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"--format", "markdown", "--candidate"};
        words.insert(words.end(), more.begin(), more.end());
        return branched.measure(words);
    };
    Ran ran = markdown({hostile});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("`` " + hostile + " ("));
    for (const char* words : {"no practical change (", "| workload | rows | rounds |", "| **all** |",
                              "Rule: lower rows", "isolation L", "Machine: ", "no held-out question was asked",
                              "after 8 rounds", "What this does not show", "tests pass: they were not run"})
        CHECK_THAT(ran.out, ContainsSubstring(words));
    CHECK(ran.out.find(no_change) == std::string::npos);
    CHECK(ran.out.find(branched.path().string()) == std::string::npos);

    ran = markdown({"slower", "--fail-on", "regresses"});
    CHECK(ran.code == 3);
    CHECK_THAT(ran.out, ContainsSubstring("**shown worse; over all workloads worse: ") &&
                            ContainsSubstring("- shown not to hold: "));
    ran = markdown({"faster", "--workload", "unseen"});
    CHECK_THAT(ran.out, ContainsSubstring("unseen (held-out)"));
    CHECK(ran.out.find("no held-out question") == std::string::npos);

    const std::string file = (branched.path() / ".git" / "report.md").string();
    CHECK(markdown({"faster", "-o", file, "--json"}).code == 0);
    CHECK_THAT(read_text(file), ContainsSubstring("**better: "));
    CHECK(markdown({"faster", "-o", file}).code == 2);
    CHECK(markdown({"faster", "-o", file, "--force"}).out.empty());
}

TEST_CASE("the ready files for CI servers name commands and options that there are") {
    const CounterProject project;
    const std::string help = project.holdfast({"measure", "--help"}).out;
    for (const char* name : {"github-workflow.yml", "gitlab-ci.yml"}) {
        const std::string text = read_text(fs::path(HOLDFAST_SOURCE_DIR) / "resources" / "ci" / name);
        const std::size_t at = text.find("holdfast measure ");
        REQUIRE(at != std::string::npos);
        std::istringstream words(text.substr(at, text.find('\n', at) - at));
        std::size_t options = 0;
        for (std::string word; words >> word;)
            if (word.starts_with("-")) {
                INFO(name << ": " << word);
                CHECK_THAT(help, ContainsSubstring(word));
                ++options;
            }
        CHECK(options >= 4);
        CHECK_THAT(text, ContainsSubstring("scripts/install-packages") && ContainsSubstring("holdfast doctor"));
    }
}
