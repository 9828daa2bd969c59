// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/context.hpp"
#include "core/project/text.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>

namespace holdfast::cli {

namespace fs = std::filesystem;

namespace {

struct Finding {
    std::string what;
    bool good = false;
    std::string found, remedy;
};

Finding tool(const std::string& name, const std::string& purpose, const std::string& package) {
    for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"})
        if (::access((fs::path(folder) / name).c_str(), X_OK) == 0)
            return {name, true, (fs::path(folder) / name).string(), ""};
    return {name, false, "not found (" + purpose + ")", "apt-get install " + package};
}

Finding git_identity(const Common& common) {
    auto repository = git::Repository::open(common.folder);
    if (!repository)
        return {"git identity", false, repository.error().found, repository.error().remedy};
    auto identity = repository->identity();
    if (!identity)
        return {"git identity", false, identity.error().found, identity.error().remedy};
    return {"git identity", true, printable(identity->name + " <" + identity->email + ">"), ""};
}

Finding load() {
    double average = 0;
    std::ifstream("/proc/loadavg") >> average;
    const auto cores = static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    const std::string found = fmt::format("{:.2f} on {:.0f} cores", average, cores);
    return {"load", average < cores * 0.5, found,
            average < cores * 0.5 ? "" : "Stop other work: intervals widen with it"};
}

Finding disk_space(const fs::path& cache) {
    std::error_code code;
    const fs::space_info info = fs::space(cache, code);
    if (code)
        return {"cache folder", false, code.message(), "Make " + cache.string() + " writable"};
    const double gib = static_cast<double>(info.available) / (1ULL << 30);
    return {"cache folder", gib >= 2, fmt::format("{}, {:.1f} GiB free", cache.string(), gib),
            gib >= 2 ? "" : "Free some space: builds and outputs live there"};
}

} // namespace

Result<int> doctor(const Common& common) {
    std::vector<Finding> findings;
    study::Isolation isolation;
    nlohmann::json machine; // null: no runner to ask
    auto runner = start_runner();
    if (runner) {
        auto level = (*runner)->isolation();
        if (level)
            isolation = *level;
        else
            isolation = {0, {}, level.error().found, level.error().remedy};
        findings.push_back(disk_space((*runner)->cache()));
        machine = nlohmann::json::parse((*runner)->machine());
    } else
        isolation = {0, {}, runner.error().found, runner.error().remedy};
    findings.insert(findings.begin(),
                    {"isolation", isolation.level >= 3,
                     isolation.missing.empty() ? fmt::format("L{}", isolation.level)
                                               : fmt::format("L{}: {}", isolation.level, isolation.missing),
                     isolation.remedy});
    findings.push_back(tool("bwrap", "makes the sandbox", "bubblewrap"));
    findings.push_back(tool("git", "keeps the code", "git"));
    findings.push_back(tool("c++", "builds C++ projects", "g++"));
    findings.push_back(tool("cmake", "builds CMake projects", "cmake"));
    findings.push_back(git_identity(common));
    findings.push_back(load());

    if (common.json) {
        nlohmann::json list = nlohmann::json::array(), canaries = nlohmann::json::array();
        for (const Finding& finding : findings)
            list.push_back({{"what", finding.what},
                            {"good", finding.good},
                            {"found", printable(finding.found)},
                            {"remedy", printable(finding.remedy)}});
        for (const study::Canary& canary : isolation.canaries)
            canaries.push_back({{"name", canary.name}, {"held", canary.held}, {"detail", printable(canary.detail)}});
        print_document({{"schema", "holdfast/doctor/1"},
                        {"level", isolation.level},
                        {"canaries", canaries},
                        {"findings", list},
                        {"machine", machine}});
    } else {
        for (const Finding& finding : findings) {
            fmt::print("{} {:<13} {}\n", finding.good ? "ok  " : "FIX ", finding.what, printable(finding.found));
            if (!finding.remedy.empty() && !finding.good)
                fmt::print("     {:<13} {}\n", "", printable(finding.remedy));
        }
        fmt::print("\nescapes tried inside the sandbox:\n");
        for (const study::Canary& canary : isolation.canaries)
            fmt::print("{} {}{}\n", canary.held ? "held" : "OUT ", canary.name,
                       canary.held || canary.detail.empty() ? "" : ": " + printable(canary.detail));
        if (isolation.canaries.empty())
            fmt::print("none could be tried\n");
    }
    return isolation.level >= 3 ? Exit::done : Exit::gate_refused;
}

} // namespace holdfast::cli
