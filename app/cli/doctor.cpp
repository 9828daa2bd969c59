// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/doctor.hpp"

#include "app/cli/output.hpp"
#include "core/project/text.hpp"
#include "sandbox/surroundings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

nlohmann::json document_of(const app::Examination& seen) {
    nlohmann::json list = nlohmann::json::array(), canaries = nlohmann::json::array();
    for (const app::Finding& finding : seen.findings)
        list.push_back({{"group", finding.group},
                        {"what", finding.what},
                        {"severity", app::to_text(finding.severity)},
                        {"good", finding.good},
                        {"found", printable(finding.found)},
                        {"effect", printable(finding.effect)},
                        {"remedy", printable(finding.remedy)}});
    for (const study::Canary& canary : seen.isolation.canaries)
        canaries.push_back({{"name", canary.name}, {"held", canary.held}, {"detail", printable(canary.detail)}});
    return {{"schema", "holdfast/doctor/1"},
            {"ready", seen.ready()},
            {"level", seen.isolation.level},
            {"canaries", canaries},
            {"findings", list},
            {"profile",
             {{"file", sandbox::apparmor_file},
              {"text", sandbox::apparmor_profile(app::bubblewrap_place())},
              {"commands", {sandbox::apparmor_save, sandbox::apparmor_load}}}},
            {"machine", seen.machine_json.empty() ? nlohmann::json() : nlohmann::json::parse(seen.machine_json)}};
}

const char* mark(const app::Finding& finding) {
    if (finding.good)
        return "ok";
    switch (finding.severity) {
    case app::Finding::Severity::stops:
        return "STOPS";
    case app::Finding::Severity::widens:
        return "widens";
    case app::Finding::Severity::know:
        return "know";
    }
    return "know";
}

/// One line each; what is not good has its effect there and the remedy below.
void print_findings(const std::vector<app::Finding>& findings) {
    std::string group;
    for (const app::Finding& finding : findings) {
        if (finding.group != group)
            fmt::print("{}{}\n", group.empty() ? "" : "\n", finding.group);
        group = finding.group;
        fmt::print("  {:<6} {:<14} {}{}\n", mark(finding), finding.what, printable(finding.found),
                   finding.effect.empty() ? "" : "; " + printable(finding.effect));
        if (!finding.good && !finding.remedy.empty())
            fmt::print("  {:<6} {:<14} -> {}\n", "", "", printable(finding.remedy));
    }
}

void print_canaries(const std::vector<study::Canary>& canaries) {
    const auto held = std::count_if(canaries.begin(), canaries.end(), [](const auto& canary) { return canary.held; });
    fmt::print("\nescapes tried inside the sandbox\n");
    if (canaries.empty())
        fmt::print("  none could be tried\n");
    else
        fmt::print("  {} of {} were stopped\n", held, canaries.size());
    for (const study::Canary& canary : canaries)
        fmt::print("  {:<6} {}{}\n", canary.held ? "held" : "OUT", canary.name,
                   canary.held || canary.detail.empty() ? "" : ": " + printable(canary.detail));
}

void print_end(const app::Examination& seen) {
    using Severity = app::Finding::Severity;
    const auto count = [&](Severity severity) {
        return std::count_if(seen.findings.begin(), seen.findings.end(), [&](const app::Finding& finding) {
            return !finding.good && finding.severity == severity;
        });
    };
    fmt::print("\n{}; {} to widen intervals, {} to know of. See docs/machines.md\n",
               seen.ready() ? "Studies can run here" : "No study can run here", count(Severity::widens),
               count(Severity::know));
}

} // namespace

Result<int> doctor(const Common& common, bool profile) {
    if (profile && !common.json) { // needs no examination, and is to be piped into the file
        fmt::print("{}", sandbox::apparmor_profile(app::bubblewrap_place()));
        fmt::print(stderr,
                   "Where AppArmor restricts user namespaces, run these two (holdfast itself never does):\n"
                   "  {}\n  {}\n",
                   sandbox::apparmor_save, sandbox::apparmor_load);
        return Exit::done;
    }
    const app::Examination seen = app::examine(common.folder);
    if (common.json)
        print_document(document_of(seen));
    else {
        print_findings(seen.findings);
        print_canaries(seen.isolation.canaries);
        print_end(seen);
    }
    return seen.ready() ? Exit::done : Exit::gate_refused;
}

} // namespace holdfast::cli
