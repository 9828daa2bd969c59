// SPDX-License-Identifier: GPL-3.0-or-later
// What a configuration may be and what it does to commands.
#pragma once

#include "core/project/project.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast {

/// Reads `text` as a value of `knob`, inside its domain. The error says what is allowed.
Result<Value> parse_value(const Knob& knob, std::string_view text);

/// Whether `configuration` gives every knob of `project`, and nothing else, a value in its domain, leaves every knob
/// whose `when` is false at its default and meets every constraint. The error names the knob or the constraint.
Result<void> admit(const Project& project, const Configuration& configuration);

/// The constraints alone; false also when one cannot be evaluated.
bool feasible(const Project& project, const Configuration& configuration);

/// Whether the knob counts under `configuration`: it has no `when`, or that is true. A condition that cannot be
/// evaluated (a division by zero) is false.
bool counts(const Knob& knob, const Configuration& configuration);

/// `configuration` with every knob that does not count at its default, so that equal behaviour is one configuration.
Configuration settled(const Project& project, Configuration configuration);

/// Canonical JSON object of a configuration, and back (types by the project's knobs, values checked).
std::string to_json(const Configuration& configuration);
Result<Configuration> configuration_from_json(const Project& project, std::string_view json);

/// Places as seen inside a sandbox: {"source": "/source", ...}; also {"port": "24000", "seed": "1"}.
using Places = std::map<std::string, std::string>;

/// `argv` with every {name} of `places` replaced. An element that is exactly {knobs} becomes `knob_arguments`; when no
/// element is, they are appended.
Argv expand(const Argv& argv, const Places& places, const Argv& knob_arguments = {});

/// A workload's commands with their places and knobs filled in; `start` is empty without a server.
struct ServedCommands {
    Argv start, run;
};
/// `knob_arguments` go where {knobs} stands in start or run, else to the end of start, else of run.
ServedCommands expand(const Workload& workload, const Places& places, const Argv& knob_arguments);

/// `argv` as one printable line, for messages.
std::string shown(const Argv& argv);

/// The arguments that the knobs passed through `argument` add to `start` or `run`, in the project's order. Knobs that
/// do not count are left out, here and below.
Argv knob_arguments(const Project& project, const Configuration& configuration);

/// The variables of the knobs passed through `environment`.
std::vector<std::pair<std::string, std::string>> knob_environment(const Project& project,
                                                                  const Configuration& configuration);

/// What a knob passed through `file` writes there for `value`: the value itself, or its template filled in.
Value written_value(const Knob& knob, const Value& value);

/// The values of the knobs passed through `file`, by "FILE KEY".
std::vector<std::pair<std::string, std::string>> knob_files(const Project& project, const Configuration& configuration);

/// The project's build commands with `-DX=v` of the knobs passed through `cmake` added to cmake's configure commands
/// (those whose first word's last component is cmake and that do not start with --build, --install, -E or -P), and
/// `X=v` of those passed through `make` added to the commands that run make or gmake.
/// {source} and {build} are left for expand().
std::vector<Argv> build_commands(const Project& project, const Configuration& configuration);

} // namespace holdfast
