// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/knobs.hpp"
#include "tests/catch.h"
#include "tests/unit/project_fixture.hpp"

#include <limits>
#include <rapidcheck.h>

using namespace holdfast;
using namespace std::string_literals;

namespace {

const Project& project() {
    static const Project loaded = load(project_text()).value();
    return loaded;
}

Configuration with(const std::string& name, Value value) {
    Configuration configuration = project().defaults();
    configuration[name] = std::move(value);
    return configuration;
}

} // namespace

TEST_CASE("a knob's value is read from text exactly, inside its domain") {
    const auto read = [](const char* knob, std::string_view text) { return parse_value(*project().knob(knob), text); };
    CHECK(read("block_rows", "64").value() == Value(std::int64_t{64}));
    CHECK(read("block_rows", "8192").value() == Value(std::int64_t{8192}));
    CHECK(read("cache", "0.25").value() == Value(0.25));
    CHECK(read("cache", "2e-1").value() == Value(0.2));
    CHECK(read("opt", "-O3 -g").value() == Value("-O3 -g"s));
    CHECK(read("simd", "false").value() == Value(false));
    struct Row {
        const char* knob;
        std::string text, allowed;
    };
    const Row rows[] = {
        {"block_rows", "63", "an integer from 64 to 8192"},
        {"block_rows", "8193", "an integer"},
        {"block_rows", "64.0", "an integer"},
        {"block_rows", "+64", "an integer"},
        {"block_rows", " 64", "an integer"},
        {"block_rows", "64 ", "an integer"},
        {"block_rows", "0x80", "an integer"},
        {"block_rows", "", "an integer"},
        {"block_rows", "99999999999999999999", "an integer"},
        {"block_rows", "64\0"s, "an integer"},
        {"cache", "1", "a number from 0.1 to 0.9"},
        {"cache", "nan", "a number"},
        {"cache", "inf", "a number"},
        {"cache", "0,5", "a number"},
        {"opt", "-O1", "\"-O2\" or \"-O3 -g\""},
        {"opt", "", "\"-O2\""},
        {"simd", "1", "true or false"},
        {"simd", "True", "true or false"},
    };
    for (const Row& row : rows) {
        INFO(row.knob << " " << row.text);
        const auto value = read(row.knob, row.text);
        REQUIRE_FALSE(value);
        CHECK(value.error().kind == Error::Kind::invalid);
        CHECK_THAT(value.error().message(), ContainsSubstring(row.knob));
        CHECK_THAT(value.error().remedy, ContainsSubstring(row.allowed));
    }
}

TEST_CASE("a configuration is admitted when it is complete, in its domains and meets the constraints") {
    CHECK(admit(project(), project().defaults()));
    CHECK(feasible(project(), project().defaults()));
    struct Row {
        Configuration configuration;
        std::string message;
    };
    Configuration incomplete = project().defaults();
    incomplete.erase("opt");
    const Row rows[] = {
        {with("block_rows", std::int64_t{100}), "\"block_rows % 64 == 0\" does not hold with block_rows=100"},
        {with("block_rows", std::int64_t{32}), "set the knob \"block_rows\": 32. Give an integer from 64 to 8192."},
        {with("block_rows", 512.0), "an integer"},
        {with("cache", std::int64_t{0}), "a number from 0.1"},
        {with("cache", std::numeric_limits<double>::quiet_NaN()), "a number from 0.1"},
        {with("opt", true), "\"-O2\" or \"-O3 -g\""},
        {with("block_row", std::int64_t{64}), "The nearest knob is \"block_rows\""},
        {with("zzz\x1b", true), "the knob \"zzz\\x1b\": the project has no such knob. The knobs are"},
        {incomplete, "set the knob \"opt\": no value"},
        {{}, "no value"},
    };
    for (const Row& row : rows) {
        const auto result = admit(project(), row.configuration);
        REQUIRE_FALSE(result);
        CHECK_THAT(result.error().message(), ContainsSubstring(row.message));
    }
    CHECK_FALSE(feasible(project(), with("block_rows", std::int64_t{100})));
    CHECK_FALSE(feasible(project(), {})); // cannot be evaluated
    Configuration slow = with("opt", "-O3 -g"s);
    CHECK(feasible(project(), slow));
    slow["simd"] = false;
    CHECK_FALSE(feasible(project(), slow));
}

