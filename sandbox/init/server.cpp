// SPDX-License-Identifier: GPL-3.0-or-later
// The program beside a server. Between init and the server stands the keeper, a fork of init that adopts and reaps
// whatever the server leaves to others: so a process below the keeper is the server's, also a daemon, and any other is
// the program's.
#include "sandbox/init/parts.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::init {
namespace {

constexpr std::int64_t millisecond = 1'000'000, ready_interval = 20 * millisecond, kill_limit = 5000 * millisecond;
/// How long after its program's failure a server may take to die: the kernel may have a large core to write.
constexpr std::int64_t last_breath = 1000 * millisecond;

enum class Event { child, server, time, empty };

class Beside {
public:
    explicit Beside(const Program& program) : program_(program) {}
    void run();

private:
    void start();
    [[noreturn]] void keep(const Gates& gates);
    bool become_ready();
    bool run_as_ordered();
    bool run_once();
    bool end_leftovers(std::int64_t grace);
    void stop();
    pid_t launch(char** argv, Failure& failure);
    Event wait_for(pid_t child, std::int64_t until, bool watch_server = true);
    bool server_ended() const { return kept_->server_ended; }
    bool fault(Fault what);
    std::int64_t limit_from_now() const { return now() + std::int64_t(program_.head.limit_ms) * millisecond; }

    const Program& program_;
    Kept* kept_ = nullptr;
    pid_t keeper_ = 0;
    int status_ = 0;                   ///< of the last child that was waited for
    std::int64_t used_before_ns_ = -1; ///< by all but the program at the end of the run before; -1: none was
    bool killing_ = false;
};

/// Always false.
bool Beside::fault(Fault what) {
    record.fault = what;
    record.server_status = kept_->server_status;
    return false;
}

void Beside::run() {
    start();
    if (become_ready() && (program_.head.kept != 0 ? run_as_ordered() : run_once()))
        stop();
    reap_all(0, 0);
    record.largest_bytes = std::max<std::uint64_t>(record.largest_bytes, kept_->largest_bytes);
}

void Beside::start() {
    void* memory = mmap(nullptr, sizeof(Kept), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        give_up(Stage::setup, errno);
    kept_ = new (memory) Kept;
    const Gates gates = open_gates();
    keeper_ = fork();
    if (keeper_ < 0)
        give_up(Stage::setup, errno);
    if (keeper_ == 0)
        keep(gates);
    close_childs_ends(gates);
    if (wait_until_prepared(gates)) {
        record.started_ns = now();
        if (!send_record(Kind::began))
            _exit(1); // the runner has died
        release(gates);
    }
    if (const Failure failure = wait_until_running(gates); failure.error != 0)
        give_up(failure.stage, failure.error, Role::server);
}

void Beside::keep(const Gates& gates) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr); // the server may signal everything it sees
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t server = fork();
    if (server < 0)
        _exit(1);
    if (server == 0)
        become_program(program_, program_.start, server_output, server_output, gates);
    kept_->server = server;
    syscall(SYS_close_range, 0U, ~0U, 0);
    for (;;) {
        siginfo_t info{};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) != 0) {
            if (errno == ECHILD)
                _exit(0);
            continue;
        }
        int status = 0;
        rusage usage{};
        ++kept_->changes;
        wait4(info.si_pid, &status, 0, &usage);
        kept_->user_ns += usage.ru_utime.tv_sec * 1'000'000'000LL + usage.ru_utime.tv_usec * 1000LL;
        kept_->system_ns += usage.ru_stime.tv_sec * 1'000'000'000LL + usage.ru_stime.tv_usec * 1000LL;
        kept_->largest_bytes = std::max(kept_->largest_bytes.load(), std::uint64_t(usage.ru_maxrss) * 1024);
        ++kept_->changes;
        if (info.si_pid == server && !kept_->server_ended) {
            kept_->server_status = status;
            kept_->server_ended = true;
            kill(1, SIGCHLD);
        }
    }
}

