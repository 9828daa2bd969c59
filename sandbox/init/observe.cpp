// SPDX-License-Identifier: GPL-3.0-or-later
// An observed run: init follows the program and all that it starts with ptrace(2), counts their threads and the calls
// that the filter (call_filter.cpp) stops at, and looks at the floating-point mode of each thread that ends. Nothing in
// the program takes part, so nothing in it can keep a call back.
#include "sandbox/init/calls.hpp"
#include "sandbox/init/parts.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <optional>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

bool following = false;

struct Thread {
    pid_t id = 0;
    bool ended = false;   ///< and is not reaped
    bool opening = false; ///< it is in a call that opens a file
    Attempt sync;         ///< it is in this call
};

/// Threads that are alive, those of one thread alone among them.
struct Alive {
    Thread* threads = nullptr;
    std::size_t size = 0, room = 0;

    std::size_t find(pid_t thread) const {
        std::size_t at = 0;
        while (at < size && threads[at].id != thread)
            ++at;
        return at;
    }
    void add(pid_t thread) {
        if (size == room) {
            room = room * 2 + 64;
            auto* larger = static_cast<Thread*>(std::realloc(static_cast<void*>(threads), room * sizeof(Thread)));
            if (larger == nullptr)
                _exit(1);
            threads = larger;
        }
        threads[size] = Thread{};
        threads[size++].id = thread;
    }
    void remove(pid_t thread) {
        if (const std::size_t at = find(thread); at < size)
            threads[at] = threads[--size];
    }
};
Alive alive;

/// A number of /proc/PROCESS/status; -1 when it cannot be told.
long status_number(pid_t process, const char* field) {
    char path[64], text[1024] = {};
    std::snprintf(path, sizeof path, "/proc/%d/status", int(process));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    const char* found = size > 0 ? std::strstr(text, field) : nullptr;
    return found == nullptr ? -1 : std::strtol(found + std::strlen(field), nullptr, 10);
}

void begin(pid_t thread) {
    if (alive.find(thread) < alive.size)
        return;
    alive.add(thread);
    ++record.seen.threads;
    if (status_number(thread, "\nTgid:\t") == thread)
        ++record.seen.processes;
    std::uint32_t running = 0;
    for (std::size_t i = 0; i < alive.size; ++i)
        running += alive.threads[i].ended ? 0 : 1;
    if (running > record.seen.most_threads)
        record.seen.most_threads = running;
}

/// The mode a thread ends with is the one it computed with, unless it took care to put it back.
void look_at_floating_point(pid_t thread) {
#if defined(__x86_64__)
    constexpr unsigned flush_to_zero = 1U << 15, denormals_are_zero = 1U << 6, sse_rounding = 3U << 13;
    constexpr unsigned x87_rounding = 3U << 10;
    user_fpregs_struct state{};
    if (ptrace(PTRACE_GETFPREGS, thread, nullptr, &state) != 0)
        return;
    const bool flushed = (state.mxcsr & (flush_to_zero | denormals_are_zero)) != 0;
    const bool rounded = (state.mxcsr & sse_rounding) != 0 || (state.cwd & x87_rounding) != 0;
#elif defined(__aarch64__)
    constexpr unsigned flush_to_zero = 1U << 24, rounding = 3U << 22;
    user_fpsimd_state state{};
    iovec place{&state, sizeof state};
    if (ptrace(PTRACE_GETREGSET, thread, NT_PRFPREG, &place) != 0)
        return;
    const bool flushed = (state.fpcr & flush_to_zero) != 0, rounded = (state.fpcr & rounding) != 0;
#endif
    record.seen.denormals_flushed |= flushed ? 1U : 0U;
    record.seen.rounding_changed |= rounded ? 1U : 0U;
}

void count_call(Call call) {
    ++record.seen.calls[std::size_t(call)];
}

/// The flags of openat2 are in the program's memory.
std::optional<Call> count_open(pid_t thread, std::uint64_t address) {
    open_how how{};
    iovec here{&how, sizeof how.flags};
    iovec there{reinterpret_cast<void*>(address), sizeof how.flags};
    if (process_vm_readv(thread, &here, 1, &there, 1, 0) != ssize_t(sizeof how.flags))
        return {}; // nor can the kernel read them
    if ((how.flags & (O_WRONLY | O_RDWR)) != 0)
        ++record.seen.files_opened;
    if ((how.flags & O_SYNC) == O_SYNC)
        return Call::open_sync;
    if ((how.flags & O_DSYNC) != 0)
        return Call::open_dsync;
    return {};
}

/// Files of /proc that tell a process that it is traced or filtered: "/proc/7/task/9/status".
bool tells_of_watcher(const char* path) {
    const char* const name = std::strrchr(path, '/');
    if (name == nullptr || std::strncmp(path, "/proc/", 6) != 0 || path[6] < '0' || path[6] > '9')
        return false;
    for (const char* telling : {"status", "stat", "wchan", "syscall", "stack"})
        if (std::strcmp(name + 1, telling) == 0)
            return true;
    return false;
}

void look_at_opened(pid_t thread, std::int64_t descriptor) {
    char link[64], path[128] = {};
    std::snprintf(link, sizeof link, "/proc/%d/fd/%d", int(thread), int(descriptor));
    if (readlink(link, path, sizeof path - 1) > 0 && tells_of_watcher(path))
        ++record.seen.looks_for_watcher;
}

