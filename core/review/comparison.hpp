// SPDX-License-Identifier: GPL-3.0-or-later
// Two to six decided trials side by side: only what differs.
#pragma once

#include "core/review/sheet.hpp"

#include <string>
#include <vector>

namespace holdfast::review {

struct ComparedWorkload {
    std::string name;
    Role role = Role::tuning;
    std::vector<EffectView> effects; ///< one a trial; rounds 0: not measured on it
    /// By trial the objective's values of the rounds that its effect rests on, in its unit; empty: not measured on it.
    std::vector<std::vector<double>> baseline, candidate;
};

struct Comparison {
    std::vector<Sheet> trials;
    std::vector<std::pair<std::string, std::vector<std::string>>> knobs; ///< knobs whose values differ → value by trial
    std::vector<ComparedWorkload> workloads;
    /// By trial what its study's machine has other than the first trial's, in words; empty: samples are of one machine.
    std::vector<std::vector<std::string>> machines;
    std::vector<std::string> warnings; ///< different baselines, rules, machines or objectives: not one scale
};

/// Errors: fewer than two, more than six, the same trial twice (kind invalid).
Result<Comparison> compare(const std::vector<Dossier>& dossiers);

} // namespace holdfast::review
