// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite's shell on a small shop: queries, transactions of one row each, and a database made anew.
#include "app/common/catalogue/parts.hpp"

namespace holdfast::app::catalogue {

namespace {

constexpr const char* load = R"sql(-- The table `scale` says how many orders.
BEGIN;
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, day INTEGER, amount INTEGER, note TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO customers SELECT i, 'customer ' || i, 'city ' || (i * 7919 % 97) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < (SELECT rows FROM scale))
    INSERT INTO orders SELECT i, 1 + i * 104729 % 2000, i * 31337 % 365, i * 15485863 % 10000,
                              printf('note %d of an order that has some more text', i) FROM n;
CREATE INDEX by_customer ON orders (customer);
COMMIT;
)sql";

constexpr const char* reads = R"sql(-- Joins, groups and sorts that do not fit in a small cache.
SELECT city, count(*), sum(amount) FROM orders JOIN customers ON customers.id = customer GROUP BY city ORDER BY 3 DESC, 1 LIMIT 10;
SELECT day % 7, count(DISTINCT customer), total(amount) FROM orders GROUP BY 1 ORDER BY 1;
SELECT id, note FROM orders ORDER BY amount DESC, note, id LIMIT 20 OFFSET 1000;
SELECT sum(a.amount * b.amount % 7) FROM orders a JOIN orders b ON b.customer = a.customer AND b.day = a.day;
)sql";

constexpr const char* sums = R"sql(SELECT count(*), sum(id), sum(customer * amount), max(note) FROM orders;
PRAGMA integrity_check;
)sql";

/// Every statement is a transaction of its own.
std::string writes_text() {
    std::string text = "-- One transaction each.\n";
    for (int i = 1; i <= 15; ++i)
        text += "UPDATE orders SET amount = amount + " + std::to_string(i) +
                " WHERE customer = " + std::to_string(i * 131) +
                ";\nINSERT INTO orders (customer, day, amount, note) VALUES (" + std::to_string(i) + ", 1, " +
                std::to_string(i * 3) + ", 'new');\n";
    return text + sums;
}

struct Maker {
    std::string program;

    Workload shell(const std::string& name, const std::string& file, const Argv& more) const {
        Workload workload;
        workload.name = name;
        workload.run = {program, "-bail", "-batch", file, "{knobs}", ".output {out}/answers.txt"};
        workload.run.insert(workload.run.end(), more.begin(), more.end());
        workload.check.files = {{"answers.txt", std::nullopt}};
        return workload;
    }

    Workload loaded(const std::string& name, const std::string& rows, const std::string& script) const {
        Workload workload = shell(name, "{scratch}/shop.db", {".read {source}/bench/" + script});
        workload.prepare = {program, "-bail", "{prepared}/shop.db", "CREATE TABLE scale AS SELECT " + rows + " AS rows",
                            ".read {source}/bench/load.sql"};
        return workload;
    }

    Workload making(const std::string& name, const std::string& rows) const {
        return shell(name, "{scratch}/made.db",
                     {"CREATE TABLE scale AS SELECT " + rows + " AS rows", ".read {source}/bench/load.sql",
                      ".read {source}/bench/sums.sql"});
    }
};

} // namespace

void add_sqlite_workloads(Catalogue& catalogue, const std::filesystem::path& program) {
    const Maker make{program.native()};
    catalogue.files = {{"bench/load.sql", load},
                       {"bench/reads.sql", reads},
                       {"bench/writes.sql", writes_text()},
                       {"bench/sums.sql", sums}};
    catalogue.tuning = {make.loaded("reads", "40000", "reads.sql"), make.loaded("writes", "40000", "writes.sql"),
                        make.making("load", "40000")};
    catalogue.holdout = {make.loaded("reads at another scale", "90000", "reads.sql"),
                         make.loaded("writes at another scale", "90000", "writes.sql"),
                         make.making("load at another scale", "90000")};
    catalogue.limits = {{"peak-memory", 1.0, std::nullopt}};
    catalogue.notes = {"Every setting below was asked of " + catalogue.version + " (" + program.native() + ").",
                       "The workloads are queries, small transactions and the making of a small shop: replace them by "
                       "your own schema and statements.",
                       "Knobs that touch durability or security are not searched; a change of one is a flag."};
    if (!program.native().starts_with("/usr/"))
        catalogue.sandbox.read = {program.parent_path().native()};
}

} // namespace holdfast::app::catalogue
