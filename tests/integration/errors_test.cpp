// SPDX-License-Identifier: GPL-3.0-or-later
// What the real program says in situations that go wrong before anything is measured.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tests/integration/reviewed_project.hpp"
#include "tests/integration/told_error.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <regex>
#include <sqlite3.h>
#include <string>
#include <vector>

using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

void execute(const fs::path& store, const char* statements) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(store.c_str(), &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, statements, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

void check_all(const std::vector<Situation>& situations, const fs::path& folder) {
    for (const Situation& situation : situations)
        check_situation(situation, folder);
}

} // namespace

TEST_CASE("command lines that are wrong") {
    const CounterProject project;
    check_all(
        {
            {"unknown command", {"mesure"}, "invalid", "'mesure' is no command", "Did you mean measure?"},
            {"no command like it", {"frobnicate"}, "invalid", "is no command", "holdfast --help"},
            {"a command is missing", {}, "invalid", "", "holdfast --help"},
            {"a trial is missing", {"show"}, "invalid", "ID", "holdfast show --help"},
            {"an unknown option", {"run", "--trails", "3"}, "invalid", "--trails", "holdfast run --help"},
            {"a value is missing", {"run", "--seed"}, "invalid", "--seed", "holdfast run --help"},
            {"a negative seed", {"run", "--seed", "-1"}, "invalid", "a seed is a number", "holdfast run --help"},
            {"a seed of 65 bits", {"run", "--seed", "18446744073709551616"}, "invalid", "a seed is a number", "--help"},
            {"a seed in words", {"measure", "--set", "size=9", "--seed", "lucky"}, "invalid", "a seed", "--help"},
            {"too few rounds", {"measure", "--set", "size=9", "--rounds", "2"}, "invalid", "6", "measure --help"},
            {"an unknown rule to fail on",
             {"measure", "--set", "size=9", "--fail-on", "worse"},
             "invalid",
             "regresses",
             "measure --help"},
            {"options that exclude each other", {"run", "--resume", "--seed", "3"}, "invalid", "--seed", "run --help"},
            {"an unknown format", {"export", "1", "--format", "markdwon"}, "invalid", "", "markdown"},
        },
        project.path());
}

