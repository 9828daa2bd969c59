// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/fingerprint.hpp"
#include "tests/catch.h"

#include <nlohmann/json.hpp>
#include <vector>

using namespace holdfast;
using nlohmann::json;
using Differences = std::vector<std::string>;

namespace {

const json machine = {{"cpu", "A CPU"},      {"cores", 4},    {"memory_bytes", 8103428096}, {"kernel", "6.1.0-21"},
                      {"governor", nullptr}, {"turbo", true}, {"mitigations", "aa11"},      {"huge_pages", "never"}};

json with(const char* key, const json& value) {
    json changed = machine;
    changed[key] = value;
    return changed;
}

} // namespace

TEST_CASE("a fingerprint follows what moves results and nothing else") {
    const std::string fingerprint = study::make_fingerprint(machine.dump());
    CHECK(fingerprint.size() == 64);
    CHECK(study::make_fingerprint(with("load", 3.5).dump()) == fingerprint);
    CHECK(study::make_fingerprint(with("fingerprint", "anything").dump()) == fingerprint);
    // The kernel keeps a few MiB more or less for itself from one start to the next.
    CHECK(study::make_fingerprint(with("memory_bytes", 8103428096 - (5 << 20)).dump()) == fingerprint);
    for (const auto& [key, value] : {std::pair<const char*, json>{"cpu", "B CPU"},
                                     {"cores", 8},
                                     {"memory_bytes", 4 << 30},
                                     {"kernel", "6.5"},
                                     {"governor", "powersave"},
                                     {"turbo", false},
                                     {"mitigations", "bb22"},
                                     {"huge_pages", "always"}}) {
        INFO(key);
        CHECK(study::make_fingerprint(with(key, value).dump()) != fingerprint);
        CHECK(study::machine_differences(machine.dump(), with(key, value).dump()).size() == 1);
    }
}

TEST_CASE("differences between machines are told in words") {
    const auto differences = [](const char* key, const json& value) {
        return study::machine_differences(machine.dump(), with(key, value).dump());
    };
    CHECK(differences("governor", "powersave") == Differences{"governor: unknown → powersave"});
    CHECK(differences("cores", 8) == Differences{"cores: 4 → 8"});
    CHECK(differences("turbo", false) == Differences{"turbo: yes → no"});
    CHECK(differences("memory_bytes", 17179869184) == Differences{"memory: 8 GiB → 16 GiB"});
    CHECK(differences("mitigations", "bb22") == Differences{"mitigations of the processor's flaws: another"});
    CHECK(differences("kernel", "\x1b[2J6") == Differences{"kernel: 6.1.0-21 → \\x1b[2J6"});
    CHECK(differences("load", 1).empty());
}

TEST_CASE("what an older version did not read tells nothing") {
    json older = machine;
    older.erase("mitigations");
    older.erase("huge_pages");
    CHECK(study::machine_differences(older.dump(), machine.dump()).empty());
    CHECK(study::fingerprint_of(older.dump()).empty());
    CHECK(study::fingerprint_of(with("fingerprint", "ab").dump()) == "ab");
    for (const char* damaged : {"", "[]", "null", "{", "7", R"({"fingerprint": 7})"}) {
        INFO(damaged);
        CHECK(study::fingerprint_of(damaged).empty());
        CHECK(study::machine_differences(damaged, machine.dump()).empty());
    }
}
