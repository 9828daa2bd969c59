// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/doctor.hpp"

#include "app/common/doctor_rules.hpp"
#include "app/common/noise_finding.hpp"
#include "app/common/places.hpp"
#include "app/common/tool.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace holdfast::app {

namespace fs = std::filesystem;

namespace {

using Severity = Finding::Severity;

/// Empty when it is in none of the folders where the sandbox looks too.
fs::path find_program(const std::string& name) {
    for (const char* folder : {"/usr/bin", "/usr/local/bin", "/bin"})
        if (::access((fs::path(folder) / name).c_str(), X_OK) == 0)
            return fs::path(folder) / name;
    return {};
}

Finding tool(const std::string& name, const std::string& purpose, const std::string& package) {
    const fs::path program = find_program(name);
    if (!program.empty())
        return {"programs", name, Severity::know, true, program.string(), "", ""};
    return {"programs", name, Severity::know, false, "not found", "it " + purpose, "Run: apt-get install " + package};
}

/// Nothing outside a repository: there is no project yet that needs one.
std::optional<Finding> git_identity(const fs::path& folder) {
    auto repository = git::Repository::open(folder);
    if (!repository)
        return std::nullopt;
    auto identity = repository->identity();
    if (!identity)
        return Finding{"project",
                       "git identity",
                       Severity::know,
                       false,
                       identity.error().found,
                       "nothing can be approved or applied",
                       identity.error().remedy};
    return Finding{
        "project", "git identity", Severity::know, true, printable(identity->name + " <" + identity->email + ">"), "",
        ""};
}

Finding isolation_finding(const study::Isolation& isolation) {
    const bool good = isolation.level >= 3;
    return {"sandbox",
            "isolation",
            Severity::stops,
            good,
            isolation.missing.empty() ? fmt::format("L{}", isolation.level)
                                      : fmt::format("L{}: {}", isolation.level, isolation.missing),
            good                         ? ""
            : isolation.canaries.empty() ? "no candidate can be run"
                                         : fmt::format("candidates run below L3 only once you accept that with "
                                                       "--accept-isolation L{}",
                                                       isolation.level),
            isolation.remedy};
}

/// Without them a sandbox is of L3, which is enough.
Finding groups_finding(const study::Isolation& isolation) {
    const bool good = isolation.groups.rfind("none", 0) != 0;
    return {"sandbox",
            "control groups",
            Severity::know,
            good,
            isolation.groups,
            good ? "" : "memory is summed every 50 ms, and time of children that nobody waits for is not seen",
            good ? "" : "Run holdfast in a group of its own: systemd-run --user --scope holdfast ..."};
}

Finding bubblewrap(const fs::path& program) {
    if (program.empty())
        return {"sandbox",
                "bwrap",
                Severity::stops,
                false,
                "not found",
                "it makes the sandbox",
                "Run: apt-get install bubblewrap (Fedora: dnf install bubblewrap)"};
    auto said = run_tool({{program.string(), "--version"}, "", {}}, "ask bubblewrap for its version", "bubblewrap");
    return bubblewrap_finding(program, said ? said->out : "");
}

void append(std::vector<Finding>& findings, std::vector<Finding> more) {
    std::move(more.begin(), more.end(), std::back_inserter(findings));
}

std::optional<std::uint64_t> free_space(const fs::path& folder) {
    std::error_code code;
    const fs::space_info info = fs::space(folder, code);
    return code ? std::nullopt : std::optional<std::uint64_t>(info.available);
}

} // namespace

const Finding* Examination::obstacle() const {
    const auto first = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
        return !finding.good && finding.severity == Severity::stops;
    });
    return first == findings.end() ? nullptr : &*first;
}

fs::path bubblewrap_place() {
    const fs::path program = find_program("bwrap");
    return program.empty() ? "/usr/bin/bwrap" : program;
}

Examination examine(const fs::path& folder) {
    Examination seen;
    const sandbox::Conditions conditions = sandbox::read_conditions(); // before the canaries make load and heat
    auto runner = start_runner();
    if (runner) {
        auto level = (*runner)->isolation();
        if (level)
            seen.isolation = *level;
        else
            seen.isolation = {0, {}, level.error().found, level.error().remedy, {}};
        seen.machine_json = (*runner)->machine();
    } else
        seen.isolation = {0, {}, runner.error().found, runner.error().remedy, {}};
    seen.findings.push_back(isolation_finding(seen.isolation));
    if (!seen.isolation.groups.empty())
        seen.findings.push_back(groups_finding(seen.isolation));
    append(seen.findings, surroundings_findings(sandbox::read_surroundings(), seen.isolation.level >= 3));
    seen.findings.push_back(bubblewrap(find_program("bwrap")));
    if (runner)
        append(seen.findings, cache_findings((*runner)->cache(), sandbox::place_of((*runner)->cache()),
                                             free_space((*runner)->cache())));
    seen.findings.push_back(tool("git", "keeps the code", "git"));
    seen.findings.push_back(tool("c++", "builds C++ projects", "g++"));
    seen.findings.push_back(tool("cmake", "builds CMake projects", "cmake"));
    append(seen.findings, machine_findings(conditions));
    if (runner)
        append(seen.findings, counter_findings((*runner)->counters()));
    if (auto noise = noise_finding(folder, seen.machine_json))
        seen.findings.push_back(std::move(*noise));
    if (auto identity = git_identity(folder))
        seen.findings.push_back(std::move(*identity));
    return seen;
}

} // namespace holdfast::app
