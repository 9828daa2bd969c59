// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/runner/run.hpp"

#include "sandbox/runner/leftovers.hpp"
#include "sandbox/runner/running.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace holdfast::sandbox {
namespace {

using study::Ending;
using namespace std::chrono_literals;

Reply failure(const char* stage, std::string found) {
    Reply reply;
    reply.stage = stage;
    reply.failure = std::move(found);
    return reply;
}

Descriptor process_descriptor(pid_t process) {
    return Descriptor(int(syscall(SYS_pidfd_open, process, 0)));
}

/// Appends up to `cap` bytes and counts all of them. False at the end of the stream.
bool read_some(const Descriptor& from, std::string& text, std::uint64_t& total, std::uint64_t cap) {
    char chunk[65536];
    for (int reads = 0; reads < 32; ++reads) {
        const ssize_t size = ::read(from.get(), chunk, sizeof chunk);
        if (size < 0)
            return errno == EAGAIN || errno == EINTR;
        if (size == 0)
            return false;
        total += std::uint64_t(size);
        if (text.size() < cap)
            text.append(chunk, std::min<std::uint64_t>(std::uint64_t(size), cap - text.size()));
    }
    return true;
}

} // namespace

Reply Run::operator()(const Means& means, bool& harness_gone) {
    std::string ungrouped;
    group_ = means.groups.make(execution_.limits, ungrouped);
    if (!ungrouped.empty())
        return failure("start a sandbox", ungrouped);
    started_ = start_sandbox(execution_, means.programs, kept_, group_.get());
    if (!started_.failure.empty())
        return failure("start a sandbox", started_.failure);
    bubblewrap_pid_ = started_.bubblewrap;
    watch_.set_alone(means.programs.alone());
    if (means.programs.alone()) {
        init_known_ = true;
        evidence_.init = bubblewrap_pid_;
    }
    bubblewrap_ = process_descriptor(bubblewrap_pid_);
    if (!bubblewrap_) {
        const int error = errno;
        ::kill(bubblewrap_pid_, SIGKILL);
        end_children(emptying_limit);
        return failure("watch a sandbox", std::string("pidfd_open: ") + std::strerror(error));
    }
    while (running()) {
        turn();
        if (kill_time_ && steady_clock::now() > *kill_time_ + emptying_limit) {
            harness_gone = gone_;
            return failure("empty a sandbox", "its processes could not be killed within 30 s");
        }
    }
    // Nothing, except when bubblewrap ended before its child could know.
    if (!end_children(emptying_limit) || !empty_group()) {
        harness_gone = gone_;
        return failure("empty a sandbox", "its processes could not be killed within 30 s");
    }
    on_report();
    on_output();
    if (evidence_.began)
        check_disk(true);
    harness_gone = gone_;
    return conclude(execution_, evidence_, true);
}

/// What the group counted is read when nothing in it can change it any more.
bool Run::empty_group() {
    if (!group_)
        return true;
    note_use(group_->use());
    const bool ended = group_->end(emptying_limit);
    group_.reset();
    return ended;
}

void Run::keep(const Means& means) {
    const Reply last = (*this)(means, gone_);
    // Nobody may have asked when it ended: then it is the answer to what is asked next.
    while (!asked_ && !gone_) {
        const std::optional<Message> message = receive_message(harness_.control);
        gone_ = !message;
        asked_ = message && message->kind != MessageKind::kill;
    }
    answer(last);
}

void Run::answer(const Reply& reply) {
    if (asked_ && !gone_ && !send_message(harness_.control, MessageKind::result, encode(reply)))
        on_death();
    asked_ = false;
    evidence_.output_bytes = evidence_.error_bytes = evidence_.server_bytes = 0;
}

void Run::order(init::Order order) {
    evidence_.ran.reset();
    evidence_.sampled_bytes = 0;
    asked_ = true;
    if (::write(started_.orders.get(), &order, 1) != 1)
        return; // its end is noticed by itself
    if (order == init::Order::stop)
        enter(Phase::stopping, steady_clock::now());
}

void Run::turn() {
    enum { control, death, status, report, output, error, server, diagnosis, bubblewrap, init, count };
    pollfd sources[count] = {};
    auto want = [&](int index, int fd) { sources[index] = {fd, POLLIN, 0}; };
    want(control, gone_ ? -1 : harness_.control);
    want(death, gone_ ? -1 : harness_.death);
    want(status, started_.status.get());
    want(report, started_.report.get());
    want(output, started_.output.get());
    want(error, started_.error.get());
    want(server, started_.server.get());
    want(diagnosis, started_.diagnosis.get());
    want(bubblewrap, bubblewrap_.get());
    want(init, init_.get());

    const auto left = std::max<steady_clock::duration>(wake() - steady_clock::now(), 0ns);
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    if (ppoll(sources, count, &time, nullptr) < 0)
        return;
    if (sources[control].revents != 0)
        on_control();
    if (sources[death].revents != 0)
        on_death();
    if (sources[status].revents != 0)
        on_status();
    if (sources[report].revents != 0)
        on_report();
    if (sources[output].revents != 0 || sources[error].revents != 0 || sources[server].revents != 0 ||
        sources[diagnosis].revents != 0)
        on_output();
    if (sources[init].revents != 0)
        init_.reset(); // it ends only after every other process of its namespace was reaped
    if (sources[bubblewrap].revents != 0)
        on_bubblewrap_exit();
    check_limits();
}

void Run::on_control() {
    const std::optional<Message> message = receive_message(harness_.control);
    if (!message)
        on_death();
    else if (message->kind == MessageKind::kill && asked_)
        stop(Ending::killed, "stopped on request");
    else if (message->kind == MessageKind::again || message->kind == MessageKind::stop)
        order(message->kind == MessageKind::again ? init::Order::run : init::Order::stop);
}

