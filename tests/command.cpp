// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/command.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace holdfast::test {

namespace fs = std::filesystem;

Command::Command(const std::vector<std::string>& argv, const fs::path& folder,
                 const std::vector<std::string>& environment) {
    static std::atomic<int> count{0};
    const std::string name = "holdfast-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
    out_ = fs::temp_directory_path() / (name + ".out");
    err_ = fs::temp_directory_path() / (name + ".err");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    std::vector<std::string> all = environment;
    for (char** variable = environ; *variable != nullptr; ++variable)
        all.emplace_back(*variable);
    std::vector<char*> words, variables;
    for (const std::string& word : argv)
        words.push_back(const_cast<char*>(word.c_str()));
    for (const std::string& variable : all)
        variables.push_back(const_cast<char*>(variable.c_str()));
    words.push_back(nullptr);
    variables.push_back(nullptr);
    const int failed = ::posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        throw std::runtime_error("cannot start " + argv.front());
}

Command::~Command() {
    if (!ended_) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, &status_, 0);
    }
    std::error_code ignored;
    fs::remove(out_, ignored);
    fs::remove(err_, ignored);
}

void Command::signal(int number) const {
    ::kill(pid_, number);
}

bool Command::wait_for(std::chrono::milliseconds time) {
    if (ended_)
        return true;
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    pollfd ready{fd, POLLIN, 0};
    ::poll(&ready, 1, static_cast<int>(time.count()));
    ::close(fd);
    ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
}

Ran Command::wait() {
    if (!ended_)
        ::waitpid(pid_, &status_, 0);
    ended_ = true;
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), read_text(out_), read_text(err_)};
}

Ran run_command(const std::vector<std::string>& argv, const fs::path& folder,
                const std::vector<std::string>& environment) {
    return Command(argv, folder, environment).wait();
}

} // namespace holdfast::test
