// SPDX-License-Identifier: GPL-3.0-or-later
// A real PostgreSQL with pgbench, measured and studied as an ordinary user in the sandbox.
#include "tests/catch.h"
#include "tests/integration/server_project.hpp"

using namespace holdfast;
using namespace holdfast::test;
using nlohmann::json;

namespace {

/// Small enough for a test: scale 1 and 2, and few transactions.
app::Catalogue small() {
    app::Catalogue catalogue = ask_catalogue(app::ServerKind::postgresql);
    const auto shrink = [](std::vector<Workload>& workloads, const std::string& scale) {
        for (Workload& workload : workloads) {
            workload.generate.back() = scale;
            if (workload.run.back() == "2000" || workload.run.back() == "1500")
                workload.run.back() = "300";
            else if (workload.run.back() == "200" || workload.run.back() == "150")
                workload.run.back() = "20";
        }
    };
    for (app::CatalogueFile& file : catalogue.files) // a small log, since every run copies the cluster
        if (const std::size_t at = file.text.find("--no-sync"); at != std::string::npos)
            file.text.insert(at, "--wal-segsize=1 ");
    shrink(catalogue.tuning, "1");
    shrink(catalogue.holdout, "2");
    return catalogue;
}

/// Twenty commits that leave nothing behind, so that one server can be kept for all runs. `factor` makes the answer
/// another one: a held-out workload with the tuning one's answer would tell nothing.
std::string writes(int factor) {
    std::string text = "CREATE TABLE written (id integer, amount integer);\n";
    for (int i = 1; i <= 20; ++i)
        text +=
            "INSERT INTO written SELECT i, i * " + std::to_string(i * factor) + " FROM generate_series(1, 50) AS i;\n";
    return text + "SELECT count(*), sum(amount) FROM written;\nDROP TABLE written;\n";
}

const std::vector<std::string> knobs{"work_mem",         "shared_buffers",  "jit",
                                     "random_page_cost", "wal_compression", "checkpoint_timeout",
                                     "max_wal_size",     "fsync",           "synchronous_commit"};

} // namespace

TEST_CASE("PostgreSQL is measured reading, writing and reporting, with its answers compared") {
    const ServerProject project(small(), knobs);
    const Ran valid = project.holdfast({"validate"});
    INFO(valid.out << valid.err);
    REQUIRE(valid.code == 0);
    const json measured = project.document({"measure", "--rounds", "6", "--set", "work_mem=65536", "--set", "jit=false",
                                            "--set", "shared_buffers=64", "--set", "wal_compression=lz4"});
    INFO(measured.dump(1));
    REQUIRE(measured.at("effects").at("workloads").size() == 3);
    for (const json& workload : measured.at("effects").at("workloads"))
        CHECK(workload.at("rounds") == 6);
}

TEST_CASE("fsync=off and synchronous_commit=off carry their flags through a study") {
    app::Catalogue catalogue = small();
    catalogue.files.push_back({"bench/writes.sql", writes(1)});
    catalogue.files.push_back({"bench/other-writes.sql", writes(3)});
    catalogue.tuning = {workload_of(catalogue.tuning, "report")};
    catalogue.holdout = {workload_of(catalogue.holdout, "report at another scale")};
    for (std::vector<Workload>* workloads : {&catalogue.tuning, &catalogue.holdout})
        for (std::string& word : workloads->front().run)
            if (word == "{source}/bench/report.sql")
                word = workloads == &catalogue.tuning ? "{source}/bench/writes.sql" : "{source}/bench/other-writes.sql";
    const ServerProject project(catalogue, knobs);
    const json trial = project.decided({"fsync=false", "synchronous_commit=off"});
    INFO(trial.dump(1));
    const std::string flags = trial.at("flags").dump();
    CHECK(flags.find("\"durability: fsync = false\"") != std::string::npos);
    CHECK(flags.find("\"durability: synchronous_commit = off\"") != std::string::npos);
    CHECK(trial.at("verdict") != "failed");
    CHECK(trial.at("verdict") != "incorrect");
}
