// SPDX-License-Identifier: GPL-3.0-or-later
// One comparison of `measure` for people: its effects, its verdict in words, and a report for a pull request.
#pragma once

#include "core/project/project.hpp"
#include "core/review/rules.hpp"
#include "core/study/measure.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace holdfast::review {

struct MeasuredReport {
    const Project& project;
    const study::Measured& measured;
    std::string base, candidate;    ///< as they were named, any text
    std::string base_commit;        ///< id
    std::vector<std::string> notes; ///< sentences, safe to show
    std::vector<Flag> flags;        ///< change_flags() of the change and measured_flags()
    std::size_t rounds = 0;         ///< that were asked for
};

/// The effects of a comparison that was not stopped, in the form of study::effects_json's sides, with "metric" and
/// "better".
nlohmann::json measured_effects(const Project& project, const study::Measured& measured);

/// "shown worse", "failed", "no detectable change (could be −1.9 to +5.2 %)", ...: never that there is no change.
std::string measured_words(const Project& project, const study::Measured& measured);

/// The last lines of what a stopped candidate printed, safe to show as plain text; "" without any.
std::string measured_log(const study::Measured& measured);

/// What its objectives need to be told with: `self-reported`, `unproven proxy`.
std::vector<Flag> measured_flags(const study::Measured& measured);

/// Markdown to be posted as a comment or appended to a job's summary.
std::string measured_markdown(const MeasuredReport& report);

/// Objectives beside the first, and quality: a sentence each.
std::vector<std::string> measured_beside(const study::Measured& measured);

} // namespace holdfast::review
