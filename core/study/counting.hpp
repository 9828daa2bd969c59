// SPDX-License-Identifier: GPL-3.0-or-later
// Metrics that exist without being declared, but are measured only when the objective or a limit names them:
// instructions and energy. What measures them depends on the machine.
#pragma once

#include "core/project/project.hpp"
#include "core/study/runner.hpp"

#include <string>
#include <vector>

namespace holdfast::study {

struct Counting {
    enum class Instructions {
        no,
        kernel,    ///< by the processor's counters, in the timed run itself
        simulated, ///< by cachegrind, in a run of its own beside each timed one
    };
    Instructions instructions = Instructions::no;
    bool energy = false;
};

/// What the project asks for here. Refused when this machine cannot measure it, with what to install.
Result<Counting> counting_for(const Project& project, const std::vector<const Workload*>& workloads, Runner& runner);

/// A metric's name as it is shown: "instructions (cachegrind)" where `machine_json` says that these were simulated.
std::string metric_label(const std::string& metric, const std::string& machine_json);

/// Why processor time cannot be trusted as what a change claims to improve (the metric `claimed`), "" when it can:
/// children that a parent leaves unreaped vanish from it where no control group counts them, and a change of code can
/// make them so. Other objectives beside it prove nothing of it.
std::string cpu_caution(const Project& project, const std::string& claimed, bool changes_code);

/// The same of instructions that cachegrind counted, which `machine_json` says: the program can tell that it is
/// watched, and reach the logs.
std::string instructions_caution(const Project& project, const std::string& claimed, const std::string& machine_json,
                                 bool changes_code);

} // namespace holdfast::study
