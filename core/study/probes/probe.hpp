// SPDX-License-Identifier: GPL-3.0-or-later
// Gate `probe`: what is done to a changed program beside timing it (docs/probes.md). Both sides are run in the same way
// and only what the candidate has and the baseline lacks counts, so that a project's old faults blame nobody. Nothing
// here sees a held-out workload.
#pragma once

#include "core/study/bench.hpp"
#include "core/study/session.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study::probes {

/// Something a person should look at: a flag of the verdict, and one of its reasons.
struct Caution {
    std::string flag;
    std::string words; ///< what was seen; printable, no full stop
    /// The verdict's reason: "Probe, fewer syncs: fsync 12 → 0 on skewed."
    std::string reason() const;
};

/// How the reason of a flag of this gate begins.
std::string reason_start(const std::string& flag);

struct Found {
    std::optional<Stopped> decided;     ///< unsafe or wrong; what comes after it was not tried
    std::vector<std::string> passed;    ///< "20 changed inputs: the same answers"
    std::vector<std::string> gaps;      ///< "thread sanitizer: the baseline does not run under it"
    std::vector<Caution> cautions = {}; ///< one per flag
    std::string log;                    ///< what the tools printed; raw
    bool has(const std::string& flag) const;
    void caution(const std::string& flag, const std::string& words); ///< adds to the flag's words
    std::string text() const;                                        ///< one line, never empty
    std::string json() const;                                        ///< of the gate's row
};

/// What of a stored row's text was not probed; "" when everything was.
std::string gaps_of(const std::string& text);

/// Probes `candidate` on `workloads`, which are pinned. The same `seed` and patch give the same inputs. An error means
/// that the sandbox failed or that it was stopped.
Result<Found> probe(Bench& bench, const Arm& candidate, const TrialRecord& trial, std::uint64_t seed,
                    const std::vector<const Workload*>& workloads);

} // namespace holdfast::study::probes
