// SPDX-License-Identifier: GPL-3.0-or-later
// SIGKILL in the middle of every command that writes, at points that are reached by number (tests/kill_at.cpp): the
// history opens and is whole, no branch and no file is half written, and calling the command again ends where an
// undisturbed one does. A study is killed in kill_test.cpp.
#include "core/stats/random.hpp"
#include "tests/catch.h"
#include "tests/integration/own_cache.hpp"
#include "tests/integration/reviewed_project.hpp"
#include "tests/terminal.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace holdfast::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct Writing {
    std::string name;
    std::vector<std::string> words;
    std::function<void(const ReviewedProject&)> prepare = [](const ReviewedProject&) {};
    bool asks = false; ///< at a terminal, as `approve` does
};

const std::string report_name = "report.md";

void approve(const ReviewedProject& project) {
    REQUIRE(project.approve(1).code == 0);
}

void apply(const ReviewedProject& project) {
    approve(project);
    REQUIRE(project.holdfast({"apply", "1"}).code == 0);
}

/// A history of schema 3 in the place of the project's own.
void make_old(const ReviewedProject& project) {
    const fs::path file = project.path() / ".holdfast" / "history.sqlite";
    for (const char* suffix : {"", "-wal", "-shm"})
        fs::remove(file.string() + suffix);
    fs::remove_all(project.path() / ".git" / "holdfast"); // which knows the project's own
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(read_text(fs::path(HOLDFAST_SOURCE_DIR) / "tests" / "data" / "history_v3.sql"));
}

const std::vector<Writing>& writings() {
    static const std::string results = HOLDFAST_SOURCE_DIR "/tests/data/results/hyperfine.json";
    static const std::vector<Writing> all = {
        {"propose", {"propose", "--set", "size=10"}},
        {"approve", {"approve", "1"}, [](const ReviewedProject&) {}, true},
        {"reject", {"reject", "1", "--reason", "it costs memory elsewhere"}},
        {"apply", {"apply", "1"}, approve},
        {"apply --fast-forward", {"apply", "1", "--fast-forward"}, approve},
        {"revert", {"revert", "1"}, apply},
        {"export",
         {"export", "1", "--format", "markdown", "-o", report_name, "--force"},
         [](const ReviewedProject& project) { write_text(project.path() / report_name, "what was there before\n"); }},
        {"import", {"import", results}},
        {"gc", {"gc", "--yes", "--keep", "0"}},
        {"migration", {"propose", "--set", "size=10"}, make_old},
    };
    return all;
}

std::vector<std::string> command(const ReviewedProject& project, const Writing& writing) {
    std::vector<std::string> argv{std::string(HOLDFAST_BIN_DIR) + "/holdfast", "-C", project.path().string()};
    argv.insert(argv.end(), writing.words.begin(), writing.words.end());
    return argv;
}

Ran run(const ReviewedProject& project, const Writing& writing, const std::vector<std::string>& argv) {
    const std::vector<std::string> environment = {"HOLDFAST_LOCK=" + (project.scratch() / "machine").string(),
                                                  "ASAN_OPTIONS=detect_leaks=0"}; // which cannot work when traced
    return writing.asks ? run_on_terminal(argv, project.path(), environment,
                                          {{"[yes/no]", "yes"}, {"type the proposal's number:", "1"}})
                        : run_command(argv, project.path(), environment);
}

struct Stopped {
    Ran ran;
    long calls = 0; ///< that changed something
};

/// Killed before the call with that number; 0: never.
Stopped run_killed(const ReviewedProject& project, const Writing& writing, long call) {
    const fs::path count = project.scratch() / "count";
    std::vector<std::string> argv{std::string(HOLDFAST_BIN_DIR) + "/kill_at", count.string(), std::to_string(call)};
    for (const std::string& word : command(project, writing))
        argv.push_back(word);
    Stopped stopped{run(project, writing, argv), 0};
    stopped.calls = std::stol(read_text(count));
    return stopped;
}

std::string trees(const ReviewedProject& project) {
    return project.git({"for-each-ref", "--format=%(refname) %(tree)", "refs/heads"}) +
           project.git({"rev-parse", "HEAD^{tree}"}) + project.git({"status", "--porcelain", "--untracked-files=no"});
}

/// What a command leaves, without ids and times.
json state(const ReviewedProject& project) {
    const json audit = project.document({"audit"});
    json trials = json::array({audit.at("trials")});
    const json document = project.document({"trials"});
    if (document.contains("trials")) // the old history's verdict is too short to be shown
        for (const json& trial : document.at("trials"))
            trials.push_back({trial.at("number"), trial.at("configuration"), trial.at("verdict"), trial.at("review"),
                              trial.at("applied").is_null()});
    // A report says when and from which history it was made.
    const std::string report = read_text(project.path() / report_name);
    return {{"trials", trials},
            {"trees", trees(project)},
            {"results", audit.at("results-files")},
            {"report", report.substr(0, report.find('\n'))}};
}

