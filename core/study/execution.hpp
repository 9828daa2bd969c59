// SPDX-License-Identifier: GPL-3.0-or-later
// What every program of a project gets in the sandbox, whatever it is run for.
#pragma once

#include "core/project/knobs.hpp"
#include "core/study/runner.hpp"
#include "core/study/watch.hpp"
#include "core/study/workspace.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace holdfast::study {

/// The places inside a sandbox by their placeholder; {port} is the same everywhere, since each sandbox has a loopback
/// of its own.
extern const Places places;
/// `places` and {seed}.
Places places_with(std::int64_t seed);

/// An execution with the project's limits, {deps}, and what "sandbox" lets programs read. `time` is what one run of the
/// program may take.
Execution project_execution(const Project& project, const Workspace& workspace, Phase phase,
                            std::chrono::milliseconds time);

/// "sandbox.read" with ~ replaced, in the project's order.
std::vector<std::string> read_places(const Project& project);

/// What "sandbox.read" must not show: the project's .holdfast (its history), the held-out file and inputs, and git's
/// store, which may hold them too. Without symbolic links.
std::vector<std::filesystem::path> hidden_places(const Project& project, const git::Repository& repository);

/// The variables that "sandbox.environment" passes on, with their values here; unset ones are left out.
std::vector<std::pair<std::string, std::string>> passed_environment(const Project& project);

/// Changes when what programs read outside the project does: names, sizes and times below "sandbox.read", the passed
/// variables.
std::string outside_state(const Project& project);

/// The last `cap` bytes of the outputs, for a log.
std::string tail_of(const ExecutionResult& result, std::size_t cap = 16 << 10);

/// Of a run that ended as Ending::killed: by a request to stop, or by somebody else.
tl::unexpected<Error> killed(const std::string& attempted, const Watch& watch);

} // namespace holdfast::study
