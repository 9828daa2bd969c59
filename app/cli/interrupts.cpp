// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupts.hpp"

#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <thread>

namespace holdfast::cli {

struct Interrupts::State {
    std::stop_source after_sample, at_once;
    std::thread waiter;
    sigset_t signals{};
};

/// The signals are blocked and waited for in a thread, so that no handler limits what stopping may do.
Interrupts::Interrupts() : state_(std::make_unique<State>()) {
    sigemptyset(&state_->signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR2})
        sigaddset(&state_->signals, signal);
    pthread_sigmask(SIG_BLOCK, &state_->signals, nullptr);
    state_->waiter = std::thread([state = state_.get()] {
        for (int count = 0;;) {
            int signal = 0;
            if (sigwait(&state->signals, &signal) != 0 || signal == SIGUSR2)
                return;
            if (count++ == 0) {
                std::fputs("\nstopping after the sample in flight; once more kills it\n", stderr);
                state->after_sample.request_stop();
            } else
                state->at_once.request_stop();
        }
    });
}

Interrupts::~Interrupts() {
    pthread_kill(state_->waiter.native_handle(), SIGUSR2);
    state_->waiter.join();
    pthread_sigmask(SIG_UNBLOCK, &state_->signals, nullptr);
}

std::stop_token Interrupts::after_sample() const {
    return state_->after_sample.get_token();
}
std::stop_token Interrupts::at_once() const {
    return state_->at_once.get_token();
}

} // namespace holdfast::cli
