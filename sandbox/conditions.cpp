// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/conditions.hpp"

#include "core/project/hash.hpp"
#include "sandbox/kernel_files.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <system_error>
#include <vector>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;

fs::path core_folder(const fs::path& root, int core) {
    return root / "sys/devices/system/cpu" / ("cpu" + std::to_string(core));
}

std::string list_of(const std::vector<int>& numbers) {
    std::string list;
    for (std::size_t at = 0; at < numbers.size();) {
        std::size_t last = at;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        list += (list.empty() ? "" : ",") + std::to_string(numbers[at]);
        if (last > at)
            list += "-" + std::to_string(numbers[last]);
        at = last + 1;
    }
    return list;
}

/// Splits the cores by what `file` says of each: within 10 % of the best, or slower. Cores picked for their highest
/// frequency differ by a few percent and are of one kind.
bool split_by(const char* file, const fs::path& root, const std::vector<int>& cores, Conditions& seen) {
    std::vector<double> values;
    for (const int core : cores) {
        const auto value = number_of(core_folder(root, core) / file);
        if (!value)
            return false;
        values.push_back(*value);
    }
    if (values.empty())
        return false;
    const double best = *std::max_element(values.begin(), values.end());
    std::vector<int> fast, slow;
    for (std::size_t i = 0; i < cores.size(); ++i)
        (values[i] < best * 0.9 ? slow : fast).push_back(cores[i]);
    if (slow.empty())
        return false;
    seen.fast_cores = list_of(fast);
    seen.slow_cores = list_of(slow);
    return true;
}

void read_core_kinds(const fs::path& root, const std::vector<int>& cores, Conditions& seen) {
    const std::string performance = line_of(root / "sys/devices/cpu_core/cpus"); // Intel's names of the two kinds
    const std::string efficiency = line_of(root / "sys/devices/cpu_atom/cpus");
    if (!performance.empty() && !efficiency.empty()) {
        seen.fast_cores = performance;
        seen.slow_cores = efficiency;
        return;
    }
    if (!split_by("cpu_capacity", root, cores, seen))
        split_by("cpufreq/cpuinfo_max_freq", root, cores, seen);
}

void note_quota(double quota, double period, Conditions& seen) {
    if (quota > 0 && period > 0)
        seen.quota_cores = std::min(seen.quota_cores.value_or(quota / period), quota / period);
}

/// 0 and numbers near 2^63 mean that there is none.
void note_memory_limit(std::optional<double> bytes, Conditions& seen) {
    if (!bytes || *bytes <= 0 || *bytes >= 1ULL << 60)
        return;
    const auto limit = static_cast<std::uint64_t>(*bytes);
    seen.memory_limit = std::min(seen.memory_limit.value_or(limit), limit);
}

/// One control group's limits. `below`: its path; `controllers`: ",cpu,cpuacct," (v1) or ",," (v2).
void read_group(const fs::path& root, const std::string& controllers, const fs::path& below, Conditions& seen) {
    const fs::path mount = root / "sys/fs/cgroup";
    if (controllers == ",,") {
        std::istringstream most(line_of(mount / below / "cpu.max")); // "150000 100000", "max 100000"
        double quota = 0, period = 0;
        if (most >> quota >> period)
            note_quota(quota, period, seen);
        note_memory_limit(number_of(mount / below / "memory.max"), seen); // "max" is no number
    }
    if (controllers.find(",cpu,") != std::string::npos)
        note_quota(number_of(mount / "cpu" / below / "cpu.cfs_quota_us").value_or(-1),
                   number_of(mount / "cpu" / below / "cpu.cfs_period_us").value_or(0), seen);
    if (controllers.find(",memory,") != std::string::npos)
        note_memory_limit(number_of(mount / "memory" / below / "memory.limit_in_bytes"), seen);
}

/// Every group above counts. Inside a container the own path may not exist below the mount: its root does.
void read_groups(const fs::path& root, Conditions& seen) {
    std::istringstream groups(text_of(root / "proc/self/cgroup"));
    for (std::string line; std::getline(groups, line);) { // "0::/user.slice" (v2), "1:cpu,cpuacct:/docker/1f" (v1)
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        for (fs::path group = line.substr(second + 1);; group = group.parent_path()) {
            read_group(root, controllers, group.relative_path(), seen);
            if (!group.has_relative_path())
                break;
        }
    }
}

/// A mouse's battery is none: its scope is "Device".
void read_power(const fs::path& root, Conditions& seen) {
    std::optional<bool> plugged, discharging;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "sys/class/power_supply", error)) {
        const fs::path& supply = entry.path();
        const std::string type = line_of(supply / "type");
        if (line_of(supply / "scope") == "Device")
            continue;
        if (type == "Battery")
            discharging = discharging.value_or(false) || line_of(supply / "status") == "Discharging";
        else if (const std::string online = line_of(supply / "online"); !online.empty())
            plugged = plugged.value_or(false) || online != "0";
    }
    if (discharging)
        seen.on_battery = plugged ? !*plugged : *discharging;
}

