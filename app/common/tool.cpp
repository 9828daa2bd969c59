// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/tool.hpp"

#include "core/git/files.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::app {

namespace {

constexpr int first_file = 3;
constexpr std::size_t most_output = std::size_t{1} << 20;

using git::Descriptor;

/// A file in memory that holds `bytes`, at a number that no child's descriptor takes.
Descriptor in_memory(const std::string& bytes) {
    const Descriptor low(::memfd_create("holdfast", MFD_CLOEXEC));
    std::size_t done = 0;
    while (low.number() >= 0 && done < bytes.size()) {
        const ssize_t count = ::write(low.number(), bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return {};
        done += static_cast<std::size_t>(count);
    }
    if (low.number() < 0 || ::lseek(low.number(), 0, SEEK_SET) != 0)
        return {};
    return Descriptor(::fcntl(low.number(), F_DUPFD_CLOEXEC, 64));
}

std::string content(const Descriptor& file) {
    std::string text(most_output, '\0');
    const ssize_t count = ::pread(file.number(), text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

/// The program can be signalled as usual, whatever this one blocks or ignores.
int spawn(const std::vector<std::string>& words, const std::vector<Descriptor>& descriptors, pid_t& child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (std::size_t i = 0; i < descriptors.size(); ++i)
        posix_spawn_file_actions_adddup2(&actions, descriptors[i].number(), static_cast<int>(i));
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<std::string> copies = words;
    std::vector<char*> argv;
    for (std::string& word : copies)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const int fault = ::posix_spawnp(&child, argv.front(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return fault;
}

/// Whether the child ended in time; one that did not is killed. Its status is in `status` either way.
bool await(pid_t child, std::chrono::milliseconds timeout, int& status) {
    const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    bool ended = handle.number() < 0; // without pidfd (Linux before 5.3) it is waited for without a limit
    while (!ended) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            break;
        pollfd waiting{handle.number(), POLLIN, 0};
        ended = ::poll(&waiting, 1, static_cast<int>(left.count())) > 0;
    }
    if (!ended)
        ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return ended;
}

} // namespace

std::string tool_file(std::size_t index) {
    return fmt::format("/dev/fd/{}", first_file + static_cast<int>(index));
}

Result<ToolResult> run_tool(const ToolRun& run, const std::string& attempted, const std::string& package) {
    std::vector<Descriptor> descriptors;
    for (const std::string& text : {run.input, std::string(), std::string()})
        descriptors.push_back(in_memory(text));
    for (const std::string& text : run.files)
        descriptors.push_back(in_memory(text));
    for (const Descriptor& each : descriptors)
        if (each.number() < 0)
            return failed(attempted, fmt::format("no file in memory could be made ({})", std::strerror(errno)),
                          "Free some memory.");
    pid_t child = 0;
    const int fault = spawn(run.argv, descriptors, child);
    if (fault == ENOENT)
        return failed(attempted, fmt::format("the program {} is not there", run.argv.front()),
                      fmt::format("Install the package {}.", package));
    if (fault != 0)
        return failed(attempted, fmt::format("{} could not be started ({})", run.argv.front(), std::strerror(fault)),
                      fmt::format("Check that it may be executed; the package is {}.", package));
    int status = 0;
    if (!await(child, run.timeout, status))
        return failed(attempted,
                      fmt::format("{} did not end within {} s", run.argv.front(), run.timeout.count() / 1000),
                      "Try again.");
    return ToolResult{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(descriptors[1]),
                      content(descriptors[2])};
}

} // namespace holdfast::app
