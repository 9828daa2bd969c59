// SPDX-License-Identifier: GPL-3.0-or-later
// A real Redis with redis-benchmark and structures whose content is summed up.
#include "tests/catch.h"
#include "tests/integration/server_project.hpp"

using namespace holdfast;
using namespace holdfast::test;
using nlohmann::json;

namespace {

app::Catalogue small() {
    app::Catalogue catalogue = ask_catalogue(app::ServerKind::redis);
    for (std::vector<Workload>* workloads : {&catalogue.tuning, &catalogue.holdout})
        for (Workload& workload : *workloads)
            workload.run[5] = workload.run[5] == "35000" || workload.run[5] == "15000" ? "1500" : "1000";
    return catalogue;
}

} // namespace

TEST_CASE("Redis is measured with its content compared") {
    const ServerProject project(small(), {"io-threads", "hz", "lazyfree-lazy-user-del", "hash-max-listpack-entries",
                                          "zset-max-listpack-entries", "appendonly", "appendfsync", "save"});
    const Ran valid = project.holdfast({"validate"});
    INFO(valid.out << valid.err);
    REQUIRE(valid.code == 0);
    const json measured = project.document({"measure", "--rounds", "8", "--set", "hash_max_listpack_entries=16",
                                            "--set", "hz=100", "--set", "lazyfree_lazy_user_del=yes"});
    INFO(measured.dump(1));
    REQUIRE(measured.at("effects").at("workloads").size() == 2);
    for (const json& workload : measured.at("effects").at("workloads"))
        CHECK(workload.at("rounds") == 8);
}

TEST_CASE("appendfsync no carries its flag through a study") {
    app::Catalogue catalogue = small();
    for (app::CatalogueKnob& each : catalogue.knobs) { // a server that keeps every write
        if (each.setting == "appendonly")
            each.knob.default_value = std::string("yes");
        if (each.setting == "appendfsync")
            each.knob.default_value = std::string("always");
    }
    catalogue.tuning = {workload_of(catalogue.tuning, "structures")};
    catalogue.holdout = {workload_of(catalogue.holdout, "more structures")};
    const ServerProject project(catalogue, {"appendonly", "appendfsync", "hz"});
    const json trial = project.decided({"appendfsync=no"});
    INFO(trial.dump(1));
    CHECK(trial.at("flags").dump().find("\"durability: appendfsync = no\"") != std::string::npos);
    CHECK(trial.at("verdict") != "failed");
    CHECK(trial.at("verdict") != "incorrect");
}
