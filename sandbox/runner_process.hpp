// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sandbox/descriptor.hpp"
#include "sandbox/message.hpp"

#include <filesystem>
#include <stop_token>
#include <thread>

namespace holdfast::sandbox {

/// One holdfast-runner. Ends with this, and what it runs ends with it.
class RunnerProcess {
public:
    RunnerProcess() = default;
    ~RunnerProcess();
    RunnerProcess(const RunnerProcess&) = delete;
    RunnerProcess& operator=(const RunnerProcess&) = delete;

    /// `helpers`: the folder with holdfast-runner and holdfast-init. `groups`: control groups are used where they can
    /// be made. Called once.
    Result<void> start(const std::filesystem::path& helpers, const std::filesystem::path& bubblewrap, bool groups);

    /// Sends a request and waits for its answer; one at a time. A stop request is passed on and makes the answer come
    /// at once. What the runner could not do is an error.
    Result<Reply> ask(MessageKind kind, const std::string& payload, const std::stop_token& kill);

private:
    Descriptor socket_;
    std::jthread keeper_; ///< starts holdfast-runner and outlives it: the parent-death signal follows the thread
};

} // namespace holdfast::sandbox
