// SPDX-License-Identifier: GPL-3.0-or-later
// One of the user's own programs, run to its end without a shell. Never for candidates: they belong in a sandbox.
#pragma once

#include "core/project/error.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::app {

struct ToolRun {
    std::vector<std::string> argv; ///< the program is searched in PATH
    std::string input;             ///< its standard input
    /// Texts it may open as tool_file(0), tool_file(1), ...: in memory, nothing is left behind.
    std::vector<std::string> files;
    std::chrono::milliseconds timeout{30000};
};

std::string tool_file(std::size_t index);

struct ToolResult {
    int status = 0;          ///< exit status, or 128 plus a signal
    std::string out, errors; ///< at most 1 MiB each
};

/// Errors (kind failed): no such program, naming `package`; not ended in time, then it was killed.
Result<ToolResult> run_tool(const ToolRun& run, const std::string& attempted, const std::string& package);

} // namespace holdfast::app
