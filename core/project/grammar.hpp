// SPDX-License-Identifier: GPL-3.0-or-later
// The grammar of holdfast.json, part by part. Each function reads the value of one key into the project and reports
// what is wrong with it; checks between keys are in loader.cpp.
#pragma once

#include "core/project/project.hpp"
#include "core/project/reader.hpp"

namespace holdfast {

/// Adds wall, cpu and peak-memory, which always exist.
void add_standard_metrics(Project& project);
void read_metrics(Reader& reader, const Spot& at, Project& project);

/// `at` is the array; in the held-out file every workload is held out and out of the tuners' sight.
void read_workloads(Reader& reader, const Spot& at, bool in_holdout_file, Project& project);

/// Whether every knob could be read: constraints make sense only then.
bool read_knobs(Reader& reader, const Spot& at, Project& project);
void read_constraints(Reader& reader, const Spot& at, Project& project);

void read_build(Reader& reader, const Spot& at, Project& project);
void read_timeouts(Reader& reader, const Spot& at, Timeouts& timeouts);
void read_limits(Reader& reader, const Spot& at, Project& project);
void read_code(Reader& reader, const Spot& at, Code& code);
void read_search(Reader& reader, const Spot& at, const Project& project, SearchSettings& search);
void read_decision(Reader& reader, const Spot& at, DecisionSettings& decision);
void read_sandbox(Reader& reader, const Spot& at, SandboxSettings& sandbox);
void read_review(Reader& reader, const Spot& at, ReviewSettings& review);

} // namespace holdfast
