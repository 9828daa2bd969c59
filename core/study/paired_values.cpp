// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/paired_values.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace holdfast::study {

using nlohmann::json;

namespace {

/// One pair of runs; NaN: gave no number.
struct PairOfRuns {
    std::int64_t attempt = 0;
    double baseline = NAN, candidate = NAN;
};

double metric_of(const SampleRecord& sample, const std::string& metric) {
    const json metrics = json::parse(sample.metrics_json, nullptr, false);
    const auto value = metrics.is_object() ? metrics.find(metric) : metrics.end();
    return sample.ending == "ok" && value != metrics.end() && value->is_number() ? value->get<double>() : NAN;
}

} // namespace

std::vector<PairedValue> paired_values(const std::vector<SampleRecord>& samples, const std::string& metric,
                                       const std::string& phase) {
    std::map<std::pair<std::string, std::int64_t>, PairOfRuns> pairs; // by workload and round
    for (const SampleRecord& sample : samples) {
        if (sample.phase != phase || sample.round < 1)
            continue;
        PairOfRuns& pair = pairs[{sample.workload, sample.round}];
        if (sample.attempt > pair.attempt) // an earlier attempt was cut off and does not count
            pair = {sample.attempt, NAN, NAN};
        if (sample.attempt == pair.attempt)
            (sample.arm == "baseline" ? pair.baseline : pair.candidate) = metric_of(sample, metric);
    }
    std::vector<PairedValue> values;
    for (const auto& [key, pair] : pairs)
        if (pair.baseline > 0 && std::isfinite(pair.candidate))
            values.push_back({pair.baseline, pair.candidate, key.first, key.second});
    return values;
}

} // namespace holdfast::study
