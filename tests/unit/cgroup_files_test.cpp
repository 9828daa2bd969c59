// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel's texts about control groups, as machines of each kind have them.
#include "sandbox/runner/cgroup_files.hpp"

#include "tests/catch.h"

using namespace holdfast::sandbox;

namespace {

constexpr const char* unified_mounts =
    "22 28 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - proc proc rw\n"
    "29 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
    "40 28 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n";

constexpr const char* hybrid_mounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
    "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
    "50 31 0:32 / /mnt/memory\\040again rw,relatime - cgroup cgroup rw,memory\n";

} // namespace

TEST_CASE("a machine with version 2 alone: one tree, and the own group in it") {
    const auto found = read_hierarchies(unified_mounts, "0::/user.slice/user-1000.slice/session-3.scope\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].unified);
    CHECK(found[0].controllers.empty());
    CHECK(found[0].top == "/sys/fs/cgroup");
    CHECK(found[0].own == "/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope");
}

TEST_CASE("both versions side by side: each tree once, with the own group of each") {
    const auto found = read_hierarchies(hybrid_mounts, "9:name=systemd:/\n8:pids:/\n4:memory:/service/x y\n"
                                                       "2:cpu,cpuacct:/jobs\n0::/\n");
    REQUIRE(found.size() == 5);
    CHECK(found[0].has("cpuacct"));
    CHECK(found[0].has("cpu"));
    CHECK_FALSE(found[0].has("memory"));
    CHECK(found[0].own == "/sys/fs/cgroup/cpu,cpuacct/jobs");
    CHECK(found[1].own == "/sys/fs/cgroup/memory/service/x y");
    CHECK(found[2].own == "/sys/fs/cgroup/pids");
    CHECK(found[3].has("name=systemd"));
    CHECK(found[4].unified);
    CHECK(found[4].own == "/sys/fs/cgroup/unified");
}

TEST_CASE("a mount that shows a part of a tree: the own group is found below that part or not at all") {
    const std::string mounts =
        "29 23 0:26 /docker/abc /sys/fs/cgroup ro,nosuid master:9 - cgroup2 cgroup ro\n"
        "30 23 0:27 /docker/abc /sys/fs/cgroup\\040v1/pids ro master:9 - cgroup cgroup ro,pids\n";
    auto found = read_hierarchies(mounts, "3:pids:/docker/abc/inner\n0::/docker/abc\n");
    REQUIRE(found.size() == 2);
    CHECK(found[0].own == "/sys/fs/cgroup");
    CHECK(found[1].top == "/sys/fs/cgroup v1/pids");
    CHECK(found[1].own == "/sys/fs/cgroup v1/pids/inner");
    // A name that only begins alike is another group; "/.." is one outside of the own namespace.
    CHECK(read_hierarchies(mounts, "3:pids:/docker/abcd\n0::/elsewhere\n").empty());
    CHECK(read_hierarchies("29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "0::/../other\n").empty());
}

TEST_CASE("texts that are no such tables name no tree") {
    for (const char* mounts : {"", "\n\n", "x", "1 2 3 4 5 6 - cgroup2", "a b c d e f g h cgroup2 cgroup2 rw",
                               "29 23 0:26 / /sys/fs/cgroup rw - cgroup cgroup rw,memory\n"})
        CHECK(read_hierarchies(mounts, "0::/\n").empty());
    CHECK(read_hierarchies(unified_mounts, "").empty());
    CHECK(read_hierarchies(unified_mounts, "nonsense\n:::\n0::relative\n").empty());
}

TEST_CASE("numbers of version 2") {
    const char* const cpu = "usage_usec 1500\nuser_usec 1000\nsystem_usec 500\nnr_periods 0\n";
    CHECK(number_of_key(cpu, "user_usec") == 1000U);
    CHECK(number_of_key(cpu, "system_usec") == 500U);
    CHECK_FALSE(number_of_key(cpu, "usec"));
    CHECK(number_of_key("low 0\nhigh 0\nmax 12\noom 2\noom_kill 3\noom_group_kill 1\n", "oom_kill") == 3U);
    CHECK(number_of_key("populated 0\nfrozen 0\n", "populated") == 0U);
    CHECK(only_number("1048576\n") == 1048576U);
    CHECK_FALSE(only_number("max\n"));
    CHECK_FALSE(only_number(""));
    CHECK(holds_word("cpuset cpu io memory hugetlb pids rdma\n", "memory"));
    CHECK(holds_word("cpuset cpu io memory hugetlb pids\n", "pids"));
    CHECK_FALSE(holds_word("cpuset\n", "cpu"));
    CHECK_FALSE(holds_word("", "memory"));
}

TEST_CASE("numbers of version 1") {
    const char* const control = "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n";
    CHECK(number_of_key(control, "oom_kill") == 2U);
    CHECK(number_of_key("oom_kill_disable 0\nunder_oom 0\n", "oom_kill") == std::nullopt); // before Linux 4.13
    const char* const stat = "cache 1\nrss 2\ntotal_cache 8192\ntotal_rss 4096\ntotal_shmem 1024\n";
    CHECK(number_of_key(stat, "total_cache") == 8192U);
    CHECK(number_of_key(stat, "total_shmem") == 1024U);
    CHECK(only_number("9223372036854771712\n") == 9223372036854771712U);
    CHECK_FALSE(only_number("-1\n"));
    CHECK_FALSE(number_of_key("oom_kill two\n", "oom_kill"));
}
