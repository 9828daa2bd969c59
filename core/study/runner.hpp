// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine needs from a sandbox. Implemented in sandbox/.
#pragma once

#include "core/project/error.hpp"
#include "core/project/project.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::study {

enum class Phase { build, run, judge };

struct Mount {
    std::filesystem::path host; ///< a folder or file that Runner::give() was called for
    std::string inside;         ///< absolute: "/source", "/build", "/out", "/inputs", "/expected", "/prepared"
    bool writable = false;
};

struct ExecutionLimits {
    std::uint64_t memory_bytes = 4ULL << 30; ///< summed over the sandbox
    unsigned processes = 256;
    std::uint64_t file_bytes = 1ULL << 30;    ///< per file
    std::uint64_t disk_bytes = 1ULL << 30;    ///< summed over writable mounts and /tmp
    std::uint64_t output_bytes = 16ULL << 20; ///< standard output and error, each; past it the tree is killed
    std::chrono::milliseconds time = std::chrono::seconds(60);
};

/// What runs beside the measured program in the same sandbox; their outputs are ExecutionResult::server_output.
struct Beside {
    Argv start; ///< stays in the foreground
    Argv ready; ///< tried every 20 ms until it exits 0; empty: ready at once
    Argv stop;  ///< empty: SIGTERM to the process of `start`
    std::chrono::milliseconds limit = std::chrono::seconds(30); ///< to become ready, and again to stop
};

struct Execution {
    Phase phase = Phase::run;
    Argv argv; ///< argv[0] looked up in the sandbox's PATH when it has no '/'
    std::optional<Beside> server;
    bool network = false;            ///< the host's network; for `fetch` alone
    bool count_instructions = false; ///< by the kernel's counters, where Runner::counters() has them
    bool sanitizer = false;          ///< may trace processes of its own, as LeakSanitizer must
    bool observe = false;            ///< fills ExecutionResult::observed; slow, so never for a timed run
    unsigned processors = 0;         ///< bound to so many of the machine's processors; 0: to none in particular
    std::vector<std::pair<std::string, std::string>> environment; ///< added to the sandbox's own allow-list
    std::string folder = "/";                                     ///< working folder inside
    std::vector<Mount> mounts;
    std::vector<std::string> read;             ///< absolute host paths, seen read-only at the same place
    std::vector<std::filesystem::path> hidden; ///< of the host: what nothing of `read` may be, hold or lie in
    ExecutionLimits limits;
};

enum class Ending {
    exited,
    signalled,
    timeout,
    memory,
    disk,
    output,
    survivors,
    not_started,
    killed, ///< on request, or from outside
    server  ///< it did not become ready, ended by itself or did not stop; the reason says which
};

struct Usage {
    /// Monotonic, from just before the program is executed to the end of its last process; beside a server to the end
    /// of the program's main process.
    std::chrono::nanoseconds wall{0};
    /// Of everything reaped; beside a server what all processes of the sandbox used between those two moments.
    std::chrono::nanoseconds user{0}, system{0};
    std::uint64_t minor_faults = 0, major_faults = 0, voluntary_switches = 0, involuntary_switches = 0;
    std::uint64_t peak_memory_bytes = 0;
    /// "cgroup" (the control group's peak, without the cache of files that was left), "pss" (sampled every 50 ms),
    /// "maxrss" (largest single process); with files in memory file systems.
    std::string memory_source;
    std::chrono::nanoseconds queue_wait{0}; ///< of the leading thread, where readable
    /// Processor time of user and system that is neither the main process's nor of a child it waited for: daemons, and
    /// children that nobody reaped. Beside a server what processes of the program used after its main one; beside a
    /// kept one also what the server used since the run before, in no run's time.
    std::chrono::nanoseconds background{0};
    std::uint64_t throttled = 0;               ///< times the machine was slowed for its heat or power meanwhile
    std::optional<std::uint64_t> instructions; ///< in user mode, of the whole tree; nothing: not asked for, or not told
};

/// How a file that programs left behind was brought to the disk.
struct Synced {
    std::uint64_t syncs = 0; ///< that had something of it to bring
    bool last = false;       ///< nothing was written to it after the last one
};

