// SPDX-License-Identifier: GPL-3.0-or-later
// A project's studies over time. Descriptive only: it lists what was measured and says nothing about why it changed.
#pragma once

#include "app/common/records.hpp"
#include "core/git/repository.hpp"

#include <cstddef>
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

/// "▁▃█": one column a value; all of the same height when they are equal. A mark stands before its value's column.
std::string sparkline(const std::vector<double>& values, const std::map<std::size_t, std::string>& marks = {});

} // namespace holdfast::app
