// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/counting.hpp"

#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

const char* const attempted = "measure what the project asks for";

bool has(const Project& project, Metric::Source source) {
    return std::any_of(project.metrics.begin(), project.metrics.end(),
                       [&](const Metric& metric) { return metric.source == source; });
}

Result<Counting::Instructions> instructions_here(const std::vector<const Workload*>& workloads,
                                                 const Counters& counters) {
    if (counters.instructions)
        return Counting::Instructions::kernel;
    if (counters.instructions_fallback.empty())
        return refused(attempted,
                       "the metric instructions, and neither does the kernel count them for unprivileged programs nor "
                       "is valgrind there to simulate them",
                       "Run: apt-get install valgrind; or, where the processor's counters are visible: sudo sysctl "
                       "kernel.perf_event_paranoid=2");
    for (const Workload* workload : workloads)
        if (workload->server)
            return refused(attempted,
                           fmt::format("the metric instructions on workload {}, which has a server: {} cannot tell "
                                       "what a server does for one run",
                                       printable(workload->name), counters.instructions_fallback),
                           "Choose another metric, or a machine whose kernel counts instructions");
    return Counting::Instructions::simulated;
}

bool is_from(const Project& project, const std::string& name, Metric::Source source) {
    return std::any_of(project.metrics.begin(), project.metrics.end(),
                       [&](const Metric& metric) { return metric.name == name && metric.source == source; });
}

/// The program that simulated the instructions; "" where the kernel counted them, or nothing did.
std::string simulator_in(const std::string& machine_json) {
    const auto machine = nlohmann::json::parse(machine_json, nullptr, false);
    const auto counter = machine.is_object() ? machine.find("instructions") : machine.end();
    return machine.is_object() && counter != machine.end() && counter->is_string() && *counter != "kernel"
               ? counter->get<std::string>()
               : "";
}

} // namespace

Result<Counting> counting_for(const Project& project, const std::vector<const Workload*>& workloads, Runner& runner) {
    Counting counting;
    const bool instructions = has(project, Metric::Source::instructions);
    counting.energy = has(project, Metric::Source::energy);
    if (!instructions && !counting.energy)
        return counting;
    const Counters counters = runner.counters();
    if (counting.energy && !counters.energy)
        return refused(attempted, "the metric energy, and " + counters.energy_because,
                       "Choose another metric; docs/machines.md, \"Energy\", says what a machine needs for this one");
    if (instructions) {
        auto how = instructions_here(workloads, counters);
        if (!how)
            return tl::unexpected(how.error());
        counting.instructions = *how;
    }
    return counting;
}

std::string metric_label(const std::string& metric, const std::string& machine_json) {
    const std::string counter = metric == "instructions" ? simulator_in(machine_json) : "";
    return counter.empty() ? metric : fmt::format("{} ({})", metric, printable(counter));
}

std::string cpu_caution(const Project& project, const std::string& claimed, bool changes_code) {
    return changes_code && is_from(project, claimed, Metric::Source::cpu)
               ? "processor time is what a change of code claims to save: work that is moved to children which "
                 "nobody waits for is not in it"
               : "";
}

std::string instructions_caution(const Project& project, const std::string& claimed, const std::string& machine_json,
                                 bool changes_code) {
    const std::string counter = simulator_in(machine_json);
    return changes_code && !counter.empty() && is_from(project, claimed, Metric::Source::instructions)
               ? fmt::format("instructions counted by {} are what a change of code claims to save: a program can tell "
                             "that it is watched and do less only then, or write to what counts it",
                             printable(counter))
               : "";
}

} // namespace holdfast::study
