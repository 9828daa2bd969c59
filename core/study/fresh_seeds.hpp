// SPDX-License-Identifier: GPL-3.0-or-later
// Seeds drawn for one held-out question, so that no answer can be learned by heart.
#pragma once

#include "core/project/project.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace holdfast::study {

/// By the workload's name. A workload that is not in it runs its own seeds.
using FreshSeeds = std::map<std::string, std::vector<std::int64_t>>;

/// For each of `workloads` that wants them, different numbers from 1 to 2^31 - 1 (any program can take those) from the
/// system's randomness, which no study's seed tells. Error: there is no randomness.
Result<FreshSeeds> draw_seeds(const std::vector<const Workload*>& workloads);

/// What QuestionRecord::seeds_json holds: canonical JSON, "" for none; and back. Error: the history holds something
/// else.
std::string seeds_to_json(const FreshSeeds& seeds);
Result<FreshSeeds> seeds_from_json(const std::string& json);

} // namespace holdfast::study