void Run::on_death() {
    gone_ = true;
    stop(Ending::killed, "stopped on request");
}

/// bubblewrap writes {"child-pid": N, ...} before it lets the child go on.
void Run::on_status() {
    std::uint64_t total = 0;
    if (!read_some(started_.status, status_text_, total, 4096))
        started_.status.reset();
    constexpr std::string_view key = "\"child-pid\":";
    const std::size_t at = status_text_.find(key);
    if (init_known_ || at == std::string::npos || status_text_.find('}', at) == std::string::npos)
        return;
    const auto process = pid_t(std::strtol(status_text_.c_str() + at + key.size(), nullptr, 10));
    init_known_ = true;
    evidence_.init = process;
    init_ = process_descriptor(process);
    if (kill_time_)
        kill_tree();
}

void Run::on_report() {
    init::Record record;
    while (started_.report) {
        const ssize_t size = ::read(started_.report.get(), &record, sizeof record);
        if (size < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (size != ssize_t(sizeof record) || record.magic != init::magic) {
            started_.report.reset();
            return;
        }
        on_record(record);
    }
}

void Run::on_record(const init::Record& record) {
    const steady_clock::time_point at{std::chrono::nanoseconds(record.started_ns)};
    switch (record.kind) {
    case init::Kind::began:
        first_watch_ = at;
        evidence_.began = true;
        return enter(Phase::starting, at);
    case init::Kind::started:
        if (!first_watch_)
            first_watch_ = at;
        evidence_.began = true;
        program_start_ = at;
        return enter(Phase::running, at);
    case init::Kind::ready:
        enter(Phase::idle, steady_clock::now());
        on_output();
        return answer(conclude(execution_, evidence_, false));
    case init::Kind::ran:
        evidence_.ran = record;
        return on_ran();
    case init::Kind::synced:
        evidence_.synced.push_back(record.synced);
        return;
    default:
        evidence_.record = record;
    }
}

/// The program beside a server has ended. A limit that a kept sandbox has passed ends it, as it ends any other.
void Run::on_ran() {
    const init::Record& ran = *evidence_.ran;
    enter(kept_ ? Phase::idle : Phase::stopping, steady_clock::now());
    on_output();
    if (!kept_)
        return;
    evidence_.sampled_bytes = std::max(evidence_.sampled_bytes, ran.living_bytes + ran.largest_bytes);
    if (evidence_.sampled_bytes > execution_.limits.memory_bytes)
        stop(Ending::memory, "");
    else if (std::chrono::nanoseconds(ran.ended_ns - ran.started_ns) > execution_.limits.time)
        stop(Ending::timeout, "");
    else if (watch_.is_open() || watch_.open(evidence_.init))
        check_disk(false);
    if (kill_time_)
        return;
    program_start_.reset();
    answer(conclude(execution_, evidence_, false));
    evidence_.ran.reset();
}

void Run::on_output() {
    const std::uint64_t cap = execution_.limits.output_bytes;
    if (started_.output && !read_some(started_.output, evidence_.output, evidence_.output_bytes, cap))
        started_.output.reset();
    if (started_.error && !read_some(started_.error, evidence_.error, evidence_.error_bytes, cap))
        started_.error.reset();
    if (started_.server && !read_some(started_.server, evidence_.server, evidence_.server_bytes, cap))
        started_.server.reset();
    std::uint64_t total = 0;
    if (started_.diagnosis && !read_some(started_.diagnosis, evidence_.diagnosis, total, 4096))
        started_.diagnosis.reset();
    if (evidence_.output_bytes > cap || evidence_.error_bytes > cap || evidence_.server_bytes > cap)
        stop(Ending::output, "");
}

void Run::on_bubblewrap_exit() {
    on_status(); // it may have written and died since
    siginfo_t info{};
    // The call itself, unlike libc's function, tells what was used too.
    if (syscall(SYS_waitid, P_PIDFD, bubblewrap_.get(), &info, WEXITED, &evidence_.reaped) == 0)
        evidence_.bubblewrap_status = info.si_status;
    bubblewrap_.reset();
    started_.status.reset();
    // Its death kills pid 1 (--die-with-parent), but not one that has not come so far yet. That the namespace is empty
    // is what init_ tells.
    if (init_)
        syscall(SYS_pidfd_send_signal, init_.get(), SIGKILL, nullptr, 0);
}

void Run::stop(Ending ending, std::string reason) {
    if (!evidence_.stopped) {
        evidence_.stopped = ending;
        evidence_.stop_reason = std::move(reason);
        evidence_.stopped_after = program_start_ ? steady_clock::now() - *program_start_ : 0ns;
    }
    if (!running() || kill_time_)
        return;
    kill_time_ = steady_clock::now();
    kill_tree();
}

/// Killing pid 1 of the namespace kills all of it. Before that process is known, it is a child of bubblewrap, which it
/// does not follow into death yet; one that bubblewrap makes meanwhile comes to this process (end_children).
void Run::kill_tree() {
    if (group_)
        group_->kill();
    if (init_) {
        syscall(SYS_pidfd_send_signal, init_.get(), SIGKILL, nullptr, 0);
    } else if (bubblewrap_) {
        kill_descendants(bubblewrap_pid_);
        syscall(SYS_pidfd_send_signal, bubblewrap_.get(), SIGKILL, nullptr, 0);
    }
}

Reply run(const study::Execution& execution, const Means& means, const Harness& harness, bool& harness_gone) {
    return Run(execution, harness, false)(means, harness_gone);
}

void keep(const study::Execution& execution, const Means& means, const Harness& harness) {
    Run(execution, harness, true).keep(means);
}

} // namespace holdfast::sandbox
