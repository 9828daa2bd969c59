// SPDX-License-Identifier: GPL-3.0-or-later
// The doctor's recognisers, against trees of /proc, /sys and /etc as real machines have them.
#include "app/common/doctor_rules.hpp"
#include "sandbox/explain.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using test::ScratchFolder;
using Severity = app::Finding::Severity;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

struct Tree : ScratchFolder {
    explicit Tree(const Files& files) {
        for (const auto& [file, text] : files)
            test::write_text(path() / file, text);
    }
};

const std::string cpu = "sys/devices/system/cpu/";
const Files four_cores = {{cpu + "online", "0-3\n"}};

std::vector<app::Finding> machine(Files files) {
    files.insert(files.begin(), four_cores.begin(), four_cores.end());
    return app::machine_findings(sandbox::read_conditions(Tree(files).path()));
}

const app::Finding* find(const std::vector<app::Finding>& findings, const std::string& what) {
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [&](const app::Finding& finding) { return finding.what == what; });
    return found == findings.end() ? nullptr : &*found;
}

Files on_every_core(const std::string& file, const std::vector<std::string>& values) {
    Files files;
    for (std::size_t core = 0; core < values.size(); ++core)
        files.emplace_back(cpu + "cpu" + std::to_string(core) + "/" + file, values[core] + "\n");
    return files;
}

sandbox::Surroundings surroundings(const Files& files) {
    return sandbox::read_surroundings(Tree(files).path());
}

const Files ubuntu = {{"proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n"},
                      {"proc/sys/user/max_user_namespaces", "127235\n"},
                      {"proc/self/status", "Name:\tcat\nSeccomp:\t0\nSeccomp_filters:\t0\n"},
                      {"proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n"}};
const char* const filtered = "Name:\tcat\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n";
// As docker mounts it.
const char* const masked = "586 484 0:53 / / rw,relatime master:249 - overlay overlay rw,lowerdir=/x\n"
                           "587 586 0:56 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw\n"
                           "510 587 0:56 /bus /proc/bus ro,nosuid,nodev,noexec,relatime - proc proc rw\n"
                           "520 587 0:57 /null /proc/kcore rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755\n";

Files with(Files files, const Files& more) {
    files.insert(files.end(), more.begin(), more.end());
    return files;
}

} // namespace

