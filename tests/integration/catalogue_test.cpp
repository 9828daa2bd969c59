// SPDX-License-Identifier: GPL-3.0-or-later
// What the real servers say about their settings.
#include "app/common/catalogue.hpp"
#include "app/common/places.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <set>
#include <string>

using namespace holdfast;
using namespace holdfast::app;
using Use = CatalogueKnob::Use;
using Applies = CatalogueKnob::Applies;

namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

Catalogue catalogue(ServerKind kind, std::uint64_t memory = 8 * gibibyte) {
    const auto runner = start_runner();
    REQUIRE(runner);
    auto result = catalogue_of(kind, **runner, {{}, memory});
    if (!result)
        FAIL(result.error().message());
    return std::move(*result);
}

const CatalogueKnob& find(const Catalogue& catalogue, const std::string& setting) {
    const auto found = std::find_if(catalogue.knobs.begin(), catalogue.knobs.end(),
                                    [&](const CatalogueKnob& each) { return each.setting == setting; });
    INFO(setting);
    REQUIRE(found != catalogue.knobs.end());
    return *found;
}

std::size_t count(const Catalogue& catalogue, Use use) {
    return static_cast<std::size_t>(std::count_if(catalogue.knobs.begin(), catalogue.knobs.end(),
                                                  [&](const CatalogueKnob& each) { return each.use == use; }));
}

/// What every catalogue promises.
void check_sound(const Catalogue& catalogue) {
    std::set<std::string> names;
    for (const CatalogueKnob& each : catalogue.knobs) {
        const Knob& knob = each.knob;
        INFO(each.setting);
        CHECK(names.insert(knob.name).second);
        CHECK(knob.target.find("{value}") != std::string::npos);
        CHECK_FALSE((each.use == Use::search && each.danger != Knob::Danger::none));
        if (knob.type == Knob::Type::categorical) {
            CHECK(knob.values.size() >= 2);
            CHECK(std::set<std::string>(knob.values.begin(), knob.values.end()).size() == knob.values.size());
            CHECK(std::find(knob.values.begin(), knob.values.end(), std::get<std::string>(knob.default_value)) !=
                  knob.values.end());
        } else if (knob.type != Knob::Type::boolean) {
            const double value = knob.type == Knob::Type::integer
                                     ? static_cast<double>(std::get<std::int64_t>(knob.default_value))
                                     : std::get<double>(knob.default_value);
            CHECK((knob.min <= value && value <= knob.max && knob.min < knob.max));
            CHECK((!knob.log_scale || knob.min > 0));
        }
    }
    CHECK(std::is_sorted(catalogue.knobs.begin(), catalogue.knobs.end(),
                         [](const CatalogueKnob& a, const CatalogueKnob& b) { return a.use < b.use; }));
    for (const auto* workloads : {&catalogue.tuning, &catalogue.holdout}) {
        CHECK(workloads->size() >= 2);
        for (const Workload& workload : *workloads)
            CHECK_FALSE((workload.check.empty() || workload.run.empty()));
    }
    CHECK_FALSE(catalogue.files.empty());
}

} // namespace

