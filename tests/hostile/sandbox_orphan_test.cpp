// SPDX-License-Identifier: GPL-3.0-or-later
// What is left when processes die while a sandbox is being made: nothing, and what was left once is ended later.
#include "sandbox_fixture.hpp"

#include "sandbox/folders.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <random>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;

namespace {

const char* const bubblewrap = "/usr/bin/bwrap";

long number_of(pid_t process, const std::string& key) {
    std::istringstream lines(text_of("/proc/" + std::to_string(process) + "/status"));
    for (std::string line; std::getline(lines, line);)
        if (line.compare(0, key.size() + 1, key + ":") == 0)
            return std::stol(line.substr(key.size() + 1));
    return -1;
}

std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> found = processes_with(""); // every process
    std::erase_if(found, [&](pid_t process) { return number_of(process, "PPid") != parent; });
    std::sort(found.begin(), found.end());
    return found;
}

std::string command_lines(const std::vector<pid_t>& processes) {
    std::string text;
    for (const pid_t process : processes) {
        text += std::to_string(process) + ": " + text_of("/proc/" + std::to_string(process) + "/cmdline") + "\n";
        std::replace(text.begin(), text.end(), '\0', ' ');
    }
    return text;
}

/// Processes that lose their parent become children of this one, which tells them from those of other programs.
class Adoption {
public:
    Adoption() : before_(children_of(::getpid())) { REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); }
    ~Adoption() {
        for (const pid_t process : adopted())
            if (process > 1 && ::kill(process, SIGKILL) == 0)
                ::waitpid(process, nullptr, 0);
        ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    }
    Adoption(const Adoption&) = delete;
    Adoption& operator=(const Adoption&) = delete;

    /// Those that have not ended.
    std::vector<pid_t> adopted() const {
        std::vector<pid_t> found = children_of(::getpid());
        std::erase_if(found, [&](pid_t process) {
            return std::binary_search(before_.begin(), before_.end(), process) ||
                   ::waitpid(process, nullptr, WNOHANG) == process;
        });
        return found;
    }

private:
    std::vector<pid_t> before_;
};

/// bubblewrap that waits for its arguments for ever, as the sandbox's user, with `last` as its last argument.
class Planted {
public:
    Planted(const char* last, bool orphan) : orphan_(orphan) {
        int ends[2], said[2];
        REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
        REQUIRE(::pipe2(said, O_CLOEXEC) == 0);
        const char* const words[] = {bubblewrap, "--args", "7", "--", last, nullptr};
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            const pid_t process = orphan ? ::fork() : 0;
            if (process != 0)
                ::_exit(0);
            const uid_t user = ::geteuid() == 0 ? sandbox::dropped_user : ::getuid();
            const pid_t self = ::getpid();
            const int keep = ::fcntl(ends[1], F_DUPFD, 20); // so that no end comes
            if (keep < 0 || ::setresgid(user, user, user) != 0 || ::setresuid(user, user, user) != 0 ||
                ::write(said[1], &self, sizeof self) < 0 || ::dup2(ends[0], 7) != 7)
                ::_exit(1);
            ::execv(bubblewrap, const_cast<char* const*>(words));
            ::_exit(1);
        }
        if (orphan)
            ::waitpid(child, nullptr, 0);
        ::close(said[1]);
        REQUIRE(::read(said[0], &process_, sizeof process_) == ssize_t(sizeof process_));
        for (const int end : {said[0], ends[0], ends[1]})
            ::close(end);
        for (const char* const* word = words; *word != nullptr; ++word)
            command_line_.append(*word).push_back('\0');
    }
    ~Planted() {
        if (process_ > 1 && lives())
            ::kill(process_, SIGKILL);
        if (!orphan_)
            ::waitpid(process_, nullptr, 0);
    }
    Planted(const Planted&) = delete;
    Planted& operator=(const Planted&) = delete;

    /// False before exec, too, and for a process that nobody reaps.
    bool lives() const { return text_of("/proc/" + std::to_string(process_) + "/cmdline") == command_line_; }
    pid_t process() const { return process_; }

private:
    bool orphan_;
    pid_t process_ = -1;
    std::string command_line_;
};

} // namespace

