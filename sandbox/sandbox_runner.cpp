// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/sandbox_runner.hpp"

#include "sandbox/canaries.hpp"
#include "sandbox/explain.hpp"
#include "sandbox/folders.hpp"
#include "sandbox/machine.hpp"
#include "sandbox/message.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;
using study::Execution;

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

Result<fs::path> find_bubblewrap(const SandboxOptions& options) {
    if (options.bubblewrap.empty())
        for (const char* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"})
            if (::access(path, X_OK) == 0)
                return fs::path(path);
    if (!options.bubblewrap.empty() && ::access(options.bubblewrap.c_str(), X_OK) == 0)
        return options.bubblewrap;
    return refused("isolate programs", "bubblewrap (bwrap) is not installed",
                   "Run: apt-get install bubblewrap (Fedora: dnf install bubblewrap)");
}

/// Random length, because the size of the environment moves the stack and with it alignment and speed.
std::string layout_padding() {
    std::uint16_t length = 0;
    if (::getrandom(&length, sizeof length, 0) != ssize_t(sizeof length))
        length = 2048;
    return std::string(length % 4097, 'x');
}

/// The whole environment of a program: these, then the caller's, which may replace them.
void complete_environment(Execution& execution) {
    std::vector<std::pair<std::string, std::string>> all = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                                            {"HOME", "/home/user"},
                                                            {"LANG", "C.UTF-8"},
                                                            {"TZ", "UTC"},
                                                            {"TMPDIR", "/tmp"}};
    for (auto& variable : execution.environment) {
        const auto same = std::find_if(all.begin(), all.end(), [&](auto& v) { return v.first == variable.first; });
        if (same == all.end())
            all.push_back(std::move(variable));
        else
            same->second = std::move(variable.second);
    }
    if (execution.phase == study::Phase::run)
        all.emplace_back("PAD", layout_padding());
    execution.environment = std::move(all);
}

bool has_nul(const std::string& text) {
    return text.find('\0') != std::string::npos;
}

bool is_reserved(const fs::path& inside) {
    constexpr std::array reserved = {"usr",    "bin", "sbin", "lib", "lib32", "lib64",
                                     "libx32", "etc", "proc", "dev", "sys",   "init"};
    auto component = inside.begin();
    if (++component == inside.end())
        return true; // "/"
    const std::string first = component->native();
    return first.empty() || std::find(reserved.begin(), reserved.end(), first) != reserved.end();
}

/// Checks what the runner relies on and resolves the mounts.
Result<Execution> prepared(const Execution& given, const fs::path& cache) {
    Execution execution = given;
    const std::string attempted = "run a program in a sandbox";
    if (execution.argv.empty() || execution.argv.front().empty())
        return invalid(attempted, "its command is empty", "Write the program and its arguments as a list of words");
    if (std::any_of(execution.argv.begin(), execution.argv.end(), has_nul) || has_nul(execution.folder))
        return invalid(attempted, "its command holds a NUL byte", "Write it without \\u0000");
    for (const auto& [name, value] : execution.environment)
        if (name.empty() || name.find('=') != std::string::npos || has_nul(name) || has_nul(value))
            return invalid(attempted, fmt::format("the name of an environment variable is invalid: '{}'", name),
                           "Use letters, digits and _");
    for (study::Mount& mount : execution.mounts) {
        const fs::path inside(mount.inside);
        if (!inside.is_absolute() || inside != inside.lexically_normal() || has_nul(mount.inside) ||
            is_reserved(inside))
            return invalid(attempted, fmt::format("nothing can be mounted at '{}'", mount.inside),
                           "Use an absolute path outside the system's folders");
        // Resolved now, while nothing runs: a program that ran before may have left links.
        Result<fs::path> host = below_cache(cache, mount.host);
        if (!host)
            return tl::unexpected(host.error());
        mount.host = *host;
    }
    complete_environment(execution);
    return execution;
}

} // namespace

