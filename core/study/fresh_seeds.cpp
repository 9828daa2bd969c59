// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/fresh_seeds.hpp"

#include "core/project/hash.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sys/random.h>

namespace holdfast::study {

namespace {

constexpr std::uint32_t largest = 0x7fffffff;

/// 0 when there is no randomness.
std::int64_t random_seed() {
    std::uint32_t word = 0;
    while (word == 0) {
        if (::getrandom(&word, sizeof word, 0) != static_cast<ssize_t>(sizeof word))
            return 0;
        word &= largest;
    }
    return word;
}

} // namespace

Result<FreshSeeds> draw_seeds(const std::vector<const Workload*>& workloads) {
    FreshSeeds all;
    for (const Workload* workload : workloads) {
        if (workload->fresh_seeds == 0)
            continue;
        std::vector<std::int64_t>& seeds = all[workload->name];
        while (seeds.size() < static_cast<std::size_t>(workload->fresh_seeds)) {
            const std::int64_t seed = random_seed();
            if (seed == 0)
                return failed("draw seeds for a held-out question", "the system gives no random numbers",
                              "Try again; if it stays so, restart the machine");
            const auto& fixed = workload->seeds;
            if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end() &&
                std::find(fixed.begin(), fixed.end(), seed) == fixed.end())
                seeds.push_back(seed);
        }
    }
    return all;
}

std::string seeds_to_json(const FreshSeeds& seeds) {
    return seeds.empty() ? "" : canonical_json(nlohmann::json(seeds).dump());
}

Result<FreshSeeds> seeds_from_json(const std::string& text) {
    if (text.empty())
        return FreshSeeds();
    try {
        return nlohmann::json::parse(text).get<FreshSeeds>();
    } catch (const nlohmann::json::exception&) {
        return failed("read the seeds of a held-out question",
                      "the history holds them in a form that holdfast does not write", "Run: holdfast audit");
    }
}

} // namespace holdfast::study
