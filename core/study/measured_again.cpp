// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/measured_again.hpp"

#include "core/study/evidence.hpp"
#include "core/study/session.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::study {

namespace {

std::optional<decision::Assessment> assess_side(const Project& project, Role role,
                                                const std::vector<SampleRecord>& samples) {
    const auto workloads = project.with_role(role);
    if (workloads.empty())
        return std::nullopt;
    const auto rounds = rounds_of(project, workloads, samples);
    if (rounds.empty())
        return std::nullopt;
    return decision::assess(rule_for(project, workloads, ""), rounds);
}

} // namespace

std::string measured_effects(const Project& project, const std::vector<SampleRecord>& samples) {
    std::vector<SampleRecord> measured;
    std::copy_if(samples.begin(), samples.end(), std::back_inserter(measured),
                 [](const SampleRecord& sample) { return sample.phase == "measure" || sample.phase == "stack"; });
    Project chosen = project; // with the workloads that were named
    std::erase_if(chosen.workloads, [&](const Workload& workload) {
        return std::none_of(measured.begin(), measured.end(),
                            [&](const SampleRecord& sample) { return sample.workload == workload.name; });
    });
    const auto tuning = assess_side(chosen, Role::tuning, measured);
    const auto holdout = assess_side(chosen, Role::holdout, measured);
    return tuning || holdout ? effects_json(chosen, tuning, holdout, all_quality(chosen, measured)) : "";
}

} // namespace holdfast::study
