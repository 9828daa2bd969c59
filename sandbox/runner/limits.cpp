// SPDX-License-Identifier: GPL-3.0-or-later
// What a sandbox may use, and until when.
#include "sandbox/runner/running.hpp"

#include <cerrno>
#include <cstring>

namespace holdfast::sandbox {
namespace {

constexpr auto start_up_limit = std::chrono::seconds(30), watch_limit = std::chrono::seconds(1);
constexpr auto beside_slack = std::chrono::seconds(10); // holdfast-init keeps the limits of servers; for when it cannot

} // namespace

using study::Ending;
using namespace std::chrono_literals;

void Run::enter(Phase phase, steady_clock::time_point start) {
    phase_ = phase;
    phase_start_ = start;
    memory_.begin(start);
    disk_.begin(start);
    idle_.begin(start);
}

std::optional<Run::steady_clock::time_point> Run::deadline() const {
    switch (phase_) {
    case Phase::setting_up:
        return phase_start_ + start_up_limit;
    case Phase::running:
        return phase_start_ + execution_.limits.time;
    case Phase::idle:
        return {};
    default:
        return phase_start_ + execution_.server->limit + beside_slack;
    }
}

Run::steady_clock::time_point Run::wake() const {
    if (kill_time_)
        return *kill_time_ + emptying_limit + 1ms;
    if (evidence_.record)
        return steady_clock::now() + emptying_limit;
    if (phase_ == Phase::idle)
        return idle_.next();
    const steady_clock::time_point end = *deadline();
    return phase_ == Phase::setting_up ? end : std::min({end, memory_.next(), disk_.next()});
}

void Run::on_deadline() {
    switch (phase_) {
    case Phase::setting_up:
        return stop(Ending::not_started, "the sandbox was not ready within 30 s");
    case Phase::starting:
        return stop(Ending::server, "the server did not become ready in time");
    case Phase::stopping:
        return stop(Ending::server, "the server did not stop in time");
    default:
        return stop(Ending::timeout, "");
    }
}

void Run::check_limits() {
    if (kill_time_ || evidence_.record)
        return;
    const auto now = steady_clock::now(), end = deadline().value_or(now + idle_interval);
    if (now >= end)
        return on_deadline();
    if (phase_ == Phase::setting_up)
        return;
    if (phase_ == Phase::idle)
        // Rarely: somebody else may be measured now.
        return idle_.run([&] {
            check_memory(now);
            check_disk(false);
        });
    memory_.run([&] { check_memory(now); });
    if (!kill_time_)
        disk_.run([&] { check_disk(false); });
}

void Run::check_memory(steady_clock::time_point now) {
    // An init that is just ending refuses as one that may not be looked at does.
    if (!watch_.is_open() && !watch_.open(evidence_.init)) {
        if (now < *first_watch_ + watch_limit)
            return;
        evidence_.unwatched = std::string("/proc of the sandbox: ") + std::strerror(errno);
        return stop(Ending::killed, "");
    }
    // Where the kernel ends one process for all, the rest goes on without it.
    if (group_ && group_->memory_kills() > 0) {
        note_use(group_->use());
        return stop(Ending::memory, "");
    }
    evidence_.sampled_bytes = std::max(evidence_.sampled_bytes, watch_.memory());
    if (evidence_.sampled_bytes > execution_.limits.memory_bytes)
        stop(Ending::memory, "");
}

void Run::note_use(const GroupUse& use) {
    evidence_.group = use;
}

void Run::check_disk(bool final) {
    TreeSize size(execution_.limits.disk_bytes, final);
    for (const study::Mount& mount : execution_.mounts)
        if (mount.writable)
            size.add(mount.host.native());
    std::uint64_t bytes = size.bytes();
    if (!final && watch_.is_open())
        bytes += watch_.unnamed_and_scratch_bytes();
    else if (final && evidence_.record)
        bytes += evidence_.record->scratch_bytes;
    if (size.too_deep())
        stop(Ending::disk, "folders are nested more than 200 deep");
    else if (bytes > execution_.limits.disk_bytes)
        stop(Ending::disk, "");
}

} // namespace holdfast::sandbox
