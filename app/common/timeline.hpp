// SPDX-License-Identifier: GPL-3.0-or-later
// A project's studies over time. Descriptive only: it lists what was measured and says nothing about why it changed.
#pragma once

#include "app/common/records.hpp"
#include "core/git/repository.hpp"
#include "core/study/store.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace holdfast::app {

struct TimelineStudy {
    std::int64_t number = 0;
    std::string id, kind; ///< "study" or "measure"
    std::string state, started, ended;
    std::string commit, subject; ///< of the baseline; subject "" when the repository no longer has it
    std::string machine;         ///< 8 hexadecimal digits that stand for the machine: the begin of its fingerprint
    std::vector<std::string> machine_changes; ///< against the study before: "kernel: 6.1 → 6.5"
    std::map<std::string, int> outcomes;      ///< trials by verdict, or by what became of them
    int trials = 0, proposals = 0, applied = 0;
};

/// Oldest first. `repository`: for the subjects; null without one.
std::vector<TimelineStudy> timeline(const Records& records, const git::Repository* repository);

/// The baseline of one study on one workload: every timed run that ended well, warm-ups left out.
struct TimelinePoint {
    std::int64_t study = 0; ///< number
    std::string metric;     ///< the study's objective
    std::size_t runs = 0;
    double median = 0;
    double spread = 0; ///< scaled median absolute deviation over the median; 0 for a median of 0
};

/// Oldest first; only studies that ran the baseline on it.
Result<std::vector<TimelinePoint>> timeline_of(const study::Store& store, const Records& records,
                                               const std::string& workload);

/// "▁▃█": one column a value; all of the same height when they are equal.
std::string sparkline(const std::vector<double>& values);

} // namespace holdfast::app
