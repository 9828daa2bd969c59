// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/init/parts.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

/// Second field of schedstat; readable as long as the process has not been reaped.
void note_queue_wait(pid_t process) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/schedstat", int(process));
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

std::int64_t micros(const timeval& time) {
    return time.tv_sec * 1'000'000LL + time.tv_usec;
}

std::int64_t main_us = 0; ///< of the process that was timed last, and of the children it waited for

} // namespace

void add(const rusage& usage) {
    record.user_us += micros(usage.ru_utime);
    record.system_us += micros(usage.ru_stime);
    record.minor_faults += std::uint64_t(usage.ru_minflt);
    record.major_faults += std::uint64_t(usage.ru_majflt);
    record.voluntary_switches += std::uint64_t(usage.ru_nvcsw);
    record.involuntary_switches += std::uint64_t(usage.ru_nivcsw);
    const auto resident = std::uint64_t(usage.ru_maxrss) * 1024;
    if (resident > record.largest_bytes)
        record.largest_bytes = resident;
}

Ended reap_one(pid_t timed, bool& none_left) {
    siginfo_t info{};
    do {
        serve_stops();
        info = {};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
            none_left = errno == ECHILD;
            return {};
        }
        if (info.si_pid == 0)
            return {};
        // One that is followed may have stopped since; that is told too.
    } while (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED || reap_followed(info.si_pid));
    record.ended_ns = now();
    if (info.si_pid == timed)
        note_queue_wait(timed);
    Ended ended;
    rusage usage{};
    if (wait4(info.si_pid, &ended.status, 0, &usage) != info.si_pid)
        return {};
    ended.process = info.si_pid;
    add(usage);
    if (info.si_pid == timed)
        main_us = micros(usage.ru_utime) + micros(usage.ru_stime);
    return ended;
}

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

void reap_all(pid_t main_process, std::uint32_t grace_ms) {
    std::int64_t grace_end = main_process == 0 ? now() : 0;
    bool killing = false;
    for (;;) {
        bool none_left = false;
        const Ended ended = reap_one(main_process, none_left);
        if (none_left) {
            record.background_us =
                main_process == 0 ? record.background_us : record.user_us + record.system_us - main_us;
            return;
        }
        if (ended.process == 0) {
            if (grace_end != 0 && now() >= grace_end) {
                if (main_process != 0 && !killing)
                    name_survivor();
                killing = true;
                if (alone)
                    kill_below_this();
                else
                    kill(-1, SIGKILL); // everything but process 1
                wait_for_child(now() + 5'000'000);
            } else {
                wait_for_child(grace_end);
            }
        } else if (ended.process == main_process) {
            record.wait_status = ended.status;
            grace_end = record.ended_ns + std::int64_t(grace_ms) * 1'000'000;
        } else if (killing && main_process != 0) {
            ++record.survivors;
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

} // namespace holdfast::init
