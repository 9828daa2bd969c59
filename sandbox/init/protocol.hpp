// SPDX-License-Identifier: GPL-3.0-or-later
// What the runner tells holdfast-init and what holdfast-init answers. Both ends come from one build and run on one
// machine, so plain structs cross.
#pragma once

#include "sandbox/init/calls.hpp"

#include <cstdint>

namespace holdfast::init {

constexpr std::uint32_t magic = 0x48464931;

// Fixed numbers keep them out of the command line, which programs can read in /proc/1/cmdline.
constexpr int instructions_fd = 3; ///< Instructions, then NUL-terminated strings: folder, argv, start, ready, stop,
                                   ///< environment, places
constexpr int report_fd = 4;       ///< Records are written here
constexpr int output_fd = 5;       ///< becomes the program's standard output
constexpr int error_fd = 6;        ///< becomes the program's standard error
constexpr int server_fd = 11;      ///< with a server: both streams of start, ready and stop
constexpr int orders_fd = 12;      ///< with a server: Orders are read here; only a kept one gets any

constexpr std::uint32_t build_phase = 0; ///< study::Phase::build

struct Instructions {
    std::uint32_t magic = init::magic;
    std::uint32_t arguments = 0, variables = 0;   ///< how many strings of each follow
    std::uint32_t places = 0;                     ///< the same: a Right's letter and a path each
    std::uint32_t start = 0, ready = 0, stop = 0; ///< the same; no server without `start`
    std::uint32_t network = 0;                    ///< 1: the network is the host's
    std::uint32_t alone = 0;                      ///< 1: in no name spaces of its own, with the runner as parent
    std::uint32_t kept = 0;                       ///< 1: run when ordered, as often as ordered
    std::uint32_t count = 0;                      ///< 1: instructions are counted, where the kernel lets them be
    std::uint32_t phase = 0;                      ///< study::Phase: what the programs may ask of the kernel
    std::uint32_t sanitizer = 0;                  ///< 1: programs may trace their own
    std::uint32_t observe = 0;                    ///< 1: what they ask of the kernel is counted
    std::uint32_t processors = 0;                 ///< above 0: bound to so many
    /// For processes that outlive the main one; counted in the time without a server. Honest helpers end when they see
    /// that it has: an interpreter (of Python's multiprocessing) takes some tens of milliseconds, more on a busy
    /// machine.
    std::uint32_t grace_ms = 300;
    std::uint32_t limit_ms = 0;  ///< for the server to become ready, and again to stop
    std::uint64_t processes = 0; ///< besides init
    std::uint64_t file_bytes = 0;
};

/// What programs may do at a place and below it; everything else there is denied.
enum class Right : char {
    read = 'r',  ///< and execute
    write = 'w', ///< everything
    set = 's',   ///< read and write what is there: devices, /proc
};

enum class Kind : std::uint32_t {
    started = 1,     ///< sent just before the program is released; only started_ns is set
    ended = 2,       ///< the last process is gone
    not_started = 3, ///< stage, error and role say why
    began = 4,       ///< sent just before the server is released; only started_ns is set
    ready = 5,       ///< a kept server waits for orders
    ran = 6,         ///< beside a server: the program has ended, and what it left behind
    synced = 7       ///< before `ended` of an observed run; only `synced` is set
};

enum class Stage : std::uint32_t { instructions = 1, setup, limits, folder, program, confinement };

enum class Role : std::uint32_t { program, server, ready, stop };

enum class Fault : std::uint32_t {
    none,
    not_ready,
    ended_before_ready,
    ended_during_run,
    ended_between_runs,
    not_stopped,      ///< within the limit
    left_behind,      ///< the server has ended, other processes of it have not
    stop_not_started, ///< `error` says why
    leftovers         ///< what a run left behind could not be ended
};

enum class Order : char { run = 'r', stop = 's' };

/// What was seen of an observed run (study::Observed).
struct Seen {
    std::uint32_t calls[init::calls] = {}, brought[init::syncs] = {};
    std::uint32_t processes = 0, threads = 0, most_threads = 0, files_opened = 0, looks_for_watcher = 0;
    std::uint8_t denormals_flushed = 0, rounding_changed = 0, whole = 0, synced_whole = 0;
};

/// One file of study::Observed::synced.
struct SyncedFile {
    char path[480] = {}; ///< inside; longer ones are not told
    std::uint32_t syncs = 0;
    std::uint8_t last = 0;
};

/// Smaller than PIPE_BUF, so one write is one record.
struct Record {
    std::uint32_t magic = init::magic;
    Kind kind = Kind::started;
    Stage stage = Stage::instructions;
    std::int32_t error = 0;                    ///< errno
    Role role = Role::program;                 ///< whom stage and error are about
    Fault fault = Fault::none;                 ///< with `ended`
    std::int32_t server_status = 0;            ///< wait status, when the server has ended
    std::int32_t command_status = 0;           ///< wait status of the last `ready` or of `stop`
    std::int64_t started_ns = 0, ended_ns = 0; ///< CLOCK_MONOTONIC
    std::int32_t wait_status = 0;              ///< of the main process
    std::uint32_t survivors = 0;               ///< processes that had to be killed after the grace
    char survivor[16] = {};                    ///< the name of one of them, which it chose itself
    std::int64_t user_us = 0, system_us = 0;   ///< of everything reaped; in `ran` of everything in that time
    std::int64_t background_us = 0; ///< of user and system: not the main process's; in `ran`: since the run before
    std::uint64_t minor_faults = 0, major_faults = 0, voluntary_switches = 0, involuntary_switches = 0;
    std::uint64_t largest_bytes = 0; ///< resident peak of the largest process that was reaped
    std::uint64_t living_bytes = 0;  ///< in `ran`: proportional memory of what lived beside it, at its begin or end
    std::uint64_t queue_wait_ns = 0; ///< of the main process's leading thread
    std::uint64_t scratch_bytes = 0; ///< what was left in the memory file systems
    std::uint64_t instructions = 0;  ///< in user mode, of the whole tree; in `ran` in that time
    std::uint32_t counted = 0;       ///< 1: `instructions` is whole
    Seen seen;                       ///< with `ended`
    SyncedFile synced;
};
static_assert(sizeof(Record) < 1536);

/// The writable memory file systems; the runner mounts them and both sides measure them.
struct Scratch {
    const char* folder;
    const char* mode;
};
constexpr Scratch scratch[] = {{"/tmp", "1777"}, {"/dev/shm", "1777"}, {"/home/user", "0700"}};

} // namespace holdfast::init
