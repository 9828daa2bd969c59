// SPDX-License-Identifier: GPL-3.0-or-later
// holdfast-burden.so, preloaded into one arm of a calibration: when the program that was started ends, it burns a known
// share of the time that it took, so that a slow-down of known size can be looked for. What that program starts
// loads it too but burns nothing, since its time is in the program's already. A program that is static, dies of a
// signal or leaves by the bare system call burns nothing; no mark tells that.
#include "core/study/burden_names.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

namespace names = holdfast::study::burden_names;

std::uint64_t started = 0, millionths = 0; // nanoseconds of the monotonic clock
pid_t root = 0;
bool burnt = false;

bool of_processor_time = false;

std::uint64_t time_of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::uint64_t(time.tv_sec) * 1'000'000'000U + std::uint64_t(time.tv_nsec);
}

std::uint64_t nanoseconds(const timeval& time) {
    return std::uint64_t(time.tv_sec) * 1'000'000'000U + std::uint64_t(time.tv_usec) * 1'000U;
}

/// What the program took so far. Of processor time: its own, over every program it became, and that of the children it
/// waited for; of others nothing tells.
std::uint64_t taken() {
    if (!of_processor_time)
        return time_of(CLOCK_MONOTONIC) - started;
    rusage children{};
    getrusage(RUSAGE_CHILDREN, &children);
    return time_of(CLOCK_PROCESS_CPUTIME_ID) + nanoseconds(children.ru_utime) + nanoseconds(children.ru_stime);
}

void leave_mark(std::uint64_t burnt_for, std::uint64_t ran) {
    char path[64], line[64];
    std::snprintf(path, sizeof path, "%s/%s", names::folder, names::marks);
    const int size = std::snprintf(line, sizeof line, "%llu %llu\n", static_cast<unsigned long long>(burnt_for),
                                   static_cast<unsigned long long>(ran));
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0)
        return; // without a mark the run counts as one that was not slowed down
    [[maybe_unused]] const auto written = write(file, line, std::size_t(size));
    close(file);
}

void burn() {
    if (burnt || root == 0 || getpid() != root)
        return;
    burnt = true;
    const clockid_t clock = of_processor_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC; // other threads may go on
    const std::uint64_t ran = taken(), end = time_of(clock);
    const std::uint64_t until = end + ran / 1'000'000 * millionths + ran % 1'000'000 * millionths / 1'000'000;
    std::uint64_t at = end;
    while (at < until)
        at = time_of(clock);
    leave_mark(at - end, ran);
}

/// The variable is changed in place: programs that were given their environment as an argument see it too.
__attribute__((constructor)) void begin() {
    const char* share = std::getenv(names::share);
    char* place = std::getenv(names::root);
    if (share == nullptr || place == nullptr)
        return;
    millionths = std::strtoull(share, nullptr, 10);
    const char* clock = std::getenv(names::clock);
    of_processor_time = clock != nullptr && std::strcmp(clock, names::processor_clock) == 0;
    if (std::strcmp(place, names::nobody) == 0) {
        root = getpid();
        started = time_of(CLOCK_MONOTONIC);
        const int size = std::snprintf(place, std::strlen(names::nobody) + 1, "%d %llu", int(root),
                                       static_cast<unsigned long long>(started));
        (void)size;
    } else {
        unsigned long long since = 0;
        int process = 0;
        if (std::sscanf(place, "%d %llu", &process, &since) == 2) {
            root = process; // the same number after an exec: the time since the first program counts
            started = since;
        }
    }
    at_quick_exit(burn);
}

__attribute__((destructor)) void end() {
    burn();
}

} // namespace

// Shells leave by these, which run no destructor.
extern "C" [[noreturn, gnu::visibility("default")]] void _exit(int code) {
    burn();
    for (;;)
        syscall(SYS_exit_group, code);
}

extern "C" [[noreturn, gnu::visibility("default")]] void _Exit(int code) noexcept {
    _exit(code);
}
