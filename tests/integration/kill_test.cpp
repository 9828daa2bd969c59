// SPDX-License-Identifier: GPL-3.0-or-later
// SIGKILL at random moments of a study: the store opens, no process stays, and the resumed study decides the same.
#include "core/stats/random.hpp"
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <ios>
#include <poll.h>
#include <unistd.h>

using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

CounterOptions options_marked(const std::string& marker) {
    CounterOptions options;
    options.marker = marker;
    return options;
}

void queue_candidates(const CounterProject& project) {
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    REQUIRE(project.holdfast({"propose", "--set", "size=50"}).code == 0);
}

const std::vector<std::string> run_words = {"run",       "--tuner", "local",  "--trials", "8",
                                            "--leaders", "1",       "--seed", "11"};

/// Empty for a process that ended meanwhile, which reading tells by an exception.
std::string command_line(const fs::path& process) {
    try {
        return read_text(process / "cmdline");
    } catch (const std::ios_base::failure&) {
        return "";
    }
}

bool runs_somewhere(const std::string& marker) {
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") == std::string::npos && std::stoi(name) != ::getpid() &&
            command_line(entry.path()).find(marker) != std::string::npos)
            return true;
    }
    return false;
}

void expect_clean_machine(const std::string& marker) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (runs_somewhere(marker) && std::chrono::steady_clock::now() < deadline)
        ::poll(nullptr, 0, 10); // there is no event to wait for, so look again until the deadline
    CHECK_FALSE(runs_somewhere(marker));
}

} // namespace

TEST_CASE("SIGKILL at seeded random moments loses at most the sample in flight and no decision") {
    const CounterProject reference;
    queue_candidates(reference);
    const auto begin = std::chrono::steady_clock::now();
    const Ran whole = reference.holdfast(run_words);
    INFO(whole.err);
    REQUIRE(whole.code == 0);
    const auto time =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();

    const std::string marker = "-kill-" + std::to_string(::getpid());
    const CounterProject project(options_marked(marker));
    queue_candidates(project);
    holdfast::stats::Random random(2024);
    const int kills = std::getenv("HOLDFAST_FULL") != nullptr ? 200 : 20;
    bool finished = false;
    int killed = 0;
    for (; killed < kills; ++killed) {
        const auto studies = project.document({"trials"}).at("trials");
        const bool begun = fs::exists(project.path() / ".holdfast" / "history.sqlite") && !studies.empty() &&
                           !studies[0].at("study").is_null();
        Command running(project.command(begun ? std::vector<std::string>{"run", "--resume"} : run_words),
                        project.path(), project.environment());
        finished = running.wait_for(std::chrono::milliseconds(random.below(static_cast<std::uint64_t>(time / 12 + 1))));
        if (finished)
            break;
        running.signal(SIGKILL);
        running.wait();
        expect_clean_machine(marker);
        const Ran audit = project.holdfast({"audit"});
        INFO(audit.out << audit.err);
        REQUIRE(audit.code == 0);
    }
    CHECK(killed > 3);
    if (!finished) {
        const auto first = project.document({"trials"}).at("trials")[0];
        const Ran last =
            project.holdfast(first.at("study").is_null() ? run_words : std::vector<std::string>{"run", "--resume"});
        INFO(last.err);
        CHECK(last.code == 0);
    }
    CHECK(reference.decisions().size() == 10);
    CHECK(project.decisions() == reference.decisions());
    CHECK(project.holdfast({"audit"}).code == 0);
}
