// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/asked.hpp"
#include "tests/catch.h"

using namespace holdfast;
using study::asked_digest;

namespace {

Workload scan() {
    Workload workload;
    workload.name = "scan";
    workload.role = Role::holdout;
    workload.inputs = {"data/a.txt", "data/a.txt.index"};
    workload.run = {"scan", "{inputs}/a.txt", "--index={inputs}/a.txt.index"};
    return workload;
}

const std::vector<std::string> contents{"c0ffee", "decade"};

} // namespace

TEST_CASE("what a workload asks is its data and commands, not what they are called") {
    const std::string before = asked_digest(scan(), contents);
    Workload same = scan();
    same.name = "other";
    same.weight = 3;
    same.card.about = "another text";
    same.check.standard_output.emplace();
    same.variants.push_back({"renamed", {"make"}, {}});
    same.seeds = {7, 8}; // no command takes one
    same.inputs = {"else/b.txt", "else/i"};
    same.run = {"scan", "{inputs}/b.txt", "--index={inputs}/i"};
    CHECK(asked_digest(same, contents) == before);

    CHECK(asked_digest(scan(), {"c0ffee", "facade"}) != before);
    CHECK(asked_digest(scan(), {"decade", "c0ffee"}) != before); // each in the other's place
    Workload other = scan();
    other.run.emplace_back("--all");
    CHECK(asked_digest(other, contents) != before);
    other = scan();
    other.prepare = {"load"};
    CHECK(asked_digest(other, contents) != before);
    other = scan();
    other.server = Server{{"serve"}, {}, {}, false};
    CHECK(asked_digest(other, contents) != before);
}

TEST_CASE("seeds are asked where a command takes one, and fresh ones by their generator alone") {
    Workload made = scan();
    made.generate = {"gen", "{seed}", "{generated}/x"};
    made.seeds = {1, 2};
    Workload reordered = made, others = made;
    reordered.seeds = {2, 1, 2};
    others.seeds = {1, 3};
    CHECK(asked_digest(reordered, contents) == asked_digest(made, contents));
    CHECK(asked_digest(others, contents) != asked_digest(made, contents));

    Workload fresh = made, more = made, another = made;
    fresh.fresh_seeds = 3;
    more.fresh_seeds = 5;
    more.seeds = {9};
    more.run.emplace_back("--all");
    another.fresh_seeds = 3;
    another.generate.emplace_back("--large");
    CHECK(asked_digest(more, contents) == asked_digest(fresh, contents));
    CHECK(asked_digest(another, contents) != asked_digest(fresh, contents));
}

TEST_CASE("a study tells what it asked, an older one nothing") {
    study::StudyRecord record;
    CHECK_FALSE(study::asked_digests(record));
    record.options_json = R"({"kind": "measure"})";
    CHECK_FALSE(study::asked_digests(record));
    record.options_json = R"({"kind": "measure", "held-out": ["a", "b", 7]})";
    CHECK(study::asked_digests(record) == std::vector<std::string>{"a", "b"});
}