TEST_CASE("project files that are wrong say where, in `validate` and everywhere else") {
    const CounterProject project;
    const fs::path file = project.path() / "holdfast.json";
    const std::string right = read_text(file);
    struct Row {
        const char *name, *from, *to, *found, *allowed;
    };
    const std::vector<Row> rows = {
        {"a comma is missing", "\"build\": [],", "\"build\": []", "", "','"},
        {"a trailing comma", "\"build\": [],", "\"build\": [,],", "", ""},
        {"a text has no end", "\"counter\"", "\"counter", "", ""},
        {"a name twice", "\"build\": [],", "\"build\": [], \"build\": [],", "build", ""},
        {"an unknown key", "\"objective\"", "\"objectiv\"", "objectiv", "objective"},
        {"a wrong type", "\"build\": []", "\"build\": \"make\"", "the text \"make\"", "array"},
        {"an empty name", "\"counter\"", "\"\"", "the text \"\"", "1 to 100"},
        {"an unknown metric", "\"objective\": \"rows\"", "\"objective\": \"rwos\"", "rwos", "rows"},
        {"a duration without a unit", "\"run\": \"10s\"", "\"run\": 10", "the number 10", "\"60s\""},
        {"a default out of range", "\"default\": 32", "\"default\": 320", "320", "64"},
        {"a range upside down", "\"min\": 1,", "\"min\": 100,", "100", ""},
        {"an unknown type", "\"integer\"", "\"intger\"", "intger", "integer"},
        {"a path out of the project", "\"work.sh\"]", "\"../work.sh\"]", "../work.sh", "\"..\""},
        {"a workload twice", "\"name\": \"b\"", "\"name\": \"a\"", "\"a\"", ""},
        {"an unknown place", "{inputs}", "{inptus}", "inptus", "inputs"},
        {"an input that is not there", "data/a.txt", "data/z.txt", "data/z.txt", "a file that exists"},
        {"a setting out of range", "\"max-confirmations\": 4", "\"max-confirmations\": 0", "0", "from 1"},
        {"a constraint that no default meets", "\"code\":", "\"constraints\": [\"size > 40\"], \"code\":", "size > 40",
         ""},
        {"a constraint of an unknown knob", "\"code\":", "\"constraints\": [\"szie > 1\"], \"code\":", "szie", "size"},
        {"a constraint with an error", "\"code\":", "\"constraints\": [\"size >\"], \"code\":", "", ""},
        {"a limit on an unknown metric", "\"code\":", "\"limits\": {\"wal\": {\"at-most\": 1}}, \"code\":", "wal",
         "wall"},
        {"no workload is left", "\"workloads\": [", "\"workloads\": [], \"x-workloads\": [", "", ""},
        {"a held-out file that is not there", "\"code\":", "\"holdout-file\": \"none.json\", \"code\":", "none.json",
         ""},
        {"control characters", "\"counter\"", "\"a\\u001b[31m\"", "\\x1b", "printable"},
    };
    const std::regex place(R"(^hold(fast|out)\.json(:[0-9]+:[0-9]+)?: .+)", std::regex::multiline);
    for (const Row& row : rows) {
        write_text(file, replaced(right, row.from, row.to));
        const Ran told = project.holdfast({"validate"});
        INFO(row.name << "\n" << told.out << told.err);
        CHECK(told.code == 2);
        CHECK(told.out.empty());
        CHECK(std::regex_search(told.err, place));
        CHECK_THAT(told.err, ContainsSubstring(row.found));
        CHECK_THAT(told.err, ContainsSubstring(row.allowed));
        if (std::string(row.to) != "data/z.txt") // which `run` tells from the commit
            check_situation({row.name, {"run"}, "invalid", row.found, "", project.environment()}, project.path());
    }
    write_text(file, "");
    check_situation({"an empty file", {"run"}, "invalid", "holdfast.json:1:1", ""}, project.path());
    write_text(file, "[1, 2]\n");
    check_situation({"no object", {"run"}, "invalid", "array", ""}, project.path());
    write_text(file, "{\"name\": \"\xff\"}\n");
    check_situation({"no UTF-8", {"run"}, "invalid", "UTF-8", ""}, project.path());
    write_text(file, std::string(100000, '['));
    check_situation({"nested too deep", {"run"}, "invalid", "deep", ""}, project.path());
    fs::remove(file);
    check_situation({"no project file", {"run"}, "invalid", "", ""}, project.path());
    fs::create_directory(file);
    check_situation({"a folder instead", {"run"}, "invalid", "", ""}, project.path());
}

TEST_CASE("a project file that git does not have, or not like this, is warned of") {
    CounterProject project;
    const auto warnings = [&] { return project.document({"validate"}).at("warnings").dump(); };
    CHECK(warnings() == "[]");
    write_text(project.path() / "holdfast.json", read_text(project.path() / "holdfast.json") + "// mine\n");
    CHECK_THAT(warnings(), ContainsSubstring("differs from HEAD's") && ContainsSubstring("git commit holdfast.json"));
    project.repository().git({"rm", "-q", "--cached", "holdfast.json"});
    project.repository().git({"commit", "-q", "-m", "without"});
    CHECK_THAT(warnings(), ContainsSubstring("is not in git") && ContainsSubstring("git add holdfast.json"));
}

