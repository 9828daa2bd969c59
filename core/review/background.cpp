// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/background.hpp"

#include "core/project/text.hpp"
#include "core/stats/estimate.hpp"
#include "core/study/paired_values.hpp"

#include <chrono>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::review {

namespace {

constexpr double worth_a_flag = 0.1, least_seconds = 0.01;

struct Seen {
    std::vector<double> shares, seconds;
};

double seconds_behind(const study::SampleRecord& sample) {
    const auto metrics = nlohmann::json::parse(sample.metrics_json, nullptr, false);
    const auto found = metrics.is_object() ? metrics.find(study::background_metric) : metrics.end();
    return metrics.is_object() && found != metrics.end() && found->is_number() ? found->get<double>() : 0;
}

} // namespace

std::optional<Flag> background_work(const std::vector<study::SampleRecord>& samples) {
    std::map<std::string, std::map<std::string, Seen>> workloads; // then by arm
    for (const study::SampleRecord& sample : samples) {
        const double all = std::chrono::duration<double>(sample.usage.user + sample.usage.system).count();
        if (sample.phase != "confirm" || sample.round < 1 || sample.ending != "ok" || all <= 0)
            continue;
        Seen& seen = workloads[sample.workload][sample.arm];
        seen.seconds.push_back(seconds_behind(sample));
        seen.shares.push_back(seen.seconds.back() / all);
    }
    std::string text;
    for (auto& [workload, arms] : workloads) {
        const Seen &baseline = arms["baseline"], &candidate = arms["candidate"];
        if (baseline.shares.empty() || candidate.shares.empty())
            continue;
        const double was = stats::median(baseline.shares), is = stats::median(candidate.shares),
                     seconds = stats::median(candidate.seconds);
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
