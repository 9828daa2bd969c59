// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/runner/leftovers.hpp"

#include "sandbox/descriptor.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <optional>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace holdfast::sandbox {
namespace {

using namespace std::chrono_literals;

std::string read_proc(pid_t process, const char* file) {
    const std::string path = "/proc/" + std::to_string(process) + "/" + file;
    const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    char chunk[4096];
    for (ssize_t size; in && (size = ::read(in.get(), chunk, sizeof chunk)) > 0;)
        text.append(chunk, std::size_t(size));
    return text;
}

/// The first number after `key`, which begins a line.
std::optional<long> number_after(const std::string& text, const char* key) {
    std::size_t at = text.find(key);
    if (at == std::string::npos)
        return {};
    at = text.find_first_not_of(" \t", at + std::strlen(key));
    long value = 0;
    if (at == std::string::npos ||
        std::from_chars(text.data() + at, text.data() + text.size(), value).ec != std::errc())
        return {};
    return value;
}

/// -1 when there is no such process.
pid_t parent_of(pid_t process) {
    return pid_t(number_after(read_proc(process, "status"), "\nPPid:").value_or(-1));
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
        const char* const end = entry->d_name + std::strlen(entry->d_name);
        pid_t process = 0;
        const auto [stop, error] = std::from_chars(entry->d_name, end, process);
        if (error == std::errc() && stop == end && process > 1)
            found.push_back(process);
    }
    return found;
}

/// SIGKILL to one process if `is_it` holds while its number cannot pass to another process.
template <class Check> void kill_if(pid_t process, Check is_it) {
    if (process <= 1 || process == ::getpid())
        return;
    const Descriptor handle(int(::syscall(SYS_pidfd_open, process, 0)));
    if (handle && is_it())
        ::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
}

using Children = std::multimap<pid_t, pid_t>;

void kill_below(const Children& children, pid_t parent) {
    const auto [begin, end] = children.equal_range(parent);
    for (auto child = begin; child != end; ++child) {
        const pid_t process = child->second;
        kill_below(children, process);
        // A parent that has died meanwhile has left its child to this process.
        kill_if(process, [&] {
            const pid_t now = parent_of(process);
            return now == parent || now == ::getpid();
        });
    }
}

bool is_orphan(pid_t process, const std::string& command_line) {
    const std::string status = read_proc(process, "status");
    return number_after(status, "\nPPid:") == 1 && number_after(status, "\nUid:") == long(::getuid()) &&
           read_proc(process, "cmdline") == command_line;
}

} // namespace

void kill_descendants(pid_t ancestor) {
    Children children;
    for (const pid_t process : all_processes())
        if (const pid_t parent = parent_of(process); parent > 1)
            children.emplace(parent, process);
    if (ancestor > 1)
        kill_below(children, ancestor);
}

bool end_children(std::chrono::steady_clock::duration limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const pid_t reaped = ::waitpid(-1, nullptr, WNOHANG);
        if (reaped > 0 || (reaped < 0 && errno == EINTR))
            continue;
        if (reaped < 0)
            return true;
        if (std::chrono::steady_clock::now() > end)
            return false;
        kill_descendants(::getpid());
        std::this_thread::sleep_for(1ms);
    }
}

void end_orphans(const std::vector<std::string>& words) {
    std::string command_line;
    for (const std::string& word : words)
        command_line.append(word).push_back('\0');
    for (const pid_t process : all_processes())
        if (is_orphan(process, command_line))
            kill_if(process, [&] { return is_orphan(process, command_line); });
}

} // namespace holdfast::sandbox
