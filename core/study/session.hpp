// SPDX-License-Identifier: GPL-3.0-or-later
// An unbroken series of rounds of one trial in one phase: pairs in coin order from the stored seed, every sample kept.
#pragma once

#include "core/decision/rule.hpp"
#include "core/study/fresh_seeds.hpp"
#include "core/study/quarantine.hpp"
#include "core/study/sampler.hpp"
#include "core/study/store.hpp"
#include "core/study/watch.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::study {

/// What a series of rounds belongs to.
struct Series {
    std::string study;
    std::string trial;            ///< id; "" for the opening rounds
    std::int64_t trial_order = 0; ///< place of the trial in the study: with it, the seed gives the same coins again
    std::string phase;
    std::uint64_t seed = 0;         ///< the study's
    FreshSeeds seeds = {};          ///< what workloads run with instead of their own seeds
    QuarantineRule quarantine = {}; ///< off: every whole round counts
};

/// The candidate (or, in A/A, either arm) ended a round without a number.
struct Stopped {
    Taken::Outcome outcome = Taken::Outcome::failed;
    std::string reason, log;
};

/// What stored samples of one series make.
struct Replay {
    std::vector<decision::Round> rounds; ///< that count
    std::vector<decision::Round> all;    ///< and with those that were dropped, in the order they were taken
    QuarantineState quarantine;
    std::map<std::pair<std::int64_t, std::int64_t>, bool> whole; ///< by round and attempt, those of `all`: it counts
};

/// What is shown of the dropped rounds; nothing when none was and none would have been.
std::optional<decision::Quarantined> quarantined(const decision::Rule& rule, const Replay& replay);

class Session {
public:
    Session(const Project& project, Sampler& sampler, Store& store, const Watch& watch, Series series,
            const Arm& baseline, const Arm& candidate, std::vector<const Workload*> workloads);
    ~Session(); ///< ends the servers that were kept
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Loads the complete rounds that an earlier session of the series stored; the next round follows them.
    Result<std::vector<decision::Round>> resume();

    /// The next round that counts; before the first one of this session, `prepare` and the warm-up round. A failing
    /// baseline is an error: nothing can be compared with it. A machine that is no longer what the sampler was made on
    /// is a stop, not-comparable.
    Result<tl::expected<decision::Round, Stopped>> next();

    std::chrono::nanoseconds round_time() const;     ///< mean of this session's rounds, 0 before the first
    const Replay& replay() const { return replay_; } ///< of the whole series so far

private:
    Result<std::optional<Stopped>> warm_up();
    Result<std::optional<Stopped>> run_round(std::int64_t round, std::int64_t attempt, decision::Round& result);
    Result<std::optional<Stopped>> run_pair(std::int64_t round, std::int64_t attempt, const Workload& workload,
                                            bool coin, decision::WorkloadPairs& pairs);
    bool counts(const decision::Round& round);

    const Project* project_;
    Sampler* sampler_;
    Store* store_;
    const Watch* watch_;
    Series series_;
    const Arm* arms_[2]; ///< baseline, candidate
    std::vector<const Workload*> workloads_;
    std::int64_t session_ = 1;
    std::int64_t next_round_ = 1;
    std::int64_t next_attempt_ = 1;
    Replay replay_;
    DisturbedArms disturbed_;   ///< of the round that is being taken
    std::string disturbed_why_; ///< the first of them, in words
    bool warm_ = false;
    std::size_t timed_rounds_ = 0;
    std::chrono::nanoseconds timed_{0};
};

/// Beside the workloads in opening_json: decision::Rule::revision, absent before 2. No workload's name begins with a
/// space.
constexpr const char* rule_key = " rule";

/// The rule of a phase over `workloads`; `opening` (a study's opening_json, may be "") gives the tails' medians.
decision::Rule rule_for(const Project& project, const std::vector<const Workload*>& workloads,
                        const std::string& opening);

/// Whether more is better or less, of the objective that `seen` is about.
Better better_of(const Project& project, const decision::Assessment& seen);

/// The complete rounds in `samples` (one series), in order; an incomplete attempt is not used, and one that was dropped
/// only in Replay::all.
Replay replay_of(const Project& project, const std::vector<const Workload*>& workloads,
                 const std::vector<SampleRecord>& samples, const QuarantineRule& rule);

/// Those that count.
std::vector<decision::Round> rounds_of(const Project& project, const std::vector<const Workload*>& workloads,
                                       const std::vector<SampleRecord>& samples, const QuarantineRule& rule = {});

} // namespace holdfast::study
