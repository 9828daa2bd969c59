// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between SandboxRunner and holdfast-runner: a 32-bit length, a kind, a payload. Both ends come from one build
// on one machine, so numbers cross in native order.
#pragma once

#include "core/study/runner.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::sandbox {

enum class MessageKind : char {
    execute = 'E', ///< to the runner: one execution
    keep = 'P',    ///< to the runner: start the server of an execution; answered when it is ready. Nothing else then
    again = 'A',   ///< to the runner: run the program beside the kept server
    stop = 'S',    ///< to the runner: stop the kept server
    kill = 'K',    ///< to the runner: end what it is asked for now; ignored when nothing is
    result = 'R',  ///< from the runner
};

/// What the runner answers.
struct Reply {
    std::string failure;   ///< the sandbox itself failed, in words; empty otherwise
    std::string stage;     ///< with `failure`: what the runner was doing
    bool over = true;      ///< nothing of the sandbox is left; false after the run of a kept one
    std::string groups;    ///< the control groups that are used: "v1: memory, pids"; empty: none, ...
    std::string groupless; ///< ... and why. Of executions, not of a kept server's runs
    study::ExecutionResult result;
};

std::string encode(const study::Execution& execution);
std::string encode(const Reply& reply);
std::optional<study::Execution> decode_execution(std::string_view payload);
std::optional<Reply> decode_reply(std::string_view payload);

/// Writes a whole message; false when the other side is gone.
bool send_message(int socket, MessageKind kind, std::string_view payload);

struct Message {
    MessageKind kind = MessageKind::kill;
    std::string payload;
};

/// Reads a whole message; nothing when the other side is gone or sent nonsense.
std::optional<Message> receive_message(int socket);

} // namespace holdfast::sandbox
