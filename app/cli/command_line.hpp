// SPDX-License-Identifier: GPL-3.0-or-later
// The one description of the command line: every command, option, choice, example and exit code. Parsing, help,
// completions and manual pages come from it.
//
// What an option's value is, is said by its type name, which the help shows and by which completions know what to
// offer: TRIAL, WORKLOAD, KNOB, KNOB=VALUE, REVISION, FORMAT, TUNER, DEMO, COMMAND, FILE, DIR (complete.hpp). A choice
// of fixed words is a CLI::IsMember check. WORDS are for people and may be empty; no other value may.
#pragma once

#include "app/cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::cli {

/// What the command line asks for; it returns the exit code.
using Action = std::function<Result<int>()>;

/// An exit code or an environment variable, with its meaning.
struct Meaning {
    const char *name, *about;
};
const std::vector<Meaning>& exit_codes();
const std::vector<Meaning>& environment_variables();

class CommandLine {
public:
    CommandLine();
    CommandLine(const CommandLine&) = delete; // options refer to its members
    CommandLine& operator=(const CommandLine&) = delete;

    CLI::App& app() { return app_; }
    const Common& common() const { return common_; }
    /// Of the command that was parsed; empty before.
    const Action& action() const { return action_; }

    /// A command that prints a document with --json. `examples`: one a line, indented by two blanks.
    CLI::App* command(const char* name, const char* about, const char* examples);
    /// One that has no documents.
    CLI::App* plain_command(const char* name, const char* about, const char* examples);
    /// `action` is what parsing `command` asks for. It may own what the command's options write to: it lives as long
    /// as this object.
    void performs(CLI::App* command, Action action);

    std::vector<std::string> names();        ///< of the commands
    CLI::App* find(const std::string& name); ///< the command; null when there is none
    std::string help();                      ///< of all commands
    std::string help(CLI::App& command);

private:
    CLI::App app_;
    Common common_;
    Action action_;
};

/// The positional ID of a command about one trial.
CLI::Option* add_trial_id(CLI::App* command, std::string& id);

/// The groups of commands, in the order the help shows them.
void add_project_commands(CommandLine& line); ///< init, validate, doctor, demo
void add_study_commands(CommandLine& line);   ///< propose, run, measure
void add_reading_commands(CommandLine& line); ///< trials, show, compare, history, export, import, audit
void add_review_commands(CommandLine& line);  ///< approve, reject, rework, apply, revert
void add_house_commands(CommandLine& line);   ///< gc, completions, help

} // namespace holdfast::cli