TEST_CASE("folders and repositories that are not what is needed") {
    const CounterProject project;
    const ScratchFolder plain;
    fs::copy_file(project.path() / "holdfast.json", plain.path() / "holdfast.json");
    fs::copy(project.path() / "data", plain.path() / "data");
    const ScratchRepository fresh;
    fs::copy_file(project.path() / "holdfast.json", fresh.path() / "holdfast.json");
    const auto environment = project.environment();
    check_all(
        {{"no such folder", {"-C", "/nowhere/at/all", "run"}, "invalid", "", "", environment},
         {"no history in no folder", {"-C", "/nowhere/at/all", "trials"}, "invalid", "no such folder", "Name", {}},
         {"no repository", {"run"}, "invalid", "neither this folder nor one above it", "git init", environment},
         {"nothing to propose to", {"propose", "--set", "size=9"}, "invalid", "git repository", "git init", {}}},
        plain.path());
    check_all({{"no commit", {"run"}, "invalid", "no commit", "ommit", environment},
               {"no commit to measure", {"measure", "--set", "size=9"}, "invalid", "no commit", "ommit", environment}},
              fresh.path());
    check_all({{"no history yet", {"trials"}, "failed", "no study has been run here yet", "Run: holdfast run", {}},
               {"nothing to show", {"show", "1"}, "failed", "no study", "holdfast run", {}},
               {"nothing to audit", {"audit"}, "failed", "no study", "holdfast run", {}},
               {"nothing to apply", {"apply", "1"}, "failed", "no study", "holdfast run", {}},
               {"nothing to resume",
                {"run", "--resume"},
                "invalid",
                "no study of this project is interrupted",
                "Start one with: holdfast run",
                environment}},
              project.path());
    check_situation({"an example of no such name", {"demo", "zodrer"}, "invalid", "none of that name", ""},
                    plain.path());
    check_situation({"an example over files",
                     {"demo", "zorder", plain.path().string()},
                     "invalid",
                     "not an empty folder",
                     "Name a new folder"},
                    plain.path());
    check_situation(
        {"an example where nothing can be", {"demo", "zorder", "/proc/holdfast"}, "failed", "", "permissions"},
        plain.path());
}

TEST_CASE("candidates that cannot be") {
    CounterProject project;
    const fs::path file = project.path() / "holdfast.json";
    write_text(file, replaced(read_text(file), "\"code\":", "\"constraints\": [\"size != 13\"], \"code\":"));
    const ScratchFolder patches;
    const auto patch = [&](const std::string& name, const std::string& text) {
        write_text(patches.path() / name, text);
        return (patches.path() / name).string();
    };
    const std::string good = project.patch_to(replaced(project.work(), "10 * distance", "11 * distance"));
    const std::string stale = replaced(good, "echo \"{\\\"rows", "echo \"{\\\"lines");
    const std::string guard = "--- a/tests/guard.sh\n+++ b/tests/guard.sh\n@@ -1,2 +1,1 @@\n #!/bin/sh\n-exit 0\n";
    const std::string outside = "--- a/data/a.txt\n+++ b/data/a.txt\n@@ -1 +1 @@\n-8\n+9\n";
    const std::string escaping = "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-8\n+9\n";
    const std::string link =
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
        "\\ No newline at end of file\n";
    for (const char* command : {"propose", "measure"}) {
        const auto set = [&](const char* value) { return std::vector<std::string>{command, "--set", value}; };
        const auto with = [&](const std::string& name) { return std::vector<std::string>{command, "--patch", name}; };
        const auto environment = project.environment();
        check_all({{"too large", set("size=900"), "invalid", "900", "", environment},
                   {"no number", set("size=many"), "invalid", "many", "", environment},
                   {"no value", set("size"), "invalid", "no value", "NAME=VALUE", environment},
                   {"no such knob", set("szie=9"), "invalid", "no knob of that name", "size", environment},
                   {"against a constraint", set("size=13"), "invalid", "size != 13", "", environment},
                   {"no such patch", with("/nowhere/at/all"), "invalid", "no such file", "", environment},
                   {"a folder", with(patches.path().string()), "invalid", "not a file", "", environment},
                   {"an empty patch", with(patch("empty", "")), "invalid", "it is empty", "git diff", environment}},
                  project.path());
    }
    check_all({{"nothing", {"propose"}, "invalid", "changes nothing", "", {}},
               {"the default", {"propose", "--set", "size=32"}, "invalid", "changes nothing", "", {}},
               {"garbage", {"propose", "--patch", patch("garbage", "hello\n")}, "refused", "no change", "", {}},
               {"zeros", {"propose", "--patch", patch("zeros", std::string("a\0b", 3))}, "refused", "NUL", "", {}},
               {"stale", {"propose", "--patch", patch("stale", stale)}, "refused", "", "", {}},
               {"protected", {"propose", "--patch", patch("guard", guard)}, "refused", "", "", {}},
               {"not editable", {"propose", "--patch", patch("outside", outside)}, "refused", "", "", {}},
               {"escaping", {"propose", "--patch", patch("escaping", escaping)}, "refused", "", "", {}},
               {"a link", {"propose", "--patch", patch("link", link)}, "refused", "", "", {}},
               {"a patch of 17 MiB",
                {"propose", "--patch", patch("large", std::string(17 << 20, '+'))},
                "invalid",
                "larger than 16 MiB",
                "smaller",
                {}}},
              project.path());
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    check_situation({"queued already", {"propose", "--set", "size=9"}, "invalid", "still queued", ""}, project.path());
    CHECK(project.document({"audit"}).at("clean") == true);
    CHECK(project.document({"trials"}).at("trials").size() == 1);
}

