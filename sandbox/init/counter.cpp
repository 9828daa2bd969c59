// SPDX-License-Identifier: GPL-3.0-or-later
// The processor's own counter of instructions, over a whole tree of processes (perf_event_open(2)).
//
// Init opens it for itself, switched off, to be inherited by every child and switched on by exec. So it counts each
// program from its first instruction and init and the keeper, which never exec, not at all. A child could not be
// counted from outside: init made them unreadable.
#include "sandbox/init/parts.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::init {

int open_counter(std::uint32_t type, std::uint64_t config) {
    perf_event_attr event{};
    event.size = sizeof event;
    event.type = type;
    event.config = config;
    event.disabled = 1;
    event.enable_on_exec = 1;
    event.inherit = 1;
    event.exclude_kernel = 1; // what unprivileged programs may count
    event.exclude_hv = 1;
    event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return int(syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

int open_instruction_counter() {
    return open_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
}

bool read_counter(int counter, std::uint64_t& value) {
    struct {
        std::uint64_t value, enabled, running;
    } seen{};
    // A counter that others had meanwhile, or that only one kind of cores has, saw a part.
    if (counter < 0 || read(counter, &seen, sizeof seen) != ssize_t(sizeof seen) || seen.running != seen.enabled)
        return false;
    value = seen.value;
    return true;
}

} // namespace holdfast::init