/// `ready` or `stop`. 0 when it could not be started: `failure` says why.
pid_t Beside::launch(char** argv, Failure& failure) {
    const Gates gates = open_gates();
    const pid_t child = fork();
    if (child < 0)
        give_up(Stage::setup, errno);
    if (child == 0)
        become_program(program_, argv, server_output, server_output, gates);
    close_childs_ends(gates);
    if (wait_until_prepared(gates))
        release(gates);
    failure = wait_until_running(gates);
    return failure.error == 0 ? child : 0;
}

/// Reaps until `child` (0: none) has ended, whose status is in status_ then; until the server has, if it is watched;
/// until `until` (0: for ever); or until there is no child left at all.
Event Beside::wait_for(pid_t child, std::int64_t until, bool watch_server) {
    for (;;) {
        bool none_left = false;
        const Ended ended = reap_one(child, none_left);
        if (none_left)
            return Event::empty;
        if (ended.process == keeper_ && !kept_->server_ended) { // somebody killed it
            kept_->server_status = ended.status;
            kept_->server_ended = true;
        }
        if (ended.process != 0 && ended.process == child) {
            status_ = ended.status;
            return Event::child;
        }
        if (ended.process != 0) {
            record.survivors += killing_ ? 1 : 0;
            continue;
        }
        if (watch_server && server_ended())
            return Event::server;
        if (until != 0 && now() >= until)
            return Event::time;
        wait_for_child(until);
    }
}

bool Beside::become_ready() {
    const std::int64_t until = limit_from_now();
    while (program_.head.ready != 0) {
        const std::int64_t next = now() + ready_interval;
        Failure failure;
        const pid_t child = launch(program_.ready, failure);
        if (child == 0)
            give_up(failure.stage, failure.error, Role::ready);
        Event event = wait_for(child, until);
        if (event == Event::child) {
            record.command_status = status_;
            if (status_ == 0)
                break;
            event = wait_for(0, std::min(next, until));
        }
        if (event != Event::time)
            return fault(Fault::ended_before_ready);
        if (now() >= until)
            return fault(Fault::not_ready);
    }
    record.command_status = 0;
    return !server_ended() || fault(Fault::ended_before_ready);
}

/// Until it is told to stop.
bool Beside::run_as_ordered() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    const int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0 || !send_record(Kind::ready))
        _exit(1);
    for (;;) {
        if (const Event event = wait_for(0, now()); event != Event::time)
            return fault(Fault::ended_between_runs);
        pollfd sources[] = {{orders, POLLIN, 0}, {signals, POLLIN, 0}};
        poll(sources, 2, -1);
        signalfd_siginfo told{};
        while (read(signals, &told, sizeof told) > 0) {
        }
        if (sources[0].revents == 0)
            continue;
        Order order{};
        if (read(orders, &order, 1) != 1)
            _exit(1); // the runner has died
        if (order == Order::stop)
            return true;
        if (!run_once())
            return false;
    }
}