/// Names beside the project's own that a kill left behind.
std::vector<std::string> leftovers(const ReviewedProject& project) {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(project.path()))
        if (entry.path().extension() == ".lock" && entry.path().filename() != "history.lock")
            found.push_back(entry.path().string());
    return found;
}

/// A kill can leave git's own lock on a branch; the message names it, and the person removes it. It can come between
/// the commit with its record and the branch or the files that were to follow it; the message says what brings them.
Ran run_again(const ReviewedProject& project, const Writing& writing) {
    Ran ran = run(project, writing, command(project, writing));
    const auto locks = leftovers(project);
    const std::string forward = "git merge --ff-only ", files = "git reset --hard";
    std::vector<std::string> told;
    if (const auto at = ran.err.find(forward); at != std::string::npos)
        told = {"git", "merge", "-q", "--ff-only", ran.err.substr(at + forward.size(), 40)};
    else if (ran.err.find(files) != std::string::npos)
        told = {"git", "reset", "-q", "--hard"};
    if (ran.code == 4 && !told.empty()) {
        const Ran refused = run_command(told, project.path());
        for (const std::string& lock : locks) { // git's own words name it then
            CAPTURE(refused.err, lock);
            CHECK(refused.err.find(fs::path(lock).filename().string()) != std::string::npos);
            fs::remove(lock);
        }
        ran.code = locks.empty() ? refused.code : run_command(told, project.path()).code;
    }
    if (ran.code == 0 || locks.empty())
        return ran;
    for (const std::string& lock : locks) {
        CAPTURE(ran.out, ran.err, lock);
        CHECK((ran.out + ran.err).find(fs::path(lock).filename().string()) != std::string::npos);
        fs::remove(lock);
    }
    return run(project, writing, command(project, writing));
}

void check_whole(const ReviewedProject& project) {
    CHECK(project.git({"fsck", "--strict", "--no-dangling"}).find("error") == std::string::npos);
    const Ran audited = project.holdfast({"audit"});
    CAPTURE(audited.out, audited.err);
    // A commit without its record is told, with what to do, and is no alteration.
    CHECK((audited.code == 0 || audited.out.find("cut off") != std::string::npos));
}

void check_killed(const Writing& writing, long call, const json& reference) {
    ReviewedProject project;
    writing.prepare(project);
    const json before = state(project);
    const Stopped stopped = run_killed(project, writing, call);
    CAPTURE(writing.name, call, stopped.ran.out, stopped.ran.err);
    check_whole(project);
    const json after = state(project);
    if (after.at("report") != before.at("report"))
        CHECK(after.at("report") == reference.at("report")); // the old file or the new one, whole
    if (after != reference) {
        const Ran again = run_again(project, writing);
        CAPTURE(again.out, again.err);
        CHECK(again.code == 0);
    }
    CHECK(state(project) == reference);
    const Ran audited = project.holdfast({"audit"});
    CAPTURE(audited.out);
    CHECK(audited.code == 0);
}

/// The first and the last call, and others drawn between them.
std::set<long> points(long calls, std::size_t wanted, std::uint64_t seed) {
    std::set<long> chosen{calls};
    holdfast::stats::Random random(seed);
    while (chosen.size() < std::min(wanted, static_cast<std::size_t>(calls)))
        chosen.insert(1 + static_cast<long>(random.below(static_cast<std::uint64_t>(calls))));
    return chosen;
}

} // namespace

TEST_CASE("a command that writes, killed at any point, leaves everything whole and ends as usual when called again") {
    const bool full = std::getenv("HOLDFAST_FULL") != nullptr;
    std::uint64_t seed = 0;
    std::size_t killed = 0;
    for (const Writing& writing : writings()) {
        ReviewedProject whole;
        writing.prepare(whole);
        const Stopped undisturbed = run_killed(whole, writing, 0);
        CAPTURE(writing.name, undisturbed.ran.out, undisturbed.ran.err);
        REQUIRE(undisturbed.ran.code == 0);
        REQUIRE(undisturbed.calls > 0);
        const json reference = state(whole);
        for (const long call : points(undisturbed.calls, full ? 20 : 2, ++seed)) {
            check_killed(writing, call, reference);
            ++killed;
        }
    }
    CHECK(killed >= (full ? 100 : 10));
}
