// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/runner/outcome.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sys/wait.h>
#include <utility>

namespace holdfast::sandbox {
namespace {

using study::Ending;
using study::ExecutionResult;

/// The kernel's two sums differ by some microseconds a process.
constexpr auto least_hidden = std::chrono::milliseconds(2);

std::string bytes_in_words(std::uint64_t bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = double(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
        value /= 1024;
    return fmt::format("{:.{}f} {}", value, unit == 0 || value >= 100 ? 0 : 1, units[unit]);
}

std::string time_in_words(std::chrono::nanoseconds time) {
    return fmt::format("{:.3g} s", std::chrono::duration<double>(time).count());
}

/// The beginning of a sentence about it, and its program.
std::pair<const char*, std::string> role_in_words(init::Role role, const study::Execution& execution) {
    switch (role) {
    case init::Role::server:
        return {"the server ", execution.server->start.front()};
    case init::Role::ready:
        return {"the server's \"ready\" ", execution.server->ready.front()};
    case init::Role::stop:
        return {"the server's \"stop\" ", execution.server->stop.front()};
    default:
        return {"", execution.argv.front()};
    }
}

std::string status_in_words(int status) {
    constexpr int of_shell = 128; // a shell's status for a child that a signal killed
    constexpr const char* too_large = "a file grew past what sandbox.disk allows";
    if (WIFSIGNALED(status))
        return fmt::format("killed by signal {} ({}){}", WTERMSIG(status), strsignal(WTERMSIG(status)),
                           WTERMSIG(status) == SIGXFSZ ? fmt::format("; {}", too_large) : "");
    return fmt::format("exit status {}{}", WEXITSTATUS(status),
                       WEXITSTATUS(status) == of_shell + SIGXFSZ ? fmt::format(", a shell's when {}", too_large) : "");
}

std::string not_started_reason(const init::Record& record, const study::Execution& execution) {
    const char* why = std::strerror(record.error);
    const auto [who, program] = role_in_words(record.role, execution);
    switch (record.stage) {
    case init::Stage::folder:
        return fmt::format("{}cannot be started in {}: {}", who, execution.folder, why);
    case init::Stage::limits:
        return fmt::format("{}its limits cannot be set: {}", who, why);
    case init::Stage::program:
        return fmt::format("{}cannot be started: {}: {}", who, program, why);
    default:
        return fmt::format("{}cannot be started: {}", who, why);
    }
}

void fill_usage(study::Usage& usage, const Evidence& evidence) {
    usage.wall = evidence.stopped_after;
    usage.peak_memory_bytes = evidence.sampled_bytes;
    usage.memory_source = "pss";
    if (!evidence.record && !evidence.ran)
        return;
    const init::Record& record = evidence.ran ? *evidence.ran : *evidence.record;
    usage.wall = std::chrono::nanoseconds(record.ended_ns - record.started_ns);
    usage.user = std::chrono::microseconds(record.user_us);
    usage.system = std::chrono::microseconds(record.system_us);
    usage.minor_faults = record.minor_faults;
    usage.major_faults = record.major_faults;
    usage.voluntary_switches = record.voluntary_switches;
    usage.involuntary_switches = record.involuntary_switches;
    usage.queue_wait = std::chrono::nanoseconds(record.queue_wait_ns);
    if (record.counted != 0)
        usage.instructions = record.instructions;
    // What lived beside the program when it began or ended: a short run is over before a sample is taken.
    if (evidence.ran)
        usage.peak_memory_bytes = std::max(usage.peak_memory_bytes, record.living_bytes + record.largest_bytes);
    usage.background = std::chrono::microseconds(record.background_us);
    // With what it left in memory file systems: a short run's files there were never seen beside it.
    const std::uint64_t largest = evidence.record ? evidence.record->largest_bytes + evidence.record->scratch_bytes : 0;
    if (largest >= usage.peak_memory_bytes) {
        usage.peak_memory_bytes = largest;
        usage.memory_source = "maxrss";
    }
}

/// Beside a server nothing is followed, nor is the rest of a program that was killed.
void fill_observed(study::Observed& observed, const Evidence& evidence) {
    if (!evidence.record || evidence.record->kind != init::Kind::ended)
        return;
    const init::Seen& seen = evidence.record->seen;
    for (std::size_t i = 0; i < init::calls; ++i)
        if (seen.calls[i] != 0)
            observed.calls[init::call_names[i]] = seen.calls[i];
    for (std::size_t i = 0; i < init::syncs; ++i)
        if (seen.brought[i] != 0)
            observed.brought[init::call_names[i]] = seen.brought[i];
    for (const init::SyncedFile& file : evidence.synced)
        observed.synced[file.path] = {file.syncs, file.last != 0};
    observed.synced_whole = seen.synced_whole != 0;
    observed.looks_for_watcher = seen.looks_for_watcher;
    observed.processes = seen.processes;
    observed.threads = seen.threads;
    observed.most_threads = seen.most_threads;
    observed.files_opened = seen.files_opened;
    observed.denormals_flushed = seen.denormals_flushed != 0;
    observed.rounding_changed = seen.rounding_changed != 0;
    observed.whole = seen.whole != 0;
}

std::chrono::nanoseconds nanoseconds_of(const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

/// A group's sums are of its whole life: they are those of the program where nothing ran before and beside it.
void add_group(const study::Execution& execution, const Evidence& evidence, study::Usage& usage) {
    if (!evidence.group || execution.server)
        return;
    const GroupUse& group = *evidence.group;
    if (group.peak_bytes) {
        usage.peak_memory_bytes = std::max(usage.peak_memory_bytes, *group.peak_bytes);
        usage.memory_source = "cgroup";
    }
    if (evidence.stopped || !group.user || !group.system)
        return;
    // What processes used that nobody reaped, since their parents ignored SIGCHLD. The group knows of it, and of
    // bubblewrap and init, which are in what was reaped; so the difference is the program's.
    const auto hidden_user = *group.user - nanoseconds_of(evidence.reaped.ru_utime),
               hidden_system = *group.system - nanoseconds_of(evidence.reaped.ru_stime),
               hidden = hidden_user + hidden_system;
    if (hidden < least_hidden)
        return;
    // How time divides into the two the kernel only estimates.
    const auto system = std::clamp<std::chrono::nanoseconds>(hidden_system, std::chrono::nanoseconds(0), hidden);
    usage.user += hidden - system;
    usage.system += system;
    usage.background += hidden;
}

/// Limits that were passed although the program ended before a sample showed it: what happens must not depend on when
/// the runner looked.
void find_late_excess(const study::Execution& execution, Evidence& evidence, const study::Usage& usage) {
    if (evidence.stopped)
        return;
    if (evidence.group && evidence.group->memory_kills > 0)
        evidence.stopped = Ending::memory;
    else if (usage.peak_memory_bytes > execution.limits.memory_bytes)
        evidence.stopped = Ending::memory;
    else if (usage.wall > execution.limits.time)
        evidence.stopped = Ending::timeout;
}

void say_stopped(const study::Execution& execution, const Evidence& evidence, ExecutionResult& result) {
    const study::ExecutionLimits& limits = execution.limits;
    result.ending = *evidence.stopped;
    result.code = SIGKILL;
    switch (result.ending) {
    case Ending::timeout:
        result.reason = fmt::format("ran longer than {}", time_in_words(limits.time));
        break;
    case Ending::memory:
        if (evidence.group && evidence.group->memory_kills > 0)
            result.reason =
                fmt::format("needed more than {} of memory: the kernel ended {} process{} of its control group",
                            bytes_in_words(limits.memory_bytes), evidence.group->memory_kills,
                            evidence.group->memory_kills == 1 ? "" : "es");
        else
            result.reason =
                fmt::format("used {} of memory ({}), more than {}", bytes_in_words(result.usage.peak_memory_bytes),
                            result.usage.memory_source, bytes_in_words(limits.memory_bytes));
        break;
    case Ending::disk:
        result.reason = fmt::format("wrote more than {} of files", bytes_in_words(limits.disk_bytes));
        break;
    case Ending::output:
        result.reason = evidence.server_bytes > limits.output_bytes
                            ? fmt::format("the server printed more than {}", bytes_in_words(limits.output_bytes))
                            : fmt::format("printed more than {} on standard {}", bytes_in_words(limits.output_bytes),
                                          evidence.output_bytes > limits.output_bytes ? "output" : "error");
        break;
    default:
        break;
    }
    if (!evidence.stop_reason.empty())
        result.reason = evidence.stop_reason;
}

void say_ended(const init::Record& record, ExecutionResult& result) {
    const std::string left =
        fmt::format("left {} process{} running{}", record.survivors, record.survivors == 1 ? "" : "es",
                    record.survivor[0] == '\0' ? "" : fmt::format(" ({})", record.survivor));
    if (WIFSIGNALED(record.wait_status)) {
        result.ending = Ending::signalled;
        result.code = WTERMSIG(record.wait_status);
        result.reason = status_in_words(record.wait_status);
    } else {
        result.ending = Ending::exited;
        result.code = WEXITSTATUS(record.wait_status);
        if (result.code != 0)
            result.reason = status_in_words(record.wait_status);
    }
    if (record.survivors == 0)
        return;
    if (result.ending == Ending::exited)
        result.ending = Ending::survivors;
    result.reason += (result.reason.empty() ? "" : "; ") + left;
}

std::string fault_in_words(const init::Record& record, const study::Execution& execution) {
    const std::string limit = time_in_words(execution.server->limit), status = status_in_words(record.server_status);
    const bool exited = WIFEXITED(record.server_status);
    const char* const daemon = exited && WEXITSTATUS(record.server_status) == 0
                                   ? "; \"start\" must stay in the foreground, and not become a daemon"
                                   : "";
    switch (record.fault) {
    case init::Fault::not_ready:
        return fmt::format("the server was not ready within {}{}", limit,
                           record.command_status == 0
                               ? ""
                               : fmt::format(" (its \"ready\" command: {})", status_in_words(record.command_status)));
    case init::Fault::ended_before_ready:
        return exited ? fmt::format("the server ended with {} before it was ready{}", status, daemon)
                      : fmt::format("the server ended before it was ready: {}", status);
    case init::Fault::ended_during_run:
        return fmt::format("the server ended during the run: {}{}", status, daemon);
    case init::Fault::ended_between_runs:
        return fmt::format("the server ended between two runs: {}", status);
    case init::Fault::not_stopped:
        return fmt::format("the server did not stop within {}{}", limit,
                           record.command_status == 0
                               ? ""
                               : fmt::format(" (its \"stop\" command: {})", status_in_words(record.command_status)));
    case init::Fault::left_behind:
        return fmt::format("the server left processes that did not end within {}", limit);
    case init::Fault::stop_not_started:
        return fmt::format("the server's \"stop\" cannot be started: {}: {}", execution.server->stop.front(),
                           std::strerror(record.error));
    default:
        return "what the run left running could not be ended";
    }
}

void say_fault(const init::Record& record, const study::Execution& execution, ExecutionResult& result) {
    result.ending = Ending::server;
    result.reason = fault_in_words(record, execution);
    result.code =
        WIFSIGNALED(record.server_status) ? WTERMSIG(record.server_status) : WEXITSTATUS(record.server_status);
}

} // namespace

Reply conclude(const study::Execution& execution, Evidence& evidence, bool over) {
    Reply reply;
    reply.over = over;
    ExecutionResult& result = reply.result;
    result.standard_output = std::exchange(evidence.output, {});
    result.standard_error = std::exchange(evidence.error, {});
    result.server_output = std::exchange(evidence.server, {});
    const bool ended = evidence.record && evidence.record->kind == init::Kind::ended;
    const bool not_started = evidence.record && evidence.record->kind == init::Kind::not_started;

    if (not_started) {
        const init::Stage stage = evidence.record->stage;
        if (stage <= init::Stage::setup || stage == init::Stage::confinement) {
            reply.stage = stage == init::Stage::confinement ? "confine a program with seccomp and Landlock"
                                                            : "set up the inside of a sandbox";
            reply.failure = std::strerror(evidence.record->error);
            return reply;
        }
        result.ending = Ending::not_started;
        result.code = evidence.record->error;
        result.reason = not_started_reason(*evidence.record, execution);
        return reply;
    }
    if (!evidence.began && evidence.stopped != Ending::killed) {
        reply.stage = "set up a sandbox";
        reply.failure = !evidence.stop_reason.empty() ? evidence.stop_reason
                        : !evidence.diagnosis.empty()
                            ? evidence.diagnosis
                            : fmt::format("bubblewrap ended with status {}", evidence.bubblewrap_status);
        return reply;
    }
    if (!evidence.unwatched.empty()) {
        reply.stage = "watch a sandbox";
        reply.failure = evidence.unwatched;
        return reply;
    }
    fill_usage(result.usage, evidence);
    add_group(execution, evidence, result.usage);
    if (execution.observe)
        fill_observed(result.observed.emplace(), evidence);
    find_late_excess(execution, evidence, result.usage);
    if (evidence.stopped) {
        say_stopped(execution, evidence, result);
    } else if (ended && evidence.record->fault != init::Fault::none) {
        say_fault(*evidence.record, execution, result);
    } else if (evidence.ran && (ended || !over)) {
        say_ended(*evidence.ran, result);
    } else if (ended && !execution.server) {
        say_ended(*evidence.record, result);
    } else if (over && !ended) {
        result.ending = Ending::killed;
        result.code = SIGKILL;
        result.reason = "the sandbox was killed from outside, perhaps because the machine ran out of memory";
    }
    return reply;
}

} // namespace holdfast::sandbox