TEST_CASE("a harness killed at any moment of a start leaves nothing of the sandbox") {
    const Adoption adoption;
    std::mt19937 random(20240611);
    for (int round = 0; round < 60; ++round) {
        const auto delay = std::chrono::microseconds(random() % 20'000);
        const std::string marker = unique_marker();
        Child harness = start({std::string(HOLDFAST_BIN_DIR) + "/sandbox_harness", HOLDFAST_BIN_DIR, "0", "sh", "-c",
                               "sleep 60; :", marker},
                              {"HOLDFAST_ANNOUNCE=1"});
        char begins = 0;
        REQUIRE(::read(harness.output, &begins, 1) == 1);
        REQUIRE(begins == 'b');
        std::this_thread::sleep_for(delay);
        end_process(harness.pid);
        read_all_and_wait(harness);
        const bool nothing = eventually([&] { return adoption.adopted().empty(); });
        INFO("round " << round << ", killed after " << delay.count() << " us\n" << command_lines(adoption.adopted()));
        REQUIRE(nothing);
        REQUIRE(processes_with(marker).empty());
    }
}

TEST_CASE("a run that is stopped at any moment of its start leaves nothing below the runner") {
    runner();
    std::mt19937 random(7);
    for (int round = 0; round < 40; ++round) {
        const auto delay = std::chrono::microseconds(random() % 6'000);
        std::stop_source stop;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(delay);
            stop.request_stop();
        });
        CHECK(run(shell("sleep 20; :"), stop.get_token()).ending == study::Ending::killed);
        for (const pid_t child : children_of(::getpid())) {
            if (text_of("/proc/" + std::to_string(child) + "/cmdline").find("holdfast-runner") == std::string::npos)
                continue;
            INFO("stopped after " << delay.count() << " us\n" << command_lines(children_of(child)));
            CHECK(children_of(child).empty());
        }
    }
}

TEST_CASE("a harness killed at any moment while it keeps a server leaves nothing of the sandbox") {
    const Adoption adoption;
    std::mt19937 random(20240612);
    for (int round = 0; round < 30; ++round) {
        const auto delay = std::chrono::microseconds(random() % 25'000);
        const std::string marker = unique_marker();
        Child harness = start({std::string(HOLDFAST_BIN_DIR) + "/sandbox_harness", HOLDFAST_BIN_DIR, "0", "sh", "-c",
                               "(setsid sleep 60 &); sleep 60; :", marker},
                              {"HOLDFAST_KEEP=1", "HOLDFAST_ANNOUNCE=1"});
        char begins = 0;
        REQUIRE(::read(harness.output, &begins, 1) == 1);
        REQUIRE(begins == 'b');
        std::this_thread::sleep_for(delay);
        end_process(harness.pid);
        read_all_and_wait(harness);
        const bool nothing = eventually([&] { return adoption.adopted().empty(); });
        INFO("round " << round << ", killed after " << delay.count() << " us\n" << command_lines(adoption.adopted()));
        REQUIRE(nothing);
        REQUIRE(processes_with(marker).empty());
    }
}

TEST_CASE("a stop request at any moment of a start with a server leaves nothing below the runner") {
    std::mt19937 random(8);
    for (int round = 0; round < 30; ++round) {
        const auto delay = std::chrono::microseconds(random() % 20'000);
        const std::string marker = unique_marker();
        study::Execution execution = shell("sleep 20; : " + marker);
        execution.server = study::Beside{{"sh", "-c", "sleep 20; : " + marker}, {"true"}, {}};
        std::stop_source stop;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(delay);
            stop.request_stop();
        });
        INFO("stopped after " << delay.count() << " us");
        CHECK(run(execution, stop.get_token()).ending == study::Ending::killed);
        CHECK(processes_with(marker).empty());
    }
}

TEST_CASE("the next start ends orphans of an earlier one, and only those") {
    runner();
    const Planted orphan("/init", true), other("/other", true), child("/init", false);
    REQUIRE(eventually([&] { return orphan.lives() && other.lives() && child.lives(); }));
    if (number_of(orphan.process(), "PPid") != 1)
        return; // something else adopts orphans here
    const auto started = sandbox::SandboxRunner::start(HOLDFAST_BIN_DIR);
    REQUIRE(started);
    CHECK(eventually([&] { return !orphan.lives(); }));
    CHECK(other.lives());
    CHECK(child.lives());
}
