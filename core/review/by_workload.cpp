// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/by_workload.hpp"

#include <algorithm>

namespace holdfast::review {

std::map<std::string, ArmValues>
by_workload(const std::vector<study::SampleRecord>& samples, std::initializer_list<std::string_view> phases,
            const std::function<std::optional<double>(const study::SampleRecord&)>& value) {
    std::map<std::string, ArmValues> workloads;
    for (const study::SampleRecord& sample : samples) {
        if (sample.round < 1 || sample.ending != "ok" ||
            std::find(phases.begin(), phases.end(), sample.phase) == phases.end())
            continue;
        const std::optional<double> given = value(sample);
        if (!given)
            continue;
        ArmValues& seen = workloads[sample.workload];
        (sample.arm == "baseline" ? seen.baseline : seen.candidate).push_back(*given);
    }
    return workloads;
}

} // namespace holdfast::review
