// SPDX-License-Identifier: GPL-3.0-or-later
// pgbench at a fixed number of transactions and seed, so that what it leaves behind is the same in every run, and
// reports on a larger table.
#include "app/common/catalogue/parts.hpp"

namespace holdfast::app::catalogue {

namespace {

constexpr const char* load_script = R"sh(#!/bin/sh
# load.sh BIN FOLDER SCALE: a cluster in FOLDER/data with pgbench's tables and orders to report on
set -eu
bin=$1 data=$2/data scale=$3
"$bin/initdb" -D "$data" -U postgres -A trust --no-locale --no-sync > /dev/null
"$bin/pg_ctl" -D "$data" -s -w -l /tmp/load.log -o "-k /tmp -c listen_addresses=''" start
trap '"$bin/pg_ctl" -D "$data" -s -m fast stop' EXIT
"$bin/pgbench" -h /tmp -U postgres -i -q -s "$scale" postgres > /tmp/load.out 2>&1 || { cat /tmp/load.out >&2; exit 1; }
"$bin/psql" -h /tmp -U postgres -qX -v ON_ERROR_STOP=1 -v rows=$((scale * 50000)) postgres << 'SQL'
CREATE TABLE orders AS
    SELECT i AS id, i * 7919 % 1000 AS customer, i * 104729 % 365 AS day, (i * 31337 % 10000)::numeric / 100 AS amount
    FROM generate_series(1, :rows::bigint) AS i;
CREATE INDEX ON orders (customer, day);
ANALYZE orders;
SQL
)sh";

constexpr const char* run_script = R"sh(#!/bin/sh
# run.sh BIN PORT OUT OPTIONS...: pgbench with OPTIONS, then what must be the same whatever the settings
set -eu
bin=$1 port=$2 out=$3
shift 3
"$bin/pgbench" -h 127.0.0.1 -p "$port" -U postgres -n "$@" postgres > "$out/pgbench.txt"
grep 'actually processed' "$out/pgbench.txt" > "$out/answers.txt"
"$bin/psql" -h 127.0.0.1 -p "$port" -U postgres -AtX -v ON_ERROR_STOP=1 postgres >> "$out/answers.txt" << 'SQL'
SELECT count(*), sum(aid), sum(abalance) FROM pgbench_accounts;
SELECT count(*), sum(delta) FROM pgbench_history;
SELECT (SELECT sum(bbalance) FROM pgbench_branches) = (SELECT sum(tbalance) FROM pgbench_tellers);
SELECT md5(string_agg(aid || ':' || abalance, ',' ORDER BY aid)) FROM pgbench_accounts WHERE abalance <> 0;
SQL
)sh";

constexpr const char* report = R"sql(-- Aggregates, a join and a sort: memory, parallel workers and JIT.
SELECT customer, count(*), sum(amount), rank() OVER (ORDER BY sum(amount) DESC, customer)
    FROM orders GROUP BY customer ORDER BY 4 LIMIT 20;
SELECT a.day % 7, count(*), sum(b.amount) FROM orders a JOIN orders b USING (customer, day) GROUP BY 1 ORDER BY 1;
SELECT md5(string_agg(id::text, ',' ORDER BY amount DESC, id)) FROM orders;
)sql";

struct Maker {
    std::string bin;

    Workload server(const std::string& name, const std::string& scale, bool keep) const {
        Workload workload;
        workload.name = name;
        workload.generate = {"/bin/sh", "{source}/bench/load.sh", bin, "{generated}", scale};
        workload.prepare = {"cp", "-a", "{generated}/data", "{prepared}/data"};
        workload.server = Server{
            {bin + "/postgres", "-D", "{scratch}/data", "-h", "127.0.0.1", "-p", "{port}", "-k", "/tmp", "{knobs}"},
            {bin + "/pg_isready", "-q", "-h", "127.0.0.1", "-p", "{port}"},
            {},
            keep};
        workload.check.files = {{"answers.txt", std::nullopt}};
        return workload;
    }

    Workload transactions(const std::string& name, const std::string& scale, bool keep, const Argv& options) const {
        Workload workload = server(name, scale, keep);
        workload.run = {"/bin/sh", "{source}/bench/run.sh", bin, "{port}", "{out}", "--random-seed={seed}"};
        workload.run.insert(workload.run.end(), options.begin(), options.end());
        return workload;
    }

    Workload reports(const std::string& name, const std::string& scale) const {
        Workload workload = server(name, scale, true);
        workload.run = {bin + "/psql", "-h",
                        "127.0.0.1",   "-p",
                        "{port}",      "-U",
                        "postgres",    "-AtX",
                        "-v",          "ON_ERROR_STOP=1",
                        "-o",          "{out}/answers.txt",
                        "-f",          "{source}/bench/report.sql",
                        "postgres"};
        return workload;
    }
};

} // namespace

void add_postgresql_workloads(Catalogue& catalogue, const std::filesystem::path& program) {
    const Maker make{program.parent_path().native()};
    catalogue.files = {{"bench/load.sh", load_script}, {"bench/run.sh", run_script}, {"bench/report.sql", report}};
    // A server that only reads is kept between runs; one that writes starts from the same files each time.
    catalogue.tuning = {make.transactions("reads", "4", true, {"-S", "-c", "2", "-t", "2000"}),
                        make.transactions("mixed", "4", false, {"-c", "2", "-t", "200"}), make.reports("report", "4")};
    catalogue.holdout = {make.transactions("reads at another scale", "7", true, {"-S", "-c", "3", "-t", "1500"}),
                         make.transactions("mixed at another scale", "7", false, {"-c", "3", "-t", "150"}),
                         make.reports("report at another scale", "7")};
    catalogue.limits = {{"peak-memory", 1.0, std::nullopt}};
    catalogue.sandbox.disk_bytes = 4ULL << 30;
    catalogue.notes = {"Every setting below was asked of " + catalogue.version + " (" + program.native() + ").",
                       "The workloads are pgbench's, with a fixed number of transactions, and reports: replace them "
                       "by your own tables and queries.",
                       "Knobs that touch durability or security are not searched; a change of one is a flag."};
    if (!make.bin.starts_with("/usr/"))
        catalogue.sandbox.read = {program.parent_path().parent_path().native()};
}

} // namespace holdfast::app::catalogue
