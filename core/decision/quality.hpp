// SPDX-License-Identifier: GPL-3.0-or-later
// Whether an approximate or stochastic program keeps its quality: a test of non-inferiority at a margin, paired by
// seed. A seed is one observation however often it was run: repeats of a deterministic program are no new evidence.
// All seeds are there when it is asked, so this is a test of a fixed sample: the sign test's e-value at its end, never
// the best on the way. Only signs enter, so neither the order of the seeds nor a symmetric distribution matters.
#pragma once

#include "core/decision/rule.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::decision {

/// E at which quality is shown to be kept, or to be lost.
inline constexpr double quality_threshold = 20;

struct SeedQuality {
    std::int64_t seed = 0;
    double baseline = 0, candidate = 0; ///< finite
};

struct QualityDemand {
    Better better = Better::higher;
    double margin = 0;     ///< above 0
    bool relative = false; ///< `margin` is a fraction of the baseline's value
};

struct QualitySeen {
    std::string workload;
    std::string metric; ///< "" when a command judges
    QualityDemand demand;
    std::vector<SeedQuality> seeds; ///< in the workload's order
    /// Of candidate - baseline, in the quality's unit or, with a relative margin, as fractions of the baseline; low <=
    /// high, infinite ends are open.
    /// The Hodges-Lehmann estimate, and the medians that the test excludes neither way, stretched to the estimate.
    double estimate = 0, low = 0, high = 0;
    double baseline_spread = 0;            ///< of the baseline alone over the seeds: 1.4826 * median absolute deviation
    std::size_t beyond = 0;                ///< seeds that lost more than the margin
    std::optional<std::size_t> worst;      ///< the seed that lost most, among `seeds`
    double log_e_kept = 0, log_e_lost = 0; ///< over all seeds
    bool kept = false;                     ///< shown to be at most the margin worse; [low, high] agrees
    bool lost = false;                     ///< shown to be more than the margin worse; [low, high] agrees
    bool equivalent = false;               ///< kept, and shown to be at most the margin better too
};

/// Fills in what the seeds show. Each end of the interval errs with 1/quality_threshold at most.
void judge_quality(QualitySeen& seen);

/// `psnr on workload "w"`, then what is shown with its numbers, in one sentence.
std::string describe(const QualitySeen& seen);

/// The worst seed and the baseline's own spread, in one sentence; "" without seeds.
std::string worst_words(const QualitySeen& seen);

} // namespace holdfast::decision
