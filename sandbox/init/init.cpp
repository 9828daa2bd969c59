// SPDX-License-Identifier: GPL-3.0-or-later
// Process 1 of a sandbox. It starts the program, reaps everything, measures, and reports over a pipe that no other
// process inside holds. Static and without the C++ library's streams, so that its start costs next to nothing and it
// needs no file of the sandbox.
//
// Order: read instructions; close every other descriptor; become unreadable for the program; no_new_privs; fork. The
// child: session, standard streams, limits, folder, then exec. What confines the program further (Landlock, seccomp)
// belongs between the folder and the wait for the release, where the paths are known and nothing is timed yet.
#include "sandbox/init/protocol.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace holdfast::init;

namespace {

Record record;
int report = -1;

std::int64_t now() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

/// False when nobody is there to read it.
bool send_record(Kind kind) {
    record.kind = kind;
    ssize_t written = 0;
    while ((written = write(report, &record, sizeof record)) < 0 && errno == EINTR) {
    }
    return written == ssize_t(sizeof record);
}

[[noreturn]] void give_up(Stage stage, int error) {
    record.stage = stage;
    record.error = error;
    send_record(Kind::not_started);
    _exit(1);
}

struct Program {
    Instructions head;
    const char* folder = nullptr;
    char** argv = nullptr;
    char** environment = nullptr;
};

/// The instructions stay mapped: the strings are used in place.
Program read_instructions() {
    struct stat info {};
    if (fstat(instructions_fd, &info) != 0)
        give_up(Stage::instructions, errno);
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size <= sizeof(Instructions))
        give_up(Stage::instructions, EINVAL);
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, instructions_fd, 0);
    if (memory == MAP_FAILED)
        give_up(Stage::instructions, errno);
    char* bytes = static_cast<char*>(memory);
    Program program;
    std::memcpy(&program.head, bytes, sizeof program.head);
    if (program.head.magic != magic || bytes[size - 1] != '\0' || program.head.arguments == 0)
        give_up(Stage::instructions, EINVAL);

    char* next = bytes + sizeof(Instructions);
    char* const end = bytes + size;
    auto string = [&]() -> char* {
        if (next >= end)
            give_up(Stage::instructions, EINVAL);
        char* const here = next;
        next += std::strlen(here) + 1;
        return here;
    };
    auto list = [&](std::uint32_t count) {
        auto** strings = static_cast<char**>(std::calloc(std::size_t(count) + 1, sizeof(char*)));
        if (strings == nullptr)
            give_up(Stage::instructions, ENOMEM);
        for (std::uint32_t i = 0; i < count; ++i)
            strings[i] = string();
        return strings;
    };
    program.folder = string();
    program.argv = list(program.head.arguments);
    program.environment = list(program.head.variables);
    return program;
}

/// Best effort: when the machine itself runs out of memory the kernel should choose the sandbox.
void volunteer_for_the_oom_killer() {
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    [[maybe_unused]] const auto written = write(fd, "1000", 4);
    close(fd);
}

const char* variable(char** environment, const char* name) {
    const std::size_t length = std::strlen(name);
    for (; *environment != nullptr; ++environment)
        if (std::strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return nullptr;
}

bool runnable(const char* path) {
    struct stat info {};
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/// Looks argv[0] up in the program's own PATH, before the clock starts. Null with errno set when there is none.
const char* find_program(const Program& program) {
    static char found[PATH_MAX];
    const char* name = program.argv[0];
    if (std::strchr(name, '/') != nullptr)
        return name;
    const char* path = variable(program.environment, "PATH");
    errno = ENOENT;
    while (path != nullptr && *path != '\0') {
        const auto length = static_cast<int>(std::strcspn(path, ":"));
        const int size = std::snprintf(found, sizeof found, "%.*s/%s", length, path, name);
        if (length > 0 && size > 0 && std::size_t(size) < sizeof found && runnable(found))
            return found;
        path += length + (path[length] == ':' ? 1 : 0);
    }
    errno = ENOENT;
    return nullptr;
}

bool limit(__rlimit_resource resource, std::uint64_t value) {
    const rlimit both{value, value};
    return setrlimit(resource, &both) == 0;
}

struct Failure {
    Stage stage;
    std::int32_t error;
};

/// Never returns. A failure goes through `failures`, which closes by itself when the program starts.
[[noreturn]] void become_program(const Program& program, int ready, int release, int failures) {
    auto fail = [&](Stage stage) {
        const Failure failure{stage, errno};
        [[maybe_unused]] const auto written = write(failures, &failure, sizeof failure);
        _exit(127);
    };
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; ++number)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    // stdin is /dev/null since bwrap was started; dup2 clears close-on-exec.
    if (setsid() < 0 || dup2(output_fd, 1) < 0 || dup2(error_fd, 2) < 0)
        fail(Stage::setup);
    umask(022);
    // No RLIMIT_AS: it bounds one process, not the sandbox, and stops sanitizers, which reserve terabytes. The runner
    // sums what is really used. RLIMIT_CORE is 1, not 0: at 0 a core_pattern that is a pipe still runs its handler.
    if (!limit(RLIMIT_CORE, 1) || !limit(RLIMIT_FSIZE, program.head.file_bytes) ||
        !limit(RLIMIT_NPROC, program.head.processes + 1))
        fail(Stage::limits);
    if (chdir(program.folder) != 0)
        fail(Stage::folder);
    const char* path = find_program(program);
    if (path == nullptr)
        fail(Stage::program);
    char byte = 0;
    if (write(ready, &byte, 1) != 1 || read(release, &byte, 1) != 1)
        fail(Stage::setup);
    execve(path, program.argv, program.environment);
    fail(Stage::program);
    _exit(127);
}

void add(const rusage& usage) {
    record.user_us += usage.ru_utime.tv_sec * 1'000'000LL + usage.ru_utime.tv_usec;
    record.system_us += usage.ru_stime.tv_sec * 1'000'000LL + usage.ru_stime.tv_usec;
    record.minor_faults += std::uint64_t(usage.ru_minflt);
    record.major_faults += std::uint64_t(usage.ru_majflt);
    record.voluntary_switches += std::uint64_t(usage.ru_nvcsw);
    record.involuntary_switches += std::uint64_t(usage.ru_nivcsw);
    const auto resident = std::uint64_t(usage.ru_maxrss) * 1024;
    if (resident > record.largest_bytes)
        record.largest_bytes = resident;
}

/// Second field of schedstat; readable as long as the process has not been reaped.
void note_queue_wait(pid_t main_process) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/schedstat", int(main_process));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    char text[128] = {};
    if (read(fd, text, sizeof text - 1) > 0) {
        unsigned long long running = 0, waiting = 0;
        if (std::sscanf(text, "%llu %llu", &running, &waiting) == 2)
            record.queue_wait_ns = waiting;
    }
    close(fd);
}

