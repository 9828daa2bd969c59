// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/more_memory.hpp"

#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/review/by_workload.hpp"
#include "core/stats/estimate.hpp"
#include "core/stats/rank.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::review {

namespace {

constexpr double worth_a_flag = 0.1, least_bytes = 1 << 20;
constexpr double chance = 0.01; ///< of an honest change that is flagged, whatever the floors hold back
constexpr const char* metric = "peak-memory";

bool is_objective(const Project& project) {
    return project.objective == metric ||
           std::find(project.objectives.begin(), project.objectives.end(), metric) != project.objectives.end();
}

/// Whether the person said beforehand that it may be so much.
bool allowed(const Project& project, double was, double is) {
    return std::any_of(project.limits.begin(), project.limits.end(), [&](const Limit& limit) {
        return limit.metric == metric && ((limit.worse_by_at_most && is <= was * (1 + *limit.worse_by_at_most)) ||
                                          (limit.at_most && is <= *limit.at_most));
    });
}

} // namespace

std::optional<Flag> more_memory(const std::vector<study::SampleRecord>& samples, const Project& project) {
    if (is_objective(project))
        return std::nullopt;
    const auto workloads =
        by_workload(samples, {"confirm", "holdout"}, [](const study::SampleRecord& sample) -> std::optional<double> {
            return static_cast<double>(sample.usage.peak_memory_bytes);
        });
    std::string text;
    for (const auto& [workload, arms] : workloads) {
        if (!(stats::rank_sum(arms.candidate, arms.baseline) < chance / static_cast<double>(workloads.size())))
            continue;
        const double was = stats::median(arms.baseline), is = stats::median(arms.candidate);
        if (is < was * (1 + worth_a_flag) || is - was < least_bytes || allowed(project, was, is))
            continue;
        text += fmt::format("{}on {} {} → {}", text.empty() ? "" : ", ", printable(workload), bytes_text(was),
                            bytes_text(is));
    }
    if (text.empty())
        return std::nullopt;
    return Flag{"more memory",
                fmt::format("The candidate's peak memory is higher (medians of all runs): {}. See whether "
                            "the gain is worth it where it grows with the input.",
                            text)};
}

} // namespace holdfast::review