TEST_CASE("options of a study that are wrong") {
    const CounterProject project;
    const auto environment = project.environment();
    check_all(
        {{"a budget in words", {"run", "--budget", "soon"}, "invalid", "'soon' is not a duration", "90s", environment},
         {"a tuner of no such name", {"run", "--tuner", "magic"}, "invalid", "no tuner of that name", "", environment},
         {"fewer than no trials", {"run", "--trials", "-1"}, "invalid", "at least 0", "Correct", environment},
         {"no leaders", {"run", "--leaders", "0"}, "invalid", "at least 1", "Correct", environment},
         {"fixing no knob", {"run", "--fix", "szie"}, "invalid", "no knob of that name", "validate", environment},
         {"fixing what cannot be", {"run", "--fix", "size=900"}, "invalid", "900", "", environment},
         {"no such workload",
          {"measure", "--set", "size=9", "--workload", "c"},
          "invalid",
          "no workload",
          "",
          environment},
         {"no such trial", {"measure", "--trial", "7"}, "failed", "no study", "holdfast run", environment},
         {"a lock in no folder",
          {"run", "--trials", "0"},
          "failed",
          "No such file",
          "Make the folder /nowhere",
          {"HOLDFAST_LOCK=/nowhere/machine"}},
         {"a lock that is a folder", {"run", "--trials", "0"}, "failed", "", "Remove", {"HOLDFAST_LOCK=/usr"}},
         {"a cache that is a file",
          {"run", "--trials", "0"},
          "refused",
          "no folder",
          "Remove",
          {"HOLDFAST_CACHE=" + (project.path() / "holdfast.json").string()}},
         {"a cache at a relative path",
          {"gc"},
          "invalid",
          "HOLDFAST_CACHE is \"trees\"",
          "HOLDFAST_CACHE",
          {"HOLDFAST_CACHE=trees"}},
         {"a cache at no path",
          {"gc", "--yes"},
          "invalid",
          "HOLDFAST_CACHE is \"\"",
          "HOLDFAST_CACHE",
          {"HOLDFAST_CACHE="}},
         {"a lock at a relative path",
          {"run", "--trials", "0"},
          "invalid",
          "HOLDFAST_LOCK is \"lock\"",
          "HOLDFAST_LOCK",
          {"HOLDFAST_LOCK=lock"}},
         {"a lock that is somebody's file",
          {"run", "--trials", "0"},
          "refused",
          "/etc/passwd is somebody else's file",
          "HOLDFAST_LOCK",
          {"HOLDFAST_LOCK=/etc/passwd"}},
         {"a cache in no folder",
          {"run", "--trials", "0"},
          "failed",
          "",
          "HOLDFAST_CACHE",
          {"HOLDFAST_CACHE=/proc/1/x"}}},
        project.path());
    const Ran fixed = project.holdfast({"run", "--fix", "size", "--seed", "1"});
    CHECK(fixed.code == 3);
    CHECK_THAT(fixed.err, ContainsSubstring("every knob is fixed, so there is nothing to search"));
}

