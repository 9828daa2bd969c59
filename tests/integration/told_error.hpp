// SPDX-License-Identifier: GPL-3.0-or-later
// What every error of the real program has to be, on both streams.
#pragma once

#include "tests/command.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace holdfast::test {

/// One command line that must fail, and what it must say.
struct Situation {
    const char* name;
    std::vector<std::string> words; ///< after `holdfast`
    std::string kind;               ///< "failed", "invalid", "refused": the exit code follows from it
    std::string found, remedy;      ///< parts of them
    std::vector<std::string> environment = {};
    std::vector<std::string> through = {}; ///< a program and its arguments that run it, as `bwrap ... --`
};

/// Runs it in `folder`, plain and with --json, and checks: the exit code; the three parts in words on standard error;
/// nothing on standard output but the document, which keeps its schema; no word of the program's inside.
void check_situation(const Situation& situation, const std::filesystem::path& folder);

/// Only with --json, for what takes long.
void check_slow_situation(const Situation& situation, const std::filesystem::path& folder);

} // namespace holdfast::test
