// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison of `measure` found, from its stored samples: it has no verdict that would say it.
#pragma once

#include "core/project/project.hpp"
#include "core/study/store.hpp"

#include <string>
#include <vector>

namespace holdfast::study {

/// As effects_json() of what was measured, each role's side over its workloads alone; "" when no round is complete.
/// `samples`: all of the trial; `project`: as its study froze it.
std::string measured_effects(const Project& project, const std::vector<SampleRecord>& samples);

} // namespace holdfast::study
