// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/error.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/project/utf8.hpp"
#include "core/project/value.hpp"
#include "tests/catch.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <rapidcheck.h>

using namespace holdfast;
using namespace std::string_literals;

TEST_CASE("what could steer a terminal or hide its neighbours is shown as an escape") {
    struct Row {
        std::string text, shown;
    };
    const Row rows[] = {
        {"plain", "plain"},
        {"", ""},
        {"\x1b[31mred", "\\x1b[31mred"},
        {"a\nb\tc\rd", "a\\nb\\tc\\x0dd"},
        {"a\0b"s, "a\\x00b"},
        {"\x7f", "\\x7f"},
        {"\xc2\x9b", "\\u009b"},     // C1: an escape sequence in one character
        {"\xe2\x80\xae", "\\u202e"}, // right-to-left override
        {"\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069"},
        {"\xef\xbb\xbf", "\\ufeff"},         // byte order mark
        {"\xf3\xa0\x81\x81", "\\U000e0041"}, // tag character
        {"\xe2\x80\xa8", "\\u2028"},
        {"\xe3\x85\xa4", "\\u3164"}, // a blank that an identifier may hold
        {"\xc2\xad\xe2\x80\x8d", "\\u00ad\\u200d"},
        {"\xef\xb8\x8f\xf3\xa0\x84\x80", "\\ufe0f\\U000e0100"}, // variation selectors
        {"na\xc3\xafve \xe6\x97\xa5", "na\xc3\xafve \xe6\x97\xa5"},
        {"\xff", "\\xff"},
        {"\xc3(", "\\xc3("},
        {"\xc0\xaf", "\\xc0\\xaf"},                   // overlong slash
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          // surrogate
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, // above U+10FFFF
        {"\xe6\x97", "\\xe6\\x97"},                   // cut off
    };
    for (const Row& row : rows)
        CHECK(printable(row.text) == row.shown);
    CHECK(printable("a\n\tb\x1b", false) == "a\n\tb\\x1b");
}

TEST_CASE("printable text is valid UTF-8, safe, and printing it again changes nothing") {
    CHECK(rc::check([](const std::string& text) {
        const std::string shown = printable(text);
        RC_ASSERT(!first_invalid_utf8(shown));
        for (std::size_t at = 0; at < shown.size();) {
            const CodePoint point = decode_utf8(shown, at);
            RC_ASSERT(!is_unsafe(point.value));
            at += point.size;
        }
        RC_ASSERT(printable(shown) == shown);
    }));
}

TEST_CASE("the nearest name is within a third of the word's length") {
    const std::vector<std::string> names{"workloads", "objective", "knobs", "name"};
    CHECK(nearest("workload", names) == "workloads");
    CHECK(nearest("wrokloads", names) == "workloads"); // a swap counts once
    CHECK(nearest("knbos", names) == "knobs");
    CHECK(nearest("Name", names) == "name");
    CHECK(nearest("xyz", names).empty());
    CHECK(nearest("kn", names).empty());
    CHECK(nearest("", names).empty());
    CHECK(nearest("knobs", {}).empty());
    CHECK(nearest(std::string(1 << 20, 'x'), names).empty());
}

TEST_CASE("a value is written so that it reads back as the same value") {
    CHECK(to_text(Value(true)) == "true");
    CHECK(to_text(Value(false)) == "false");
    CHECK(to_text(Value(std::int64_t{-42})) == "-42");
    CHECK(to_text(Value(std::numeric_limits<std::int64_t>::min())) == "-9223372036854775808");
    CHECK(to_text(Value(0.1)) == "0.1");
    CHECK(to_text(Value(1e300)) == "1e+300");
    CHECK(to_text(Value("-O2"s)) == "-O2");
    CHECK(to_text(Configuration{{"opt", "-O2"s}, {"block_rows", std::int64_t{512}}}) == "block_rows=512 opt=-O2");
    CHECK(to_text(Configuration{}).empty());
    CHECK(rc::check([](std::uint64_t bits) {
        double number = 0;
        std::memcpy(&number, &bits, sizeof number);
        RC_PRE(std::isfinite(number));
        const std::string text = to_text(Value(number));
        double back = 0;
        const auto result = std::from_chars(text.data(), text.data() + text.size(), back);
        RC_ASSERT(result.ec == std::errc());
        RC_ASSERT(back == number);
    }));
}

TEST_CASE("an error is told in sentences and cannot steer the terminal") {
    const Error error = failed("open it", "no such file", "Create it").value();
    CHECK(error.message() == "Cannot open it: no such file. Create it.");
    CHECK(error.kind == Error::Kind::failed);
    CHECK(invalid("a", "b.").value().message() == "Cannot a: b.");
    CHECK(invalid("a", "b").value().kind == Error::Kind::invalid);
    CHECK(refused("a", "b").value().kind == Error::Kind::refused);
    CHECK(failed("a", "two:\n  x\n  y\n", "Do.").value().message() == "Cannot a: two:\n  x\n  y\nDo.");
    CHECK(failed("read \x1b]0;x", "\xff").value().message() == "Cannot read \\x1b]0;x: \\xff.");
}

TEST_CASE("durations, sizes and percentages are read exactly or not at all") {
    using std::chrono::milliseconds;
    CHECK(parse_duration("500ms") == milliseconds(500));
    CHECK(parse_duration("60s") == milliseconds(60'000));
    CHECK(parse_duration("1.5h") == milliseconds(5'400'000));
    CHECK(parse_duration("10 m") == milliseconds(600'000));
    for (const char* text : {"", "60", "s", "0s", "-1s", "1d", "1e3s", "nan s", "inf s", "0.1ms", "200h", "1s ", " 1s"})
        CHECK_FALSE(parse_duration(text));
    CHECK(parse_bytes("4GiB") == 4ULL << 30);
    CHECK(parse_bytes("512 MiB") == 512ULL << 20);
    CHECK(parse_bytes("1.5kB") == 1500);
    CHECK(parse_bytes("1024TiB") == 1ULL << 50);
    for (const char* text : {"", "4", "4gib", "4G", "-1B", "0B", "1025TiB", "99999999999999999999999999GiB", "1e9B"})
        CHECK_FALSE(parse_bytes(text));
    CHECK(parse_percent("10%") == 0.1);
    CHECK(parse_percent("0.5 %") == 0.005);
    for (const char* text : {"", "%", "10", "10%%", "ten%", "nan%"})
        CHECK_FALSE(parse_percent(text));
}
