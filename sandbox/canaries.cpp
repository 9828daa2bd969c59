// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/canaries.hpp"

#include "core/study/files.hpp"
#include "sandbox/descriptor.hpp"
#include "sandbox/kernel_files.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <sstream>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;
using study::Canary;

constexpr unsigned process_limit = 16;
constexpr std::uint64_t file_limit = 1U << 20, sum_limit = 16U << 20; ///< bytes
constexpr int hidden_ms = 40, outgrown_mib = 96;
constexpr std::uint64_t memory_limit = 32 << 20;

/// What a broken line leaves of the level.
enum class Need { namespaces, landlock, limits };

struct Attempt {
    const char* name;
    Need need; ///< what stops it at the least
};

// Every line that holdfast-canary prints; one that is missing counts as broken.
constexpr Attempt attempts[] = {
    {"reads a secret of the host", Need::landlock},
    {"reads the user's home", Need::landlock},
    {"looks at files of the host", Need::namespaces},
    {"changes the mode of a file of the host", Need::namespaces},
    {"writes outside its folders", Need::landlock},
    {"writes to what is read-only", Need::landlock},
    {"reaches the host over TCP", Need::landlock},
    {"reaches the host over UDP", Need::landlock},
    {"reaches a socket of the host", Need::landlock},
    {"reaches a socket of the host by its path", Need::namespaces},
    {"signals a process of the host", Need::landlock},
    {"reads the memory of the harness", Need::landlock},
    {"sees processes of the host", Need::namespaces},
    {"changes settings of the kernel", Need::landlock},
    {"has or gains privileges", Need::landlock},
    {"makes a name space", Need::landlock},
    {"mounts a file system", Need::landlock},
    {"uses keys of the user", Need::landlock},
    {"reaches deep into the kernel", Need::landlock},
    {"traces other processes", Need::landlock},
    {"opens sockets of other kinds", Need::landlock},
    {"exceeds the number of processes", Need::namespaces},
    {"exceeds the size of a file", Need::limits},
    {"opens what process 1 holds", Need::landlock},
    {"ends process 1", Need::landlock},
};

/// What the runner watches; each is an execution of its own, since exceeding it ends one.
struct Limit {
    const char *name, *attempt;
    study::Ending ending;
};
constexpr Limit limits[] = {{"memory", "exceeds its memory", study::Ending::memory},
                            {"disk", "exceeds its disk", study::Ending::disk},
                            {"output", "exceeds its output", study::Ending::output},
                            {"time", "exceeds its time", study::Ending::timeout}};

std::string random_name() {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != ssize_t(sizeof number))
        number = std::uint64_t(::getpid());
    return fmt::format("{:016x}", number);
}

/// What the canary aims at; gone when this is.
class Targets {
public:
    Result<void> set_up(study::Runner& runner, const fs::path& program);
    ~Targets() {
        std::error_code error;
        fs::remove_all(folder, error);
        if (!home_secret.empty())
            fs::remove(home_secret, error);
    }
    /// What the outside saw overrules what the inside says.
    void correct(std::vector<Canary>& canaries) const;

    std::string name = random_name();
    fs::path folder, secret, home_secret, outside, program, owned;
    int tcp_port = 0, udp_port = 0;

private:
    bool listen(Descriptor& socket, int type, int& port);
    bool listen_by_path();
    Descriptor tcp_, udp_, local_, named_;
};

