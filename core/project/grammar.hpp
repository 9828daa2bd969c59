// SPDX-License-Identifier: GPL-3.0-or-later
// The grammar of holdfast.json, part by part. Each function reads the value of one key into the project and reports
// what is wrong with it; checks between keys are in loader.cpp.
#pragma once

#include "core/project/project.hpp"
#include "core/project/reader.hpp"

namespace holdfast {

/// "{out}/a/b" or "a/b" as "a/b"; nothing when it is no path below {out}. `below_out` says what is.
std::optional<std::string> path_below_out(const std::string& text);
extern const std::string below_out;

/// Whether `name` is [A-Za-z_][A-Za-z0-9_]*, with the characters of `more` allowed after the first, at most 200 bytes.
bool is_variable_name(const std::string& name, std::string_view more = "");
/// PATH, HOME, TMPDIR and LD_*: these decide which program and libraries run, not how fast they do it.
bool decides_what_runs(const std::string& variable);

/// The programs whose result files a metric may come "from"; core/results reads each of them.
const std::vector<std::string>& benchmarking_tools();

/// Adds wall, cpu and peak-memory, which always exist.
void add_standard_metrics(Project& project);
/// instructions and energy, where the objective or a limit names them and the project does not declare its own.
void add_counted_metrics(Project& project);
void read_metrics(Reader& reader, const Spot& at, Project& project);

/// What must hold of a workload's outputs. Its commands and seeds, and the project's metrics, have been read.
void read_check(Reader& reader, const Spot& at, const Project& project, Workload& workload);
/// With fewer seeds no quality can be shown: six that all agree are the first to reach E = 20 (stats::Bets).
inline constexpr std::size_t least_quality_seeds = 6;

/// Whether a word of the command holds `placeholder`, "{seed}".
bool mentions(const Argv& command, std::string_view placeholder);

/// `at` is the array; in the held-out file every workload is held out and out of the tuners' sight.
void read_workloads(Reader& reader, const Spot& at, bool in_holdout_file, Project& project);

/// `at` is the array; the workload's inputs and generate are read already.
void read_variants(Reader& reader, const Spot& at, const Project& project, Workload& workload);
/// Once the check is read too; `at` is the array.
void check_variants(Reader& reader, const Spot& at, const Workload& workload);
WorkloadCard read_card(Reader& reader, const Spot& at);

/// Whether every knob could be read: constraints make sense only then.
bool read_knobs(Reader& reader, const Spot& at, Project& project);
void read_constraints(Reader& reader, const Spot& at, Project& project);

void read_fetch(Reader& reader, const Spot& at, Project& project);
/// `placeholders` and, in a project that fetches, {deps}.
std::vector<std::string> with_deps(const Project& project, std::vector<std::string> placeholders);
void read_build(Reader& reader, const Spot& at, Project& project);
void read_timeouts(Reader& reader, const Spot& at, Timeouts& timeouts);
/// One metric's name, or two or three.
void read_objective(Reader& reader, const Spot& at, Project& project);
void read_limits(Reader& reader, const Spot& at, Project& project);
void read_code(Reader& reader, const Spot& at, Project& project);
void read_search(Reader& reader, const Spot& at, const Project& project, SearchSettings& search);
void read_decision(Reader& reader, const Spot& at, DecisionSettings& decision);
void read_sandbox(Reader& reader, const Spot& at, SandboxSettings& sandbox);
void read_probe(Reader& reader, const Spot& at, ProbeSettings& probe);
void read_review(Reader& reader, const Spot& at, ReviewSettings& review);

} // namespace holdfast