bool Beside::run_once() {
    if (!end_leftovers(0)) // of `ready`
        return false;
    record.survivors = 0;
    record.survivor[0] = '\0';
    record.queue_wait_ns = record.largest_bytes = 0;
    record.minor_faults = record.major_faults = record.voluntary_switches = record.involuntary_switches = 0;
    record.user_us = record.system_us = 0;
    const Gates gates = open_gates();
    const pid_t main_process = fork();
    if (main_process < 0)
        give_up(Stage::setup, errno);
    if (main_process == 0)
        become_program(program_, program_.argv, output_fd, error_fd, gates);
    close_childs_ends(gates);
    Cpu before;
    std::uint64_t instructions_before = 0, instructions_after = 0;
    record.counted = 0;
    if (wait_until_prepared(gates)) {
        record.living_bytes = living_bytes();
        before = used_cpu(*kept_, keeper_);
        record.counted = read_counter(instruction_counter, instructions_before) ? 1 : 0;
        record.started_ns = now();
        if (!send_record(Kind::started))
            _exit(1);
        record.started_ns = now(); // the record wakes the runner; the time starts after that
        release(gates);
    }
    if (const Failure failure = wait_until_running(gates); failure.error != 0)
        give_up(failure.stage, failure.error);
    if (wait_for(main_process, 0) != Event::child)
        return fault(Fault::ended_during_run);
    const std::int64_t ended_ns = record.ended_ns;
    // A counter that a kernel left off at a later start counts nothing, which is no count.
    const bool counted = read_counter(instruction_counter, instructions_after);
    record.counted &= counted && instructions_after > instructions_before ? 1U : 0U;
    record.instructions = instructions_after - instructions_before;
    const Cpu after = used_cpu(*kept_, keeper_);
    const std::int64_t reaped_user_us = record.user_us, reaped_system_us = record.system_us; // of this run alone
    const Cpu left_by = used_by_others(keeper_);
    record.living_bytes = std::max(record.living_bytes, living_bytes());
    record.wait_status = status_;
    const std::int64_t grace = std::int64_t(program_.head.grace_ms) * millisecond;
    // A program that fails because its server has just died may be noticed before the server.
    if (server_ended() || (record.wait_status != 0 && wait_for(0, now() + last_breath) == Event::server))
        return fault(Fault::ended_during_run);
    if (!end_leftovers(grace))
        return false;
    record.ended_ns = ended_ns;
    record.background_us =
        used_before_ns_ < 0 ? 0 : std::max<std::int64_t>(before.total_ns - used_before_ns_, 0) / 1000;
    used_before_ns_ = after.total_ns - (reaped_user_us + reaped_system_us) * 1000 - left_by.total_ns;
    // What the program's processes used after its main one has been reaped since, the server's by its keeper. The
    // kernel tells of a living one to the tick.
    const std::int64_t late_user_us =
        std::max<std::int64_t>(record.user_us - reaped_user_us - left_by.user_ns / 1000, 0);
    const std::int64_t late_us = std::max<std::int64_t>(
        record.user_us + record.system_us - reaped_user_us - reaped_system_us - left_by.total_ns / 1000, late_user_us);
    record.background_us += late_us;
    const std::int64_t total = std::max<std::int64_t>(after.total_ns - before.total_ns, 0);
    const std::int64_t user = std::clamp<std::int64_t>(after.user_ns - before.user_ns, 0, total);
    record.user_us = user / 1000 + late_user_us;
    record.system_us = (total - user) / 1000 + late_us - late_user_us;
    if (!send_record(Kind::ran))
        _exit(1);
    return true;
}

/// Waits for the end of what is not the server's, kills it after the grace, and counts that.
bool Beside::end_leftovers(std::int64_t grace) {
    const std::int64_t grace_end = now() + grace, give_up_at = grace_end + kill_limit;
    killing_ = false;
    bool empty = false;
    while (!(empty = others_than(keeper_, killing_) == 0) && now() < give_up_at) {
        killing_ = killing_ || now() >= grace_end;
        wait_for(0, killing_ ? now() + millisecond : std::min(now() + 5 * millisecond, grace_end), false);
    }
    wait_for(0, now(), false); // what has been killed and not been reaped yet
    killing_ = false;
    return empty || fault(Fault::leftovers);
}

void Beside::stop() {
    const std::int64_t until = limit_from_now();
    if (server_ended()) {
        fault(Fault::ended_during_run);
        return;
    }
    pid_t child = 0;
    Failure failure;
    if (program_.head.stop != 0)
        child = launch(program_.stop, failure);
    if (child == 0)
        kill(kept_->server, SIGTERM);
    Event event{};
    do {
        event = wait_for(child, until, false);
        if (event == Event::child) {
            record.command_status = status_;
            child = 0;
        }
    } while (event == Event::child);
    if (failure.error != 0) {
        record.error = failure.error;
        fault(Fault::stop_not_started);
    } else if (event == Event::time) {
        fault(server_ended() ? Fault::left_behind : Fault::not_stopped);
    }
}

} // namespace

void run_beside_server(const Program& program) {
    Beside beside(program);
    beside.run();
}

} // namespace holdfast::init