void read_heat(const fs::path& root, const std::vector<int>& cores, Conditions& seen) {
    for (const int core : cores)
        for (const char* file : {"core_throttle_count", "package_throttle_count"})
            if (const auto count = number_of(core_folder(root, core) / "thermal_throttle" / file))
                seen.throttled = seen.throttled.value_or(0) + static_cast<std::uint64_t>(*count);
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "sys/class/thermal", error)) {
        const auto now = number_of(entry.path() / "temp");
        for (int trip = 0; now && trip < 16; ++trip) {
            const std::string name = "trip_point_" + std::to_string(trip);
            const std::string type = line_of(entry.path() / (name + "_type")); // "active" only starts a fan
            const auto limit = number_of(entry.path() / (name + "_temp"));
            if (!limit || *limit <= 0 || (type != "passive" && type != "hot" && type != "critical"))
                continue;
            if (!seen.celsius || *limit / 1000 - *now / 1000 < *seen.trip_celsius - *seen.celsius) {
                seen.celsius = *now / 1000;
                seen.trip_celsius = *limit / 1000;
            }
        }
    }
}

void read_frequency(const fs::path& root, const std::vector<int>& cores, Conditions& seen) {
    for (const int core : cores) {
        const std::string governor = line_of(core_folder(root, core) / "cpufreq/scaling_governor");
        if (seen.governor.empty() || seen.governor == "performance")
            seen.governor = governor.empty() ? seen.governor : governor;
    }
    const fs::path all = root / "sys/devices/system/cpu";
    const std::string no_turbo = line_of(all / "intel_pstate/no_turbo"), boost = line_of(all / "cpufreq/boost");
    if (!no_turbo.empty())
        seen.turbo = no_turbo == "0";
    else if (!boost.empty())
        seen.turbo = boost == "1";
    if (const std::string active = line_of(all / "smt/active"); !active.empty())
        seen.smt = active == "1";
    seen.energy_preference = line_of(all / "cpu0/cpufreq/energy_performance_preference");
    seen.platform_profile = line_of(root / "sys/firmware/acpi/platform_profile");
}

void read_memory(const fs::path& root, Conditions& seen) {
    const std::string memory = text_of(root / "proc/meminfo");
    const auto bytes = [&](const char* key) { return number_after(memory, key) * 1024; };
    seen.memory = bytes("MemTotal:");
    seen.memory_available = bytes("MemAvailable:");
    seen.swap_used = bytes("SwapTotal:") - std::min(bytes("SwapTotal:"), bytes("SwapFree:"));
    const std::string pages = line_of(root / "sys/kernel/mm/transparent_hugepage/enabled"); // "always [madvise] never"
    const std::size_t open = pages.find('['), close = pages.find(']');
    if (open != std::string::npos && close != std::string::npos && open < close)
        seen.huge_pages = pages.substr(open + 1, close - open - 1);
}

/// The value of the first line of `text` that begins with `key`.
std::string field(const std::string& text, const std::string& key) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t colon = line.find(':'); line.rfind(key, 0) == 0 && colon != std::string::npos)
            return line.substr(colon + 1);
    return "";
}

/// "Mitigation: PTI", "Vulnerable", ... of every flaw: some of them cost several percent.
std::string mitigations(const fs::path& root) {
    std::map<std::string, std::string> lines;
    std::error_code error;
    for (const auto& flaw : fs::directory_iterator(root / "sys/devices/system/cpu/vulnerabilities", error))
        lines[flaw.path().filename().string()] = line_of(flaw.path());
    std::string all;
    for (const auto& [flaw, line] : lines)
        all += flaw + ": " + line + "\n";
    return all.empty() ? "" : sha256(all).substr(0, 16);
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

} // namespace

Conditions read_conditions(const fs::path& root) {
    Conditions seen;
    const std::vector<int> cores = numbers_of_list(line_of(root / "sys/devices/system/cpu/online"));
    seen.cores = static_cast<int>(cores.size());
    read_core_kinds(root, cores, seen);
    read_groups(root, seen);
    read_power(root, seen);
    read_heat(root, cores, seen);
    read_frequency(root, cores, seen);
    read_memory(root, seen);
    const std::string list = trimmed(field(text_of(root / "proc/self/status"), "Cpus_allowed_list"));
    if (const auto allowed = numbers_of_list(list); !allowed.empty()) {
        seen.allowed_list = list;
        seen.allowed_cores = static_cast<int>(allowed.size());
    }
    const std::string cpus = text_of(root / "proc/cpuinfo");
    if (const std::string flags = field(cpus, "flags"); !flags.empty())
        seen.virtualised = (flags + " ").find(" hypervisor ") != std::string::npos;
    seen.microcode = trimmed(field(cpus, "microcode"));
    seen.mitigations = mitigations(root);
    if (const std::string aslr = line_of(root / "proc/sys/kernel/randomize_va_space"); !aslr.empty())
        seen.aslr = aslr != "0";
    seen.clock_source = line_of(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
    seen.load = number_of(root / "proc/loadavg");
    return seen;
}

FolderPlace place_of(const fs::path& folder, const fs::path& root) {
    FolderPlace place;
    std::size_t longest = 0;
    std::istringstream mounts(text_of(root / "proc/self/mountinfo"));
    for (std::string line; std::getline(mounts, line);) {
        // "36 35 98:0 /source /place rw,noexec shared:1 - ext4 /dev/sda1 rw"
        std::istringstream fields(line);
        std::string id, parent, device, source, at, options, word;
        fields >> id >> parent >> device >> source >> at >> options;
        while (fields >> word && word != "-") {
        }
        const std::string inside = at == "/" ? "/" : at + "/";
        if (!(fields >> word) || (folder.string() + "/").rfind(inside, 0) != 0 || at.size() < longest)
            continue;
        longest = at.size(); // of two at one place the later one is on top
        place = {("," + options + ",").find(",noexec,") != std::string::npos, word};
    }
    return place;
}

} // namespace holdfast::sandbox
