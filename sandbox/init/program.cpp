// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/init/parts.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

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

/// Looks `name` up in the program's own PATH, before the clock starts. Null with errno set when there is none.
const char* find_program(const char* name, char** environment) {
    static char found[PATH_MAX];
    if (std::strchr(name, '/') != nullptr)
        return name;
    const char* path = variable(environment, "PATH");
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

/// To the first `count` processors that this process may use.
bool bind(unsigned count) {
    cpu_set_t allowed, chosen;
    CPU_ZERO(&chosen);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    for (std::size_t processor = 0; processor < CPU_SETSIZE && count > 0; ++processor)
        if (CPU_ISSET(processor, &allowed)) {
            CPU_SET(processor, &chosen);
            --count;
        }
    return sched_setaffinity(0, sizeof chosen, &chosen) == 0;
}

bool limit(__rlimit_resource resource, std::uint64_t value) {
    const rlimit both{value, value};
    return setrlimit(resource, &both) == 0;
}

} // namespace

Gates open_gates() {
    Gates gates{};
    if (pipe2(gates.ready, O_CLOEXEC) != 0 || pipe2(gates.release, O_CLOEXEC) != 0 ||
        pipe2(gates.failures, O_CLOEXEC) != 0)
        give_up(Stage::setup, errno);
    return gates;
}

void close_childs_ends(const Gates& gates) {
    close(gates.ready[1]);
    close(gates.release[0]);
    close(gates.failures[1]);
}

bool wait_until_prepared(const Gates& gates) {
    char byte = 0;
    return read(gates.ready[0], &byte, 1) == 1;
}

bool release(const Gates& gates, bool followed) {
    const char byte = followed ? 1 : 0;
    return write(gates.release[1], &byte, 1) == 1;
}

Failure wait_until_running(const Gates& gates) {
    Failure failure;
    if (read(gates.failures[0], &failure, sizeof failure) != ssize_t(sizeof failure))
        failure = {};
    close(gates.ready[0]);
    close(gates.release[1]);
    close(gates.failures[0]);
    return failure;
}

void become_program(const Program& program, char** argv, int output, int error, const Gates& gates) {
    auto fail = [&](Stage stage) {
        const Failure failure{stage, errno};
        [[maybe_unused]] const auto written = write(gates.failures[1], &failure, sizeof failure);
        _exit(127);
    };
    close(gates.ready[0]);
    close(gates.release[1]);
    close(gates.failures[0]);
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; ++number)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    // stdin is /dev/null since bwrap was started; dup2 clears close-on-exec.
    if (setsid() < 0 || dup2(output, 1) < 0 || dup2(error, 2) < 0)
        fail(Stage::setup);
    if (alone && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        fail(Stage::setup);
    umask(022);
    // No RLIMIT_AS: it bounds one process, not the sandbox, and stops sanitizers, which reserve terabytes. The runner
    // sums what is really used. RLIMIT_CORE is 1, not 0: at 0 a core_pattern that is a pipe still runs its handler.
    // Of the user's tasks init is counted too, and the server's keeper; alone also whatever else the user runs.
    const std::uint64_t ours = alone ? tasks_of_user() - 1 : program.head.start == 0 ? 1 : 2;
    if (!limit(RLIMIT_CORE, 1) || !limit(RLIMIT_FSIZE, program.head.file_bytes) ||
        !limit(RLIMIT_NPROC, program.head.processes + ours))
        fail(Stage::limits);
    if (program.head.processors != 0 && !bind(program.head.processors))
        fail(Stage::limits);
    if (chdir(program.folder) != 0)
        fail(Stage::folder);
    const char* path = find_program(argv[0], program.environment);
    if (path == nullptr)
        fail(Stage::program);
    // Init made itself unreadable, and with it this copy of it, which it could not follow then.
    if (program.head.observe != 0 && program.head.start == 0 && prctl(PR_SET_DUMPABLE, 1) != 0)
        fail(Stage::setup);
    if (!confine(program))
        fail(Stage::confinement);
    char byte = 0;
    if (write(gates.ready[1], &byte, 1) != 1 || read(gates.release[0], &byte, 1) != 1)
        fail(Stage::setup);
    // Last of all: init serves stops only once the program runs.
    if (byte != 0 && !stop_at_calls())
        fail(Stage::setup);
    execve(path, argv, program.environment);
    fail(Stage::program);
    _exit(127);
}

} // namespace holdfast::init
