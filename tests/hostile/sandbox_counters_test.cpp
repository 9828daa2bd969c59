// SPDX-License-Identifier: GPL-3.0-or-later
// Meters of energy, against files as real machines have them, and the kernel's counters of a tree of processes.
#include "sandbox_fixture.hpp"

#include "sandbox/energy.hpp"
#include "sandbox/init/parts.hpp"
#include "sandbox/machine.hpp"
#include "tests/catch.h"

#include <cerrno>
#include <fstream>
#include <linux/perf_event.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

/// A machine's files, and a load that moves its meters.
struct Machine {
    Machine() : path("/var/tmp/holdfast-meters-" + unique_marker()) { fs::create_directories(path); }
    ~Machine() {
        std::error_code error;
        fs::remove_all(path, error);
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    void put(const std::string& file, const std::string& text) const {
        fs::create_directories((path / file).parent_path());
        std::ofstream(path / file) << text << "\n";
    }
    void rapl(std::uint64_t microjoules, int package = 0) const {
        const std::string domain = "sys/class/powercap/intel-rapl:" + std::to_string(package) + "/";
        put(domain + "name", "package-" + std::to_string(package));
        put(domain + "max_energy_range_uj", "262143328850");
        put(domain + "energy_uj", std::to_string(microjoules));
    }
    void amd(std::uint64_t microjoules) const {
        const std::string device = "sys/class/hwmon/hwmon3/";
        put(device + "name", "amd_energy");
        put(device + "energy1_label", "Ecore000");
        put(device + "energy1_input", "7");
        put(device + "energy17_label", "Esocket0");
        put(device + "energy17_input", std::to_string(microjoules));
    }

    fs::path path;
};

/// 1 s of rest, then 2 s of load, in which `rest` and `load` move the meters.
sandbox::TrialLoad trial(std::function<void()> rest, std::function<void()> load) {
    return {[rest] {
                rest();
                return std::chrono::nanoseconds(1s);
            },
            [load] {
                load();
                return std::chrono::nanoseconds(2s);
            }};
}

constexpr std::uint64_t joule = 1'000'000;

pid_t start_shell(const char* line) {
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", line, nullptr);
        _exit(127);
    }
    return child;
}

} // namespace

TEST_CASE("two meters that put a load within ten percent of each other make energy a metric") {
    const Machine machine;
    machine.rapl(100 * joule);
    machine.amd(5 * joule);
    auto meters = sandbox::find_meters(machine.path);
    REQUIRE(meters.counters.size() == 2);
    // Rest: 5 W both. Load: 25 W and 24 W, so 20 and 19 W more.
    auto agreement = sandbox::agree(std::move(meters), trial(
                                                           [&] {
                                                               machine.rapl(105 * joule);
                                                               machine.amd(10 * joule);
                                                           },
                                                           [&] {
                                                               machine.rapl(155 * joule);
                                                               machine.amd(58 * joule);
                                                           }));
    INFO(agreement.because);
    REQUIRE(agreement.counter);
    CHECK(agreement.meters == "RAPL packages, amd_energy sockets");
    CHECK_THAT(agreement.because, ContainsSubstring("RAPL packages: 20.0 W more under load"));
    const double before = *agreement.counter->joules();
    machine.rapl(157 * joule);
    CHECK(*agreement.counter->joules() - before == Approx(2));
}

TEST_CASE("without two meters that agree there is no energy, and the reason is told") {
    const Machine machine;
    const auto still = trial([] {}, [] {});
    CHECK_THAT(sandbox::agree(sandbox::find_meters(machine.path), still).because, ContainsSubstring("no counter"));
    machine.rapl(100 * joule);
    CHECK_THAT(sandbox::agree(sandbox::find_meters(machine.path), still).because, ContainsSubstring("one meter only"));
    machine.put("sys/class/hwmon/hwmon0/name", "power_meter");
    machine.put("sys/class/hwmon/hwmon0/power1_average", "30000000");
    auto differing = sandbox::agree(sandbox::find_meters(machine.path), trial([] {},
                                                                              [&] {
                                                                                  machine.rapl(140 * joule); // 20 W
                                                                                  machine.put("sys/class/hwmon/hwmon0/"
                                                                                              "power1_average",
                                                                                              "60000000");
                                                                              }));
    CHECK_FALSE(differing.counter);
    CHECK_THAT(differing.because, ContainsSubstring("no two meters agree"));
    CHECK_THAT(differing.because, ContainsSubstring("power_meter power1_average: 30.0 W more"));
    const auto dead = sandbox::agree(sandbox::find_meters(machine.path), still); // both say 0 W more
    CHECK_FALSE(dead.counter);
}

