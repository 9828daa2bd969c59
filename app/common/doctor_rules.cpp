// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/doctor_rules.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace holdfast::app {
namespace {

using Severity = Finding::Severity;
using sandbox::Conditions;

constexpr double gib = 1ULL << 30;

/// Collects the findings of one group; a finding that is good has neither effect nor remedy.
class Findings {
public:
    explicit Findings(const char* group) : group_(group) {}

    void add(const char* what, Severity severity, bool good, std::string found, const char* effect,
             std::string remedy) {
        Finding finding{group_, what, severity, good, std::move(found), "", ""};
        if (!good) {
            finding.effect = effect;
            finding.remedy = std::move(remedy);
        }
        list_.push_back(std::move(finding));
    }
    std::vector<Finding> take() { return std::move(list_); }

private:
    const char* group_;
    std::vector<Finding> list_;
};

void judge_cores(const Conditions& seen, Findings& findings) {
    if (seen.cores > 0) {
        const bool alike = seen.slow_cores.empty();
        findings.add("cores", Severity::widens, alike,
                     alike ? fmt::format("{}, all alike", seen.cores)
                           : fmt::format("two kinds: {} are faster than {}", seen.fast_cores, seen.slow_cores),
                     "a run's time depends on the core it lands on",
                     fmt::format("Keep to one kind: taskset -c {} holdfast run", seen.fast_cores));
    }
    if (seen.smt)
        findings.add("smt", Severity::know, !*seen.smt, *seen.smt ? "on: two threads share a core" : "off",
                     "other work on the sibling slows a run",
                     "For quiet measurements: echo off | sudo tee /sys/devices/system/cpu/smt/control");
    if (seen.quota_cores && seen.cores > 0)
        findings.add("cpu quota", Severity::widens, *seen.quota_cores >= seen.cores,
                     fmt::format("{:.3g} of {} cores", *seen.quota_cores, seen.cores),
                     "the kernel pauses runs that use up their share, for up to 0.1 s",
                     "Start the container or service without a CPU quota (docker: no --cpus; systemd: no CPUQuota=)");
    if (seen.memory_limit && seen.memory > 0)
        findings.add("memory limit", Severity::widens, *seen.memory_limit * 2 >= seen.memory,
                     fmt::format("{:.1f} of {:.1f} GiB", static_cast<double>(*seen.memory_limit) / gib,
                                 static_cast<double>(seen.memory) / gib),
                     "files and pages are dropped early and read again",
                     "Start the container or service without a memory limit (docker: no --memory; systemd: no "
                     "MemoryMax=)");
    if (seen.allowed_cores && seen.cores > 0)
        findings.add("affinity", Severity::know, *seen.allowed_cores >= seen.cores,
                     fmt::format("may use {} of {} cores", *seen.allowed_cores, seen.cores),
                     "programs with threads are measured on these cores only",
                     "If that is not meant, start holdfast without taskset or cpuset");
}

void judge_frequency(const Conditions& seen, Findings& findings) {
    if (!seen.governor.empty())
        findings.add("governor", Severity::widens, seen.governor == "performance", seen.governor,
                     "the frequency follows the load, so short runs are slow at their start",
                     "Run: sudo cpupower frequency-set -g performance");
    const bool saving = seen.platform_profile == "low-power" || seen.platform_profile == "quiet" ||
                        seen.platform_profile == "cool" || seen.energy_preference == "power" ||
                        seen.energy_preference == "balance_power";
    if (!seen.platform_profile.empty() || !seen.energy_preference.empty())
        findings.add("power profile", Severity::widens, !saving,
                     fmt::format("{}{}{}", seen.platform_profile,
                                 seen.platform_profile.empty() || seen.energy_preference.empty() ? "" : ", ",
                                 seen.energy_preference),
                     "the frequency is lower, and slower to rise",
                     "Run: powerprofilesctl set performance (or: echo performance | sudo tee "
                     "/sys/firmware/acpi/platform_profile)");
    if (seen.turbo)
        findings.add("turbo", Severity::widens, !*seen.turbo, *seen.turbo ? "on" : "off",
                     "the frequency depends on heat and on the other cores",
                     "Run: echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo (other drivers: echo 0 | "
                     "sudo tee /sys/devices/system/cpu/cpufreq/boost)");
    if (seen.on_battery)
        findings.add("power", Severity::widens, !*seen.on_battery, *seen.on_battery ? "on battery" : "plugged in",
                     "the frequency is capped and changes with the charge", "Plug the machine in");
    if (seen.throttled)
        findings.add("throttling", Severity::know, *seen.throttled == 0,
                     *seen.throttled == 0 ? "never since the start"
                                          : fmt::format("{} times since the start", *seen.throttled),
                     "this machine gets too hot under load, and is slower then",
                     "Better cooling; or turn turbo off, which costs the heat first");
    if (seen.celsius && seen.trip_celsius)
        findings.add("temperature", Severity::widens, *seen.trip_celsius - *seen.celsius >= 10,
                     fmt::format("{:.0f} °C, slowed at {:.0f} °C", *seen.celsius, *seen.trip_celsius),
                     "the machine is about to slow itself down", "Let it cool down, and clean its fans");
}

void judge_memory(const Conditions& seen, Findings& findings) {
    if (seen.memory > 0) {
        const double free = static_cast<double>(seen.memory_available), all = static_cast<double>(seen.memory);
        findings.add("memory", Severity::widens, free >= std::max(0.5 * gib, all * 0.1),
                     fmt::format("{:.1f} of {:.1f} GiB available", free / gib, all / gib),
                     "files are dropped from memory and read again", "Close other programs");
        findings.add("swap", Severity::widens, seen.swap_used < 64ULL << 20,
                     seen.swap_used == 0 ? "not in use"
                                         : fmt::format("{:.2f} GiB in use", static_cast<double>(seen.swap_used) / gib),
                     "a page that comes back from disk costs milliseconds",
                     "Close other programs, then run: sudo swapoff -a && sudo swapon -a");
    }
    if (!seen.huge_pages.empty())
        findings.add("huge pages", Severity::know, seen.huge_pages != "always", seen.huge_pages,
                     "programs with much memory run at two speeds, by whether huge pages were free",
                     "For even runs: echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
}

void judge_rest(const Conditions& seen, Findings& findings) {
    if (seen.load && seen.cores > 0)
        findings.add("load", Severity::widens, *seen.load < seen.cores * 0.5,
                     fmt::format("{:.2f} on {} cores", *seen.load, seen.cores), "other work takes time from the runs",
                     "Stop other work");
    if (!seen.clock_source.empty()) {
        const bool slow = seen.clock_source == "hpet" || seen.clock_source == "acpi_pm" ||
                          seen.clock_source == "jiffies" || seen.clock_source == "refined-jiffies";
        const bool best = seen.clock_source == "tsc" || seen.clock_source == "arch_sys_counter";
        findings.add("clock", slow ? Severity::widens : Severity::know, best, seen.clock_source,
                     slow ? "reading the time takes a microsecond or more"
                          : "the time comes from the hypervisor, which is fine for runs of a millisecond and more",
                     "Where the kernel offers it (available_clocksource): echo tsc | sudo tee "
                     "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    }
    if (seen.virtualised)
        findings.add(
            "hypervisor", Severity::know, !*seen.virtualised, *seen.virtualised ? "this is a virtual machine" : "none",
            "neighbours take time that no program here sees", "For small effects measure on a machine of your own");
    if (seen.aslr)
        findings.add("aslr", Severity::know, *seen.aslr, *seen.aslr ? "on: layout luck averages out" : "off",
                     "every run has the same memory layout, so luck with alignment looks like an effect",
                     "Run: sudo sysctl kernel.randomize_va_space=2");
}

} // namespace

const char* to_text(Finding::Severity severity) {
    switch (severity) {
    case Severity::stops:
        return "stops";
    case Severity::widens:
        return "widens";
    case Severity::know:
        return "know";
    }
    return "know";
}

std::vector<Finding> machine_findings(const Conditions& seen) {
    Findings findings("machine");
    judge_cores(seen, findings);
    judge_frequency(seen, findings);
    judge_memory(seen, findings);
    judge_rest(seen, findings);
    return findings.take();
}

std::vector<Finding> surroundings_findings(const sandbox::Surroundings& here, bool isolated) {
    Findings findings("sandbox");
    if (const auto obstacle = sandbox::obstacle(here))
        findings.add("namespaces", isolated ? Severity::know : Severity::stops, false, obstacle->found,
                     isolated ? "the sandbox holds all the same" : "the sandbox needs user namespaces",
                     obstacle->remedy);
    else
        findings.add("namespaces", Severity::stops, true,
                     here.apparmor_restricts ? "a profile lets bwrap make them" : "no restriction is known", "", "");
    if (!here.container.empty())
        findings.add("container", Severity::know, isolated, here.container,
                     "containers hide what sandboxes are made of", sandbox::container_remedy(here.container));
    return findings.take();
}

std::vector<Finding> counter_findings(const study::Counters& counters) {
    Findings findings("machine");
    const bool simulated = !counters.instructions && !counters.instructions_fallback.empty();
    findings.add("instructions", Severity::know, counters.instructions,
                 counters.instructions ? "counted by the kernel"
                 : simulated           ? "not counted by the kernel; simulated by " + counters.instructions_fallback
                                       : "not counted",
                 simulated ? "each sample of the metric instructions takes a second run, 20 to 50 times as long"
                           : "the metric instructions cannot be measured",
                 simulated ? "Where the processor shows its counters: sudo sysctl kernel.perf_event_paranoid=2"
                           : "Run: apt-get install valgrind; or: sudo sysctl kernel.perf_event_paranoid=2");
    findings.add("energy", Severity::know, counters.energy, counters.energy_because,
                 "the metric energy cannot be measured", "docs/machines.md, \"Energy\", says what a machine needs");
    return findings.take();
}

Finding bubblewrap_finding(const std::filesystem::path& program, const std::string& version) {
    int major = 0, minor = 0;
    const bool known = std::sscanf(version.c_str(), "bubblewrap %d.%d", &major, &minor) == 2;
    Findings findings("sandbox");
    findings.add("bwrap", Severity::stops, !known || major > 0 || minor >= 8,
                 known ? fmt::format("{} {}.{}", program.string(), major, minor)
                       : fmt::format("{} tells no version", program.string()),
                 "the sandbox needs bubblewrap 0.8 or later",
                 "Install bubblewrap 0.8 or later (Debian 12, Ubuntu 24.04: apt-get install bubblewrap)");
    return findings.take().front();
}

std::vector<Finding> cache_findings(const std::filesystem::path& cache, const sandbox::FolderPlace& place,
                                    std::optional<std::uint64_t> free) {
    Findings findings("sandbox");
    const std::string elsewhere = "Set HOLDFAST_CACHE to a folder elsewhere";
    const double amount = static_cast<double>(free.value_or(0)) / gib;
    const bool full = amount < 0.25;
    findings.add("cache folder", full ? Severity::stops : Severity::know, amount >= 2,
                 free ? fmt::format("{}, {:.1f} GiB free", cache.string(), amount)
                      : fmt::format("{}, free space unknown", cache.string()),
                 "builds and outputs live there, and do not fit", "Free some space, or: " + elsewhere);
    findings.add("cache programs", Severity::stops, !place.no_programs,
                 place.no_programs ? "its file system is mounted noexec" : "may run", "what is built there cannot run",
                 elsewhere);
    if (!place.file_system.empty()) {
        const bool memory = place.file_system == "tmpfs" || place.file_system == "ramfs";
        const bool remote = place.file_system.rfind("nfs", 0) == 0 || place.file_system == "cifs" ||
                            place.file_system == "smb3" || place.file_system.rfind("fuse", 0) == 0;
        findings.add("cache disk", remote ? Severity::widens : Severity::know, !memory && !remote, place.file_system,
                     memory ? "writing and fsync cost nothing there, unlike on a disk"
                            : "the time to read and write files depends on others",
                     elsewhere);
    }
    return findings.take();
}

} // namespace holdfast::app
