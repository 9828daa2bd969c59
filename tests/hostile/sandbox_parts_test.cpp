// SPDX-License-Identifier: GPL-3.0-or-later
// What is around the runs: missing isolation, folders, the machine, the lock.
#include "sandbox_fixture.hpp"

#include "sandbox/explain.hpp"
#include "sandbox/folders.hpp"
#include "sandbox/machine.hpp"
#include "sandbox/machine_lock.hpp"
#include "tests/catch.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace holdfast;
using namespace holdfast::test;
namespace fs = std::filesystem;

namespace {

struct Scratch {
    Scratch() : path("/var/tmp/holdfast-scratch-" + unique_marker()) { fs::create_directories(path); }
    ~Scratch() {
        std::error_code error;
        fs::remove_all(path, error);
    }
    fs::path path;
};

} // namespace

TEST_CASE("without bubblewrap the level is below 3 and the remedy is named") {
    runner(); // sets the cache
    const auto started = sandbox::SandboxRunner::start(HOLDFAST_BIN_DIR, {.bubblewrap = "/nowhere/bwrap"});
    REQUIRE(started);
    const auto isolation = (*started)->isolation();
    REQUIRE(isolation);
    CHECK(isolation->level < 3);
    CHECK_THAT(isolation->missing, ContainsSubstring("not installed"));
    CHECK_THAT(isolation->remedy, ContainsSubstring("apt-get install bubblewrap"));
}

