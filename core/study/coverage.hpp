// SPDX-License-Identifier: GPL-3.0-or-later
// Which changed lines the workloads run: a build of the candidate with gcov's counters, Python's trace hook for *.py,
// each workload run once, never timed. What a candidate's own build says of itself is no proof; it shows what a person
// should look at.
#pragma once

#include "core/git/patch.hpp"
#include "core/study/bench.hpp"

#include <string>
#include <vector>

namespace holdfast::study {

struct Coverage {
    std::size_t changed = 0; ///< lines
    /// Those of them that a tool names as code, and of these what some workload ran, at least in part.
    std::size_t lines = 0, run = 0;
    std::vector<std::string> not_run; ///< "src/scan.cpp lines 40-44"
    /// Printable: "work.sh: no way is known to follow it", "scan.cpp line 7, which gcov does not name".
    std::vector<std::string> unknown;

    bool complete() const { return unknown.empty() && not_run.empty() && lines > 0; }
    std::string text() const; ///< one line, never empty
    std::string json() const; ///< of the gate's row: {"changed", "lines", "run", "not-run", "unknown"}
};

/// Of what `patch` changes, on `workloads`. An error means that the sandbox failed or that it was stopped; whatever
/// goes wrong with the candidate makes its lines unknown.
Result<Coverage> coverage_of(Bench& bench, const Arm& candidate, const git::PlacedPatch& patch,
                             const std::vector<const Workload*>& workloads);

/// From a line list {40, 41, 42, 50}: "lines 40-42, 50"; "line 7".
std::string lines_text(const std::vector<std::size_t>& lines);

} // namespace holdfast::study