Result<void> SandboxRunner::spawn(const fs::path& bubblewrap) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return failed("start holdfast-runner", std::strerror(errno),
                      "Close other programs, or raise the limit on open files (ulimit -n)");
    socket_.reset(ends[0]);
    // Above 3, or dup2 to 3 would do nothing and leave close-on-exec set.
    Descriptor theirs(::fcntl(ends[1], F_DUPFD_CLOEXEC, 10));
    ::close(ends[1]);
    const std::vector<std::string> words = {"holdfast-runner", bubblewrap.native(), helpers_ / "holdfast-init",
                                            std::to_string(::geteuid() == 0 ? dropped_user : 0),
                                            std::to_string(::getpid())};
    std::promise<int> started;
    std::future<int> error = started.get_future();
    keeper_ = std::jthread([words, program = helpers_ / "holdfast-runner", theirs = std::move(theirs),
                            started = std::move(started)]() mutable {
        pid_t pid = -1;
        const int failure = spawn_runner(program, words, theirs.get(), pid);
        theirs.reset();
        started.set_value(failure);
        while (failure == 0 && ::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
        }
    });
    if (const int failure = error.get(); failure != 0)
        return failed("start holdfast-runner", std::strerror(failure),
                      "Check that the folder of the helpers is not mounted noexec");
    return {};
}

Result<std::unique_ptr<study::Runner>> SandboxRunner::start(const fs::path& helpers, const SandboxOptions& options) {
    const Result<fs::path> bubblewrap = find_bubblewrap(options);
    if (!bubblewrap)
        return tl::unexpected(bubblewrap.error());
    Result<fs::path> cache = make_cache();
    if (!cache)
        return tl::unexpected(cache.error());
    std::error_code error;
    Result<fs::path> reachable = reachable_helpers(fs::absolute(helpers, error), *cache);
    if (!reachable)
        return tl::unexpected(reachable.error());
    std::unique_ptr<SandboxRunner> runner(new SandboxRunner);
    runner->cache_ = std::move(*cache);
    runner->helpers_ = std::move(*reachable);
    if (auto spawned = runner->spawn(*bubblewrap); !spawned)
        return tl::unexpected(spawned.error());
    // Isolation that is missing shows here and not in the middle of a study.
    Execution nothing;
    nothing.phase = study::Phase::judge;
    nothing.argv = {"true"};
    auto probe = runner->execute(nothing, {});
    if (!probe)
        return tl::unexpected(probe.error());
    if (!probe->ok())
        return refused("isolate programs", fmt::format("`true` in a sandbox: {}", probe->reason),
                       "Run holdfast doctor");
    return runner;
}

SandboxRunner::~SandboxRunner() {
    if (socket_)
        ::shutdown(socket_.get(), SHUT_RDWR);
    // The runner ends with the socket, the keeper with the runner.
}

Result<study::ExecutionResult> SandboxRunner::execute(const Execution& given, std::stop_token kill) {
    const std::string attempted = "run a program in a sandbox";
    const std::lock_guard lock(one_at_a_time_);
    Result<Execution> execution = prepared(given, cache_);
    if (!execution)
        return tl::unexpected(execution.error());
    const Descriptor wake(::eventfd(0, EFD_CLOEXEC));
    const std::stop_callback on_stop(kill, [&] { ::eventfd_write(wake.get(), 1); });
    const auto gone = [&] {
        return failed(attempted, "holdfast-runner has ended unexpectedly", "Start holdfast again");
    };
    if (!send_message(socket_.get(), MessageKind::execute, encode(*execution)))
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
    return std::move(reply->result);
}

Result<std::unique_ptr<study::KeptSandbox>> SandboxRunner::keep(const Execution& /*execution*/,
                                                                std::stop_token /*kill*/) {
    return failed("keep a server", "this runner cannot yet", "Leave \"keep\" out");
}

Result<study::Isolation> SandboxRunner::isolation() {
    const std::lock_guard lock(isolation_mutex_);
    if (!isolation_) {
        Result<study::Isolation> found = run_canaries(*this, helpers_ / "holdfast-canary");
        if (!found)
            return found;
        isolation_ = std::move(*found);
    }
    return *isolation_;
}

Result<void> SandboxRunner::give(const fs::path& tree) {
    return give_tree(cache_, tree);
}

study::MachineReading SandboxRunner::reading() const {
    return read_machine();
}

std::string SandboxRunner::machine() const {
    return describe_machine();
}

} // namespace holdfast::sandbox
