// SPDX-License-Identifier: GPL-3.0-or-later
// The one description of the command line: every command, option, choice, example and exit code. Parsing, help,
// completions and manual pages come from it.
#pragma once

#include "app/cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace holdfast::cli {

/// What the command line asks for; it returns the exit code.
using Action = std::function<Result<int>()>;

class CommandLine {
public:
    CommandLine();
    CommandLine(const CommandLine&) = delete; // options refer to its members
    CommandLine& operator=(const CommandLine&) = delete;

    CLI::App& app() { return app_; }
    const Common& common() const { return common_; }
    /// Of the command that was parsed; empty before.
    const Action& action() const { return action_; }

    /// A command with --json. `examples`: one a line, indented by two blanks.
    CLI::App* command(const char* name, const char* about, const char* examples);
    /// `action` is what parsing `command` asks for. It may own what the command's options write to: it lives as long
    /// as this object.
    void performs(CLI::App* command, Action action);

private:
    CLI::App app_;
    Common common_;
    Action action_;
};

/// The groups of commands, in the order the help shows them.
void add_project_commands(CommandLine& line); ///< validate, doctor, demo
void add_study_commands(CommandLine& line);   ///< propose, run, measure
void add_reading_commands(CommandLine& line); ///< trials, show, compare, export, audit
void add_review_commands(CommandLine& line);  ///< approve, reject, rework, apply, revert

} // namespace holdfast::cli
