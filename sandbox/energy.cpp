// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/energy.hpp"

#include "sandbox/kernel_files.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <thread>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr double agreement = 0.1, least_watts = 0.5;

/// Exact: a counter of microjoules has more digits than a double.
std::optional<std::uint64_t> natural(const fs::path& file) {
    std::ifstream in(file);
    std::uint64_t value = 0;
    return in >> value ? std::optional(value) : std::nullopt;
}

std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

/// "package-0", ... below intel-rapl (AMD's too). intel-rapl-mmio reads the same registers.
void find_rapl(const fs::path& root, EnergyMeters& meters) {
    std::vector<EnergyCounter::Part> parts;
    for (const fs::path& domain : entries(root / "sys/class/powercap")) {
        if (domain.filename().string().rfind("intel-rapl:", 0) != 0 ||
            line_of(domain / "name").rfind("package-", 0) != 0)
            continue;
        if (!natural(domain / "energy_uj")) {
            meters.unreadable = (domain / "energy_uj").string();
            return;
        }
        parts.push_back({domain / "energy_uj", natural(domain / "max_energy_range_uj").value_or(0)});
    }
    if (!parts.empty())
        meters.counters.emplace_back("RAPL packages", std::move(parts));
}

void find_hwmon(const fs::path& root, EnergyMeters& meters) {
    for (const fs::path& device : entries(root / "sys/class/hwmon")) {
        const std::string name = line_of(device / "name");
        std::vector<EnergyCounter::Part> sockets;
        for (const fs::path& file : entries(device)) {
            const std::string sensor = file.filename().string();
            const std::string label = line_of(device / (sensor.substr(0, sensor.find('_')) + "_label"));
            if (name == "amd_energy" && sensor.ends_with("_input") && label.rfind("Esocket", 0) == 0 && natural(file))
                sockets.push_back({file, 0});
            if (sensor.rfind("power", 0) == 0 && (sensor.ends_with("_average") || sensor.ends_with("_input")) &&
                natural(file))
                meters.powers.push_back({fmt::format("{} {}", name, sensor), file});
        }
        if (!sockets.empty())
            meters.counters.emplace_back("amd_energy sockets", std::move(sockets));
    }
}

void find_battery(const fs::path& root, EnergyMeters& meters) {
    for (const fs::path& supply : entries(root / "sys/class/power_supply"))
        if (line_of(supply / "type") == "Battery" && line_of(supply / "scope") != "Device" &&
            line_of(supply / "status") == "Discharging" && natural(supply / "power_now"))
            meters.powers.push_back({"battery " + supply.filename().string(), supply / "power_now"});
}

/// What one meter says of the power that the load added.
struct Said {
    std::string name;
    std::optional<double> watts;
};

std::vector<Said> try_meters(EnergyMeters& meters, const TrialLoad& trial) {
    std::vector<std::optional<double>> readings[3];
    const auto read = [&](int at) {
        for (EnergyCounter& counter : meters.counters)
            readings[at].push_back(counter.joules());
        for (const PowerMeter& meter : meters.powers) {
            const auto microwatts = natural(meter.file);
            readings[at].push_back(microwatts ? std::optional(static_cast<double>(*microwatts) / 1e6) : std::nullopt);
        }
    };
    read(0);
    const double rest = std::chrono::duration<double>(trial.rest()).count();
    read(1);
    const double load = std::chrono::duration<double>(trial.load()).count();
    read(2);
    std::vector<Said> said;
    for (std::size_t i = 0; i < readings[0].size(); ++i) {
        const bool counts = i < meters.counters.size();
        Said each{counts ? meters.counters[i].name() : meters.powers[i - meters.counters.size()].name, std::nullopt};
        const auto &before = readings[0][i], &between = readings[1][i], &after = readings[2][i];
        if (before && between && after && rest > 0 && load > 0)
            each.watts = counts ? (*after - *between) / load - (*between - *before) / rest : *after - *between;
        said.push_back(std::move(each));
    }
    return said;
}

std::string in_words(const Said& said) {
    return said.watts ? fmt::format("{}: {:.1f} W more under load", said.name, *said.watts)
                      : fmt::format("{}: not readable", said.name);
}

bool agrees(const Said& one, const Said& other) {
    return one.watts && other.watts && *one.watts >= least_watts && *other.watts >= least_watts &&
           std::fabs(*one.watts - *other.watts) <= agreement * std::max(*one.watts, *other.watts);
}

} // namespace

EnergyCounter::EnergyCounter(std::string name, std::vector<Part> parts) : name_(std::move(name)) {
    for (Part& part : parts)
        parts_.push_back({std::move(part), std::nullopt});
}

std::optional<double> EnergyCounter::joules() {
    for (Followed& each : parts_) {
        const auto now = natural(each.part.file);
        if (!now)
            return std::nullopt;
        const std::uint64_t last = each.last.value_or(*now);
        if (*now >= last)
            total_ += static_cast<double>(*now - last) / 1e6;
        else if (each.part.range > last)
            total_ += static_cast<double>(*now + (each.part.range - last)) / 1e6;
        else
            return std::nullopt; // it went back without having a range
        each.last = now;
    }
    return total_;
}

EnergyMeters find_meters(const fs::path& root) {
    EnergyMeters meters;
    find_rapl(root, meters);
    find_hwmon(root, meters);
    find_battery(root, meters);
    return meters;
}

TrialLoad real_load() {
    const auto timed = [](const std::function<void()>& act) {
        const auto begin = std::chrono::steady_clock::now();
        act();
        return std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin);
    };
    return {[timed] { return timed([] { std::this_thread::sleep_for(500ms); }); },
            [timed] {
                return timed([] {
                    const auto end = std::chrono::steady_clock::now() + 1s;
                    std::vector<std::jthread> cores;
                    for (unsigned core = 0; core < std::max(1U, std::thread::hardware_concurrency()); ++core)
                        cores.emplace_back([end] {
                            std::atomic<std::uint64_t> work{0};
                            while (std::chrono::steady_clock::now() < end)
                                for (int i = 0; i < 10'000; ++i)
                                    work.fetch_add(1, std::memory_order_relaxed);
                        });
                });
            }};
}

EnergyAgreement agree(EnergyMeters meters, const TrialLoad& trial) {
    const std::size_t all = meters.counters.size() + meters.powers.size();
    if (meters.counters.empty())
        return {std::nullopt,
                meters.unreadable.empty() ? "this machine shows no counter of energy (virtual machines have none)"
                                          : fmt::format("{} can be read by root only (sudo chmod a+r {})",
                                                        meters.unreadable, meters.unreadable),
                ""};
    if (all < 2)
        return {
            std::nullopt,
            fmt::format("there is one meter only ({}), and none to hold it against", meters.counters.front().name()),
            ""};
    const std::vector<Said> said = try_meters(meters, trial);
    for (std::size_t counter = 0; counter < meters.counters.size(); ++counter)
        for (std::size_t other = 0; other < said.size(); ++other)
            if (other != counter && agrees(said[counter], said[other]))
                return {std::move(meters.counters[counter]),
                        fmt::format("two meters agree ({}; {})", in_words(said[counter]), in_words(said[other])),
                        fmt::format("{}, {}", said[counter].name, said[other].name)};
    std::string list;
    for (const Said& each : said)
        list += (list.empty() ? "" : "; ") + in_words(each);
    return {std::nullopt, fmt::format("no two meters agree within 10 % ({})", list), ""};
}

} // namespace holdfast::sandbox
