// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite through its shell.
#include "tests/catch.h"
#include "tests/integration/server_project.hpp"

using namespace holdfast;
using namespace holdfast::test;
using nlohmann::json;

namespace {

app::Catalogue small() {
    app::Catalogue catalogue = ask_catalogue(app::ServerKind::sqlite);
    for (std::vector<Workload>* workloads : {&catalogue.tuning, &catalogue.holdout})
        for (Workload& workload : *workloads)
            for (Argv* argv : {&workload.prepare, &workload.run})
                for (std::string& word : *argv)
                    if (word.starts_with("CREATE TABLE scale"))
                        word = workloads == &catalogue.tuning ? "CREATE TABLE scale AS SELECT 4000 AS rows"
                                                              : "CREATE TABLE scale AS SELECT 7000 AS rows";
    for (app::CatalogueFile& file : catalogue.files)
        if (file.path == "bench/writes.sql") // each statement waits for the disk
            file.text = "UPDATE orders SET amount = amount + 1 WHERE customer = 131;\n"
                        "INSERT INTO orders (customer, day, amount, note) VALUES (1, 1, 3, 'new');\n"
                        "SELECT count(*), sum(id), sum(customer * amount), max(note) FROM orders;\n";
    return catalogue;
}

} // namespace

TEST_CASE("SQLite is measured reading, writing and loading, with its answers compared") {
    const ServerProject project(small(),
                                {"cache_size", "page_size", "mmap_size", "temp_store", "journal_mode", "synchronous"});
    const Ran valid = project.holdfast({"validate"});
    INFO(valid.out << valid.err);
    REQUIRE(valid.code == 0);
    const json measured = project.document({"measure", "--rounds", "6", "--set", "cache_size=-16000", "--set",
                                            "page_size=8192", "--set", "mmap_size=67108864"});
    INFO(measured.dump(1));
    REQUIRE(measured.at("effects").at("workloads").size() == 3);
    for (const json& workload : measured.at("effects").at("workloads"))
        CHECK(workload.at("rounds") == 6);
}

TEST_CASE("synchronous=OFF carries its flag through a study") {
    app::Catalogue catalogue = small();
    catalogue.tuning = {workload_of(catalogue.tuning, "writes")};
    catalogue.holdout = {workload_of(catalogue.holdout, "writes at another scale")};
    const ServerProject project(catalogue, {"cache_size", "synchronous"});
    const json trial = project.decided({"synchronous=0"});
    INFO(trial.dump(1));
    CHECK(trial.at("flags").dump().find("\"durability: synchronous = 0\"") != std::string::npos);
    CHECK(trial.at("verdict") != "failed");
    CHECK(trial.at("verdict") != "incorrect");
}
