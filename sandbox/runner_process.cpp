// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/runner_process.hpp"

#include "core/project/text.hpp"
#include "sandbox/explain.hpp"
#include "sandbox/folders.hpp"
#include "sandbox/runner/cgroup.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;

/// Returns the error number; `pid` is set when it is 0.
int spawn_runner(const fs::path& program, std::vector<std::string> words, int socket, pid_t& pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, socket, 3);
    posix_spawn_file_actions_addchdir_np(&actions, "/");
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    // A session of its own: Ctrl-C in the terminal must not reach the runner or the tree.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    char* environment[] = {nullptr};
    const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

} // namespace

RunnerProcess::~RunnerProcess() {
    if (socket_)
        ::shutdown(socket_.get(), SHUT_RDWR);
    // The runner ends with the socket, the keeper with the runner.
}

Result<void> RunnerProcess::start(const fs::path& helpers, const fs::path& bubblewrap, bool groups) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return failed("start holdfast-runner", std::strerror(errno),
                      "Close other programs, or raise the limit on open files (ulimit -n)");
    socket_.reset(ends[0]);
    // Above 3, or dup2 to 3 would do nothing and leave close-on-exec set.
    Descriptor theirs(::fcntl(ends[1], F_DUPFD_CLOEXEC, 10));
    ::close(ends[1]);
    const std::vector<std::string> words = {
        "holdfast-runner",          bubblewrap.native(),
        helpers / "holdfast-init",  std::to_string(::geteuid() == 0 ? dropped_user : 0),
        std::to_string(::getpid()), groups ? "1" : "0"};
    std::promise<int> started;
    std::future<int> error = started.get_future();
    keeper_ = std::jthread([words, groups, program = helpers / "holdfast-runner", theirs = std::move(theirs),
                            started = std::move(started)]() mutable {
        pid_t pid = -1;
        const int failure = spawn_runner(program, words, theirs.get(), pid);
        theirs.reset();
        started.set_value(failure);
        while (failure == 0 && ::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        // A runner may lack the right to remove its own groups, and one that was killed cannot.
        if (groups)
            sweep_groups();
    });
    if (const int failure = error.get(); failure != 0)
        return failed("start holdfast-runner", std::strerror(failure),
                      "Check that the folder of the helpers is not mounted noexec");
    return {};
}

Result<Reply> RunnerProcess::ask(MessageKind kind, const std::string& payload, const std::stop_token& kill) {
    const std::string attempted = "run a program in a sandbox";
    const Descriptor wake(::eventfd(0, EFD_CLOEXEC));
    const std::stop_callback on_stop(kill, [&] { ::eventfd_write(wake.get(), 1); });
    const auto gone = [&] {
        return failed(attempted, "holdfast-runner has ended unexpectedly", "Start holdfast again");
    };
    if (!send_message(socket_.get(), kind, payload))
        return gone();
    for (bool asked = false;;) {
        pollfd sources[] = {{socket_.get(), POLLIN, 0}, {asked ? -1 : wake.get(), POLLIN, 0}};
        if (::poll(sources, 2, -1) < 0 && errno != EINTR)
            return failed(attempted, std::strerror(errno), "Start holdfast again");
        if (sources[1].revents != 0) {
            asked = true;
            send_message(socket_.get(), MessageKind::kill, {});
        }
        if (sources[0].revents != 0)
            break;
    }
    const std::optional<Message> message = receive_message(socket_.get());
    std::optional<Reply> reply = message ? decode_reply(message->payload) : std::nullopt;
    if (!reply)
        return gone();
    if (!reply->failure.empty())
        return tl::unexpected(explain(reply->stage, reply->failure));
    reply->result.reason = printable(reply->result.reason); // it may hold a name that a program gave itself
    return std::move(*reply);
}

} // namespace holdfast::sandbox