bool Targets::listen(Descriptor& socket, int type, int& port) {
    socket.reset(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        (type == SOCK_STREAM && ::listen(socket.get(), 8) != 0) ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        return false;
    port = ntohs(address.sin_port);
    return true;
}

bool Targets::listen_by_path() {
    sockaddr_un named{};
    named.sun_family = AF_UNIX;
    const std::string path = folder / "socket";
    if (path.size() >= sizeof named.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    std::memcpy(named.sun_path, path.c_str(), path.size());
    named_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return named_ && ::bind(named_.get(), reinterpret_cast<sockaddr*>(&named), sizeof named) == 0 &&
           ::listen(named_.get(), 8) == 0 && ::chmod(path.c_str(), 0777) == 0;
}

Result<void> Targets::set_up(study::Runner& runner, const fs::path& canary) {
    const auto trouble = [&](const std::string& what) {
        return failed("try whether the sandbox holds", what, "Check the folder for temporary trees");
    };
    folder = runner.cache() / ("canary-" + name);
    secret = folder / "secret";
    outside = folder / "outside";
    program = folder / "canary";
    owned = folder / "owned";
    std::error_code error;
    fs::create_directories(folder / "read", error);
    fs::create_directories(outside, error);
    fs::create_directories(owned, error);
    if (error)
        return trouble(error.message());
    auto made = study::copy_one_file(canary, program);
    if (made)
        made = study::write_file(secret, "secret\n");
    if (made)
        made = study::write_file(folder / "read" / "file", "unchanged\n");
    if (!made)
        return made;
    // Only the sandbox may be what stops it, not permissions.
    if (::chmod(folder.c_str(), 0755) != 0 || ::chmod(secret.c_str(), 0644) != 0 ||
        ::chmod(outside.c_str(), 0777) != 0 || ::chmod(program.c_str(), 0755) != 0)
        return trouble(std::strerror(errno));
    for (const fs::path& tree : {program, folder / "read", owned})
        if (auto given = runner.give(tree); !given)
            return given;
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        home_secret = fs::path(home) / (".holdfast-canary-" + name);
        std::ofstream planted(home_secret);
        if (!planted)
            home_secret.clear();
    }
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    std::memcpy(local.sun_path + 1, name.data(), name.size());
    const auto size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    local_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!local_ || ::bind(local_.get(), reinterpret_cast<sockaddr*>(&local), size) != 0 ||
        ::listen(local_.get(), 8) != 0 || !listen(tcp_, SOCK_STREAM, tcp_port) || !listen(udp_, SOCK_DGRAM, udp_port))
        return trouble(std::string("sockets: ") + std::strerror(errno));
    return listen_by_path() ? Result<void>() : trouble(std::string("sockets: ") + std::strerror(errno));
}

void Targets::correct(std::vector<Canary>& canaries) const {
    const auto broke = [&](const std::string& attempt, const std::string& seen) {
        for (Canary& canary : canaries)
            if (canary.name == attempt && canary.held) {
                canary.held = false;
                canary.detail = seen;
            }
    };
    const auto came = [](const Descriptor& listener) {
        return bool(Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)));
    };
    std::error_code error;
    char byte = 0;
    if (!fs::is_empty(outside, error))
        broke("writes outside its folders", "a file was found outside");
    std::ifstream file(folder / "read" / "file");
    if (std::string(std::istreambuf_iterator<char>(file), {}) != "unchanged\n")
        broke("writes to what is read-only", "a file was changed");
    if (came(tcp_))
        broke("reaches the host over TCP", "a connection came");
    if (came(local_))
        broke("reaches a socket of the host", "a connection came");
    if (::recv(udp_.get(), &byte, 1, 0) > 0)
        broke("reaches the host over UDP", "a packet came");
}

/// The level that is left when what stops an attempt at the least is missing.
int level_without(Need need) {
    return need == Need::namespaces ? 2 : need == Need::landlock ? 1 : 0;
}

std::vector<Canary> parse(const study::ExecutionResult& result) {
    std::vector<Canary> canaries;
    for (const Attempt& attempt : attempts)
        canaries.push_back({attempt.name, false,
                            "no answer: " + (result.reason.empty() ? "it left out" : result.reason),
                            level_without(attempt.need)});
    std::istringstream lines(result.standard_output);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find('\t');
        const std::size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
        if (second == std::string::npos)
            continue;
        for (Canary& canary : canaries)
            if (canary.name == line.substr(0, first)) {
                canary.held = line.substr(first + 1, second - first - 1) == "held";
                canary.detail = line.substr(second + 1);
            }
    }
    // It says so before it knows: only an end of its own proves that process 1 was not ended.
    if (!result.ok()) {
        canaries.back().held = false;
        canaries.back().detail = result.reason;
    }
    return canaries;
}

/// A process of this machine with `marker` in its command line.
bool is_running(const std::string& marker) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        if (text_of(entry.path() / "cmdline").find(marker) != std::string::npos)
            return true;
    }
    return false;
}

