// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/runner/outcome.hpp"

#include <cstring>
#include <fmt/format.h>
#include <sys/wait.h>

namespace holdfast::sandbox {
namespace {

using study::Ending;
using study::ExecutionResult;

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

std::string not_started_reason(const init::Record& record, const study::Execution& execution) {
    const char* why = std::strerror(record.error);
    switch (record.stage) {
    case init::Stage::folder:
        return fmt::format("cannot be started in {}: {}", execution.folder, why);
    case init::Stage::limits:
        return fmt::format("its limits cannot be set: {}", why);
    case init::Stage::program:
        return fmt::format("cannot be started: {}: {}", execution.argv.front(), why);
    default:
        return fmt::format("cannot be started: {}", why);
    }
}

void fill_usage(study::Usage& usage, const Evidence& evidence) {
    usage.wall = evidence.stopped_after;
    usage.peak_memory_bytes = evidence.sampled_bytes;
    usage.memory_source = "pss";
    if (!evidence.record)
        return;
    const init::Record& record = *evidence.record;
    usage.wall = std::chrono::nanoseconds(record.ended_ns - record.started_ns);
    usage.user = std::chrono::microseconds(record.user_us);
    usage.system = std::chrono::microseconds(record.system_us);
    usage.minor_faults = record.minor_faults;
    usage.major_faults = record.major_faults;
    usage.voluntary_switches = record.voluntary_switches;
    usage.involuntary_switches = record.involuntary_switches;
    usage.queue_wait = std::chrono::nanoseconds(record.queue_wait_ns);
    if (record.largest_bytes >= usage.peak_memory_bytes) {
        usage.peak_memory_bytes = record.largest_bytes;
        usage.memory_source = "maxrss";
    }
}

/// Limits that were passed although the program ended before a sample showed it: what happens must not depend on when
/// the runner looked.
void find_late_excess(const study::Execution& execution, Evidence& evidence, const study::Usage& usage) {
    if (evidence.stopped)
        return;
    if (usage.peak_memory_bytes > execution.limits.memory_bytes)
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
        result.reason =
            fmt::format("used {} of memory ({}), more than {}", bytes_in_words(result.usage.peak_memory_bytes),
                        result.usage.memory_source, bytes_in_words(limits.memory_bytes));
        break;
    case Ending::disk:
        result.reason = fmt::format("wrote more than {} of files", bytes_in_words(limits.disk_bytes));
        break;
    case Ending::output:
        result.reason = fmt::format("printed more than {} on standard {}", bytes_in_words(limits.output_bytes),
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
        fmt::format("left {} process{} running", record.survivors, record.survivors == 1 ? "" : "es");
    if (WIFSIGNALED(record.wait_status)) {
        result.ending = Ending::signalled;
        result.code = WTERMSIG(record.wait_status);
        result.reason = fmt::format("killed by signal {} ({})", result.code, strsignal(result.code));
    } else {
        result.ending = Ending::exited;
        result.code = WEXITSTATUS(record.wait_status);
        if (result.code != 0)
            result.reason = fmt::format("exit status {}", result.code);
    }
    if (record.survivors == 0)
        return;
    if (result.ending == Ending::exited)
        result.ending = Ending::survivors;
    result.reason += (result.reason.empty() ? "" : "; ") + left;
}

} // namespace

Reply conclude(const study::Execution& execution, Evidence& evidence) {
    Reply reply;
    ExecutionResult& result = reply.result;
    result.standard_output = std::move(evidence.output);
    result.standard_error = std::move(evidence.error);
    const bool ended = evidence.record && evidence.record->kind == init::Kind::ended;
    const bool not_started = evidence.record && evidence.record->kind == init::Kind::not_started;

    if (not_started) {
        if (evidence.record->stage <= init::Stage::setup) {
            reply.stage = "set up the inside of a sandbox";
            reply.failure = std::strerror(evidence.record->error);
            return reply;
        }
        result.ending = Ending::not_started;
        result.code = evidence.record->error;
        result.reason = not_started_reason(*evidence.record, execution);
        return reply;
    }
    if (!evidence.program_started && evidence.stopped != Ending::killed) {
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
    find_late_excess(execution, evidence, result.usage);
    if (evidence.stopped) {
        say_stopped(execution, evidence, result);
    } else if (ended) {
        say_ended(*evidence.record, result);
    } else {
        result.ending = Ending::killed;
        result.code = SIGKILL;
        result.reason = "the sandbox was killed from outside, perhaps because the machine ran out of memory";
    }
    return reply;
}

} // namespace holdfast::sandbox
