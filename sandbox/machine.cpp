// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/machine.hpp"

#include "core/project/hash.hpp"
#include "core/study/fingerprint.hpp"
#include "sandbox/conditions.hpp"
#include "sandbox/kernel_files.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;

/// "some avg10=0.00 avg60=0.00 avg300=0.00 total=123"
std::uint64_t pressure(const fs::path& file) {
    const std::string line = line_of(file);
    const std::size_t at = line.find("total=");
    std::uint64_t total = 0;
    if (at != std::string::npos)
        std::istringstream(line.substr(at + 6)) >> total;
    return total;
}

double mean_mhz(const fs::path& root) {
    double sum = 0;
    int count = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu", error)) {
        double khz = 0;
        if (std::istringstream(line_of(entry.path() / "cpufreq/scaling_cur_freq")) >> khz) {
            sum += khz / 1000;
            ++count;
        }
    }
    if (count == 0) {
        std::istringstream lines(text_of(root / "proc/cpuinfo"));
        for (std::string line; std::getline(lines, line);) {
            double mhz = 0;
            const std::size_t colon = line.find(':');
            if (line.compare(0, 7, "cpu MHz") == 0 && colon != std::string::npos &&
                std::istringstream(line.substr(colon + 1)) >> mhz) {
                sum += mhz;
                ++count;
            }
        }
    }
    return count == 0 ? 0 : sum / count;
}

/// Times that a core, or the package it is in, was slowed for its heat or power. A package's events are counted by each
/// of its cores: that many more, the same for both arms.
std::uint64_t throttle_events(const fs::path& root) {
    double events = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu", error))
        for (const char* file : {"thermal_throttle/core_throttle_count", "thermal_throttle/package_throttle_count"})
            events += number_of(entry.path() / file).value_or(0);
    return static_cast<std::uint64_t>(events);
}

double hottest(const fs::path& root) {
    double hottest = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "sys/class/thermal", error)) {
        double millidegrees = 0;
        if (std::istringstream(line_of(entry.path() / "temp")) >> millidegrees)
            hottest = std::max(hottest, millidegrees / 1000);
    }
    return hottest;
}

std::string cpu_field(const std::string& cpuinfo, const std::string& key) {
    std::istringstream lines(cpuinfo);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (line.compare(0, key.size(), key) == 0 && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "";
}

nlohmann::json known(const std::string& text) {
    return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

template <class Fact> nlohmann::json known(const std::optional<Fact>& fact) {
    return fact ? nlohmann::json(*fact) : nlohmann::json();
}

} // namespace

study::MachineReading read_machine(const fs::path& root) {
    study::MachineReading reading;
    // cpu user nice system idle iowait irq softirq steal guest guest_nice; guest is part of user already.
    std::istringstream cpu(line_of(root / "proc/stat"));
    std::string word;
    cpu >> word;
    for (int field = 0; field < 8; ++field) {
        std::uint64_t ticks = 0;
        if (!(cpu >> ticks))
            break;
        reading.total_ticks += ticks;
        if (field == 7)
            reading.steal_ticks = ticks;
    }
    const std::string vm = text_of(root / "proc/vmstat");
    reading.swap_in_pages = number_after(vm, "pswpin ");
    reading.swap_out_pages = number_after(vm, "pswpout ");
    reading.psi_cpu_us = pressure(root / "proc/pressure/cpu");
    reading.psi_memory_us = pressure(root / "proc/pressure/memory");
    reading.psi_io_us = pressure(root / "proc/pressure/io");
    reading.mhz = mean_mhz(root);
    reading.celsius = hottest(root);
    reading.throttled = throttle_events(root);
    return reading;
}

std::string describe_machine(const fs::path& root) {
    const std::string cpuinfo = text_of(root / "proc/cpuinfo");
    std::string model = cpu_field(cpuinfo, "model name");
    if (model.empty())
        model = cpu_field(cpuinfo, "CPU part"); // ARM has no names
    const fs::path cpu = root / "sys/devices/system/cpu";
    const Conditions seen = read_conditions(root);
    utsname names{};
    ::uname(&names);

    nlohmann::json machine;
    machine["cpu"] = known(model);
    machine["cores"] = ::sysconf(_SC_NPROCESSORS_ONLN);
    machine["memory_bytes"] = number_after(text_of(root / "proc/meminfo"), "MemTotal:") * 1024;
    machine["kernel"] = known(names.release);
    machine["architecture"] = known(names.machine);
    machine["governor"] = known(seen.governor);
    machine["turbo"] = known(seen.turbo);
    machine["virtualised"] = known(seen.virtualised);
    machine["clocksource"] = known(seen.clock_source);
    machine["aslr"] = known(seen.aslr);
    machine["allowed_cores"] = known(seen.allowed_list);
    machine["cpu_quota"] = known(seen.quota_cores);
    machine["memory_limit"] = known(seen.memory_limit);
    machine["kernel_build"] = known(names.version);
    machine["microcode"] = known(seen.microcode);
    machine["mitigations"] = known(seen.mitigations);
    machine["energy_preference"] = known(seen.energy_preference);
    machine["platform_profile"] = known(seen.platform_profile);
    machine["on_battery"] = known(seen.on_battery);
    machine["huge_pages"] = known(seen.huge_pages);
    machine["smt"] = known(line_of(cpu / "smt/control"));
    machine["host"] = sha256(names.nodename).substr(0, 32);
    const auto text = [&] { return machine.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); };
    machine["fingerprint"] = study::make_fingerprint(text());
    return text();
}

} // namespace holdfast::sandbox