TEST_CASE("configurations go to JSON and back") {
    CHECK(to_json(project().defaults()) == R"({"block_rows":512,"cache":0.5,"opt":"-O2","simd":true})");
    CHECK(to_json({}) == "{}");
    CHECK(configuration_from_json(project(), to_json(project().defaults())).value() == project().defaults());
    CHECK(rc::check([] {
        Configuration configuration;
        configuration["block_rows"] = *rc::gen::inRange<std::int64_t>(64, 8193);
        configuration["cache"] = 0.1 + 0.8 * *rc::gen::inRange(0, 999'999) / 1e6;
        configuration["opt"] = *rc::gen::element("-O2"s, "-O3 -g"s);
        configuration["simd"] = *rc::gen::arbitrary<bool>();
        const auto back = configuration_from_json(project(), to_json(configuration));
        RC_ASSERT(back);
        RC_ASSERT(*back == configuration);
        for (const auto& [name, value] : configuration)
            RC_ASSERT(parse_value(*project().knob(name), to_text(value)).value() == value);
    }));
}

TEST_CASE("a real knob's integral value stays real through JSON") {
    const Project whole =
        load(project_text(
                 {{"constraints", ""}, {"knobs", R"([{"name": "k", "type": "real", "min": 0, "max": 9, "default": 1,
                                                            "through": {"environment": "K"}}])"}}))
            .value();
    CHECK(whole.defaults() == Configuration{{"k", 1.0}});
    CHECK(configuration_from_json(whole, to_json(whole.defaults())).value() == whole.defaults());
}

TEST_CASE("JSON that is no configuration is refused") {
    struct Row {
        std::string json, message;
    };
    const std::string rest = R"("cache":0.5,"opt":"-O2","simd":true})";
    const Row rows[] = {
        {"", "line 1, column 1"},
        {"[1]", "an array"},
        {"{\"block_rows\":512}", "no value"},
        {"{\"block_rows\":512.0," + rest, "an integer"},
        {"{\"block_rows\":\"512\"," + rest, "the text \"512\""},
        {"{\"block_rows\":2.9," + rest, "the number 2.9"},
        {"{\"block_rows\":99999999999999999999," + rest, "99999999999999999999"},
        {"{\"block_rows\":null," + rest, "null"},
        {"{\"block_rows\":512,\"block_rows\":64," + rest, "a second time"},
        {"{\"block_rows\":512,\"blok_rows\":64," + rest, "The nearest knob is \"block_rows\""},
        {R"({"block_rows":512,"cache":true,"opt":"-O2","simd":true})", "a number from"},
        {R"({"block_rows":512,"cache":0.5,"opt":"-O2","simd":1})", "true or false"},
        {R"({"block_rows":512,"cache":0.5,"opt":"\u0000","simd":true})", "\\x00"},
        {"\xff", "not UTF-8"},
        {std::string(10'000, '['), "64 levels"},
    };
    for (const Row& row : rows) {
        INFO(row.json.substr(0, 100));
        const auto configuration = configuration_from_json(project(), row.json);
        REQUIRE_FALSE(configuration);
        CHECK_THAT(configuration.error().message(), ContainsSubstring(row.message));
    }
}

TEST_CASE("places expand in every word, once, and knob arguments stand where {knobs} says") {
    const Places places{{"source", "/s"}, {"build", "{source}"}, {"out", ""}};
    CHECK(expand({"{build}/p", "{source}{source}", "x{out}y", "{other}", "{"}, places) ==
          Argv{"{source}/p", "/s/s", "xy", "{other}", "{"});
    CHECK(expand({"p", "{knobs}", "x"}, places, {"-a", "{source}"}) == Argv{"p", "-a", "{source}", "x"});
    CHECK(expand({"p", "x"}, places, {"-a", "-b"}) == Argv{"p", "x", "-a", "-b"});
    CHECK(expand({"p", "{knobs}"}, places) == Argv{"p"});
    CHECK(expand({}, places).empty());
    CHECK(expand({"awk", "{print $1}", "${HOME}"}, places) == Argv{"awk", "{print $1}", "${HOME}"});
}

TEST_CASE("each knob reaches the program the way the project says") {
    const Configuration configuration = with("opt", "-O3 -g"s);
    CHECK(knob_arguments(project(), configuration) == Argv{"--block-rows=512", "true"});
    using Variables = std::vector<std::pair<std::string, std::string>>;
    CHECK(knob_environment(project(), configuration) == Variables{{"CACHE", "0.5"}});
    CHECK(build_commands(project(), configuration) ==
          std::vector<Argv>{{"cmake", "-S", "{source}", "-B", "{build}", "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -g"},
                            {"cmake", "--build", "{build}"}});
}

TEST_CASE("only cmake's configure commands get definitions") {
    Project changed = project();
    const std::string definition = "-DCMAKE_CXX_FLAGS_RELEASE=-O2";
    const std::pair<Argv, bool> rows[] = {
        {{"cmake"}, true},
        {{"cmake", "{source}"}, true},
        {{"/usr/bin/cmake", "-S", "."}, true},
        {{"cmake", "--preset", "release"}, true},
        {{"cmake", "--build", "."}, false},
        {{"cmake", "--install", "."}, false},
        {{"cmake", "-E", "copy", "a", "b"}, false},
        {{"cmake", "-P", "x.cmake"}, false},
        {{"ccmake", "."}, false},
        {{"make", "cmake"}, false},
    };
    for (const auto& [command, configures] : rows) {
        changed.build = {command};
        Argv expected = command;
        if (configures)
            expected.push_back(definition);
        CHECK(build_commands(changed, changed.defaults()) == std::vector<Argv>{expected});
    }
}