TEST_CASE("what widens intervals is told with its effect and its remedy, and its absence is good") {
    struct Row {
        const char* what;
        Severity severity;
        Files bad;
        const char *found, *remedy;
        Files good;
    };
    const std::string thermal = "sys/class/thermal/thermal_zone0/", supply = "sys/class/power_supply/";
    const auto zone = [&](const std::string& now) -> Files {
        return {{thermal + "temp", now},
                {thermal + "trip_point_0_type", "active\n"},
                {thermal + "trip_point_0_temp", "40000\n"},
                {thermal + "trip_point_1_type", "passive\n"},
                {thermal + "trip_point_1_temp", "95000\n"},
                {thermal + "trip_point_2_type", "critical\n"},
                {thermal + "trip_point_2_temp", "105000\n"}};
    };
    const auto memory = [](const std::string& available, const std::string& swap_free) -> Files {
        return {{"proc/meminfo", "MemTotal:       16303428 kB\nMemFree:         1234 kB\nMemAvailable:   " + available +
                                     " kB\nSwapTotal:       2097148 kB\nSwapFree:        " + swap_free + " kB\n"}};
    };
    const std::string clock = "sys/devices/system/clocksource/clocksource0/current_clocksource";
    const std::vector<Row> rows = {
        {"cores",
         Severity::widens,
         {{"sys/devices/cpu_core/cpus", "0-1\n"}, {"sys/devices/cpu_atom/cpus", "2-3\n"}},
         "two kinds: 0-1 are faster than 2-3",
         "taskset -c 0-1",
         {}},
        {"cores", Severity::widens, on_every_core("cpu_capacity", {"446", "446", "1024", "1024"}),
         "2-3 are faster than 0-1", "taskset -c 2-3", on_every_core("cpu_capacity", {"1024", "1024", "1024", "1024"})},
        {"cores", Severity::widens,
         on_every_core("cpufreq/cpuinfo_max_freq", {"5200000", "3800000", "5000000", "3800000"}),
         "0,2 are faster than 1,3", "taskset -c 0,2",
         on_every_core("cpufreq/cpuinfo_max_freq", {"5200000", "5000000", "5000000", "5000000"})},
        {"smt", Severity::know, {{cpu + "smt/active", "1\n"}}, "on", "smt/control", {{cpu + "smt/active", "0\n"}}},
        {"cpu quota",
         Severity::widens,
         {{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "150000 100000\n"}},
         "1.5 of 4 cores",
         "--cpus",
         {{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "400000 100000\n"}}},
        {"cpu quota",
         Severity::widens,
         {{"proc/self/cgroup", "0::/a/b\n"},
          {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
          {"sys/fs/cgroup/a/cpu.max", "200000 100000\n"}},
         "2 of 4 cores",
         "CPUQuota",
         {{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "800000 100000\n"}}},
        {"cpu quota",
         Severity::widens,
         {{"proc/self/cgroup", "5:memory:/docker/1f\n4:cpu,cpuacct:/docker/1f\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
         "0.5 of 4 cores",
         "--cpus",
         {{"proc/self/cgroup", "4:cpu,cpuacct:/\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}},
        {"memory limit",
         Severity::widens,
         {{"proc/self/cgroup", "0::/a\n"},
          {"sys/fs/cgroup/a/memory.max", "1073741824\n"},
          {"proc/meminfo", "MemTotal:       16303428 kB\nMemAvailable:   16303428 kB\n"}},
         "1.0 of 15.5 GiB",
         "MemoryMax",
         {{"proc/self/cgroup", "5:memory:/a\n"},
          {"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "12884901888\n"},
          {"proc/meminfo", "MemTotal:       16303428 kB\nMemAvailable:   16303428 kB\n"}}},
        {"power profile",
         Severity::widens,
         {{"sys/firmware/acpi/platform_profile", "low-power\n"}},
         "low-power",
         "powerprofilesctl",
         {{"sys/firmware/acpi/platform_profile", "balanced\n"},
          {cpu + "cpu0/cpufreq/energy_performance_preference", "balance_performance\n"}}},
        {"affinity",
         Severity::know,
         {{"proc/self/status", "Name:\tcat\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n"}},
         "2 of 4",
         "taskset",
         {{"proc/self/status", "Cpus_allowed_list:\t0-3\n"}}},
        {"governor", Severity::widens, on_every_core("cpufreq/scaling_governor", {"performance", "powersave"}),
         "powersave", "cpupower frequency-set -g performance",
         on_every_core("cpufreq/scaling_governor", {"performance", "performance"})},
        {"turbo",
         Severity::widens,
         {{cpu + "intel_pstate/no_turbo", "0\n"}},
         "on",
         "no_turbo",
         {{cpu + "intel_pstate/no_turbo", "1\n"}}},
        {"turbo", Severity::widens, {{cpu + "cpufreq/boost", "1\n"}}, "on", "boost", {{cpu + "cpufreq/boost", "0\n"}}},
        {"power",
         Severity::widens,
         {{supply + "AC/type", "Mains\n"},
          {supply + "AC/online", "0\n"},
          {supply + "BAT0/type", "Battery\n"},
          {supply + "BAT0/status", "Discharging\n"}},
         "on battery",
         "Plug",
         {{supply + "AC/type", "Mains\n"},
          {supply + "AC/online", "1\n"},
          {supply + "BAT0/type", "Battery\n"},
          {supply + "BAT0/status", "Charging\n"}}},
        {"throttling", Severity::know,
         with(on_every_core("thermal_throttle/core_throttle_count", {"3", "0", "4", "0"}),
              on_every_core("thermal_throttle/package_throttle_count", {"5", "0", "0", "0"})),
         "12 times", "cooling", on_every_core("thermal_throttle/core_throttle_count", {"0", "0", "0", "0"})},
        {"temperature", Severity::widens, zone("91000\n"), "91 °C, slowed at 95 °C", "cool", zone("52000\n")},
        {"memory", Severity::widens, memory("700000", "2097148"), "0.7 of 15.5 GiB", "Close",
         memory("9000000", "2097148")},
        {"swap", Severity::widens, memory("9000000", "1000000"), "1.05 GiB", "swapoff", memory("9000000", "2097148")},
        {"huge pages",
         Severity::know,
         {{"sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"}},
         "always",
         "madvise",
         {{"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"}}},
        {"load",
         Severity::widens,
         {{"proc/loadavg", "3.75 1.20 0.80 2/345 12345\n"}},
         "3.75 on 4 cores",
         "Stop",
         {{"proc/loadavg", "0.15 1.20 0.80 2/345 12345\n"}}},
        {"clock", Severity::widens, {{clock, "hpet\n"}}, "hpet", "available_clocksource", {{clock, "tsc\n"}}},
        {"clock", Severity::know, {{clock, "kvm-clock\n"}}, "kvm-clock", "tsc", {{clock, "arch_sys_counter\n"}}},
        {"hypervisor",
         Severity::know,
         {{"proc/cpuinfo", "flags\t\t: fpu vme hypervisor\n"}},
         "virtual",
         "machine of your own",
         {{"proc/cpuinfo", "flags\t\t: fpu vme\n"}}},
        {"aslr",
         Severity::know,
         {{"proc/sys/kernel/randomize_va_space", "0\n"}},
         "off",
         "randomize_va_space=2",
         {{"proc/sys/kernel/randomize_va_space", "2\n"}}},
    };
    const std::string page = test::read_text(std::filesystem::path(HOLDFAST_SOURCE_DIR) / "docs/machines.md");
    for (const Row& row : rows) {
        INFO(row.what << ": " << row.found);
        CHECK_THAT(page, ContainsSubstring("`" + std::string(row.what) + "`"));
        const auto findings = machine(row.bad), others = machine(row.good);
        const app::Finding *bad = find(findings, row.what), *good = find(others, row.what);
        REQUIRE(bad != nullptr);
        REQUIRE(good != nullptr);
        CHECK_FALSE(bad->good);
        CHECK(bad->severity == row.severity);
        CHECK_THAT(bad->found, ContainsSubstring(row.found));
        CHECK_THAT(bad->remedy, ContainsSubstring(row.remedy));
        CHECK(bad->effect != "");
        CHECK(good->good);
        CHECK(good->effect + good->remedy == "");
        for (const app::Finding& other : findings)
            CHECK((other.what == row.what || other.good || other.what == "memory"));
    }
}

TEST_CASE("what a machine does not tell is not judged") {
    CHECK(app::machine_findings(sandbox::read_conditions(Tree(Files()).path())).empty());
    const auto battery_of_a_mouse = machine({{"sys/class/power_supply/hid/type", "Battery\n"},
                                             {"sys/class/power_supply/hid/scope", "Device\n"},
                                             {"sys/class/power_supply/hid/status", "Discharging\n"}});
    CHECK(find(battery_of_a_mouse, "power") == nullptr);
    CHECK(find(machine({{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "max 100000\n"}}), "cpu quota") ==
          nullptr);
    for (const char* list : {"", "x", "0-", "-"}) // a damaged list makes no cores up
        CHECK(app::machine_findings(sandbox::read_conditions(Tree(Files{{cpu + "online", list}}).path())).size() <= 1);
}

TEST_CASE("AppArmor's restriction is known by fact, and a profile for bwrap lifts it") {
    const auto bare = sandbox::obstacle(surroundings(ubuntu));
    REQUIRE(bare);
    CHECK(bare->kind == Error::Kind::refused);
    CHECK_THAT(bare->found, ContainsSubstring("apparmor_restrict_unprivileged_userns is 1"));
    CHECK_THAT(bare->remedy, ContainsSubstring("holdfast doctor --profile") &&
                                 ContainsSubstring("apparmor_parser -r /etc/apparmor.d/bwrap"));

    // The list is readable as root; without it the folder speaks.
    const std::string list = "sys/kernel/security/apparmor/profiles";
    CHECK_FALSE(
        sandbox::obstacle(surroundings(with(ubuntu, {{list, "1password (unconfined)\nbwrap (unconfined)\n"}}))));
    CHECK_FALSE(sandbox::obstacle(surroundings(with(ubuntu, {{list, "/usr/bin/bwrap (enforce)\n"}}))));
    const std::string profile = sandbox::apparmor_profile("/usr/bin/bwrap");
    CHECK_FALSE(sandbox::obstacle(
        surroundings(with(ubuntu, {{"etc/apparmor.d/bwrap", profile}, {"etc/apparmor.d/abi/4.0", ""}}))));
    CHECK(sandbox::obstacle(
        surroundings(with(ubuntu, {{list, "firefox (unconfined)\n"}, {"etc/apparmor.d/bwrap", profile}}))));
    CHECK(sandbox::obstacle(
        surroundings(with(ubuntu, {{"etc/apparmor.d/flatpak", "profile flatpak /usr/bin/flatpak { userns, }"}}))));
    CHECK_FALSE(sandbox::obstacle(surroundings({{"proc/sys/kernel/apparmor_restrict_unprivileged_userns", "0\n"}})));
    CHECK_THAT(profile, ContainsSubstring("profile bwrap /usr/bin/bwrap flags=(unconfined) {\n  userns,\n"));
}

TEST_CASE("kernels without user namespaces are told apart") {
    struct Row {
        Files files;
        const char *found, *remedy;
    };
    for (const Row& row :
         {Row{{{"proc/sys/user/max_user_namespaces", "0\n"}}, "is 0", "user.max_user_namespaces=15000"},
          Row{{{"proc/sys/kernel/unprivileged_userns_clone", "0\n"}}, "ordinary users", "unprivileged_userns_clone=1"},
          Row{{{"proc/self/ns/pid", ""}}, "no user namespaces", "CONFIG_USER_NS"}}) {
        const auto obstacle = sandbox::obstacle(surroundings(row.files));
        REQUIRE(obstacle);
        CHECK_THAT(obstacle->found, ContainsSubstring(row.found));
        CHECK_THAT(obstacle->remedy, ContainsSubstring(row.remedy));
    }
    CHECK_FALSE(sandbox::obstacle(surroundings({{"proc/sys/kernel/unprivileged_userns_clone", "1\n"},
                                                {"proc/sys/user/max_user_namespaces", "1000\n"},
                                                {"proc/self/ns/user", ""}})));
}

TEST_CASE("containers are recognised, each with the flag that its maker documents") {
    struct Row {
        Files marks;
        const char *name, *remedy;
    };
    const std::vector<Row> rows = {
        {{{".dockerenv", ""}}, "docker", "--security-opt systempaths=unconfined"},
        {{{"proc/1/cgroup", "12:cpu:/docker/0123456789ab\n"}}, "docker", "--security-opt seccomp=unconfined"},
        {{{"run/.containerenv", "engine=\"podman-4.3.1\"\n"}}, "podman", "--security-opt unmask=ALL"},
        {{{"proc/1/environ", std::string("PATH=/bin\0container=podman\0HOME=/root\0", 36)}}, "podman", "unmask=ALL"},
        {{{"proc/self/cgroup", "0::/kubepods.slice/kubepods-besteffort.slice/x\n"}, {".dockerenv", ""}},
         "kubernetes",
         "procMount: Unmasked"},
        {{{"run/secrets/kubernetes.io/serviceaccount/token", "x"}}, "kubernetes", "hostUsers: false"},
        {{{"run/systemd/container", "lxc\n"}}, "lxc", "security.nesting true"},
        {{{"proc/1/environ", std::string("container=oci\0TERM=xterm\0", 25)}},
         "container",
         "without its seccomp filter"},
    };
    for (const Row& row : rows) {
        INFO(row.name);
        const auto quiet = surroundings(row.marks);
        CHECK(quiet.container == row.name);
        CHECK_FALSE(sandbox::obstacle(quiet)); // a container alone is no obstacle
        const auto here =
            surroundings(with(row.marks, {{"proc/self/status", filtered}, {"proc/self/mountinfo", masked}}));
        CHECK(here.seccomp);
        CHECK(here.masked_proc);
        const auto obstacle = sandbox::obstacle(here);
        REQUIRE(obstacle);
        CHECK_THAT(obstacle->found, ContainsSubstring("a seccomp filter and a masked /proc"));
        CHECK_THAT(obstacle->remedy, ContainsSubstring(row.remedy));
    }
    const auto none =
        surroundings({{"proc/1/environ", "mycontainer=docker"},
                      {"proc/self/mountinfo", "30 20 0:5 / /proc/sys/fs/binfmt_misc rw - autofs x rw\n"}});
    CHECK(none.container.empty());
    CHECK_FALSE(none.masked_proc);
    CHECK(surroundings({{"run/systemd/container", "evil \x1b[2J\n"}}).container == "container"); // never its own words
}

TEST_CASE("bubblewrap's message and the facts together name the cause") {
    const auto docker =
        surroundings({{".dockerenv", ""}, {"proc/self/status", filtered}, {"proc/self/mountinfo", masked}});
    const auto podman = surroundings({{"run/.containerenv", ""}, {"proc/self/mountinfo", masked}});
    const auto apparmor = surroundings(ubuntu);
    const auto nothing = surroundings({});
    struct Row {
        const char* said;
        const sandbox::Surroundings* here;
        const char *found, *remedy;
    };
    const char *refused = "bwrap: Creating new namespace failed: Operation not permitted",
               *no_rights = "bwrap: setting up uid map: Permission denied",
               *loopback = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
               *clone = "bwrap: No permissions to create a new namespace, likely because the kernel does not allow "
                        "non-privileged user namespaces. On e.g. debian this can be enabled with 'sysctl "
                        "kernel.unprivileged_userns_clone=1'.",
               *proc = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted";
    for (const Row& row :
         {Row{refused, &docker, "seccomp filter", "docker run"},
          Row{refused, &apparmor, "AppArmor", "doctor --profile"},
          Row{refused, &nothing, "not permitted here", "sysctl"},
          Row{no_rights, &apparmor, "no profile", "/etc/apparmor.d/bwrap"},
          Row{no_rights, &nothing, "Ubuntu 24.04", "/etc/apparmor.d/bwrap"},
          Row{no_rights, &docker, "docker", "apparmor=unconfined"},
          Row{loopback, &apparmor, "AppArmor", "apparmor_parser"}, Row{clone, &docker, "docker", "seccomp=unconfined"},
          Row{clone, &nothing, "ordinary users", "unprivileged_userns_clone=1"},
          Row{proc, &podman, "mask /proc", "unmask=ALL"}, Row{proc, &docker, "mask /proc", "systempaths=unconfined"}}) {
        INFO(row.said);
        const Error error = sandbox::explain("isolate programs", row.said, *row.here);
        CHECK(error.kind == Error::Kind::refused);
        CHECK_THAT(error.found, ContainsSubstring(row.found) && ContainsSubstring(std::string(row.said).substr(0, 20)));
        CHECK_THAT(error.remedy, ContainsSubstring(row.remedy));
    }
}

TEST_CASE("restrictions stop only where the sandbox does not hold") {
    const auto here = surroundings(with(ubuntu, {{".dockerenv", ""}}));
    const auto broken = app::surroundings_findings(here, false), holds = app::surroundings_findings(here, true);
    CHECK(find(broken, "namespaces")->severity == Severity::stops);
    CHECK(find(holds, "namespaces")->severity == Severity::know);
    CHECK_FALSE(find(broken, "container")->good);
    CHECK(find(holds, "container")->good);
    CHECK(find(app::surroundings_findings(surroundings({}), true), "namespaces")->good);

    app::Examination seen;
    seen.findings = holds;
    CHECK(seen.ready());
    seen.findings = broken;
    REQUIRE_FALSE(seen.ready());
    CHECK(seen.obstacle()->what == "namespaces");
}

TEST_CASE("the folder for trees: space, noexec, kind of disk") {
    const Tree tree(
        Files{{"proc/self/mountinfo", "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
                                      "40 21 0:35 / /home rw,relatime - nfs4 server:/home rw\n"
                                      "41 21 0:36 / /tmp rw,nosuid,nodev,noexec shared:7 master:2 - tmpfs tmpfs rw\n"
                                      "42 21 0:37 / /home2 rw - ext4 /dev/sdb rw\n"
                                      "43 40 0:38 / /home/me/fast rw,noexec - xfs /dev/sdc rw\n"}});
    const auto judged = [&](const char* cache, std::uint64_t free) {
        return app::cache_findings(cache, sandbox::place_of(cache, tree.path()), free);
    };
    const std::uint64_t much = 64ULL << 30;
    for (const app::Finding& finding : judged("/var/tmp/holdfast-0", much))
        CHECK(finding.good);
    CHECK(find(judged("/home/me/.cache/holdfast", much), "cache disk")->severity == Severity::widens);
    CHECK_FALSE(find(judged("/home/me/.cache/holdfast", much), "cache disk")->good);
    CHECK(find(judged("/home2/x", much), "cache disk")->good);
    CHECK_FALSE(find(judged("/home/me/fast/x", much), "cache programs")->good);
    CHECK(find(judged("/tmp/x", much), "cache programs")->severity == Severity::stops);
    CHECK_THAT(find(judged("/tmp/x", much), "cache programs")->remedy, ContainsSubstring("HOLDFAST_CACHE"));
    CHECK_FALSE(find(judged("/tmp/x", much), "cache disk")->good);
    CHECK(find(judged("/x", 1ULL << 30), "cache folder")->severity == Severity::know);
    CHECK_FALSE(find(judged("/x", 1ULL << 30), "cache folder")->good);
    CHECK(find(judged("/x", 1ULL << 20), "cache folder")->severity == Severity::stops);
}

TEST_CASE("bubblewrap's version is read") {
    CHECK_FALSE(app::bubblewrap_finding("/usr/bin/bwrap", "bubblewrap 0.4.1\n").good);
    CHECK_THAT(app::bubblewrap_finding("/usr/bin/bwrap", "bubblewrap 0.4.1\n").remedy, ContainsSubstring("0.8"));
    for (const char* version : {"bubblewrap 0.8.0\n", "bubblewrap 0.11.0\n", "bubblewrap 1.0\n", "something else"})
        CHECK(app::bubblewrap_finding("/usr/bin/bwrap", version).good);
}

TEST_CASE("what can be counted is told, with what to install where it cannot") {
    const auto found = [](bool kernel, const char* fallback, bool energy) {
        return app::counter_findings({kernel, fallback, energy, "because"});
    };
    CHECK(find(found(true, "", false), "instructions")->good);
    const auto simulated = found(false, "cachegrind", false);
    CHECK_THAT(find(simulated, "instructions")->found, ContainsSubstring("simulated by cachegrind"));
    CHECK_THAT(find(found(false, "", false), "instructions")->remedy, ContainsSubstring("apt-get install valgrind"));
    CHECK_FALSE(find(simulated, "energy")->good);
    CHECK(find(simulated, "energy")->found == "because");
    CHECK(find(found(false, "", true), "energy")->good);
}
