// SPDX-License-Identifier: GPL-3.0-or-later
// Whole studies through the command line, on a real repository, sandbox and store.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"

#include <csignal>
#include <filesystem>
#include <map>
#include <string>

using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

/// The verdict of the only decided trial that was queued by hand.
nlohmann::json queued_trial(const CounterProject& project) {
    const auto document = project.document({"trials"});
    for (const auto& trial : document.at("trials"))
        if (trial.at("tuner") == "patch")
            return trial;
    return nullptr;
}

std::map<std::string, std::string> snapshot(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
        const std::string name = entry->path().lexically_relative(folder).string();
        if (name == ".holdfast" || name == ".git/info" || name == ".git/holdfast") {
            entry.disable_recursion_pending();
            continue;
        }
        if (entry->is_regular_file())
            files[name] = read_text(entry->path());
        else if (entry->is_directory())
            files[name] = "folder";
    }
    return files;
}

/// Processes of this machine with `word` in their command line.
std::size_t running_programs(const std::string& word) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc"))
        if (entry.path().filename().string().find_first_not_of("0123456789") == std::string::npos &&
            read_text(entry.path() / "cmdline").find(word) != std::string::npos)
            ++count;
    return count;
}

std::string propose_patch(const CounterProject& project, const std::string& changed) {
    const fs::path file = project.path() / ".git" / "candidate.patch";
    write_text(file, project.patch_to(changed));
    const Ran ran = project.holdfast({"propose", "--patch", file.string()});
    fs::remove(file);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return ran.out;
}

} // namespace

