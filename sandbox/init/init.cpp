// SPDX-License-Identifier: GPL-3.0-or-later
// Process 1 of a sandbox. It starts the program, reaps everything, measures, and reports over a pipe that no other
// process inside holds. Static and without the C++ library's streams, so that its start costs next to nothing and it
// needs no file of the sandbox.
//
// Order: read instructions; close every other descriptor; become unreadable for the program; no_new_privs; fork. The
// child becomes the program (program.cpp). It is confined (confine.cpp) between its folder and its wait for the
// release, where the paths are known and nothing is timed yet. With a server: server.cpp.
#include "sandbox/init/parts.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::init {

Record record;
int instruction_counter = -1;
bool alone = false;

std::int64_t now() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

bool send_record(Kind kind) {
    record.kind = kind;
    ssize_t written = 0;
    while ((written = write(report, &record, sizeof record)) < 0 && errno == EINTR) {
    }
    return written == ssize_t(sizeof record);
}

void give_up(Stage stage, int error, Role role) {
    record.stage = stage;
    record.error = error;
    record.role = role;
    send_record(Kind::not_started);
    _exit(1);
}

namespace {

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
    program.start = list(program.head.start);
    program.ready = list(program.head.ready);
    program.stop = list(program.head.stop);
    program.environment = list(program.head.variables);
    program.places = list(program.head.places);
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

void move(int from, int to) {
    if (dup3(from, to, O_CLOEXEC) < 0)
        _exit(1);
    close(from);
}

/// Descriptors the runner or bwrap left open end here, but those up to error_fd and the moved ones. close_range is
/// missing before Linux 5.9.
void close_others(bool server) {
    if (server) {
        move(server_fd, server_output);
        move(orders_fd, orders);
    }
    const unsigned last = unsigned(server ? orders : report);
    if (syscall(SYS_close_range, unsigned(error_fd) + 1, unsigned(report) - 1, 0) != 0 ||
        syscall(SYS_close_range, last + 1, ~0U, 0) != 0)
        give_up(Stage::setup, errno);
    close(instructions_fd);
    if (fcntl(output_fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(error_fd, F_SETFD, FD_CLOEXEC) != 0)
        give_up(Stage::setup, errno);
}

/// What process 1 of a name space has by itself: it adopts what loses its parent, and the runner's death is its own.
void stand_alone() {
    const pid_t runner = getppid();
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != runner)
        give_up(Stage::setup, errno);
}

void run_without_server(const Program& program) {
    const Gates gates = open_gates();
    const pid_t main_process = fork();
    if (main_process < 0)
        give_up(Stage::setup, errno);
    if (main_process == 0)
        become_program(program, program.argv, output_fd, error_fd, gates);
    close_childs_ends(gates);
    close(output_fd);
    close(error_fd);
    if (wait_until_prepared(gates)) {
        record.started_ns = now();
        if (!send_record(Kind::started))
            _exit(1); // the runner has died: nothing would ever stop the program
        const bool followed = program.head.observe != 0 && follow(program, main_process);
        record.started_ns = now(); // the record wakes the runner; the time starts after that
        if (!release(gates, followed))
            give_up(Stage::setup, errno);
    }
    if (const Failure failure = wait_until_running(gates); failure.error != 0)
        give_up(failure.stage, failure.error);
    reap_all(main_process, program.head.grace_ms);
    end_following();
    record.counted = read_counter(instruction_counter, record.instructions) ? 1 : 0;
}

} // namespace
} // namespace holdfast::init

int main() {
    using namespace holdfast::init;
    move(report_fd, report);
    const Program program = read_instructions();
    alone = program.head.alone != 0;
    // It ends by killing every process it can: outside a name space of its own that would be the whole machine.
    if (getpid() != 1 && !alone)
        return 1;
    if (alone)
        stand_alone();
    close_others(program.head.start != 0);
    volunteer_for_the_oom_killer();
    // The program has the same user: without this it could open /proc/1/fd and forge the report.
    if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !close_off())
        give_up(Stage::setup, errno);

    if (program.head.count != 0)
        instruction_counter = open_instruction_counter();

    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, nullptr);

    if (program.head.start == 0)
        run_without_server(program);
    else
        run_beside_server(program);
    if (!alone)
        note_scratch();
    send_record(Kind::ended);
    return 0;
}