/// What only a control group and a user of its own stop: without them the sandbox is of level 3. By what was seen, not
/// by what was set up.
Result<std::vector<Canary>> try_beyond(study::Runner& runner, const Targets& targets, study::Execution attempt) {
    attempt.mounts.push_back({targets.owned, "/owned", true});
    attempt.argv = {"/canary", "hide", std::to_string(hidden_ms), "/owned/file"};
    const auto hidden = runner.execute(attempt, {});
    if (!hidden)
        return tl::unexpected(hidden.error());
    const auto seen = std::chrono::duration_cast<std::chrono::milliseconds>(hidden->usage.user + hidden->usage.system);
    struct stat info {};
    const bool made = ::stat((targets.owned / "file").c_str(), &info) == 0;

    attempt.argv = {"/canary", "grow", std::to_string(outgrown_mib)};
    attempt.limits.memory_bytes = memory_limit;
    const auto grown = runner.execute(attempt, {});
    if (!grown)
        return tl::unexpected(grown.error());
    // The runner would stop it too, but only when more was used already. Pages that others use too are not the group's.
    const bool stopped = grown->ending == study::Ending::memory && grown->usage.memory_source == "cgroup" &&
                         grown->usage.peak_memory_bytes < memory_limit + memory_limit / 8;
    constexpr int level = 3;
    return std::vector<Canary>{{"outgrows its memory between two looks", stopped,
                                grown->reason.empty()
                                    ? fmt::format("used {} MiB, allowed {}", outgrown_mib, memory_limit >> 20)
                                    : grown->reason,
                                level},
                               {"hides processor time", seen.count() * 10 >= hidden_ms * 9,
                                fmt::format("{} of {} ms were seen", seen.count(), hidden_ms), level},
                               {"has the user of holdfast", made && info.st_uid != ::geteuid(),
                                made ? fmt::format("user {}", info.st_uid) : "it left no file", level}};
}

void judge(study::Isolation& isolation) {
    isolation.level = 4;
    for (const Canary& canary : isolation.canaries) {
        if (canary.held || canary.leaves >= isolation.level)
            continue;
        isolation.level = canary.leaves;
        if (canary.leaves >= 3)
            continue;
        isolation.missing = fmt::format("a program inside {} ({})", canary.name, canary.detail);
        isolation.remedy = "Update bubblewrap and the kernel";
    }
}

} // namespace

Result<study::Isolation> run_canaries(study::Runner& runner, const fs::path& program) {
    Targets targets;
    if (auto ready = targets.set_up(runner, program); !ready)
        return tl::unexpected(ready.error());
    study::Execution attempt;
    attempt.phase = study::Phase::judge;
    attempt.mounts = {{targets.program, "/canary", false}, {targets.folder / "read", "/read", false}};
    attempt.limits.processes = process_limit;
    attempt.limits.file_bytes = file_limit;
    attempt.limits.time = std::chrono::seconds(30);
    attempt.argv = {"/canary",
                    "try",
                    targets.secret,
                    targets.home_secret,
                    targets.outside,
                    std::to_string(targets.tcp_port),
                    std::to_string(targets.udp_port),
                    targets.name,
                    std::to_string(::getpid()),
                    std::to_string(process_limit),
                    std::to_string(file_limit),
                    "/read",
                    targets.folder / "socket"};
    study::Isolation isolation;
    const auto gave_up = [&](const Error& error) {
        isolation.missing = error.found;
        isolation.remedy = error.remedy;
        return isolation;
    };
    auto tried = runner.execute(attempt, {});
    if (!tried)
        return gave_up(tried.error());
    isolation.canaries = parse(*tried);
    targets.correct(isolation.canaries);

    const std::string marker = "holdfast-canary-" + random_name();
    attempt.argv = {"/canary", "daemon", marker};
    auto left = runner.execute(attempt, {});
    if (!left)
        return gave_up(left.error());
    const bool survived = is_running(marker) || left->ending != study::Ending::survivors;
    isolation.canaries.push_back({"survives the end of its run", !survived, left->reason});
    for (const Limit& limit : limits) {
        study::Execution greedy = attempt;
        greedy.argv = {"/canary", "exceed", limit.name, std::to_string(sum_limit * 4)};
        // Each alone: what lies in memory file systems is memory too.
        greedy.limits.file_bytes = sum_limit * 8;
        if (limit.ending == study::Ending::memory)
            greedy.limits.memory_bytes = sum_limit;
        else if (limit.ending == study::Ending::disk)
            greedy.limits.disk_bytes = sum_limit;
        else if (limit.ending == study::Ending::output)
            greedy.limits.output_bytes = sum_limit;
        else
            greedy.limits.time = std::chrono::milliseconds(20);
        auto ended = runner.execute(greedy, {});
        if (!ended)
            return gave_up(ended.error());
        isolation.canaries.push_back({limit.attempt, ended->ending == limit.ending, ended->reason});
    }
    if (std::ranges::all_of(isolation.canaries, &Canary::held)) {
        auto beyond = try_beyond(runner, targets, attempt);
        if (!beyond)
            return gave_up(beyond.error());
        isolation.canaries.insert(isolation.canaries.end(), beyond->begin(), beyond->end());
    }
    judge(isolation);
    return isolation;
}

} // namespace holdfast::sandbox
