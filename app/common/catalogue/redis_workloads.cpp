// SPDX-License-Identifier: GPL-3.0-or-later
// redis-benchmark without random keys, and structures written and summed up again, so that what is left is the same in
// every run.
#include "app/common/catalogue/parts.hpp"

namespace holdfast::app::catalogue {

namespace {

constexpr const char* benchmark_script = R"sh(#!/bin/sh
# benchmark.sh BIN PORT OUT REQUESTS OPTIONS...: redis-benchmark with OPTIONS, then what it must have left
set -eu
bin=$1 port=$2 out=$3 requests=$4
shift 4
"$bin/redis-benchmark" -h 127.0.0.1 -p "$port" -q -n "$requests" "$@" > "$out/benchmark.txt"
{
    echo DBSIZE
    echo GET counter:__rand_int__
    echo STRLEN key:__rand_int__
    echo LLEN mylist
    echo SCARD myset
    echo HLEN myhash
} | "$bin/redis-cli" -h 127.0.0.1 -p "$port" > "$out/answers.txt"
)sh";

constexpr const char* structures_script = R"sh(#!/bin/sh
# structures.sh BIN PORT OUT COUNT: COUNT fields, members and elements written through one connection, then summed up
set -eu
bin=$1 port=$2 out=$3 count=$4
awk -v n="$count" 'BEGIN {
    for (i = 1; i <= n; i++) {
        printf "HSET hash:%d field:%d %d\r\n", i % 97, i % 701, i
        printf "ZADD sorted:%d %d member:%d\r\n", i % 13, i * 7919 % 10007, i % 1009
        printf "SADD numbers:%d %d\r\n", i % 29, i * 31 % 5003
        printf "RPUSH list:%d element:%d\r\n", i % 7, i
    }
}' > /tmp/commands
"$bin/redis-cli" -h 127.0.0.1 -p "$port" --pipe < /tmp/commands > "$out/pipe.txt"
"$bin/redis-cli" -h 127.0.0.1 -p "$port" EVAL "
    local sums = {0, 0, 0, 0}
    for i = 0, 96 do for _, v in ipairs(redis.call('HVALS', 'hash:' .. i)) do sums[1] = sums[1] + v end end
    for i = 0, 12 do
        local all = redis.call('ZRANGE', 'sorted:' .. i, 0, -1, 'WITHSCORES')
        for j = 2, #all, 2 do sums[2] = sums[2] + j * all[j] end
    end
    for i = 0, 28 do for _, v in ipairs(redis.call('SMEMBERS', 'numbers:' .. i)) do sums[3] = sums[3] + v end end
    for i = 0, 6 do sums[4] = sums[4] + redis.call('LLEN', 'list:' .. i) end
    return sums" 0 > "$out/answers.txt"
)sh";

struct Maker {
    std::string program, bin;

    Workload server(const std::string& name) const {
        Workload workload;
        workload.name = name;
        workload.server = Server{{program, "--port", "{port}", "--bind", "127.0.0.1", "--dir", "{scratch}", "{knobs}"},
                                 {bin + "/redis-cli", "-e", "-h", "127.0.0.1", "-p", "{port}", "PING"},
                                 {},
                                 false};
        workload.check.files = {{"answers.txt", std::nullopt}};
        return workload;
    }

    Workload benchmark(const std::string& name, const std::string& requests, const Argv& options) const {
        Workload workload = server(name);
        workload.run = {"/bin/sh", "{source}/bench/benchmark.sh", bin, "{port}", "{out}", requests};
        workload.run.insert(workload.run.end(), options.begin(), options.end());
        return workload;
    }

    Workload structures(const std::string& name, const std::string& count) const {
        Workload workload = server(name);
        workload.run = {"/bin/sh", "{source}/bench/structures.sh", bin, "{port}", "{out}", count};
        return workload;
    }
};

} // namespace

void add_redis_workloads(Catalogue& catalogue, const std::filesystem::path& program) {
    const Maker make{program.native(), program.parent_path().native()};
    catalogue.files = {{"bench/benchmark.sh", benchmark_script}, {"bench/structures.sh", structures_script}};
    catalogue.tuning = {
        make.benchmark("commands", "20000", {"-c", "20", "-P", "4", "-d", "64", "-t", "set,get,incr,lpush,sadd,hset"}),
        make.structures("structures", "20000")};
    catalogue.holdout = {
        make.benchmark("larger values", "15000", {"-c", "40", "-d", "1024", "-t", "set,get,incr,rpush,hset"}),
        make.structures("more structures", "35000")};
    catalogue.limits = {{"peak-memory", 0.5, std::nullopt}};
    catalogue.notes = {"Every setting below was asked of " + catalogue.version + ".",
                       "The workloads are redis-benchmark's and a load of structures: replace them by your own "
                       "commands.",
                       "Knobs that touch durability or security are not searched; a change of one is a flag."};
    if (!make.bin.starts_with("/usr/"))
        catalogue.sandbox.read = {make.bin};
}

} // namespace holdfast::app::catalogue
