// SPDX-License-Identifier: GPL-3.0-or-later
// What a verdict must say of its objectives when they are the program's own word, or stand for another metric.
#pragma once

#include "core/decision/verdict.hpp"
#include "core/project/project.hpp"
#include "core/stats/rank.hpp"
#include "core/study/store.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::study {

inline constexpr std::string_view self_reported_flag = "self-reported", unproven_proxy_flag = "unproven proxy";
inline constexpr double proxy_correlation = 0.8; ///< what the interval's lower end must reach

/// How well the changes of `metric` and of the metric it stands for agree in order, over trials.
struct ProxyProof {
    std::string metric, stands_for;
    stats::Correlation correlation; ///< of improvements: positive when both become better together
    bool proven() const { return correlation.interval.low >= proxy_correlation; }
};

/// "Spearman correlation 0.91 [0.83, 0.95] over 14 candidates"; "no trial measured both".
std::string describe(const ProxyProof& proof);

/// Of every proxy of `project`, over the history's trials that measured both metrics on tuning workloads; trials of
/// studies that defined either metric in another way are left out. A trial's change is the median log ratio of its
/// pairs, from the phase that has most of them. Trials of the same result tree and configuration are one observation,
/// the median of theirs.
Result<std::vector<ProxyProof>> proxy_proofs(const Project& project, const Store& store);

/// Adds the flags and sentences that the objectives of a measured verdict need. `claimed`: the objective that the
/// verdict claims. When it is self-reported, what it says is set beside wall and cpu, and so is every other such
/// objective. `samples`: of the trial.
void add_metric_trust(const Project& project, const std::string& claimed, const std::vector<SampleRecord>& samples,
                      const std::vector<ProxyProof>& proofs, decision::Verdict& verdict);

/// The sentence that add_metric_trust() wrote for a flag, out of a verdict's reasons; "" without one.
std::string metric_sentence(std::string_view flag, const std::string& reasons_json);

} // namespace holdfast::study
