// SPDX-License-Identifier: GPL-3.0-or-later
// kill_at COUNT-FILE N PROGRAM ARGUMENTS...: runs a program and kills it with SIGKILL before its N-th system call that
// changes something outside of it: a file's content, a name, a file's durability. N = 0 kills nothing. COUNT-FILE gets
// the number of such calls that were made. Ends as the program did; 137 when it was killed.
//
// A fast command is over before a timer hits what matters; so every point is reached on purpose, and by number, the
// same one again. Programs that it starts are not followed: what is killed is the program itself, with all its threads.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

bool changes_something(const __ptrace_syscall_info& info) {
    switch (info.entry.nr) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_fchmod:
    case SYS_renameat2:
    case SYS_linkat:
    case SYS_symlinkat:
    case SYS_unlinkat:
    case SYS_mkdirat:
#ifdef SYS_rename // not on newer architectures
    case SYS_rename:
    case SYS_renameat:
    case SYS_link:
    case SYS_symlink:
    case SYS_unlink:
    case SYS_rmdir:
    case SYS_mkdir:
    case SYS_chmod:
#endif
        return true;
    case SYS_openat:
        return (info.entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
    default:
        return false;
    }
}

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "kill_at: %s: %s\n", what, std::strerror(errno));
    std::exit(125);
}

struct Watch {
    pid_t child = -1;
    long wanted = 0, count = 0;
    std::set<pid_t> known{}; ///< threads whose first stop was seen
    bool killed = false;

    void at_call(pid_t thread) {
        __ptrace_syscall_info info{};
        if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY ||
            !changes_something(info))
            return;
        if (++count == wanted) {
            kill(child, SIGKILL);
            killed = true;
        }
    }

    /// The signal to hand on when the stopped thread goes on.
    int at_stop(pid_t thread, int status) {
        const int signal = WSTOPSIG(status);
        if (signal == (SIGTRAP | 0x80)) {
            at_call(thread);
            return 0;
        }
        if (known.insert(thread).second || status >> 16 != 0) // a new thread's first stop, or news of one
            return 0;
        return signal;
    }

    /// How the program ended.
    int run() {
        while (true) {
            int status = 0;
            const pid_t thread = waitpid(-1, &status, __WALL);
            if (thread < 0 && errno == EINTR)
                continue;
            if (thread < 0)
                fail("waitpid");
            if (WIFSTOPPED(status)) {
                const int signal = at_stop(thread, status);
                if (!killed)
                    ptrace(PTRACE_SYSCALL, thread, nullptr, signal); // fails for one that was killed meanwhile
            } else if (thread == child) {
                return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            }
        }
    }
};

} // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: kill_at COUNT-FILE N PROGRAM ARGUMENTS...\n");
        return 2;
    }
    Watch watch;
    watch.wanted = std::strtol(argv[2], nullptr, 10);
    watch.child = fork();
    if (watch.child < 0)
        fail("fork");
    if (watch.child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
            fail("ptrace");
        raise(SIGSTOP);
        execvp(argv[3], argv + 3);
        fail(argv[3]);
    }
    int status = 0;
    if (waitpid(watch.child, &status, 0) != watch.child || !WIFSTOPPED(status))
        fail("the program did not start");
    watch.known.insert(watch.child);
    const auto options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
    if (ptrace(PTRACE_SETOPTIONS, watch.child, nullptr, options) != 0 ||
        ptrace(PTRACE_SYSCALL, watch.child, nullptr, nullptr) != 0)
        fail("ptrace");
    const int code = watch.run();
    std::FILE* file = std::fopen(argv[1], "w");
    if (file == nullptr || std::fprintf(file, "%ld\n", watch.count) < 0 || std::fclose(file) != 0)
        fail(argv[1]);
    return code;
}
