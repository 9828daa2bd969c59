// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C: the first ends the work after the sample in flight, the second kills it.
#pragma once

#include <memory>
#include <stop_token>

namespace holdfast::cli {

class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    std::stop_token after_sample() const;
    std::stop_token at_once() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace holdfast::cli
