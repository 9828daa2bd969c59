// SPDX-License-Identifier: GPL-3.0-or-later
// What the probes of one candidate share.
#pragma once

#include "core/git/patch.hpp"
#include "core/study/probes/changed_input.hpp"
#include "core/study/probes/probe.hpp"
#include "core/study/probes/renames.hpp"
#include "core/study/probes/sanitized_run.hpp"

#include <chrono>
#include <random>
#include <string>
#include <vector>

namespace holdfast::study::probes {

struct Probing {
    Bench* bench;
    const Arm* candidate;
    git::PlacedPatch patch; ///< the candidate's
    Renames renames;        ///< of the patch
    std::vector<const Workload*> workloads;
    std::mt19937_64 random;
    std::chrono::steady_clock::time_point until; ///< nothing is begun after it
    Found found = {};
    bool threads = false;         ///< some run of either side has started a thread beside its first
    bool threads_unknown = false; ///< not every run could be followed
    bool steered = false;         ///< the candidate steers the sanitizers: that they find nothing says nothing
    std::vector<SanitizedSides> sanitized = {};         ///< that changed inputs are to be tried on
    std::vector<InputChange> changes = {};              ///< that were tried on the plain builds
    std::chrono::steady_clock::duration changes_took{}; ///< those runs

    const Project& project() const { return *bench->project; }
    Sampler& sampler() const { return *bench->sampler; }
    bool time_left() const { return std::chrono::steady_clock::now() < until; }
    /// A gap for want of time, and the flag `not probed`: nobody chose to leave it out.
    void skip(const std::string& what);
    /// The error of a stop request, if there is one.
    Result<void> go_on() const;
    /// What is said of a sanitizer that decided nothing.
    const char* nothing_new() const {
        return found.has("new leaks") ? "nothing else that the baseline lacks" : "nothing that the baseline lacks";
    }
    void gap(std::string what, const std::string& why) { found.gaps.push_back(std::move(what) + ": " + why); }
};

/// Each looks at one thing and writes into Probing::found.
Result<void> compare_calls(Probing& probing);    ///< calls.cpp; first, since it tells of threads
Result<void> run_sanitizers(Probing& probing);   ///< sanitizers.cpp
Result<void> draw_seeds(Probing& probing);       ///< seeds.cpp
Result<void> change_inputs(Probing& probing);    ///< inputs.cpp
Result<void> sweep_threads(Probing& probing);    ///< sweep.cpp
Result<void> sanitize_changes(Probing& probing); ///< sanitized_inputs.cpp; after run_sanitizers and change_inputs

/// Of what was tried out of what: "20 changed inputs: the same answers (2 left out)", or why there is nothing to say.
void tell_tried(Probing& probing, const char* what, std::size_t tried, std::size_t left_out);

} // namespace holdfast::study::probes
