// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the held-out workloads are copies of the tuning ones: then a gain on them shows nothing that the tuning
// workloads did not show already. L = 2·sum over tuning/held-out pairs that are near copies of w·w·similarity / (the
// same sum over all pairs of workloads that are near copies + the sum of w·w): 0 nothing leaks, 0.5 one tuning and one
// held-out workload of equal weight that are copies. It says how much leaks; that something does follows from the
// pairs.
#pragma once

#include "core/git/repository.hpp"
#include "core/project/project.hpp"
#include "core/study/bench.hpp"
#include "core/study/similarity.hpp"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::study {

/// A tuning and a held-out workload.
struct SplitPair {
    std::string tuning, holdout;   ///< names
    double content = 0;            ///< 0 to 1: share of the held-out one's inputs, times that of the commands' words
    std::optional<double> profile; ///< 0 to 1: likeness of what a run takes; nothing before anything ran
    std::string how;               ///< "the same bytes"
    bool same_seeds = false;       ///< some runs of both are the same

    static constexpr double most_alike = 0.7; ///< from here on the rest shows too little
    bool near_copy() const { return content >= most_alike || same_seeds; }
    /// What counts in L. A like profile alone is no leak: unlike ones halve what the bytes say.
    double similarity() const { return content * (1 + profile.value_or(1)) / 2; }
    std::string text() const; ///< "held-out \"b\" is a near copy of \"a\" (0.98: the same bytes)", printable
};

struct Split {
    double leakage = 0;                           ///< L
    std::vector<SplitPair> pairs;                 ///< every tuning/held-out pair, most alike first
    bool leaky() const;                           ///< a pair is a near copy
    std::vector<std::string> near_copies() const; ///< their texts
};

/// One sentence that names the pairs; "" when the split is not leaky.
std::string leak_text(const Split& split);

/// By the inputs as they are in `commit`, else in the project's folder, and the commands. What a generator would make
/// is not known yet.
Result<Split> split_of_inputs(const Project& project, const git::Repository& repository, const git::Commit& commit);

/// By the inputs that were pinned, generated ones included, and the resources of the pinning runs.
Result<Split> split_of_bench(const Bench& bench);

} // namespace holdfast::study