/// What the programs of a sandbox asked of the kernel. Followed from outside of them, whatever they link or preload.
struct Observed {
    /// Successful and failed calls by name, of those that bring data to the disk ("fsync", "msync", "open O_DSYNC") or
    /// that security rests on ("chmod", "setuid", "getrandom"); which: sandbox/init/observe.
    std::map<std::string, std::uint64_t> calls;
    /// Of those that bring data to the disk: how many did, that is succeeded for a file that had been written since
    /// the same thread's last one for it. Those for a folder are "fsync of a folder".
    std::map<std::string, std::uint64_t> brought;
    std::map<std::string, Synced> synced;     ///< by path inside; of files in writable mounts, those that ever were
    bool synced_whole = false;                ///< `synced` names all of them; it does not when they are very many
    std::uint64_t processes = 0, threads = 0; ///< that were started, the first ones among them
    std::uint64_t most_threads = 0;           ///< alive at one time
    std::uint64_t files_opened = 0;           ///< for writing
    std::uint64_t looks_for_watcher = 0;      ///< whether it is traced or filtered: /proc/…/status, PTRACE_TRACEME
    bool denormals_flushed = false;           ///< a thread ended with FTZ or DAZ set (x86), or FZ (Arm)
    bool rounding_changed = false;            ///< a thread ended with another rounding mode than to nearest
    bool whole = false;                       ///< all of them could be followed
};

struct ExecutionResult {
    Ending ending = Ending::exited;
    int code = 0;       ///< exit status, or the signal's number; of the server when that ended
    std::string reason; ///< in words for every ending but exit 0: "killed by signal 11 (Segmentation fault)"
    std::string standard_output, standard_error; ///< raw bytes, capped
    std::string server_output;                   ///< both streams of start, ready and stop; raw bytes, capped
    Usage usage;
    std::optional<Observed> observed; ///< with Execution::observe
    bool ok() const { return ending == Ending::exited && code == 0; }
};

/// Readings of the whole machine, taken by the harness around a run.
struct MachineReading {
    std::uint64_t steal_ticks = 0, total_ticks = 0;
    std::uint64_t swap_in_pages = 0, swap_out_pages = 0;
    std::uint64_t psi_cpu_us = 0, psi_memory_us = 0, psi_io_us = 0;
    double mhz = 0, celsius = 0; ///< 0: not readable
    // Not stored: Usage::throttled and the metric `energy` hold their differences.
    std::uint64_t throttled = 0;  ///< times a core or package was slowed for its heat or power, since the start
    std::optional<double> joules; ///< an energy counter that two meters agree on
};

/// What this machine can count beside time.
struct Counters {
    bool instructions = false;         ///< the kernel counts them for unprivileged programs
    std::string instructions_fallback; ///< a program that counts them by simulation ("cachegrind"); "" without one
    bool energy = false;               ///< two meters agree
    std::string energy_because;        ///< which meters agree, or why there is no reading
};

struct Canary {
    std::string name;  ///< "reads a secret of the host"
    bool held = false; ///< the sandbox stopped it
    std::string detail;
    int leaves = 0; ///< the highest level that a sandbox which does not stop it can have
};

struct Isolation {
    int level = 0; ///< L4..L0, decided by the canaries
    std::vector<Canary> canaries;
    std::string missing; ///< why it is below L3, in words; empty otherwise
    std::string remedy;
    std::string groups; ///< the control groups that are used, or "none" and why
};

/// A sandbox whose server stays up between runs. Ends with the object; its processes are gone then.
class KeptSandbox {
public:
    virtual ~KeptSandbox() = default;

    /// Runs the execution's program once more beside the server. The server's own end, or a limit of the sandbox, is an
    /// ending of this and of every later run.
    virtual Result<ExecutionResult> run(std::stop_token kill) = 0;

    /// Runs `stop` (else SIGTERM) and waits for the end of everything; for its log. Nothing runs after it.
    virtual Result<ExecutionResult> stop(std::stop_token kill) = 0;
};

class Runner {
public:
    virtual ~Runner() = default;

    /// Runs one program in a fresh sandbox and waits for the end of its whole tree. An error means that the sandbox
    /// itself failed (kind `refused` when isolation is missing); what the program did is in the result. A stop request
    /// kills the tree at once (Ending::killed).
    virtual Result<ExecutionResult> execute(const Execution& execution, std::stop_token kill) = 0;

    /// Starts the server of `execution` in a sandbox that stays. Its writable mounts stay too: whoever calls empties
    /// them between runs. A server that does not become ready is told by the first run().
    virtual Result<std::unique_ptr<KeptSandbox>> keep(const Execution& execution, std::stop_token kill) = 0;

    /// Runs the canaries once, then remembers.
    virtual Result<Isolation> isolation() = 0;

    /// The folder for disposable trees: $XDG_CACHE_HOME/holdfast, or /var/tmp/holdfast-0 as root.
    virtual const std::filesystem::path& cache() const = 0;

    /// Hands a tree below cache() to the sandbox's user, recursively; no symbolic link is followed.
    virtual Result<void> give(const std::filesystem::path& tree) = 0;

    virtual MachineReading reading() const = 0;

    /// Tried once, then remembered.
    virtual Counters counters() = 0;

    /// Facts of this machine as a JSON object: cpu, cores, memory, kernel, governor, virtualisation, clock source, and
    /// their `fingerprint`: samples of different ones are never pooled.
    virtual std::string machine() const = 0;
};

} // namespace holdfast::study
