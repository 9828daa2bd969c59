// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/init/parts.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

struct Process {
    pid_t id = 0, parent = 0;
    bool ended = false;                                                         ///< and not reaped
    std::uint64_t user = 0, system = 0, children_user = 0, children_system = 0; ///< in ticks
};

/// Of one reading of /proc; grows as needed and is used again.
struct List {
    Process* processes = nullptr;
    std::size_t size = 0, room = 0;

    void add(pid_t id) {
        if (size == room) {
            room = room * 2 + 64;
            auto* larger = static_cast<Process*>(std::realloc(static_cast<void*>(processes), room * sizeof(Process)));
            if (larger == nullptr)
                _exit(1);
            processes = larger;
        }
        processes[size++] = Process{};
        processes[size - 1].id = id;
    }
    Process* begin() const { return processes; }
    Process* end() const { return processes + size; }
};

void read_ids(List& list) {
    static DIR* const folder = opendir("/proc");
    list.size = 0;
    if (folder == nullptr)
        return;
    rewinddir(folder);
    while (const dirent* entry = readdir(folder))
        if (const long id = std::strtol(entry->d_name, nullptr, 10); id > 1)
            list.add(pid_t(id));
}

std::size_t read_file(pid_t process, const char* name, char* text, std::size_t room) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/%s", int(process), name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? 0 : read(fd, text, room - 1);
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
    return size > 0 ? std::size_t(size) : 0;
}

/// False when it is gone. The name, which a process chooses itself, ends at the last parenthesis.
bool read_stat(Process& process) {
    char text[1024], state = 0;
    read_file(process.id, "stat", text, sizeof text);
    const char* rest = std::strrchr(text, ')');
    unsigned long long user = 0, system = 0;
    long long children_user = 0, children_system = 0;
    int parent = 0;
    long threads = 0;
    if (rest == nullptr ||
        std::sscanf(rest + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld %*d %*d %ld", &state,
                    &parent, &user, &system, &children_user, &children_system, &threads) != 7)
        return false;
    process.parent = parent;
    // With its first thread gone a process looks ended although others go on.
    process.ended = (state == 'Z' || state == 'X') && threads <= 1;
    process.user = user;
    process.system = system;
    process.children_user = std::uint64_t(children_user);
    process.children_system = std::uint64_t(children_system);
    return true;
}

/// Of a survivor; the first one's is kept.
void note_name(pid_t process) {
    if (record.survivor[0] != '\0')
        return;
    read_file(process, "comm", record.survivor, sizeof record.survivor);
    record.survivor[std::strcspn(record.survivor, "\n")] = '\0';
}

void add(Cpu& sum, const Process& process) {
    static const std::int64_t tick_ns = 1'000'000'000 / sysconf(_SC_CLK_TCK);
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(process.id, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return;
    // The clock does not tell user from system time; the ticks give the proportion.
    const double own = double(used.tv_sec) * 1e9 + double(used.tv_nsec);
    const auto ticks = double(process.user + process.system);
    sum.total_ns += std::int64_t(own) + std::int64_t(process.children_user + process.children_system) * tick_ns;
    sum.user_ns += std::int64_t(ticks > 0 ? own * double(process.user) / ticks : own) +
                   std::int64_t(process.children_user) * tick_ns;
}

bool same_ids(const List& one, const List& other) {
    if (one.size != other.size)
        return false;
    for (std::size_t i = 0; i < one.size; ++i)
        if (one.processes[i].id != other.processes[i].id)
            return false;
    return true;
}

bool is_below(const List& list, const Process& process, pid_t ancestor) {
    pid_t at = process.id;
    for (std::size_t steps = 0; at > 1 && steps <= list.size; ++steps) {
        if (at == ancestor)
            return true;
        pid_t parent = 0;
        for (const Process& other : list)
            if (other.id == at)
                parent = other.parent;
        at = parent;
    }
    return false;
}

/// All processes; those of which nothing can be read have ended meanwhile.
void read_living(List& list) {
    read_ids(list);
    for (Process& process : list)
        if (!read_stat(process))
            process.ended = true;
}

} // namespace

Cpu used_cpu(const Kept& kept, pid_t keeper) {
    static List list, after;
    Cpu sum;
    // A process that is reaped meanwhile would be missed or counted twice: it is in its parent's sum then. A server
    // that starts processes all the time is read as it is.
    for (int attempt = 0; attempt < 8; ++attempt) {
        const std::uint32_t changes = kept.changes;
        sum.total_ns = (record.user_us + record.system_us) * 1000 + kept.user_ns + kept.system_ns;
        sum.user_ns = record.user_us * 1000 + kept.user_ns;
        read_ids(list);
        for (Process& process : list)
            if (process.id != keeper && read_stat(process))
                add(sum, process);
        read_ids(after);
        if (changes % 2 == 0 && changes == kept.changes && same_ids(list, after))
            break;
        sched_yield();
    }
    return sum;
}

Cpu used_by_others(pid_t keeper) {
    static List list;
    Cpu sum;
    read_living(list);
    for (Process& process : list)
        if (!process.ended && !is_below(list, process, keeper))
            add(sum, process);
    return sum;
}

std::uint64_t living_bytes() {
    static List list;
    read_ids(list);
    std::uint64_t bytes = 0;
    char text[4096];
    for (const Process& process : list) {
        read_file(process.id, "smaps_rollup", text, sizeof text);
        for (const char* field : {"\nPss:", "\nSwapPss:"})
            if (const char* at = std::strstr(text, field))
                bytes += std::strtoull(at + std::strlen(field), nullptr, 10) * 1024;
    }
    return bytes;
}

void kill_below_this() {
    static List list;
    read_living(list);
    for (const Process& process : list)
        if (!process.ended && process.id != getpid() && is_below(list, process, getpid()))
            kill(process.id, SIGKILL);
}

void name_survivor() {
    static List list;
    read_living(list);
    for (const Process& process : list)
        if (!process.ended && process.id != getpid() && (!alone || is_below(list, process, getpid())))
            return note_name(process.id);
}

std::uint64_t tasks_of_user() {
    static List list;
    read_ids(list);
    std::uint64_t tasks = 0;
    char path[64], text[1024];
    for (const Process& process : list) {
        struct stat info {};
        std::snprintf(path, sizeof path, "/proc/%d", int(process.id));
        if (stat(path, &info) != 0 || info.st_uid != getuid())
            continue;
        read_file(process.id, "status", text, sizeof text);
        const char* threads = std::strstr(text, "\nThreads:");
        tasks += threads == nullptr ? 1 : std::strtoull(threads + std::strlen("\nThreads:"), nullptr, 10);
    }
    return tasks;
}

unsigned others_than(pid_t keeper, bool killing) {
    static List list;
    read_living(list);
    unsigned count = 0;
    for (const Process& process : list) {
        if (process.ended || is_below(list, process, keeper))
            continue;
        ++count;
        if (!killing)
            continue;
        note_name(process.id);
        kill(process.id, SIGKILL);
    }
    return count;
}

} // namespace holdfast::init
