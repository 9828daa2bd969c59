// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/background.hpp"

#include "core/project/text.hpp"
#include "core/review/by_workload.hpp"
#include "core/stats/estimate.hpp"
#include "core/study/paired_values.hpp"

#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

constexpr double worth_a_flag = 0.1, least_seconds = 0.01;

/// Behind the main process; nothing of a run that took no processor time at all.
std::optional<double> seconds_behind(const study::SampleRecord& sample) {
    if (sample.usage.user + sample.usage.system <= std::chrono::nanoseconds::zero())
        return std::nullopt;
    const auto metrics = nlohmann::json::parse(sample.metrics_json, nullptr, false);
    const auto found = metrics.is_object() ? metrics.find(study::background_metric) : metrics.end();
    return metrics.is_object() && found != metrics.end() && found->is_number() ? found->get<double>() : 0;
}

std::optional<double> share_behind(const study::SampleRecord& sample) {
    const auto seconds = seconds_behind(sample);
    if (!seconds)
        return std::nullopt;
    return *seconds / std::chrono::duration<double>(sample.usage.user + sample.usage.system).count();
}

} // namespace

std::optional<Flag> background_work(const std::vector<study::SampleRecord>& samples) {
    const auto seconds_by = by_workload(samples, {"confirm"}, seconds_behind);
    std::string text;
    for (const auto& [workload, shares] : by_workload(samples, {"confirm"}, share_behind)) {
        if (shares.baseline.empty() || shares.candidate.empty())
            continue;
        const double was = stats::median(shares.baseline), is = stats::median(shares.candidate),
                     seconds = stats::median(seconds_by.at(workload).candidate);
        if (is - was > worth_a_flag && seconds >= least_seconds)
            text += fmt::format("{}on {} {:.0f} % of its processor time, {:.3g} s a run (the baseline: {:.0f} %)",
                                text.empty() ? "" : ", ", printable(workload), is * 100, seconds, was * 100);
    }
    if (text.empty())
        return std::nullopt;
    return Flag{"background work", fmt::format("The candidate works behind its main process, in children that it does "
                                               "not wait for or between runs: {}. Look whether work was moved out of "
                                               "what is timed.",
                                               text)};
}

} // namespace holdfast::review
