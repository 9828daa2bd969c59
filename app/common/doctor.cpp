// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/doctor.hpp"

#include "app/common/places.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace holdfast::app {

namespace fs = std::filesystem;

namespace {

Finding tool(const std::string& name, const std::string& purpose, const std::string& package) {
    for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"})
        if (::access((fs::path(folder) / name).c_str(), X_OK) == 0)
            return {name, true, (fs::path(folder) / name).string(), ""};
    return {name, false, "not found (" + purpose + ")", "apt-get install " + package};
}

/// Nothing outside a repository: there is no project yet that needs one.
std::optional<Finding> git_identity(const fs::path& folder) {
    auto repository = git::Repository::open(folder);
    if (!repository)
        return std::nullopt;
    auto identity = repository->identity();
    if (!identity)
        return Finding{"git identity", false, identity.error().found, identity.error().remedy};
    return Finding{"git identity", true, printable(identity->name + " <" + identity->email + ">"), ""};
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

Examination examine(const fs::path& folder) {
    Examination seen;
    auto runner = start_runner();
    if (runner) {
        auto level = (*runner)->isolation();
        if (level)
            seen.isolation = *level;
        else
            seen.isolation = {0, {}, level.error().found, level.error().remedy};
        seen.machine_json = (*runner)->machine();
    } else
        seen.isolation = {0, {}, runner.error().found, runner.error().remedy};
    seen.findings.push_back({"isolation", seen.ready(),
                             seen.isolation.missing.empty()
                                 ? fmt::format("L{}", seen.isolation.level)
                                 : fmt::format("L{}: {}", seen.isolation.level, seen.isolation.missing),
                             seen.isolation.remedy});
    if (runner)
        seen.findings.push_back(disk_space((*runner)->cache()));
    seen.findings.push_back(tool("bwrap", "makes the sandbox", "bubblewrap"));
    seen.findings.push_back(tool("git", "keeps the code", "git"));
    seen.findings.push_back(tool("c++", "builds C++ projects", "g++"));
    seen.findings.push_back(tool("cmake", "builds CMake projects", "cmake"));
    if (auto identity = git_identity(folder))
        seen.findings.push_back(std::move(*identity));
    seen.findings.push_back(load());
    return seen;
}

} // namespace holdfast::app
