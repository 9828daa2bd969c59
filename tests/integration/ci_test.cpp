// SPDX-License-Identifier: GPL-3.0-or-later
// What a CI server does: a branch proposed, two revisions compared, the answer as exit code, document and Markdown.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"

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
    CHECK(document.at("notes").empty());
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
