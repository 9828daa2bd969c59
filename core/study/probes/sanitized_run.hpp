// SPDX-License-Identifier: GPL-3.0-or-later
// Both sides with one sanitizer, at a place: the project's tests, or a workload on some input. Reports go to a folder
// of their own, since a test's output may go anywhere.
#pragma once

#include "core/study/probes/sanitized_build.hpp"

#include <functional>
#include <string>

namespace holdfast::study::probes {

struct Probing;

/// The tests, or a workload.
struct Place {
    const Workload* workload = nullptr; ///< none: the project's tests
    std::string name;                   ///< printable
    int slower = 20;                    ///< than without a sanitizer; a thread sanitizer's program, and then some
    Sampler::Adjust adjust = {};        ///< what else is changed there
};

/// What one side did at one place.
struct SanitizedRun {
    std::string failure; ///< why it did not end as it should; "" when it did
    std::string wrong;   ///< why its answer to the workload's own input is; "" when it is right or nobody judged
    bool ended = true;   ///< by itself, with whatever status
    Findings findings;
};

class SanitizedSides {
public:
    SanitizedSides(const Bench& bench, const Arm& candidate, const Sanitizer& sanitizer, KnownBaseline& baseline,
                   ScratchFolder built);
    const Sanitizer& sanitizer() const { return *sanitizer_; }
    const std::string& name() const { return name_; } ///< "address sanitizer"

    KnownBaseline& known() { return *known_; }
    Result<SanitizedRun> run_baseline(Bench& bench, const Place& place) { return run(bench, place, baseline_); }
    Result<SanitizedRun> run_candidate(Bench& bench, const Place& place) { return run(bench, place, candidate_); }

    /// What of the candidate's findings the baseline lacks. Before one counts the baseline is run again, which adds to
    /// `known`.
    Result<Findings> fresh(Probing& probing, const Place& place, const Findings& candidate, Findings& known);
    /// Of such findings: `unsafe`, or a leak.
    void tell(Probing& probing, const Place& place, const Findings& fresh) const;

private:
    Result<SanitizedRun> run(Bench& bench, const Place& place, const Arm& arm);

    const Sanitizer* sanitizer_;
    std::string name_;
    KnownBaseline* known_;
    ScratchFolder built_;      ///< the candidate's
    Arm baseline_, candidate_; ///< with their sanitizer builds
};

} // namespace holdfast::study::probes
