// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds that the machine disturbed, told by what no candidate can cause: steal, swap and throttling.
//
// Such a round is dropped whole and taken again with a new coin, at most one in ten. A candidate may cause some of it
// all the same (a large one makes the machine swap, a hot one makes it throttle): when the disturbed samples lie on one
// side more often than chance allows, no further round is dropped. Times are never looked at.
#pragma once

#include "core/study/store.hpp"

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// Of one sample, for each second of its wall time.
struct DisturbanceRates {
    double steal = 0;     ///< seconds of processor time that the hypervisor gave to others
    double swap = 0;      ///< pages moved to or from disk
    double throttled = 0; ///< times that a core or package was slowed for its heat or power
};

DisturbanceRates rates_of(const SampleRecord& sample);

/// Frozen from the opening rounds: what a sample of each workload may have.
struct QuarantineRule {
    std::map<std::string, DisturbanceRates> workloads;
    bool on() const { return !workloads.empty(); }
};

/// Twice what 95 % of the opening rounds' samples stayed within, and at least what hardly moves a result (0.02 stolen
/// seconds and 64 pages a second).
QuarantineRule quarantine_rule(const std::vector<SampleRecord>& opening);
/// The rule in opening_json (member "quarantine" of each workload), off when there is none.
QuarantineRule quarantine_rule(const std::string& opening_json);
nlohmann::json limits_json(const DisturbanceRates& limits);

/// Why a sample was disturbed, in words; nothing when it was not.
std::optional<std::string> disturbance(const QuarantineRule& rule, const SampleRecord& sample);

/// Disturbed samples of one round.
struct DisturbedArms {
    std::size_t baseline = 0, candidate = 0;
    void add(const SampleRecord& sample) { ++(sample.arm == "candidate" ? candidate : baseline); }
    bool any() const { return baseline + candidate > 0; }
};

/// What a series of rounds has seen so far. Fed with the same rounds it decides the same.
class QuarantineState {
public:
    static constexpr double most_dropped = 0.1; ///< of the rounds taken
    /// Two-sided exact binomial test of "either side as often"; it is looked at after every round, which only makes it
    /// end the quarantine more readily.
    static constexpr double asymmetric_below = 0.1;

    /// Counts a round that was taken whole; true: it is to be dropped and taken again.
    bool drops(const DisturbedArms& disturbed);

    std::size_t rounds() const { return rounds_; }   ///< taken whole, with the dropped ones
    std::size_t dropped() const { return dropped_; } ///< never more than a tenth of those
    std::size_t baseline_flags() const { return baseline_; }
    std::size_t candidate_flags() const { return candidate_; }
    const std::string& switched_off() const {
        return switched_off_;
    } ///< why no round is dropped any more; "" otherwise

private:
    std::size_t rounds_ = 0, dropped_ = 0, baseline_ = 0, candidate_ = 0;
    std::string switched_off_;
};

} // namespace holdfast::study
