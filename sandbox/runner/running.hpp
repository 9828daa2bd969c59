// SPDX-License-Identifier: GPL-3.0-or-later
// One sandbox from its start until it is empty.
#pragma once

#include "sandbox/init/protocol.hpp"
#include "sandbox/runner/outcome.hpp"
#include "sandbox/runner/run.hpp"
#include "sandbox/runner/watch.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace holdfast::sandbox {

constexpr auto emptying_limit = std::chrono::seconds(30);
constexpr auto memory_interval = std::chrono::milliseconds(50), disk_interval = std::chrono::milliseconds(200),
               idle_interval = std::chrono::milliseconds(1000);

/// Something that is looked at regularly, but never for more than a twentieth of the time.
class Interval {
    using steady_clock = std::chrono::steady_clock;

public:
    explicit Interval(steady_clock::duration interval) : interval_(interval) {}
    /// The first look is one interval later: the start of a program is what is measured most closely.
    void begin(steady_clock::time_point start) { next_ = start + interval_; }
    steady_clock::time_point next() const { return next_; }
    template <class Work> void run(Work work) {
        const auto before = steady_clock::now();
        if (before < next_)
            return;
        work();
        const auto after = steady_clock::now();
        next_ = after + std::max(interval_, (after - before) * 20);
    }

private:
    steady_clock::duration interval_;
    steady_clock::time_point next_{};
};

class Run {
public:
    using steady_clock = std::chrono::steady_clock; // CLOCK_MONOTONIC, the clock of holdfast-init

    Run(const study::Execution& execution, const Harness& harness, bool kept)
        : execution_(execution), harness_(harness), kept_(kept) {}

    Reply operator()(const Means& means, bool& harness_gone);

    /// As above for a kept server; the last answer is sent too.
    void keep(const Means& means);

private:
    /// What the sandbox does; phase_start_ is when it began to.
    enum class Phase { setting_up, starting, idle, running, stopping };

    bool running() const { return bubblewrap_ || init_; }
    void enter(Phase phase, steady_clock::time_point start);
    std::optional<steady_clock::time_point> deadline() const;
    void turn();
    void order(init::Order order);
    void answer(const Reply& reply);
    void on_control();
    void on_death();
    void on_status();
    void on_report();
    void on_record(const init::Record& record);
    void on_ran();
    void on_output();
    void on_bubblewrap_exit();
    void on_deadline();
    void check_limits();
    void check_memory(steady_clock::time_point now);
    void check_disk(bool final);
    bool empty_group();
    void note_use(const GroupUse& use);
    void stop(study::Ending ending, std::string reason);
    void kill_tree();
    steady_clock::time_point wake() const;

    const study::Execution& execution_;
    const Harness harness_;
    Started started_;
    pid_t bubblewrap_pid_ = -1;
    Descriptor bubblewrap_, init_; // pidfds, until the process has ended
    std::unique_ptr<ControlGroup> group_;
    const bool kept_;
    bool init_known_ = false, gone_ = false;
    bool asked_ = true; ///< the harness waits for an answer
    Watch watch_;
    Evidence evidence_;
    std::string status_text_;
    Phase phase_ = Phase::setting_up;
    steady_clock::time_point phase_start_ = steady_clock::now();
    std::optional<steady_clock::time_point> first_watch_, program_start_, kill_time_;
    Interval memory_{memory_interval}, disk_{disk_interval}, idle_{idle_interval};
};

} // namespace holdfast::sandbox
