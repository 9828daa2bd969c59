// SPDX-License-Identifier: GPL-3.0-or-later
// How long a study may still take, as a range: a decision may come early, a cap may be reached.
#pragma once

#include "core/project/project.hpp"
#include "core/study/engine.hpp"
#include "core/study/watch.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace holdfast::study {

/// `least`: every candidate is decided as early as one can be and the search finds nothing worth the gates. `most`:
/// every cap is reached. Builds, tests and what the machine does besides are not foreseen.
struct Remaining {
    std::chrono::nanoseconds least{0}, most{0};
};

/// Follows a study's progress; knows nothing before the first round was timed. Not for several threads at once.
class Forecast {
public:
    /// `queued`: candidates that wait when the study starts.
    Forecast(const Project& project, const Options& options, std::size_t queued);
    void see(const Progress& progress, std::chrono::steady_clock::time_point now);
    std::optional<Remaining> remaining() const;                                        ///< as of the last see()
    std::chrono::nanoseconds elapsed(std::chrono::steady_clock::time_point now) const; ///< since the first see()

private:
    void place(const Progress& progress);
    void enter_gates(const Progress& progress);
    void time(const Progress& progress);
    Remaining current() const;
    Remaining not_begun() const;
    Remaining look() const;
    Remaining leader_look() const;
    Remaining confirm() const;
    Remaining candidates(std::size_t count) const;
    std::size_t leaders_sent() const;
    std::size_t confirmations_left() const;

    DecisionSettings decision_;
    Options options_;
    std::size_t tuning_ = 0, holdout_ = 0; ///< workloads
    bool searches_ = false;
    std::size_t queued_ = 0;  ///< candidates whose gates have not begun
    std::size_t leaders_ = 0; ///< at most so many of the search's leaders are still to begin
    bool search_begun_ = false, search_over_ = false;
    std::int64_t in_gates_ = 0, confirming_ = 0; ///< trials
    std::size_t confirmed_ = 0;                  ///< trials that took a confirmation
    Progress last_;
    std::chrono::nanoseconds tuning_round_{0}, holdout_round_{0}, look_{0}; ///< 0: not timed
    std::optional<std::chrono::steady_clock::time_point> begun_;
    std::chrono::steady_clock::time_point now_;
};

} // namespace holdfast::study