TEST_CASE("a knob change that is better on tuning and held-out workloads generalises and waits for review") {
    const CounterProject project;
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    const Ran ran = project.holdfast({"run", "--trials", "0"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const auto trial = queued_trial(project);
    CHECK(trial.at("verdict") == "generalises");
    CHECK(trial.at("review") == "waiting");
    CHECK(trial.at("tuning").at("estimate").get<double>() < -0.4);
    CHECK(trial.at("holdout").at("high").get<double>() < 0);
    CHECK(trial.at("holdout").at("rounds") == 20);
    CHECK_THAT(ran.out, ContainsSubstring("show 1"));
    CHECK(trial.at("flags").dump().find("readable held-out") == std::string::npos);
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("a knob change that is worse on held-out workloads overfits") {
    const CounterProject project({8, 60, true});
    REQUIRE(project.holdfast({"propose", "--set", "size=8"}).code == 0);
    const Ran ran = project.holdfast({"run", "--trials", "0"});
    INFO(ran.err);
    CHECK(ran.code == 3);
    CHECK(queued_trial(project).at("verdict") == "overfits");
    CHECK(queued_trial(project).at("review") == "none");
}

TEST_CASE("a held-out input that the commit tracks puts a flag on the verdict, and validate says so before") {
    CounterProject project;
    CHECK(project.document({"validate"}).at("warnings").empty());
    project.repository().git({"add", "-f", ".holdfast/secret/c.txt"});
    project.repository().commit("track a held-out input");
    CHECK(project.document({"validate"}).at("warnings").dump().find("the flag readable held-out") != std::string::npos);
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    project.holdfast({"run", "--trials", "0"});
    const auto trial = queued_trial(project);
    CHECK(trial.at("verdict") == "generalises");
    CHECK(trial.at("flags").dump().find("readable held-out") != std::string::npos);
}

TEST_CASE("without held-out workloads a win is inconclusive and says so") {
    const CounterProject project({8, 10, false});
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    project.holdfast({"run", "--trials", "0"});
    const auto trial = queued_trial(project);
    CHECK(trial.at("verdict") == "inconclusive");
    CHECK(trial.at("flags").dump().find("not held out") != std::string::npos);
}

TEST_CASE("a worse change regresses") {
    const CounterProject project;
    REQUIRE(project.holdfast({"propose", "--set", "size=60"}).code == 0);
    CHECK(project.holdfast({"run", "--trials", "0"}).code == 3);
    CHECK(queued_trial(project).at("verdict") == "regresses");
}

TEST_CASE("the search finds the tuned value and sends its leader through the gates") {
    const CounterProject project({8, 60, true});
    const Ran ran = project.holdfast({"run", "--tuner", "local", "--trials", "14", "--leaders", "1", "--seed", "3"});
    INFO(ran.err);
    CHECK(ran.code == 3);
    const auto trials = project.document({"trials"}).at("trials");
    std::size_t searched = 0, overfits = 0;
    for (const auto& trial : trials) {
        searched += trial.at("search").is_object() ? 1u : 0u;
        overfits += trial.at("verdict") == "overfits" ? 1u : 0u;
    }
    CHECK(searched == 14);
    CHECK(overfits == 1);
}

TEST_CASE("code changes are stopped by the gate they deserve") {
    const CounterProject project;
    struct Row {
        std::string from, to, verdict, reason;
    };
    const std::vector<Row> rows = {
        {"$((best * best))", "$((best * best + 1))", "incorrect", "answer.txt differs"},
        {"echo \"the answer is $((best * best))\" > answer.txt", ":", "incorrect", "answer.txt is missing"},
        {"echo \"the answer is $((best * best))\" > answer.txt", "ln -s /inputs/a.txt answer.txt", "incorrect",
         "symbolic link"},
        {"read -r best", "exit 7; read -r best", "failed", "7"},
        {"echo \"{\\\"rows\\\": $((200 + 10 * distance))}\"", "echo '{\"rows\": 9, \"rows\": 1}'", "failed",
         "same key twice"},
        {"read -r best", "kill -SEGV $$; read -r best", "failed", "signal 11"},
        {"read -r best", "while :; do :; done; read -r best", "failed", "10"},
        {"\\\"rows\\\"", "\\\"lines\\\"", "failed", "missing metric rows"},
        {"$((200 + 10 * distance))", "0", "failed", "not a positive finite number"},
        {"read -r best", "(sleep 30) & read -r best", "failed", "left 1 process running"},
        {"read -r best",
         "test -e /source/.holdfast && exit 9; ls /var/tmp /root /home/user/* >&2; test -e /expected && exit 9; read "
         "-r best",
         "no-effect", ""},
    };
    for (const Row& row : rows)
        propose_patch(project, replaced(project.work(), row.from, row.to));
    const Ran ran = project.holdfast({"run", "--trials", "0"});
    INFO(ran.err);
    CHECK(ran.code == 3);
    const auto trials = project.document({"trials"}).at("trials");
    REQUIRE(trials.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        INFO(rows[i].to << "\n" << trials[i].dump(2));
        CHECK(trials[i].at("verdict") == rows[i].verdict);
        CHECK_THAT(trials[i].at("reasons").dump(), ContainsSubstring(rows[i].reason));
    }
}

TEST_CASE("held-out files that git tracks are in no tree that a candidate sees, and no patch may touch them") {
    CounterProject project;
    project.repository().remove(".gitignore");
    project.repository().git({"add", "-f", ".holdfast/holdout.json", ".holdfast/secret/c.txt"});
    project.repository().commit("track the held-out files");
    propose_patch(project, replaced(project.work(), "read -r best",
                                    "find / -name c.txt -o -name holdout.json 2>/dev/null "
                                    "| grep . >&2 && exit 9; read -r best"));
    const Ran ran = project.holdfast({"run", "--trials", "0"});
    INFO(ran.err);
    const auto trial = queued_trial(project);
    CHECK(trial.at("verdict") == "no-effect");
    const std::string patch = "--- a/.holdfast/secret/c.txt\n+++ b/.holdfast/secret/c.txt\n@@ -1 +1 @@\n-10\n+8\n";
    const fs::path file = project.path() / ".git" / "bad.patch";
    write_text(file, patch);
    CHECK(project.holdfast({"propose", "--patch", file.string()}).code == 4);
}

TEST_CASE("tests that fail on the baseline end the study for a knob candidate too: no gate says they pass") {
    CounterProject project;
    project.repository().write("tests/guard.sh", "#!/bin/sh\nexit 1\n");
    project.repository().commit("failing tests");
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    const Ran ran = project.holdfast({"run", "--trials", "0"});
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring("tests on the baseline"));
    CHECK(queued_trial(project).at("verdict").is_null());
}

TEST_CASE("a patch to a script that an interpreter runs from the build folder is no unchanged program") {
    CounterProject project;
    std::string file = read_text(project.path() / "holdfast.json");
    file = replaced(file, "\"build\": []", "\"build\": [[\"cp\", \"{source}/work.sh\", \"{build}/w.txt\"]]");
    for (int workload = 0; workload < 2; ++workload)
        file = replaced(file, "{source}/work.sh\", \"{inputs}", "{build}/w.txt\", \"{inputs}");
    project.repository().write("holdfast.json", file);
    project.repository().commit("copy the script");
    propose_patch(project, replaced(project.work(), "200 + 10", "100 + 10"));
    const Ran ran = project.holdfast({"run", "--trials", "0"});
    INFO(ran.err);
    const auto trial = queued_trial(project);
    CHECK(trial.at("tuning").at("estimate").get<double>() < -0.1);
}

TEST_CASE("a patch that touches a protected file is refused and nothing is queued") {
    const CounterProject project;
    const std::string patch = "--- a/tests/guard.sh\n+++ b/tests/guard.sh\n@@ -1,2 +1,1 @@\n #!/bin/sh\n-exit 0\n";
    const fs::path file = project.path() / ".git" / "bad.patch";
    write_text(file, patch);
    const Ran ran = project.holdfast({"propose", "--patch", file.string()});
    CHECK(ran.code == 4);
    CHECK_THAT(ran.err, ContainsSubstring("tests/guard.sh"));
    CHECK_FALSE(fs::exists(project.path() / ".holdfast" / "history.sqlite"));
}

TEST_CASE("a study leaves a dirty working tree, the index and the references byte for byte the same") {
    CounterProject project;
    project.repository().write("work.sh", "a change not committed\n");
    project.repository().write("untracked.txt", "mine\n");
    project.repository().write("staged.txt", "staged\n");
    project.repository().git({"add", "staged.txt"});
    const auto before = snapshot(project.path());
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    const Ran ran = project.holdfast({"run", "--trials", "3", "--seed", "1"});
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.err, ContainsSubstring("uncommitted"));
    const auto after = snapshot(project.path());
    CHECK(before == after);
}

TEST_CASE("confirmations that are spent leave candidates queued with that reason") {
    const CounterProject project({8, 10, true, R"("max-confirmations": 1, "holdout-pairs": 20)"});
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    REQUIRE(project.holdfast({"propose", "--set", "size=7"}).code == 0);
    const Ran ran = project.holdfast({"run", "--trials", "0"});
    CHECK_THAT(ran.err, ContainsSubstring("confirmations of this study are spent"));
    const auto trials = project.document({"trials"}).at("trials");
    CHECK(trials[0].at("verdict") == "generalises");
    CHECK(trials[1].at("state") == "queued");
}

TEST_CASE("Ctrl-C stops after the sample, tells so and leaves a study that resumes") {
    const CounterProject project;
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    Command running(project.command({"run", "--trials", "0", "--seed", "5"}), project.path(), project.environment());
    const fs::path store = project.path() / ".holdfast" / "history.sqlite";
    while (!running.wait_for(std::chrono::milliseconds(20)))
        if (fs::exists(store) && project.document({"trials"}).at("trials")[0].at("state") == "running")
            break;
    running.signal(SIGINT);
    const Ran stopped = running.wait();
    INFO(stopped.err);
    CHECK(stopped.code == 130);
    CHECK(project.document({"trials"}).at("trials")[0].at("state") == "interrupted");
    const Ran resumed = project.holdfast({"run", "--resume"});
    INFO(resumed.err);
    CHECK(resumed.code == 0);
    CHECK(queued_trial(project).at("verdict") == "generalises");
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("a second Ctrl-C kills the sample in flight") {
    CounterProject project;
    project.repository().write("work.sh", replaced(project.work(), "read -r best", "sleep 9; read -r best"));
    project.repository().commit("slow");
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    Command running(project.command({"run", "--trials", "0"}), project.path(), project.environment());
    while (!running.wait_for(std::chrono::milliseconds(50)) &&
           project.document({"trials"}).at("trials")[0].at("study").is_null() &&
           running_programs("/source/work.sh") == 0) {
    }
    running.signal(SIGINT);
    running.wait_for(std::chrono::milliseconds(200));
    running.signal(SIGINT);
    CHECK(running.wait_for(std::chrono::seconds(6))); // the sample alone would take nine
    CHECK(running.wait().code == 130);
}

TEST_CASE("a study whose project file changed is not resumed") {
    CounterProject project;
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    Command running(project.command({"run", "--trials", "0"}), project.path(), project.environment());
    const fs::path store = project.path() / ".holdfast" / "history.sqlite";
    while (!running.wait_for(std::chrono::milliseconds(20)))
        if (fs::exists(store) && project.document({"trials"}).at("trials")[0].at("state") == "running")
            break;
    running.signal(SIGKILL);
    CHECK(running.wait().code == 128 + SIGKILL);
    project.repository().write("holdfast.json", replaced(read_text(project.path() / "holdfast.json"),
                                                         "\"max-confirmations\": 4", "\"max-confirmations\": 5"));
    const Ran ran = project.holdfast({"run", "--resume"});
    CHECK(ran.code == 4);
    CHECK_THAT(ran.err, ContainsSubstring("changed since the study froze it"));
}

TEST_CASE("measure compares now, stores its samples and fails on a regression when asked to") {
    const CounterProject project;
    const Ran better = project.holdfast({"measure", "--set", "size=9", "--rounds", "12"});
    INFO(better.err);
    CHECK(better.code == 0);
    CHECK_THAT(better.out, ContainsSubstring("rows"));
    const Ran worse = project.holdfast({"measure", "--set", "size=60", "--rounds", "12", "--fail-on", "regresses"});
    INFO(worse.err);
    CHECK(worse.code == 3);
    CHECK_THAT(worse.out, ContainsSubstring("regresses"));
    const auto document = project.document({"measure", "--set", "size=9", "--rounds", "12"});
    CHECK(document.at("effects").at("estimate").get<double>() < -0.4);
    CHECK(project.holdfast({"audit"}).code == 0);
}

TEST_CASE("bad command lines and projects end with exit 2 and write nothing") {
    const CounterProject project;
    const std::vector<std::vector<std::string>> rows = {
        {"propose"},
        {"propose", "--set", "sise=9"},
        {"propose", "--set", "size=900"},
        {"propose", "--set", "size"},
        {"propose", "--patch", "/nowhere/at/all"},
        {"run", "--tuner", "locla"},
        {"run", "--budget", "soon"},
        {"run", "--fix", "nothing"},
        {"run", "--seed", "-1"},
        {"run", "--seed", "99999999999999999999999"},
        {"run", "--resume", "--seed", "5"},
        {"show", "99"},
        {"measure", "--workload", "none"},
        {"frobnicate"},
    };
    for (const auto& words : rows) {
        const Ran ran = project.holdfast(words);
        INFO(words.back() << ": " << ran.err);
        CHECK(ran.code == (words.front() == "show" ? 1 : 2));
        CHECK(ran.err.size() + ran.out.size() > 20);
    }
    CHECK_FALSE(fs::exists(project.path() / ".holdfast" / "history.sqlite"));
}

TEST_CASE("two runs on one project: the second is told who holds the history, readers read") {
    const CounterProject project;
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    Command running(project.command({"run", "--trials", "30"}), project.path(), project.environment());
    const fs::path store = project.path() / ".holdfast" / "history.sqlite";
    while (!running.wait_for(std::chrono::milliseconds(20)))
        if (project.document({"trials"}).at("trials")[0].at("state") == "running")
            break;
    const Ran second = project.holdfast({"run", "--trials", "0"});
    CHECK(second.code == 4);
    CHECK_THAT(second.err, ContainsSubstring(std::to_string(running.pid())));
    CHECK(project.holdfast({"trials"}).code == 0);
    CHECK(project.holdfast({"propose", "--set", "size=11"}).code == 0);
}