TEST_CASE("PostgreSQL tells types, ranges, units, classes and dangers") {
    const Catalogue the = catalogue(ServerKind::postgresql);
    check_sound(the);
    CHECK_THAT(the.version, Catch::Matchers::StartsWith("postgres (PostgreSQL) "));
    CHECK(count(the, Use::search) >= 12);
    CHECK(count(the, Use::listed) >= 100);

    const CatalogueKnob& work = find(the, "work_mem");
    CHECK((work.unit == "kB" && work.applies == Applies::session && work.use == Use::search));
    CHECK(work.knob.target == "--work_mem={value}kB");
    CHECK(work.knob.default_value == Value(std::int64_t{4096}));
    CHECK((work.knob.max == 8 * 1024 * 1024 / 16 && work.knob.log_scale)); // a sixteenth of the memory

    const CatalogueKnob& buffers = find(the, "shared_buffers");
    CHECK((buffers.unit == "MB" && buffers.applies == Applies::restart));
    CHECK(buffers.knob.default_value == Value(std::int64_t{128}));
    CHECK(buffers.knob.max == std::floor(0.4 * 8 * 1024));

    CHECK(find(the, "jit").knob.default_value == Value(true));
    CHECK(find(the, "random_page_cost").knob.default_value == Value(4.0));
    CHECK(find(the, "wal_buffers").knob.default_value == Value(std::string("-1")));
    CHECK(find(the, "checkpoint_timeout").unit == "s");

    for (const char* name : {"fsync", "synchronous_commit", "full_page_writes", "wal_level"})
        CHECK(find(the, name).danger == Knob::Danger::durability);
    CHECK(find(the, "ssl").danger == Knob::Danger::security);
    CHECK((find(the, "fsync").use == Use::fixed && find(the, "fsync").applies == Applies::reload));
    CHECK(find(the, "synchronous_commit").knob.values.size() == 5);
}

TEST_CASE("ranges are bounded by this machine's memory and hold the default") {
    const Catalogue small = catalogue(ServerKind::postgresql, gibibyte / 8);
    check_sound(small);
    CHECK(find(small, "shared_buffers").knob.max == 128); // less than the default is no range
    CHECK(find(small, "work_mem").knob.max == 128 * 1024 / 16);
}

TEST_CASE("Redis tells what it can be told") {
    const Catalogue the = catalogue(ServerKind::redis);
    check_sound(the);
    CHECK_THAT(the.version, Catch::Matchers::StartsWith("Redis server v="));
    CHECK(count(the, Use::search) >= 8);
    CHECK(count(the, Use::listed) >= 15);
    const CatalogueKnob& hz = find(the, "hz");
    CHECK(
        (hz.knob.name == "hz" && hz.knob.target == "--hz {value}" && hz.knob.default_value == Value(std::int64_t{10})));
    CHECK((hz.knob.min == 1 && hz.knob.max == 500 && hz.applies == Applies::session));
    CHECK((find(the, "io-threads").knob.name == "io_threads" && find(the, "io-threads").applies == Applies::restart));
    CHECK(find(the, "lazyfree-lazy-user-del").knob.values == std::vector<std::string>{"yes", "no"});
    CHECK(find(the, "loglevel").knob.values == std::vector<std::string>{"debug", "verbose", "notice", "warning"});
    for (const char* name : {"appendfsync", "appendonly", "save", "maxmemory-policy"}) {
        CHECK(find(the, name).danger == Knob::Danger::durability);
        CHECK(find(the, name).use == Use::fixed);
    }
    CHECK(find(the, "protected-mode").danger == Knob::Danger::security);
}

TEST_CASE("SQLite tells what it starts with and was compiled for") {
    const Catalogue the = catalogue(ServerKind::sqlite);
    check_sound(the);
    CHECK_THAT(the.version, Catch::Matchers::StartsWith("SQLite 3."));
    CHECK(find(the, "cache_size").knob.target == "PRAGMA cache_size={value};");
    CHECK(find(the, "cache_size").knob.default_value == Value(std::string("-2000")));
    CHECK(find(the, "page_size").knob.default_value == Value(std::string("4096")));
    for (const char* name : {"synchronous", "journal_mode"}) {
        CHECK(find(the, name).danger == Knob::Danger::durability);
        CHECK(find(the, name).use == Use::fixed);
    }
}

TEST_CASE("a server that is not there is named with its package") {
    const auto runner = start_runner();
    REQUIRE(runner);
    const auto missing = catalogue_of(ServerKind::redis, **runner, {"/nowhere/redis-server", 0});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().kind == Error::Kind::invalid);
    CHECK_THAT(missing.error().message(),
               ContainsSubstring("/nowhere/redis-server is no program") && ContainsSubstring("redis-server)"));
    const auto wrong = catalogue_of(ServerKind::postgresql, **runner, {"/bin/true", 0});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().kind == Error::Kind::failed);
}