/// Waits up to `until` (0: for ever) for SIGCHLD, which is blocked, so none is lost. Nothing here has a handler:
/// signals that the program sends to process 1 do nothing, a forged SIGCHLD only makes the loop turn once.
void wait_for_child(std::int64_t until) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (until == 0) {
        sigwaitinfo(&child, nullptr);
        return;
    }
    const std::int64_t left = until - now();
    if (left <= 0)
        return;
    const timespec time{left / 1'000'000'000, left % 1'000'000'000};
    sigtimedwait(&child, nullptr, &time);
}

/// Reaps everything. After the main process the others have the grace; then they are killed and counted.
void reap_all(pid_t main_process, std::uint32_t grace_ms) {
    std::int64_t grace_end = 0;
    bool killing = false;
    for (;;) {
        siginfo_t info{};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
            if (errno == ECHILD)
                return;
            continue;
        }
        if (info.si_pid != 0) {
            record.ended_ns = now();
            const bool is_main = info.si_pid == main_process;
            if (is_main)
                note_queue_wait(main_process);
            int status = 0;
            rusage usage{};
            if (wait4(info.si_pid, &status, 0, &usage) != info.si_pid)
                continue;
            add(usage);
            if (is_main) {
                record.wait_status = status;
                grace_end = record.ended_ns + std::int64_t(grace_ms) * 1'000'000;
            } else if (killing) {
                ++record.survivors;
            }
            continue;
        }
        if (grace_end != 0 && now() >= grace_end) {
            killing = true;
            kill(-1, SIGKILL); // everything but process 1
            wait_for_child(now() + 5'000'000);
        } else {
            wait_for_child(grace_end);
        }
    }
}

void note_scratch() {
    for (const Scratch& place : scratch) {
        struct statvfs info {};
        if (statvfs(place.folder, &info) == 0)
            record.scratch_bytes += std::uint64_t(info.f_blocks - info.f_bfree) * info.f_frsize;
    }
}

void protect_self() {
    report = fcntl(report_fd, F_DUPFD_CLOEXEC, 16);
    if (report < 0)
        _exit(1);
    close(report_fd);
}

/// Descriptors the runner or bwrap left open end here. close_range is missing before Linux 5.9.
void close_others() {
    const unsigned keep = unsigned(report);
    if (syscall(SYS_close_range, unsigned(error_fd) + 1, keep - 1, 0) != 0 ||
        syscall(SYS_close_range, keep + 1, ~0U, 0) != 0)
        give_up(Stage::setup, errno);
    close(instructions_fd);
    if (fcntl(output_fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(error_fd, F_SETFD, FD_CLOEXEC) != 0)
        give_up(Stage::setup, errno);
}

} // namespace

int main() {
    // It ends by killing every process it can: outside a namespace of its own that would be the whole machine.
    if (getpid() != 1)
        return 1;
    protect_self();
    const Program program = read_instructions();
    close_others();
    volunteer_for_the_oom_killer();
    // The program has the same user: without this it could open /proc/1/fd and forge the report.
    if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        give_up(Stage::setup, errno);

    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, nullptr);

    int ready[2], release[2], failures[2];
    if (pipe2(ready, O_CLOEXEC) != 0 || pipe2(release, O_CLOEXEC) != 0 || pipe2(failures, O_CLOEXEC) != 0)
        give_up(Stage::setup, errno);
    const pid_t main_process = fork();
    if (main_process < 0)
        give_up(Stage::setup, errno);
    if (main_process == 0) {
        close(ready[0]);
        close(release[1]);
        close(failures[0]);
        become_program(program, ready[1], release[0], failures[1]);
    }
    close(ready[1]);
    close(release[0]);
    close(failures[1]);
    close(output_fd);
    close(error_fd);

    char byte = 0;
    Failure failure{};
    if (read(ready[0], &byte, 1) == 1) {
        record.started_ns = now();
        if (!send_record(Kind::started))
            _exit(1);              // the runner has died: nothing would ever stop the program
        record.started_ns = now(); // the record wakes the runner; the time starts after that
        if (write(release[1], &byte, 1) != 1)
            give_up(Stage::setup, errno);
    }
    if (read(failures[0], &failure, sizeof failure) == ssize_t(sizeof failure))
        give_up(failure.stage, failure.error);
    reap_all(main_process, program.head.grace_ms);
    note_scratch();
    send_record(Kind::ended);
    return 0;
}
