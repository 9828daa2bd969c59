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

} // namespace

std::optional<Finding> noise_finding(const std::filesystem::path& folder, const std::string& machine_json) {
    const auto project = load_project(folder);
    if (!project)
        return std::nullopt;
    const auto store = open_history(folder, db::SqliteStore::Mode::read);
    if (!store)
        return finding(false, "never measured", remedy);
    const auto last = study::last_calibration(**store);
    if (!last)
        return finding(false, last.error().found, last.error().remedy);
    if (!*last)
        return finding(false, "never measured", remedy);
    std::string text;
    for (const study::WorkloadCalibration& workload : (*last)->workloads)
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", printable(workload.workload), brief_text(workload));
    text += fmt::format(" (calibrated {})", printable((*last)->ended));
    const auto caution = study::calibration_caution(**store, *project, machine_json, study::utc_now());
    if (!caution)
        return finding(false, caution.error().found, caution.error().remedy);
    return caution->empty() ? finding(true, text, "") : finding(false, text + "; " + *caution, remedy);
}

} // namespace holdfast::app
