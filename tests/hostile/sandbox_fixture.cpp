// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox_fixture.hpp"

#include "tests/catch.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void give_up(const std::string& why) {
    std::cerr << why << '\n';
    std::exit(1);
}

struct Session {
    Session() {
        char folder[] = "/var/tmp/holdfast-test-XXXXXX";
        if (::mkdtemp(folder) == nullptr)
            give_up("cannot make a folder below /var/tmp");
        cache = folder;
        ::setenv("HOLDFAST_CACHE", folder, 1);
        auto started = sandbox::SandboxRunner::start(HOLDFAST_BIN_DIR);
        if (!started)
            give_up(started.error().message());
        runner = std::move(*started);
    }
    ~Session() {
        runner.reset();
        std::error_code error;
        fs::remove_all(cache, error);
    }
    fs::path cache;
    std::unique_ptr<study::Runner> runner;
};

Session& session() {
    static Session only;
    return only;
}

} // namespace

study::Runner& runner() {
    return *session().runner;
}

Tree::Tree(const std::string& file, const std::string& text) {
    path = runner().cache() / ("tree-" + unique_marker());
    fs::create_directories(path);
    if (!file.empty())
        std::ofstream(path / file) << text;
    const auto given = runner().give(path);
    if (!given)
        give_up(given.error().message());
}

Tree::~Tree() {
    std::error_code error;
    fs::remove_all(path, error);
}

std::string Tree::read(const std::string& file) const {
    return text_of(path / file);
}

Built::Built(const std::string& name, const std::string& source) {
    const Tree code(name + ".c", source);
    study::Execution compile;
    compile.phase = study::Phase::build;
    compile.argv = {"cc", "-O1", "-w", "-pthread", "-o", "/build/" + name, "/source/" + name + ".c", "-lm"};
    compile.mounts = {{code.path, "/source", false}, {build_.path, "/build", true}};
    const auto result = run(compile);
    INFO(result.reason << ": " << result.standard_error);
    REQUIRE(result.ok());
}

const fs::path& victim_folder() {
    static const Built victim("victim", text_of(fs::path(HOLDFAST_SOURCE_DIR) / "tests/hostile/victim.c"));
    return victim.path();
}

study::Execution victim(const std::string& mode, const std::string& argument, const std::string& marker) {
    study::Execution execution;
    execution.argv = {"/build/victim", mode, argument, marker};
    execution.mounts = {{victim_folder(), "/build", false}};
    execution.limits.time = std::chrono::seconds(20);
    return execution;
}

study::Execution shell(const std::string& script) {
    study::Execution execution;
    execution.argv = {"sh", "-c", script};
    execution.limits.time = std::chrono::seconds(20);
    return execution;
}

study::ExecutionResult run(const study::Execution& execution, std::stop_token stop) {
    auto result = runner().execute(execution, std::move(stop));
    INFO((result ? "" : result.error().message()));
    REQUIRE(result);
    return std::move(*result);
}

std::string unique_marker() {
    static int count = 0;
    return "marker-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + "-";
}

std::vector<pid_t> processes_with(const std::string& marker) {
    std::vector<pid_t> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") == std::string::npos &&
            text_of(entry.path() / "cmdline").find(marker) != std::string::npos)
            found.push_back(pid_t(std::stol(name)));
    }
    return found;
}

bool eventually(const std::function<bool()>& holds, int seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

Child start(const std::vector<std::string>& argv, const std::vector<std::string>& more_environment) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    std::vector<std::string> words = argv, variables = more_environment;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    std::vector<char*> arguments, environment;
    for (std::string& word : words)
        arguments.push_back(word.data());
    for (std::string& variable : variables)
        environment.push_back(variable.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    Child child;
    const int failure =
        ::posix_spawnp(&child.pid, arguments[0], &actions, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    REQUIRE(failure == 0);
    child.output = ends[0];
    return child;
}

std::string read_all_and_wait(Child& child) {
    std::string text;
    char chunk[4096];
    for (ssize_t size; (size = ::read(child.output, chunk, sizeof chunk)) > 0 || (size < 0 && errno == EINTR);)
        if (size > 0)
            text.append(chunk, std::size_t(size));
    ::close(child.output);
    ::waitpid(child.pid, nullptr, 0);
    return text;
}

void end_process(pid_t process) {
    REQUIRE(process > 1);
    ::kill(process, SIGKILL);
}

std::string text_of(const fs::path& file) {
    // Without exceptions: a file of /proc fails in the middle of reading when its process ends.
    std::ifstream in(file, std::ios::binary);
    std::string text;
    char chunk[4096];
    while (in.read(chunk, sizeof chunk), in.gcount() > 0)
        text.append(chunk, std::size_t(in.gcount()));
    return text;
}

} // namespace holdfast::test
