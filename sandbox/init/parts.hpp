// SPDX-License-Identifier: GPL-3.0-or-later
// What the files of holdfast-init share.
#pragma once

#include "sandbox/init/protocol.hpp"

#include <atomic>
#include <cstdint>
#include <sys/resource.h>
#include <sys/types.h>

namespace holdfast::init {

// Where the runner's descriptors are moved, so that all others can be closed. Below 64, or every child has a larger
// table.
constexpr int report = 20, server_output = 21, orders = 22;

extern Record record; ///< filled bit by bit

std::int64_t now(); ///< CLOCK_MONOTONIC, nanoseconds

/// False when nobody is there to read it.
bool send_record(Kind kind);

/// Says that `role` could not be started and ends the sandbox.
[[noreturn]] void give_up(Stage stage, int error, Role role = Role::program);

struct Program {
    Instructions head;
    const char* folder = nullptr;
    char **argv = nullptr, **start = nullptr, **ready = nullptr, **stop = nullptr, **environment = nullptr;
    char** places = nullptr;
};

// ---- program.cpp: from a fork to a running program

/// A child says that it is ready, waits for its release, and reports a failure; `failures` closes when it runs.
struct Gates {
    int ready[2], release[2], failures[2]; ///< read end, write end
};

struct Failure {
    Stage stage = Stage::program;
    std::int32_t error = 0; ///< 0: none
};

Gates open_gates();
void close_childs_ends(const Gates& gates);
bool wait_until_prepared(const Gates& gates); ///< false: it has failed
bool release(const Gates& gates, bool followed = false);
Failure wait_until_running(const Gates& gates); ///< closes what is left of the gates

/// In the child: session, standard streams, limits, folder, confinement, then exec. Never returns.
[[noreturn]] void become_program(const Program& program, char** argv, int output, int error, const Gates& gates);

// ---- call_filter.cpp: in a followed child, the last thing before its exec

/// What a stop tells of a call beside Call + 1: one that the filter does not know; openat2; another open, for writing
/// and not; one that sets a file's times; one that asks whether anybody watches.
constexpr std::uint16_t unknown_call = 0xfffe, open_in_memory = 0xfffd, open_to_write = 0xfffc, open_to_read = 0xfffb,
                        set_times = 0xfffa, look_for_watcher = 0xfff9;

/// From now on each counted call stops, so somebody must follow. False when the kernel refuses.
bool stop_at_calls();

// ---- observe.cpp: what programs ask of the kernel

/// Follows a child that waits for its release, and everything it will start. False when the kernel does not allow it.
bool follow(const Program& program, pid_t process);

/// When nothing runs any more: sends what is known only then. Does nothing when nothing was followed.
void end_following();

/// Counts and goes on with everything followed that has stopped; it stays stopped until this is called. Does nothing
/// when nothing is followed.
void serve_stops();

/// Whether the end of `ended`, which was not reaped yet, was only told because it is followed; it is dealt with then.
bool reap_followed(pid_t ended);

// ---- durability.cpp: which calls brought data to the disk

struct FileState {
    std::int64_t size = 0, modified = 0, changed = 0; ///< bytes; nanoseconds of the file system's clock
};

/// A call between its stop and its return, and the file that it is for.
struct Attempt {
    Call call = Call::count; ///< count: none
    bool something = false;  ///< if it succeeds it brings something to the disk
    bool file = false;       ///< what follows is known
    bool folder = false;     ///< the file is one
    std::uint64_t descriptor = 0;
    dev_t device = 0;
    ino_t number = 0;
    FileState state;        ///< before the call: what is written meanwhile may not come along
    std::int64_t begun = 0; ///< nanoseconds of CLOCK_REALTIME
};

/// Just before a followed program is released.
void begin_durability(const Program& program);

/// From now on a file's time of modification says nothing alone.
void note_times_set();

Attempt begin_sync(pid_t thread, Call call, const std::uint64_t (&arguments)[6]);

/// `result`: what the call returned, negative when it failed. The thread is still stopped.
void end_sync(pid_t thread, const Attempt& attempt, std::int64_t result);

/// Sends the record's part on files that were synced and are still there. When nothing runs any more.
void tell_synced();

// ---- confine.cpp, filter.cpp: what is forbidden. False with errno set when the kernel refused.

/// In process 1: signals and abstract sockets of everything here end here, where the kernel knows Landlock 6 or later.
bool close_off();

/// In the child: files (Landlock 2 or later), capabilities, calls. Nothing takes it back.
bool confine(const Program& program);

/// The last part of confine().
bool filter_calls(const Instructions& head);

// ---- counter.cpp: what the processor counts

/// A counter of this process's children, from their exec on; -1 when the kernel has none for us. `type`, `config`: as
/// in perf_event_open(2).
int open_counter(std::uint32_t type, std::uint64_t config);
int open_instruction_counter();

/// False when there is none, or it did not count all the time.
bool read_counter(int counter, std::uint64_t& value);

extern int instruction_counter; ///< -1: none

// ---- reap.cpp: children of process 1

struct Ended {
    pid_t process = 0; ///< 0: nothing has ended
    int status = 0;
};

/// Reaps one child that has ended, adds its use to the record and sets ended_ns; `timed` is the one whose wait for a
/// processor is noted. `none_left` becomes true when there is no child at all.
Ended reap_one(pid_t timed, bool& none_left);

/// Waits up to `until` (0: for ever) for SIGCHLD, which is blocked, so none is lost. Nothing here has a handler:
/// signals that the program sends to process 1 do nothing, a forged SIGCHLD only makes a loop turn once.
void wait_for_child(std::int64_t until);

/// Reaps everything. After `main_process` the others have the grace; then they are killed and counted. `main_process`
/// 0: they are killed at once and not counted.
extern bool alone; ///< Instructions::alone
void reap_all(pid_t main_process, std::uint32_t grace_ms);

void add(const rusage& usage);
void note_scratch();

// ---- processes.cpp: the sandbox's processes, through /proc

/// What the server's keeper counts; in memory that both share.
struct Kept {
    std::atomic<std::uint32_t> changes{0}; ///< odd while a process is being reaped
    std::atomic<pid_t> server{0};
    std::atomic<bool> server_ended{false};
    std::atomic<std::int32_t> server_status{0};
    std::atomic<std::int64_t> user_ns{0}, system_ns{0}; ///< of everything it has reaped
    std::atomic<std::uint64_t> largest_bytes{0};
};

struct Cpu {
    std::int64_t total_ns = 0, user_ns = 0;
};

/// What all processes have used so far, but init and the keeper themselves. A living process's own use is exact; of
/// children that it has reaped itself the kernel tells only whole ticks (10 ms).
Cpu used_cpu(const Kept& kept, pid_t keeper);

/// The same of what lives and is not the keeper or below it.
Cpu used_by_others(pid_t keeper);

/// Proportional memory of all living processes but init.
std::uint64_t living_bytes();

/// SIGKILL to every process below this one. Without a name space of its own that is not every process.
void kill_below_this();

/// Puts the name of one living process, which outlived the main one, into the record.
void name_survivor();

/// Tasks of this user on the whole machine, which is what a limit on processes counts.
std::uint64_t tasks_of_user();

/// SIGKILL to every process that is not the keeper or below it, if `killing`. How many there are.
unsigned others_than(pid_t keeper, bool killing);

// ---- server.cpp

/// Starts the server, runs the program beside it, once or as ordered, and stops it. Everything has ended then, and
/// the record is complete.
void run_beside_server(const Program& program);

} // namespace holdfast::init
