// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are cut short, huge, in other encodings, or written to mislead.
#include "core/project/text.hpp"
#include "core/results/results.hpp"
#include "tests/catch.h"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <rapidcheck.h>
#include <string>

using namespace holdfast;
using namespace holdfast::results;

namespace {

std::optional<double> value_of(const File& file, const std::string& benchmark, const std::string& quantity) {
    const auto number = number_of(file, benchmark, quantity);
    return number ? std::optional(*number) : std::nullopt;
}

std::string written(const std::string& name) {
    std::ifstream file(std::string(HOLDFAST_SOURCE_DIR) + "/tests/data/results/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusal(const std::string& text) {
    const auto file = read(text);
    if (file)
        return "";
    CHECK_FALSE(file.error().remedy.empty());
    CHECK(file.error().kind == Error::Kind::invalid);
    return file.error().message();
}

std::string google(const std::string& rows) {
    return R"({"context": {}, "benchmarks": [)" + rows + "]}";
}

std::string row(const std::string& name, const std::string& more = "") {
    return fmt::format(R"({{"name": "{0}", "run_name": "{0}", "run_type": "iteration", "repetition_index": 0,
                            "real_time": 5, "cpu_time": 5, "time_unit": "ns"{1}}})",
                       name, more);
}

const char* const files[] = {"google.json", "hyperfine.json", "pytest.json", "catch2.xml"};

} // namespace

TEST_CASE("no file that is cut short gives numbers") {
    for (const char* name : files) {
        std::string whole = written(name);
        whole.resize(whole.find_last_of("}>") + 1);
        REQUIRE(read(whole));
        for (std::size_t size = 0; size < whole.size(); size += 1 + size / 40) {
            INFO(name << " cut to " << size);
            CHECK_FALSE(refusal(whole.substr(0, size)).empty());
        }
        CHECK_THAT(refusal(whole.substr(0, whole.size() - 1)), ContainsSubstring("cut short"));
    }
    const std::string csv = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,"
                            "iteration_count\ng,f,,,,100,ns,10\n";
    REQUIRE(read(csv));
    CHECK_THAT(refusal(csv.substr(0, csv.size() - 2)), ContainsSubstring("cut short"));
    CHECK_THAT(refusal(csv + "g,f,,,\n"), ContainsSubstring("a row has 5 cells in place of 8"));
    CHECK_THAT(refusal(csv + "g,\"f,,,\n"), ContainsSubstring("ends inside quotes"));
    CHECK_THAT(refusal(csv + "g,f,,,,100,ns,0\n"), ContainsSubstring("no iteration count above zero"));
    CHECK_THAT(refusal(csv + "g,f,,,,inf,ns,2\n"), ContainsSubstring("no measured value"));
}

TEST_CASE("any damage to a file is an error or gives finite numbers") {
    for (const char* name : files)
        CHECK(rc::check([whole = written(name)] {
            std::string text = whole;
            const int changes = *rc::gen::inRange(1, 4);
            for (int i = 0; i < changes; ++i)
                text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
            const auto file = read(text);
            if (!file)
                return;
            for (const Benchmark& benchmark : file->benchmarks) {
                RC_ASSERT(benchmark.error.empty() == !benchmark.quantities.empty());
                for (const Quantity& quantity : benchmark.quantities) {
                    RC_ASSERT(quantity.number().has_value());
                    RC_ASSERT(std::isfinite(*quantity.number()));
                }
            }
        }));
}

TEST_CASE("other encodings are named with the way out; a byte order mark of UTF-8 is none") {
    const std::string text = google(row("BM"));
    CHECK(read("\xef\xbb\xbf" + text));
    std::string wide = "\xff\xfe";
    for (const char c : text)
        wide += std::string{c, '\0'};
    CHECK_THAT(refusal(wide), ContainsSubstring("UTF-16"));
    CHECK_THAT(refusal(wide.substr(2)), ContainsSubstring("iconv -f UTF-16"));
    CHECK_THAT(refusal(google(row("BM_gr\xf6\xdf"
                                  "e"))),
               ContainsSubstring("iconv -f LATIN1"));
    CHECK_THAT(refusal("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><Catch name=\"\xe9\"></Catch>"),
               ContainsSubstring("not UTF-8"));
}

