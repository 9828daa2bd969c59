// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/project.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace holdfast {

const Metric& Project::metric(const std::string& wanted) const {
    const auto found =
        std::find_if(metrics.begin(), metrics.end(), [&](const Metric& each) { return each.name == wanted; });
    if (found == metrics.end())
        std::abort(); // callers ask for the objective, a limit or a declared metric, and the loader has checked those
    return *found;
}

const Knob* Project::knob(const std::string& wanted) const {
    const auto found = std::find_if(knobs.begin(), knobs.end(), [&](const Knob& each) { return each.name == wanted; });
    return found == knobs.end() ? nullptr : &*found;
}

std::vector<const Workload*> Project::with_role(Role role) const {
    std::vector<const Workload*> result;
    for (const Workload& workload : workloads)
        if (workload.role == role)
            result.push_back(&workload);
    return result;
}

Configuration Project::defaults() const {
    Configuration configuration;
    for (const Knob& each : knobs)
        configuration.emplace(each.name, each.default_value);
    return configuration;
}

std::string Problem::text() const {
    std::string result = file.filename().string();
    if (line > 0)
        result += fmt::format(":{}:{}", line, column);
    if (!pointer.empty())
        result += ": " + pointer;
    result += ": found " + found;
    if (!allowed.empty())
        result += ", allowed: " + allowed;
    return printable(result);
}

Error to_error(const std::vector<Problem>& problems) {
    constexpr std::size_t most = 20;
    Error error;
    error.kind = Error::Kind::invalid;
    error.attempted = "read the project file";
    error.remedy = "Correct it and try `holdfast validate`.";
    if (problems.empty())
        return error;
    error.attempted += ' ' + printable(problems.front().file.string());
    if (problems.size() == 1) {
        error.found = problems.front().text();
        return error;
    }
    error.found = fmt::format("{} problems:\n", problems.size());
    for (std::size_t i = 0; i < problems.size() && i < most; ++i)
        error.found += "  " + problems[i].text() + '\n';
    if (problems.size() > most)
        error.found += fmt::format("  and {} more\n", problems.size() - most);
    return error;
}

} // namespace holdfast