TEST_CASE("reviews that are not to be") {
    const ReviewedProject project;
    check_all({{"no such trial", {"show", "9"}, "invalid", "none of that number", "holdfast trials"},
               {"approving without a terminal", {"approve", "1"}, "refused", "not a terminal", ""},
               {"approving what is not there, without a terminal", {"approve", "9"}, "refused", "not a terminal", ""},
               {"rejecting for no reason", {"reject", "1", "--reason", " "}, "invalid", "", "Say why"},
               {"rejecting what is not there", {"reject", "9", "--reason", "x"}, "invalid", "", ""},
               {"reworking what is not there", {"rework", "9", "--reason", "x"}, "invalid", "", ""},
               {"applying without approval", {"apply", "1"}, "refused", "", ""},
               {"applying what is not there", {"apply", "9"}, "invalid", "", ""},
               {"reverting what was not applied", {"revert", "1"}, "refused", "", ""},
               {"comparing one", {"compare", "1"}, "invalid", "", ""},
               {"comparing what is not there", {"compare", "1", "9"}, "invalid", "", ""},
               {"exporting a change before approval", {"export", "1", "--format", "patch"}, "refused", "", ""},
               {"exporting to nowhere",
                {"export", "1", "--format", "csv", "-o", "/nowhere/x"},
                "invalid",
                "there is no folder /nowhere",
                "Make the folder"},
               {"exporting to a folder",
                {"export", "1", "--format", "csv", "-o", "."},
                "invalid",
                "it is a folder",
                "Name a file in it"},
               {"exporting over a device",
                {"export", "1", "--format", "csv", "-o", "/dev/null", "--force"},
                "invalid",
                "not a regular file",
                ""},
               {"exporting what is not there", {"export", "9", "--format", "csv"}, "invalid", "", ""},
               {"exporting over a file",
                {"export", "1", "--format", "csv", "-o", "holdfast.json"},
                "invalid",
                "",
                "--force"}},
              project.path());
    project.git({"config", "--unset", "user.name"});
    check_situation({"reviewing as nobody", {"reject", "1", "--reason", "x"}, "invalid", "user.name", "git config"},
                    project.path());
    project.git({"config", "user.name", "Ada"});
    REQUIRE(project.approve(1).code == 0);
    project.git({"checkout", "-q", "--detach"});
    check_situation({"a detached HEAD", {"apply", "1", "--fast-forward"}, "refused", "detached", "Check out a branch"},
                    project.path());
    project.git({"checkout", "-q", "main"});
    write_text(project.path() / "work.sh", "changed\n");
    // Once only: the change is on its branch afterwards, and only the checked-out branch is not moved.
    check_slow_situation({"uncommitted work", {"apply", "1", "--fast-forward"}, "failed", "uncommitted", "git stash"},
                         project.path());
    project.git({"checkout", "-q", "work.sh"});
    CHECK(project.document({"audit"}).at("clean") == true);
    CHECK(project.trial(1).at("review") == "approved");
}

TEST_CASE("histories that cannot be read or written") {
    const ReviewedProject original;
    const ScratchFolder folder;
    const fs::path place = folder.path() / "project", store = place / ".holdfast" / "history.sqlite";
    const auto fresh = [&] {
        fs::remove_all(place);
        REQUIRE(run_command({"cp", "-a", original.path().string(), place.string()}, folder.path()).code == 0);
    };
    const auto check = [&](Situation situation) {
        for (const char* command : {"trials", "audit"}) {
            situation.words = {command};
            check_situation(situation, place);
        }
    };
    fresh();
    execute(store, "PRAGMA user_version = 99");
    check({"of a newer version", {}, "failed", "99", ""});
    fresh();
    execute(store, "PRAGMA application_id = 1234");
    check({"of another program", {}, "failed", "another program", ""});
    fresh();
    fs::remove(store.string() + "-wal");
    fs::resize_file(store, fs::file_size(store) / 2);
    check({"cut off", {}, "failed", "damaged", ""});
    write_text(store,
               "this is no database, and longer than a header of one hundred bytes would have to be, so there!\n");
    check({"no database", {}, "failed", "", ""});
    fs::remove(store);
    fs::create_directory(store);
    check({"a folder", {}, "failed", "it is a folder", "Move the folder away"});
    fs::remove(store);
    fs::create_symlink(original.path() / ".holdfast/history.sqlite", store);
    check({"a link", {}, "refused", "symbolic link", ""});
    fresh();
    // A folder that nobody can write, not even root.
    const std::string held = (place / ".holdfast").string();
    check_situation({"read-only",
                     {"propose", "--set", "size=11"},
                     "failed",
                     "",
                     "",
                     {},
                     {"bwrap", "--dev-bind", "/", "/", "--ro-bind", held, held, "--"}},
                    place);
    check_situation({"locked", {"run", "--trials", "0"}, "refused", "", "", {}, {"flock", held + "/history.lock"}},
                    place);
    for (const fs::path& project : {place, original.path()})
        CHECK(nlohmann::json::parse(
                  run_command({HOLDFAST_BIN_DIR "/holdfast", "-C", project.string(), "audit", "--json"}, folder.path())
                      .out)
                  .at("clean") == true);
}
