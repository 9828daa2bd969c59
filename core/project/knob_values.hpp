// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of knobs.cpp that the project file's reader needs before there is a project.
#pragma once

#include "core/project/json_source.hpp"
#include "core/project/project.hpp"

namespace holdfast {

/// "an integer from 64 to 8192", "\"-O2\" or \"-O3\"".
std::string knob_domain(const Knob& knob);

/// The value that `node` gives to `knob`; an integer is fine for a real knob.
Result<Value> value_from_json(const Knob& knob, const JsonNode& node);

/// Whether `command` is one that build_commands() adds definitions to.
bool configures_with_cmake(const Argv& command);

/// Whether `command` is one that build_commands() adds variables to: its first word's last component is make or gmake.
bool runs_make(const Argv& command);

} // namespace holdfast