TEST_CASE("a battery that is used up is a meter; another way to the same register is none") {
    const Machine machine;
    machine.rapl(0);
    machine.put("sys/class/powercap/intel-rapl-mmio:0/name", "package-0");
    machine.put("sys/class/powercap/intel-rapl-mmio:0/energy_uj", "0");
    machine.put("sys/class/powercap/intel-rapl:0:0/name", "core");
    machine.put("sys/class/powercap/intel-rapl:0:0/energy_uj", "0");
    machine.put("sys/class/power_supply/BAT0/type", "Battery");
    machine.put("sys/class/power_supply/BAT0/status", "Discharging");
    machine.put("sys/class/power_supply/BAT0/power_now", "8000000");
    const auto meters = sandbox::find_meters(machine.path);
    CHECK(meters.counters.size() == 1);
    REQUIRE(meters.powers.size() == 1);
    CHECK(meters.powers[0].name == "battery BAT0");
    machine.put("sys/class/power_supply/BAT0/status", "Charging");
    CHECK(sandbox::find_meters(machine.path).powers.empty());
}

TEST_CASE("a counter that starts again goes on; packages are summed") {
    const Machine machine;
    constexpr std::uint64_t range = 262143328850;
    machine.rapl(range - 3 * joule);
    machine.rapl(10 * joule, 1);
    auto meters = sandbox::find_meters(machine.path);
    REQUIRE(meters.counters.size() == 1);
    sandbox::EnergyCounter& counter = meters.counters[0];
    CHECK(counter.joules() == 0.0);
    machine.rapl(2 * joule);
    machine.rapl(11 * joule, 1);
    CHECK(*counter.joules() == Approx(6));
    fs::remove(machine.path / "sys/class/powercap/intel-rapl:1/energy_uj");
    CHECK_FALSE(counter.joules());
    sandbox::EnergyCounter endless("x", {{machine.path / "e", 0}});
    machine.put("e", "100");
    CHECK(endless.joules() == 0.0);
    machine.put("e", "50");
    CHECK_FALSE(endless.joules()); // it has no range to start again after
}

TEST_CASE("times of throttling are summed over cores and packages") {
    const Machine machine;
    for (const char* core : {"0", "1"}) {
        const std::string folder = "sys/devices/system/cpu/cpu" + std::string(core) + "/thermal_throttle/";
        machine.put(folder + "core_throttle_count", "3");
        machine.put(folder + "package_throttle_count", "10");
    }
    CHECK(sandbox::read_machine(machine.path).throttled == 26);
}

TEST_CASE("a counter sees a whole tree of programs, and nothing of the process that opened it") {
    // Virtual machines often have no counter of instructions; one of the kernel's own is inherited in the same way.
    // Each counts one start, as init's does: a second one of the same process need not be switched on.
    const auto count = [](const char* command) {
        const int counter = init::open_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
        if (counter < 0)
            return std::optional<std::uint64_t>();
        std::uint64_t none = 1, seen = 0;
        std::vector<char> touched(4 << 20, 'x');
        REQUIRE(init::read_counter(counter, none));
        CHECK(none == 0);
        int status = 0;
        waitpid(start_shell(command), &status, 0);
        REQUIRE(init::read_counter(counter, seen));
        close(counter);
        return std::optional(seen);
    };
    const auto one = count("exit 0");
    if (!one) {
        CHECK((errno == EACCES || errno == EPERM || errno == ENOSYS));
        return;
    }
    CHECK(*one > 0);
    CHECK(*count("(/bin/true); /bin/true & wait; exit 0") > 2 * *one); // three programs against one
    std::uint64_t none = 0;
    CHECK_FALSE(init::read_counter(-1, none));
}

TEST_CASE("this machine says what it counts, and a run that asks is counted where it can be") {
    const study::Counters counters = runner().counters();
    CHECK_FALSE(counters.energy_because.empty());
    study::Execution execution;
    execution.argv = {"sh", "-c", "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done"};
    const auto uncounted = runner().execute(execution, {});
    REQUIRE(uncounted);
    CHECK_FALSE(uncounted->usage.instructions);
    execution.count_instructions = true;
    const auto counted = runner().execute(execution, {});
    REQUIRE(counted);
    CHECK(counted->ok());
    CHECK(counted->usage.instructions.has_value() == counters.instructions);
    CHECK_THAT(runner().machine(), ContainsSubstring("\"instructions\":"));
}
