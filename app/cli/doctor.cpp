// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/doctor.hpp"

#include "app/cli/output.hpp"
#include "core/project/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

Result<int> doctor(const Common& common) {
    const app::Examination seen = app::examine(common.folder);
    if (common.json) {
        nlohmann::json list = nlohmann::json::array(), canaries = nlohmann::json::array();
        for (const app::Finding& finding : seen.findings)
            list.push_back({{"what", finding.what},
                            {"good", finding.good},
                            {"found", printable(finding.found)},
                            {"remedy", printable(finding.remedy)}});
        for (const study::Canary& canary : seen.isolation.canaries)
            canaries.push_back({{"name", canary.name}, {"held", canary.held}, {"detail", printable(canary.detail)}});
        print_document(
            {{"schema", "holdfast/doctor/1"},
             {"level", seen.isolation.level},
             {"canaries", canaries},
             {"findings", list},
             {"machine", seen.machine_json.empty() ? nlohmann::json() : nlohmann::json::parse(seen.machine_json)}});
    } else {
        for (const app::Finding& finding : seen.findings) {
            fmt::print("{} {:<13} {}\n", finding.good ? "ok  " : "FIX ", finding.what, printable(finding.found));
            if (!finding.remedy.empty() && !finding.good)
                fmt::print("     {:<13} {}\n", "", printable(finding.remedy));
        }
        fmt::print("\nescapes tried inside the sandbox:\n");
        for (const study::Canary& canary : seen.isolation.canaries)
            fmt::print("{} {}{}\n", canary.held ? "held" : "OUT ", canary.name,
                       canary.held || canary.detail.empty() ? "" : ": " + printable(canary.detail));
        if (seen.isolation.canaries.empty())
            fmt::print("none could be tried\n");
    }
    return seen.ready() ? Exit::done : Exit::gate_refused;
}

} // namespace holdfast::cli
