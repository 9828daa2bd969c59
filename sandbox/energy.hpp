// SPDX-License-Identifier: GPL-3.0-or-later
// Energy that the machine used, from its own meters. One meter alone proves nothing: counters of wrong units, or of
// another part of the machine, are common. So it counts only where a second meter says the same of a short load.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::sandbox {

/// Counters that belong together, such as those of all packages: their sum only grows.
class EnergyCounter {
public:
    struct Part {
        std::filesystem::path file; ///< microjoules
        std::uint64_t range = 0;    ///< it starts again from 0 after this value; 0: it never does
    };
    EnergyCounter(std::string name, std::vector<Part> parts);

    /// Joules since the first reading; nothing when a part cannot be read. A part that starts again is noticed as long
    /// as it does so once between two readings (at 100 W some 40 minutes).
    std::optional<double> joules();

    const std::string& name() const { return name_; }

private:
    struct Followed {
        Part part;
        std::optional<std::uint64_t> last;
    };
    std::string name_;
    std::vector<Followed> parts_;
    double total_ = 0;
};

/// What tells the present power only.
struct PowerMeter {
    std::string name;
    std::filesystem::path file; ///< microwatts
};

struct EnergyMeters {
    std::vector<EnergyCounter> counters; ///< RAPL packages (powercap), amd_energy's sockets (hwmon)
    std::vector<PowerMeter> powers;      ///< hwmon's power sensors, a battery that is being used up
    std::string unreadable;              ///< a counter that is there and may not be read; "" otherwise
};

/// Looks below `root` (tests give a folder with files of their own). A second way to the same register is no meter of
/// its own.
EnergyMeters find_meters(const std::filesystem::path& root = "/");

/// What the meters are compared over; each gives the time it took.
struct TrialLoad {
    std::function<std::chrono::nanoseconds()> rest, load;
};

/// Half a second of rest, then one of work on every core.
TrialLoad real_load();

struct EnergyAgreement {
    std::optional<EnergyCounter> counter; ///< that another meter agrees with; nothing: energy is not measured
    std::string because;                  ///< which meters agree, or why there is no reading
    std::string meters;                   ///< "RAPL packages, amd_energy sockets"; "" without a counter
};

/// Two meters agree when they put the power that the load adds within 10 % of each other: what they count beside the
/// processor (a screen, memory) is there at rest too.
EnergyAgreement agree(EnergyMeters meters, const TrialLoad& trial);

} // namespace holdfast::sandbox
