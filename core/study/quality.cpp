// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/quality.hpp"

#include "core/stats/estimate.hpp"
#include "core/study/sampler.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace holdfast::study {

namespace {

using nlohmann::json;

struct Runs {
    std::vector<double> baseline, candidate;
};

/// A round's seed; of seeds that were drawn for a question their place, from 1: samples do not hold the numbers.
std::int64_t seed_in(const Workload& workload, std::int64_t round) {
    return workload.fresh_seeds == 0 ? seed_of(workload.seeds, round) : (round - 1) % workload.fresh_seeds + 1;
}

std::vector<std::int64_t> seeds_in(const Workload& workload) {
    if (workload.fresh_seeds == 0)
        return workload.seeds;
    std::vector<std::int64_t> places(static_cast<std::size_t>(workload.fresh_seeds));
    std::iota(places.begin(), places.end(), 1);
    return places;
}

std::map<std::int64_t, Runs> by_seed(const Workload& workload, const std::vector<SampleRecord>& samples) {
    const std::string key = quality_key(*workload.check.quality);
    std::map<std::int64_t, Runs> seeds;
    for (const SampleRecord& sample : samples) {
        if (sample.workload != workload.name || sample.round < 1 || sample.ending != "ok")
            continue;
        const json metrics = json::parse(sample.metrics_json, nullptr, false);
        const auto value = metrics.is_object() ? metrics.find(key) : metrics.end();
        if (!metrics.is_object() || value == metrics.end() || !value->is_number())
            continue;
        Runs& runs = seeds[seed_in(workload, sample.round)];
        (sample.arm == "baseline" ? runs.baseline : runs.candidate).push_back(value->get<double>());
    }
    return seeds;
}

json number(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

} // namespace

std::string quality_key(const Quality& quality) {
    return quality.metric.empty() ? "check/quality" : quality.metric;
}

std::vector<decision::QualitySeen> quality_of(const std::vector<const Workload*>& workloads,
                                              const std::vector<SampleRecord>& samples) {
    std::vector<decision::QualitySeen> all;
    for (const Workload* workload : workloads) {
        if (!workload->check.quality)
            continue;
        const Quality& quality = *workload->check.quality;
        const auto seeds = by_seed(*workload, samples);
        decision::QualitySeen seen;
        seen.workload = workload->name;
        seen.metric = quality.metric;
        seen.demand = {quality.better, quality.margin, quality.relative};
        for (const std::int64_t seed : seeds_in(*workload))
            if (const auto runs = seeds.find(seed);
                runs != seeds.end() && !runs->second.baseline.empty() && !runs->second.candidate.empty())
                seen.seeds.push_back(
                    {seed, stats::median(runs->second.baseline), stats::median(runs->second.candidate)});
        if (seen.seeds.empty())
            continue;
        decision::judge_quality(seen);
        all.push_back(std::move(seen));
    }
    return all;
}

json quality_json(const std::vector<decision::QualitySeen>& all) {
    json list = json::array();
    for (const decision::QualitySeen& seen : all) {
        json seeds = json::array();
        for (const decision::SeedQuality& seed : seen.seeds)
            seeds.push_back({{"seed", seed.seed}, {"baseline", seed.baseline}, {"candidate", seed.candidate}});
        list.push_back({{"workload", seen.workload},
                        {"metric", seen.metric.empty() ? json(nullptr) : json(seen.metric)},
                        {"better", seen.demand.better == Better::lower ? "lower" : "higher"},
                        {"margin", seen.demand.margin},
                        {"relative", seen.demand.relative},
                        {"estimate", number(seen.estimate)},
                        {"low", number(seen.low)},
                        {"high", number(seen.high)},
                        {"baseline-spread", number(seen.baseline_spread)},
                        {"worst-seed", seen.seeds[*seen.worst].seed},
                        {"log-e-kept", number(seen.log_e_kept)},
                        {"log-e-lost", number(seen.log_e_lost)},
                        {"kept", seen.kept},
                        {"lost", seen.lost},
                        {"equivalent", seen.equivalent},
                        {"seeds", std::move(seeds)}});
    }
    return list;
}

std::string quality_reason(const std::vector<decision::QualitySeen>& seen) {
    std::string text;
    for (const decision::QualitySeen& each : seen)
        text += "; " + decision::describe(each) + ", " + decision::worst_words(each);
    return text;
}

} // namespace holdfast::study
