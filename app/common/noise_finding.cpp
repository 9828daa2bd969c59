// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/noise_finding.hpp"

#include "app/common/calibration_words.hpp"
#include "app/common/places.hpp"
#include "core/project/text.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/clock.hpp"

#include <fmt/format.h>

namespace holdfast::app {

namespace {

constexpr const char* effect = "how small an effect can be proven here is not known before a study";
constexpr const char* remedy = "Run: holdfast calibrate";

Finding finding(bool good, std::string found, std::string what_to_do) {
    return {"project",
            "noise",
            Finding::Severity::know,
            good,
            std::move(found),
            good ? "" : effect,
            good ? "" : std::move(what_to_do)};
}

/// Of the workloads whose calibration holds and found nothing wrong.
std::string noise_text(const std::vector<study::CalibrationStanding>& standings) {
    std::string text;
    for (const study::CalibrationStanding& standing : standings)
        if (standing.calibration && standing.faults.empty())
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", printable(standing.workload),
                                standing_text(standing));
    return text;
}

} // namespace

std::optional<Finding> noise_finding(const std::filesystem::path& folder, const std::string& machine_json) {
    const auto project = load_project(folder);
    if (!project)
        return std::nullopt;
    const auto store = open_history(folder, db::SqliteStore::Mode::read);
    if (!store)
        return finding(false, "never measured", remedy);
    const auto standings = study::calibration_standings(
        **store, *project, study::subject_at_head(*project, machine_json, study::utc_now()));
    if (!standings)
        return finding(false, standings.error().found, standings.error().remedy);
    const std::string caution = study::caution_of(*standings), text = noise_text(*standings);
    if (caution.empty())
        return finding(true, text, "");
    return finding(false, text + (text.empty() ? "" : "; ") + caution, remedy);
}

} // namespace holdfast::app
