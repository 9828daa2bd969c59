// SPDX-License-Identifier: GPL-3.0-or-later
// A slow-down of known size in one arm of a calibration: a library that is loaded into the program and burns a share of
// the time it ran. Nothing of a project can ask for it.
#pragma once

#include "core/project/error.hpp"
#include "core/study/runner.hpp"
#include "core/study/workspace.hpp"

#include <chrono>
#include <filesystem>

namespace holdfast::study {

/// What an arm carries that is slowed down.
struct Burdening {
    double share = 0;              ///< 0.03 = 3 % of the time that the program took
    std::filesystem::path library; ///< below Runner::cache()
    std::filesystem::path folder;  ///< likewise; where the library tells what it burnt
    bool processor = false;        ///< the share is of processor time, not of the time that passed
};

/// The name of a slowed-down sample's metric "seconds burnt"; no metric of a project can have it.
extern const char* const burnt_metric;

/// Copies `library` (holdfast-burden.so) to where sandboxes can see it.
Result<Burdening> make_burdening(const Workspace& workspace, Runner& runner, const std::filesystem::path& library);

/// The execution with the library loaded into its programs, before any that they load already.
void add_burdening(const Burdening& burdening, Execution& execution);

/// What the run just ended has burnt, at most `wall`; 0 when it did not. Clears the folder for the next run.
Result<std::chrono::nanoseconds> take_burnt(const Burdening& burdening, std::chrono::nanoseconds wall);

} // namespace holdfast::study
