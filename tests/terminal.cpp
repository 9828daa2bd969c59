// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <pty.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::test {

Ran run_on_terminal(const std::vector<std::string>& argv, const std::filesystem::path& folder,
                    const std::vector<std::string>& environment,
                    const std::vector<std::pair<std::string, std::string>>& answers) {
    std::vector<std::string> line{"env", "-C", folder.string()};
    line.insert(line.end(), environment.begin(), environment.end());
    line.insert(line.end(), argv.begin(), argv.end());
    std::vector<char*> words;
    for (std::string& word : line)
        words.push_back(word.data());
    words.push_back(nullptr);
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child < 0)
        throw std::runtime_error("cannot make a terminal");
    if (child == 0) {
        ::execvp("env", words.data());
        ::_exit(127);
    }
    Ran ran;
    std::size_t seen = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (char buffer[4096];;) {
        pollfd ready{terminal, POLLIN, 0};
        ::poll(&ready, 1, 100);
        if (std::chrono::steady_clock::now() > end)
            ::kill(child, SIGKILL);
        if ((ready.revents & (POLLIN | POLLHUP)) == 0)
            continue;
        const ssize_t count = ::read(terminal, buffer, sizeof buffer);
        if (count <= 0)
            break; // EIO: the last program on it ended
        ran.out.append(buffer, static_cast<std::size_t>(count));
        const auto first = std::min_element(answers.begin(), answers.end(), [&](const auto& a, const auto& b) {
            return ran.out.find(a.first, seen) < ran.out.find(b.first, seen);
        });
        if (first == answers.end() || ran.out.find(first->first, seen) == std::string::npos)
            continue;
        seen = ran.out.find(first->first, seen) + first->first.size();
        const std::string typed = first->second + "\n";
        if (::write(terminal, typed.data(), typed.size()) < 0)
            break;
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
}

} // namespace holdfast::test
