// SPDX-License-Identifier: GPL-3.0-or-later
// What the real program says when building and measuring goes wrong, and when the machine has no sandbox or no space.
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tests/integration/told_error.hpp"

#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> run_queue = {"run", "--tuner", "patch", "--seed", "1"};

} // namespace

TEST_CASE("a baseline that cannot be measured says why and what to do, and nothing is lost") {
    CounterProject project;
    const fs::path file = project.path() / "holdfast.json";
    const std::string right = read_text(file), work = project.work();
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    const auto write_rows = [&](const std::string& line) {
        return replaced(work, R"(echo "{\"rows\": $((200 + 10 * distance))}" > counters.json)", line);
    };
    struct Row {
        const char* name;
        std::string project, work;
        const char* found;
    };
    const std::vector<Row> rows = {
        {"the build fails",
         replaced(right, "\"build\": []", "\"build\": [[\"/bin/sh\", \"-c\", \"echo no rule; exit 7\"]]"), work,
         "no rule"},
        {"the build's program is missing", replaced(right, "\"build\": []", "\"build\": [[\"no-such-make\"]]"), work,
         "no-such-make"},
        {"the run fails", right, "#!/bin/sh\nexit 3\n", "3"},
        {"the run crashes", right, "#!/bin/sh\nkill -SEGV $$\n", ""},
        {"the run does not end", replaced(right, "\"run\": \"10s\"", "\"run\": \"300ms\""),
         "#!/bin/sh\nwhile :; do :; done\n", ""},
        {"the metric's file is missing", right, write_rows(":"), "counters.json"},
        {"the metric's file is no JSON", right, write_rows("echo rows > counters.json"), "counters.json"},
        {"the metric is not in it", right, write_rows("echo '{\"lines\": 3}' > counters.json"), "/rows"},
        {"the metric is no number", right, write_rows("echo '{\"rows\": \"many\"}' > counters.json"), "/rows"},
        {"the metric is not finite", right, write_rows("echo '{\"rows\": 1e999}' > counters.json"), "counters.json"},
        {"the metric is zero", right, write_rows("echo '{\"rows\": 0}' > counters.json"), ""},
        {"the checked file is missing", right, replaced(work, "> answer.txt", "> other.txt"), "answer.txt"},
        {"the tests fail", replaced(right, "\"{source}/tests/guard.sh\"", "\"-c\", \"echo broken; exit 1\""), work, ""},
    };
    for (const Row& row : rows) {
        write_text(file, row.project);
        project.repository().write("work.sh", row.work);
        project.repository().commit(row.name);
        check_slow_situation({row.name, run_queue, "failed", row.found, "", project.environment()}, project.path());
    }
    write_text(file, right);
    project.repository().write("work.sh", work);
    project.repository().commit("right again");
    CHECK(project.document({"audit"}).at("clean") == true);
    CHECK(project.document({"trials"}).at("trials").at(0).at("number") == 1);
}

TEST_CASE("a machine whose sandbox, helpers or disk fail says so before anything is measured") {
    const CounterProject project;
    const ScratchFolder folder;
    // The system's bubblewrap, replaced in a mount namespace of the test's own.
    const auto bubblewrap = [&](const std::string& name, const std::string& text) -> std::vector<std::string> {
        const fs::path program = folder.path() / name;
        write_text(program, "#!/bin/sh\necho '" + text + "' >&2\nexit 1\n");
        fs::permissions(program, fs::perms(0755));
        return {"bwrap", "--dev-bind", "/", "/", "--ro-bind", program.string(), "/usr/bin/bwrap", "--"};
    };
    const auto environment = project.environment();
    const std::vector<Situation> situations = {
        {"no user namespaces", run_queue, "refused", "Creating new namespace failed", "", environment,
         bubblewrap("eperm", "bwrap: Creating new namespace failed: Operation not permitted")},
        {"no more user namespaces", run_queue, "refused", "limit on user namespaces", "max_user_namespaces",
         environment, bubblewrap("enospc", "bwrap: Creating new namespace failed: No space left on device")},
        {"no rights", run_queue, "refused", "setting up uid map", "", environment,
         bubblewrap("map", "bwrap: setting up uid map: Permission denied")},
        {"a masked /proc", run_queue, "refused", "fresh /proc", "", environment,
         bubblewrap("proc", "bwrap: Can'\\''t mount proc on /newroot/proc: Operation not permitted")},
        {"an old bubblewrap", run_queue, "refused", "too old", "0.8", environment,
         bubblewrap("old", "bwrap: Unknown option --disable-userns")},
        {"a bubblewrap that says nothing known", run_queue, "failed", "something else", "holdfast doctor", environment,
         bubblewrap("other", "bwrap: something else")},
    };
    for (const Situation& situation : situations)
        check_slow_situation(situation, project.path());

    // A disk of 256 KiB.
    auto small = environment;
    const fs::path cache = fs::path("/var/tmp") / ("holdfast-small-" + std::to_string(::getpid()));
    fs::create_directory(cache);
    small.push_back("HOLDFAST_CACHE=" + (cache / "trees").string());
    check_slow_situation(
        {"the trees' disk is full",
         {"measure", "--set", "size=9"},
         "failed",
         "",
         "",
         small,
         {"bwrap", "--dev-bind", "/", "/", "--perms", "0755", "--size", "262144", "--tmpfs", cache.string(), "--"}},
        project.path());
    fs::remove_all(cache);

    const fs::path alone = folder.path() / "bin";
    fs::create_directory(alone);
    fs::copy_file(fs::path(HOLDFAST_BIN_DIR) / "holdfast", alone / "holdfast");
    const Ran helpless = run_command({(alone / "holdfast").string(), "run", "--json"}, project.path(), environment);
    CHECK(helpless.code == 1);
    CHECK_THAT(helpless.err, ContainsSubstring("helper programs beside it"));
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    CHECK(project.document({"audit"}).at("clean") == true);
}

TEST_CASE("the doctor finds the same, without a study") {
    const ScratchFolder folder;
    const fs::path program = folder.path() / "bwrap";
    write_text(program, "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n");
    fs::permissions(program, fs::perms(0755));
    const Ran ran = run_command({"bwrap", "--dev-bind", "/", "/", "--ro-bind", program.string(), "/usr/bin/bwrap", "--",
                                 HOLDFAST_BIN_DIR "/holdfast", "doctor"},
                                folder.path());
    INFO(ran.out << ran.err);
    CHECK(ran.code == 4);
    CHECK_THAT(ran.out, ContainsSubstring("STOPS  isolation") && ContainsSubstring("No study can run here"));

    const Ran profile = run_command({HOLDFAST_BIN_DIR "/holdfast", "doctor", "--profile"}, folder.path());
    CHECK(profile.code == 0);
    CHECK_THAT(profile.out, ContainsSubstring("profile bwrap /usr/bin/bwrap flags=(unconfined)"));
    const std::string page = read_text(fs::path(HOLDFAST_SOURCE_DIR) / "docs/machines.md");
    CHECK_THAT(page, ContainsSubstring(profile.out.substr(profile.out.find('\n') + 1))); // after the comment
    CHECK_THAT(profile.err, ContainsSubstring("sudo tee /etc/apparmor.d/bwrap") &&
                                ContainsSubstring("sudo apparmor_parser -r /etc/apparmor.d/bwrap"));
}