TEST_CASE("names are any text; what is shown of them is safe") {
    const File file = read(google(row("BM_\\u001b[31m\\u202egnp\\u0000x"))).value();
    CHECK(file.benchmarks.front().name == std::string("BM_\x1b[31m\u202egnp\0x", 16));
    const auto unknown = number_of(file, "\x1b[2J", "");
    REQUIRE_FALSE(unknown);
    CHECK(printable(unknown.error().message()) == unknown.error().message());
    CHECK_THAT(unknown.error().found, ContainsSubstring("\\x1b[31m\\u202egnp"));
    CHECK_THAT(refusal(google(row(std::string(5000, 'n')))), ContainsSubstring("a benchmark's name has 5000 bytes"));
    CHECK_THAT(refusal(google(row(""))), ContainsSubstring("name has 0 bytes"));
}

TEST_CASE("a key written twice cannot show one number and count another") {
    CHECK_THAT(refusal(google(row("BM", R"(, "real_time": 1)"))), ContainsSubstring("\"real_time\" twice"));
    CHECK_THAT(refusal(R"({"benchmarks": [)" + row("a") + R"(], "benchmarks": [)" + row("b") + "]}"),
               ContainsSubstring("\"benchmarks\" twice"));
}

TEST_CASE("benchmarks of one name") {
    const auto twice = read(google(row("BM") + "," + row("BM") + "," + row("other")));
    REQUIRE(twice);
    CHECK(twice->benchmarks.size() == 2);
    CHECK_FALSE(number_of(*twice, "BM", ""));
    CHECK(value_of(*twice, "other", "") == 5 / 1e9);
}

TEST_CASE("numbers that are none") {
    for (const char* bare : {"NaN", "Infinity", "-Infinity", "nan", "-nan", "inf", "-inf", "null", "\"5\""}) {
        std::string text = google(row("BM"));
        text.replace(text.find(": 5"), 3, fmt::format(": {}", bare));
        INFO(text);
        const auto file = read(text);
        REQUIRE(file);
        CHECK_FALSE(number_of(*file, "BM", ""));
    }
    CHECK_THAT(refusal(google(row("BM", R"(, "c": 1e999)"))), ContainsSubstring("beyond what a double holds"));
    CHECK_FALSE(refusal(google(row("BM", R"(, "c": Nan)"))).empty());
    const auto quoted = read(google(row("NaN -inf \\\" Infinity")));
    REQUIRE(quoted);
    CHECK(quoted->benchmarks.front().name == "NaN -inf \" Infinity");
}

TEST_CASE("files that are something else") {
    for (const char* text :
         {"", " ", "\n", "{}", "[]", "null", "5", "{\"benchmarks\": []}", "{\"results\": {}}", "<x/>", "<Catch/>",
          "a,b,c\n1,2,3\n", "hello", R"({"benchmarks": [5]})", R"([{"benchmark": "x"}])", "group,function,value,\n",
          "{\"reason\": \"benchmark-complete\"}"}) {
        INFO(text);
        CHECK_FALSE(refusal(text).empty());
    }
    CHECK_THAT(refusal("hello"), ContainsSubstring("google-benchmark, hyperfine, pytest-benchmark, jmh"));
    CHECK_FALSE(read(written("hyperfine.json"), Format::google_benchmark));
    CHECK_FALSE(read(written("google.json"), Format::catch2));
}

TEST_CASE("depth and entities are bounded") {
    CHECK_THAT(refusal(google(row("BM", ", \"x\": " + std::string(100, '[') + std::string(100, ']')))),
               ContainsSubstring("nested deeper than 64"));
    std::string deep = "<Catch>";
    for (int i = 0; i < 300; ++i)
        deep += "<Section name=\"s\">";
    CHECK_THAT(refusal(deep), ContainsSubstring("nested too deeply"));
    CHECK_THAT(refusal("<!DOCTYPE Catch [<!ENTITY a \"aaaa\">]><Catch name=\"&a;\"></Catch>"),
               ContainsSubstring("document type"));
    CHECK_THAT(refusal("<?xml version=\"1.0\"?><!-- <Catch --><other/>"), ContainsSubstring("none of Catch2's"));
}
