// SPDX-License-Identifier: GPL-3.0-or-later
// Patches of a C program through the real program, on this machine with its noise: those that change nothing are not
// proposed, those that save work are. The twenty and five take minutes and a machine at rest: only with HOLDFAST_FULL.
#include "tests/catch.h"
#include "tests/integration/written_project.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

using namespace holdfast::test;
using nlohmann::json;

namespace {

/// Mixes a number again and again; every pass gives the same answer, so fewer passes are an honest gain.
const char* const program = R"c(#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((used)) const char note[] = "note 0";
enum { passes = 10 };

static uint64_t mixed(uint64_t seed, long steps) {
    uint64_t x = seed;
    for (long i = 0; i < steps; ++i) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        x ^= x >> 33;
    }
    return x;
}

int main(int count, char** words) {
    FILE* in = count > 1 ? fopen(words[1], "r") : NULL;
    volatile unsigned long seed = 0;
    unsigned long given = 0;
    long steps = 0;
    if (in == NULL || fscanf(in, "%lu %ld", &given, &steps) != 2)
        return 1;
    uint64_t answer = 0;
    for (int pass = 0; pass < passes; ++pass) {
        seed = given;
        answer = mixed(seed, steps);
    }
    FILE* out = fopen("answer.txt", "w");
    if (out == NULL)
        return 1;
    fprintf(out, "%llu\n", (unsigned long long)answer);
    return fclose(out) == 0 ? 0 : 1;
}
)c";

std::string workload(const std::string& name, const std::string& input) {
    const std::string file = input.substr(input.rfind('/') + 1);
    return fmt::format(R"({{ "name": "{}", "inputs": ["{}"], "run": ["{{build}}/mix", "{{inputs}}/{}"], )"
                       R"("check": {{ "files": {{ "answer.txt": "same" }} }} }})",
                       name, input, file);
}

WrittenProject mixing() {
    return WrittenProject({{"mix.c", program},
                           {"data/a.txt", "17 150000\n"},
                           {"data/b.txt", "4711 200000\n"},
                           {".holdfast/secret/c.txt", "99 170000\n"},
                           {".holdfast/holdout.json",
                            fmt::format(R"({{ "workloads": [{}] }})", workload("unseen", ".holdfast/secret/c.txt"))},
                           {"holdfast.json", fmt::format(R"({{
  "name": "mix",
  "build": [["cc", "-O2", "-o", "{{build}}/mix", "{{source}}/mix.c"]],
  "objective": "wall",
  "workloads": [{}, {}],
  "code": {{ "editable": ["mix.c"], "protected": ["data/**"] }},
  "probe": {{ "sanitizers": [], "inputs": 0 }},
  "decision": {{ "max-confirmations": 25 }}
}}
)",
                                                         workload("a", "data/a.txt"), workload("b", "data/b.txt"))}});
}

} // namespace

TEST_CASE("patches that change nothing are not proposed, patches that save work are") {
    const bool full = std::getenv("HOLDFAST_FULL") != nullptr;
    const int useless = full ? 20 : 1;
    const std::vector<int> passes = full ? std::vector<int>{8, 7, 6, 5, 4} : std::vector<int>{};
    const WrittenProject project = mixing();
    const auto propose = [&](const std::string& from, const std::string& to) {
        const Ran ran = project.holdfast({"propose", "--patch", project.patch("mix.c", from, to)});
        INFO(ran.out << ran.err);
        REQUIRE(ran.code == 0);
    };
    for (int i = 1; i <= useless; ++i) // another executable that does the same
        propose("note 0", fmt::format("note {}", i));
    for (const int fewer : passes)
        propose("passes = 10", fmt::format("passes = {}", fewer));
    const Ran ran = project.holdfast({"run", "--tuner", "patch", "--seed", "11"});
    INFO(ran.out << ran.err);
    REQUIRE((ran.code == 0 || ran.code == 3));
    const json trials = project.document({"trials"}).at("trials");
    REQUIRE(trials.size() == static_cast<std::size_t>(useless) + passes.size());
    for (const json& trial : trials) {
        INFO(trial.dump(1));
        CHECK(trial.at("state") == "done");
        const bool proposed = trial.at("review") == "waiting";
        CHECK(proposed == (trial.at("number").get<int>() > useless));
    }
}
