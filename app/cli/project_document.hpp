// SPDX-License-Identifier: GPL-3.0-or-later
// A project as the document of `validate --json`, and the words that its text shares with it.
#pragma once

#include "app/cli/project_look.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace holdfast::cli {

std::string range_of(const Knob& knob);
std::string place_of(const Knob& knob);
std::vector<std::string> variant_names(const Workload& workload);

/// `threshold`: what a confirmation has to reach.
nlohmann::json project_document(const Project& project, const Surroundings& around, double threshold,
                                const Standings& known);

} // namespace holdfast::cli
