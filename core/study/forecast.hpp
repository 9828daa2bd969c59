// SPDX-License-Identifier: GPL-3.0-or-later
// How long a study may still take, as a range: a decision may come early, a cap may be reached.
#pragma once

#include "core/project/project.hpp"
#include "core/study/engine.hpp"
#include "core/study/watch.hpp"

#include <chrono>
#include <optional>

namespace holdfast::study {

struct Remaining {
    std::chrono::nanoseconds least{0}, most{0};
};

/// Follows a study's progress; knows nothing before the first round was timed.
class Forecast {
public:
    Forecast(const Project& project, const Options& options, std::size_t queued);
    void see(const Progress& progress, std::chrono::steady_clock::time_point now);
    std::optional<Remaining> remaining() const;
    std::chrono::nanoseconds elapsed(std::chrono::steady_clock::time_point now) const;

private:
    DecisionSettings decision_;
    Options options_;
    std::size_t tuning_ = 0, holdout_ = 0; ///< workloads
    std::size_t ahead_ = 0;                ///< candidates that may still go through the gates
    bool searched_ = false;
    Progress last_;
    std::chrono::nanoseconds round_{0}; ///< of one tuning round, the last one timed
    std::optional<std::chrono::steady_clock::time_point> begun_, deadline_;
};

} // namespace holdfast::study
