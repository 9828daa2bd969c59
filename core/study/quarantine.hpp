// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds that the machine disturbed, told by what no candidate can cause: steal, swap and throttling.
#pragma once

#include "core/study/store.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// Frozen from the opening rounds, as rates.
struct QuarantineRule {
    bool on = false;
    double steal_share = 0;     ///< of all processor time
    double swap_pages_rate = 0; ///< per second
    double throttle_rate = 0;   ///< events per second
};

/// Of the opening rounds' samples: what hardly any of them exceeded.
QuarantineRule quarantine_rule(const std::vector<SampleRecord>& opening, bool wanted);
/// The rule in opening_json ("quarantine"), off when there is none.
QuarantineRule quarantine_rule(const std::string& opening_json);

/// Why a sample was disturbed, in words; nothing when it was not.
std::optional<std::string> disturbance(const QuarantineRule& rule, const SampleRecord& sample);

/// What a series of rounds has seen so far, and whether one more round may be taken again.
struct QuarantineState {
    std::size_t rounds = 0, dropped = 0;
    std::size_t baseline_flags = 0, candidate_flags = 0;
    std::string switched_off; ///< why no round is dropped any more; "" while it works
};

} // namespace holdfast::study