TEST_CASE("bubblewrap's messages become errors with remedies") {
    struct Row {
        const char *said, *remedy;
    };
    for (const Row& row :
         {Row{"bwrap: Creating new namespace failed: Operation not permitted", "kernel.unprivileged_userns_clone=1"},
          Row{"bwrap: Creating new namespace failed: No space left on device", "user.max_user_namespaces"},
          Row{"bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded "
              "(ENOSPC)",
              "user.max_user_namespaces"},
          Row{"bwrap: No permissions to creating new namespace, likely because ...", "unprivileged_userns_clone"},
          Row{"bwrap: No permissions to create a new namespace, likely because ...", "unprivileged_userns_clone"},
          Row{"bwrap: setting up uid map: Permission denied", "/etc/apparmor.d/bwrap"},
          Row{"bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "/etc/apparmor.d/bwrap"},
          Row{"bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"},
          Row{"bwrap: Unknown option --disable-userns", "bubblewrap 0.8"}}) {
        INFO(row.said);
        const Error error = sandbox::explain("set up a sandbox", row.said, {});
        CHECK(error.kind == Error::Kind::refused);
        CHECK_THAT(error.remedy, ContainsSubstring(row.remedy));
        CHECK_THAT(error.found, ContainsSubstring("bwrap: "));
    }
    const Error other = sandbox::explain("set up a sandbox", "something \x1b[31m new\nsecond line");
    CHECK(other.kind == Error::Kind::failed);
    CHECK(other.found == "something  [31m new");
}

TEST_CASE("a tree is handed over without following links") {
    const Scratch elsewhere;
    std::ofstream(elsewhere.path / "file") << "x";
    const fs::path tree = runner().cache() / ("given-" + unique_marker());
    fs::create_directories(tree / "deep/er");
    std::ofstream(tree / "deep/er/file") << "x";
    fs::create_symlink(elsewhere.path / "file", tree / "link");
    fs::create_directory_symlink(elsewhere.path, tree / "deep/folder");
    REQUIRE(runner().give(tree));
    struct stat info {};
    const uid_t expected = ::geteuid() == 0 ? sandbox::dropped_user : ::geteuid();
    for (const char* path : {"", "deep", "deep/er", "deep/er/file", "link", "deep/folder"}) {
        INFO(path);
        REQUIRE(::lstat((tree / path).c_str(), &info) == 0);
        // "link/" would follow; lstat of the paths above does not.
        CHECK(info.st_uid == expected);
    }
    REQUIRE(::stat((elsewhere.path / "file").c_str(), &info) == 0);
    CHECK(info.st_uid == ::geteuid());
    fs::remove_all(tree);
}

TEST_CASE("only what is below the cache is handed over") {
    const Scratch elsewhere;
    const Tree tree;
    fs::create_directory_symlink(elsewhere.path, tree.path / "link");
    fs::create_directories(elsewhere.path / "inner");
    for (const fs::path& path : {fs::path("/etc"), elsewhere.path, tree.path / "link/inner", runner().cache(),
                                 runner().cache() / "..", runner().cache() / "none", tree.path / "."}) {
        INFO(path);
        CHECK_FALSE(runner().give(path));
    }
}

TEST_CASE("the cache is refused when it is a link or somebody else's") {
    const Scratch scratch;
    fs::create_directory(scratch.path / "real");
    fs::create_directory_symlink(scratch.path / "real", scratch.path / "link");
    {
        const Variable cache("HOLDFAST_CACHE", scratch.path / "link");
        const auto made = sandbox::make_cache();
        REQUIRE_FALSE(made);
        CHECK(made.error().kind == Error::Kind::refused);
    }
    if (::geteuid() != 0)
        return;
    REQUIRE(::chown((scratch.path / "real").c_str(), 12345, 12345) == 0);
    const Variable cache("HOLDFAST_CACHE", scratch.path / "real");
    const auto made = sandbox::make_cache();
    REQUIRE_FALSE(made);
    CHECK_THAT(made.error().found, ContainsSubstring("12345"));
}

TEST_CASE("as root, a cache that the unprivileged user cannot reach is an error with a remedy") {
    if (::geteuid() != 0)
        return;
    const Scratch scratch;
    fs::permissions(scratch.path, fs::perms(0700));
    const Variable cache("HOLDFAST_CACHE", scratch.path / "cache");
    const auto made = sandbox::make_cache();
    REQUIRE_FALSE(made);
    CHECK_THAT(made.error().remedy, ContainsSubstring("/var/tmp"));
}

TEST_CASE("the machine is read from the kernel's files") {
    const Scratch root;
    const auto put = [&](const std::string& file, const std::string& text) {
        fs::create_directories((root.path / file).parent_path());
        std::ofstream(root.path / file) << text;
    };
    put("proc/stat", "cpu  10 20 30 400 50 6 7 8 9 1\ncpu0 1 1 1 1\n");
    put("proc/vmstat", "pgpgin 5\npswpin 11\npswpout 12\n");
    put("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=123\nfull avg10=0 total=9\n");
    put("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=45\n");
    put("proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=67\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n");
    put("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000000\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put("sys/class/thermal/thermal_zone0/temp", "41000\n");
    put("sys/class/thermal/thermal_zone1/temp", "52500\n");
    put("proc/cpuinfo",
        "processor : 0\nmodel name\t: A CPU @ 3.00GHz\nmicrocode\t: 0xf4\nflags\t\t: fpu hypervisor sse\n");
    put("sys/devices/system/cpu/online", "0-1\n");
    put("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
    put("proc/self/status", "Name:\tcat\nCpus_allowed_list:\t1\n");
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/memory.max", "max\n");
    put("sys/fs/cgroup/a/memory.max", "1073741824\n");
    put("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    put("proc/meminfo", "MemTotal:       2048 kB\n");
    put("proc/sys/kernel/randomize_va_space", "2\n");
    const study::MachineReading reading = sandbox::read_machine(root.path);
    CHECK(reading.total_ticks == 531);
    CHECK(reading.steal_ticks == 8);
    CHECK(reading.swap_in_pages == 11);
    CHECK(reading.swap_out_pages == 12);
    CHECK(reading.psi_cpu_us == 123);
    CHECK(reading.psi_memory_us == 45);
    CHECK(reading.psi_io_us == 67);
    CHECK(reading.mhz == Approx(2500));
    CHECK(reading.celsius == Approx(52.5));
    const auto machine = nlohmann::json::parse(sandbox::describe_machine(root.path));
    CHECK(machine["cpu"] == "A CPU @ 3.00GHz");
    CHECK(machine["memory_bytes"] == 2048 * 1024);
    CHECK(machine["governor"] == "powersave");
    CHECK(machine["virtualised"] == true);
    CHECK(machine["aslr"] == true);
    CHECK(machine["clocksource"].is_null());
    CHECK(machine["host"].get<std::string>().size() == 32);
    CHECK(machine["microcode"] == "0xf4");
    CHECK(machine["allowed_cores"] == "1");
    CHECK(machine["memory_limit"] == 1073741824);
    CHECK(machine["cpu_quota"] == 1.5);
    const std::string fingerprint = machine["fingerprint"];
    CHECK(fingerprint.size() == 64);
    put("proc/loadavg", "9.00 1.00 1.00 1/2 3\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "800000\n");
    CHECK(nlohmann::json::parse(sandbox::describe_machine(root.path))["fingerprint"] == fingerprint);
    put("sys/devices/system/cpu/vulnerabilities/meltdown", "Vulnerable\n");
    CHECK(nlohmann::json::parse(sandbox::describe_machine(root.path))["fingerprint"] != fingerprint);
}

TEST_CASE("this machine can be read") {
    CHECK(runner().reading().total_ticks > 0);
    const auto machine = nlohmann::json::parse(runner().machine());
    CHECK(machine["cores"].get<int>() > 0);
    CHECK(runner().machine() == runner().machine());
    char name[256] = {};
    REQUIRE(::gethostname(name, sizeof name - 1) == 0);
    CHECK(machine["host"] != name);
}

TEST_CASE("one at a time holds the machine's lock, and the others learn who") {
    const Scratch scratch;
    const fs::path file = scratch.path / "lock";
    std::stop_source stop;
    std::string told;
    {
        const auto first = sandbox::MachineLock::try_acquire(file);
        REQUIRE(first);
        CHECK(first->file() == file);
        const auto second = sandbox::MachineLock::try_acquire(file);
        REQUIRE_FALSE(second);
        CHECK(second.error().kind == Error::Kind::refused);
        CHECK_THAT(second.error().found, ContainsSubstring("process " + std::to_string(::getpid())));
        const auto stopped = sandbox::MachineLock::acquire(
            file,
            [&](const std::string& holder) {
                told = holder;
                stop.request_stop();
            },
            stop.get_token());
        REQUIRE_FALSE(stopped);
        CHECK(stopped.error().kind == Error::Kind::interrupted);
        CHECK_THAT(told, ContainsSubstring("process " + std::to_string(::getpid())));
    }
    auto holding = sandbox::MachineLock::try_acquire(file);
    REQUIRE(holding);
    bool waited = false;
    std::jthread releaser;
    const auto later = sandbox::MachineLock::acquire(file, [&](const std::string&) {
        waited = true;
        releaser = std::jthread([&] { const auto gone = std::move(*holding); });
    });
    CHECK(later);
    CHECK(waited);
}

TEST_CASE("the lock's place can be set, and a link there is not followed") {
    const Scratch scratch;
    {
        const Variable place("HOLDFAST_LOCK", scratch.path / "here");
        const auto lock = sandbox::MachineLock::try_acquire();
        REQUIRE(lock);
        CHECK(lock->file() == scratch.path / "here");
        struct stat info {};
        REQUIRE(::stat(lock->file().c_str(), &info) == 0);
        CHECK((info.st_mode & 0777) == 0644);
    }
    std::ofstream(scratch.path / "notes") << "mine";
    const auto taken = sandbox::MachineLock::try_acquire(scratch.path / "notes");
    REQUIRE_FALSE(taken);
    CHECK_THAT(taken.error().found, ContainsSubstring("somebody else's file"));
    {
        const Variable place("HOLDFAST_LOCK", "lock");
        CHECK(sandbox::MachineLock::try_acquire().error().kind == Error::Kind::invalid);
        const Variable cache("HOLDFAST_CACHE", "trees");
        CHECK_THAT(sandbox::make_cache().error().found, ContainsSubstring("HOLDFAST_CACHE is \"trees\""));
    }
    fs::create_symlink(scratch.path / "here", scratch.path / "link");
    CHECK_FALSE(sandbox::MachineLock::try_acquire(scratch.path / "link"));
    CHECK_FALSE(sandbox::MachineLock::try_acquire(scratch.path));
}
