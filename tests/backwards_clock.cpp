// SPDX-License-Identifier: GPL-3.0-or-later
// Preloaded into a program: its calendar clock goes back by a minute at every look. Other clocks are left alone.
#include <atomic>
#include <ctime>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::atomic<long> looks{0};

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
    const long code = syscall(SYS_clock_gettime, clock, time);
    if (code == 0 && clock == CLOCK_REALTIME)
        time->tv_sec -= 60 * ++looks;
    return static_cast<int>(code);
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
    timespec now{};
    const int code = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return code;
}

time_t time(time_t* place) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (place != nullptr)
        *place = now.tv_sec;
    return now.tv_sec;
}
}
