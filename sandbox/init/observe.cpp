// SPDX-License-Identifier: GPL-3.0-or-later
// An observed run: init follows the program and all that it starts with ptrace(2), counts their threads and the calls
// that the filter (call_filter.cpp) stops at, and looks at the floating-point mode of each thread that ends. Nothing in
// the program takes part, so nothing in it can keep a call back.
#include "sandbox/init/calls.hpp"
#include "sandbox/init/parts.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

bool following = false;

/// Threads that are alive, those of one thread alone among them.
struct Alive {
    pid_t* threads = nullptr;
    std::size_t size = 0, room = 0;

    std::size_t find(pid_t thread) const {
        std::size_t at = 0;
        while (at < size && threads[at] != thread)
            ++at;
        return at;
    }
    void add(pid_t thread) {
        if (size == room) {
            room = room * 2 + 64;
            auto* larger = static_cast<pid_t*>(std::realloc(threads, room * sizeof(pid_t)));
            if (larger == nullptr)
                _exit(1);
            threads = larger;
        }
        threads[size++] = thread;
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
    if (alive.size > record.seen.most_threads)
        record.seen.most_threads = std::uint32_t(alive.size);
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

/// The flags of openat2, which are in the program's memory.
void count_open(pid_t thread) {
    __ptrace_syscall_info info{};
    open_how how{};
    iovec here{&how, sizeof how.flags};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) {
        record.seen.whole = 0;
        return;
    }
    iovec there{reinterpret_cast<void*>(info.seccomp.args[2]), sizeof how.flags};
    if (process_vm_readv(thread, &here, 1, &there, 1, 0) != ssize_t(sizeof how.flags))
        return; // nor can the kernel read them
    if ((how.flags & O_SYNC) == O_SYNC)
        ++record.seen.calls[std::size_t(Call::open_sync)];
    else if ((how.flags & O_DSYNC) != 0)
        ++record.seen.calls[std::size_t(Call::open_dsync)];
    if ((how.flags & (O_WRONLY | O_RDWR)) != 0)
        ++record.seen.files_opened;
}

void count_call(pid_t thread) {
    unsigned long data = 0;
    if (ptrace(PTRACE_GETEVENTMSG, thread, nullptr, &data) != 0)
        return;
    if (data == unknown_call) {
        record.seen.whole = 0;
        return;
    }
    if (data == open_in_memory)
        return count_open(thread);
    const std::size_t call = data - 1;
    if (call < calls)
        ++record.seen.calls[call];
    if (call == std::size_t(Call::io_uring))
        record.seen.whole = 0;
    if (call == std::size_t(Call::open_sync) || call == std::size_t(Call::open_dsync) || call == calls)
        ++record.seen.files_opened;
}

void go_on(pid_t thread, int signal = 0) {
    // It may have been killed meanwhile; its end is told like any other.
    ptrace(PTRACE_CONT, thread, nullptr, long(signal));
}

/// `code`: the signal, and the event above it.
void on_stop(pid_t thread, int code) {
    const int signal = code & 0xff, event = code >> 8;
    unsigned long former = 0;
    switch (event) {
    case 0:
        return go_on(thread, signal);
    case PTRACE_EVENT_STOP:
        begin(thread); // the first stop of every thread; later ones change nothing
        if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) {
            ptrace(PTRACE_LISTEN, thread, nullptr, nullptr);
            return;
        }
        return go_on(thread);
    case PTRACE_EVENT_EXEC:
        // A thread that executes a program becomes the process's first one; the others are gone.
        if (ptrace(PTRACE_GETEVENTMSG, thread, nullptr, &former) == 0 && pid_t(former) != thread)
            alive.remove(pid_t(former));
        if (alive.find(thread) == alive.size) // the first one has just told its end
            alive.add(thread);
        return go_on(thread);
    case PTRACE_EVENT_SECCOMP:
        count_call(thread);
        return go_on(thread);
    case PTRACE_EVENT_EXIT:
        look_at_floating_point(thread);
        alive.remove(thread);
        return go_on(thread);
    default:
        return go_on(thread);
    }
}

} // namespace

bool follow(pid_t process) {
    constexpr long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                             PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESECCOMP;
    following = ptrace(PTRACE_SEIZE, process, nullptr, options) == 0;
    if (following) {
        record.seen.whole = 1;
        begin(process);
    }
    return following;
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
    if (status_number(ended, "\nTgid:\t") == ended && status_number(ended, "\nPPid:\t") == 1)
        return false;
    wait4(ended, nullptr, __WALL, nullptr);
    return true;
}

} // namespace holdfast::init