bool has_call(pid_t thread, __ptrace_syscall_info& info) {
    return ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0;
}

/// Whether the call's return is wanted too.
bool begin_call(Thread& thread) {
    unsigned long told = 0;
    __ptrace_syscall_info info{};
    if (ptrace(PTRACE_GETEVENTMSG, thread.id, nullptr, &told) != 0)
        return false;
    if (told == unknown_call || !has_call(thread.id, info)) {
        record.seen.whole = 0;
        return false;
    }
    std::uint64_t arguments[6];
    std::memcpy(arguments, info.seccomp.args, sizeof arguments);
    std::optional<Call> call;
    switch (told) {
    case set_times:
        note_times_set();
        return false;
    case look_for_watcher:
        ++record.seen.looks_for_watcher;
        return false;
    case open_to_write:
        ++record.seen.files_opened;
        return false;
    case open_to_read:
        thread.opening = true;
        return true;
    case open_in_memory:
        thread.opening = true;
        call = count_open(thread.id, arguments[2]);
        break;
    default:
        if (told == 0 || told > calls)
            return false;
        call = Call(unsigned(told - 1));
        if (*call == Call::open_sync || *call == Call::open_dsync)
            ++record.seen.files_opened;
    }
    if (call)
        count_call(*call);
    if (call == Call::io_uring)
        record.seen.whole = 0;
    if (call && std::size_t(*call) < syncs)
        thread.sync = begin_sync(thread.id, *call, arguments);
    return thread.opening || thread.sync.call != Call::count;
}

void end_call(Thread& thread) {
    __ptrace_syscall_info info{};
    if (has_call(thread.id, info) && info.op == PTRACE_SYSCALL_INFO_EXIT) {
        const std::int64_t result = info.exit.rval;
        if (thread.sync.call != Call::count)
            end_sync(thread.id, thread.sync, result);
        if (thread.opening && result >= 0)
            look_at_opened(thread.id, result);
    }
    thread.opening = false;
    thread.sync = {};
}

void go_on(pid_t thread, int signal = 0) {
    // It may have been killed meanwhile; its end is told like any other.
    ptrace(PTRACE_CONT, thread, nullptr, long(signal));
}

void on_call(pid_t id) {
    const std::size_t at = alive.find(id);
    if (at == alive.size || !begin_call(alive.threads[at]))
        return go_on(id);
    ptrace(PTRACE_SYSCALL, id, nullptr, nullptr); // until it returns
}

void on_return(pid_t id) {
    if (const std::size_t at = alive.find(id); at < alive.size)
        end_call(alive.threads[at]);
    go_on(id);
}

/// `code`: the signal, and the event above it.
void on_stop(pid_t thread, int code) {
    constexpr int returned = SIGTRAP | 0x80; // PTRACE_O_TRACESYSGOOD

    const int signal = code & 0xff, event = code >> 8;
    unsigned long former = 0;
    switch (event) {
    case 0:
        return signal == returned ? on_return(thread) : go_on(thread, signal);
    case PTRACE_EVENT_STOP:
        begin(thread); // the first stop of every thread; later ones change nothing
        if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) {
            ptrace(PTRACE_LISTEN, thread, nullptr, nullptr);
            return;
        }
        return go_on(thread);
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK: { // an exec may end the new one before it is seen to stop
        unsigned long started = 0;
        if (ptrace(PTRACE_GETEVENTMSG, thread, nullptr, &started) == 0)
            begin(pid_t(started));
        return go_on(thread);
    }
    case PTRACE_EVENT_EXEC:
        // A thread that executes a program becomes the process's first one; the others are gone.
        if (ptrace(PTRACE_GETEVENTMSG, thread, nullptr, &former) == 0 && pid_t(former) != thread)
            alive.remove(pid_t(former));
        alive.remove(thread); // the first one has just told its end
        alive.add(thread);
        return go_on(thread);
    case PTRACE_EVENT_SECCOMP:
        return on_call(thread);
    case PTRACE_EVENT_EXIT:
        look_at_floating_point(thread);
        // It stays known until it is reaped: its start may be told after its end, by the one that started it.
        if (const std::size_t at = alive.find(thread); at < alive.size)
            alive.threads[at].ended = true;
        return go_on(thread);
    default:
        return go_on(thread);
    }
}

} // namespace

bool follow(const Program& program, pid_t process) {
    constexpr long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                             PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD;
    following = ptrace(PTRACE_SEIZE, process, nullptr, options) == 0;
    if (following) {
        record.seen.whole = 1;
        begin(process);
        begin_durability(program);
    }
    return following;
}

void end_following() {
    if (following)
        tell_synced();
}

void serve_stops() {
    siginfo_t info{};
    // Without WEXITED: whoever has ended meanwhile is left to be reaped.
    while (following && waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG | __WALL) == 0 && info.si_pid != 0) {
        on_stop(info.si_pid, info.si_status);
        info.si_pid = 0;
    }
}

bool reap_followed(pid_t ended) {
    if (!following)
        return false;
    alive.remove(ended);
    // The end of a thread, or of another process's child, is told to who follows it and again to its parent, which
    // reads what it used; that may be init later.
    if (status_number(ended, "\nTgid:\t") == ended && status_number(ended, "\nPPid:\t") == getpid())
        return false;
    wait4(ended, nullptr, __WALL, nullptr);
    return true;
}

} // namespace holdfast::init
