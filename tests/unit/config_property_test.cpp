// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/config_file.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <rapidcheck.h>
#include <sstream>

using namespace holdfast;
using Format = ConfigFormat;
using Lines = std::vector<std::string>;

namespace {

constexpr std::array formats{Format::ini,  Format::conf,       Format::json,  Format::yaml,
                             Format::toml, Format::postgresql, Format::redis, Format::text};

/// A file in which the keys k0, k1, ... are set to what `lines` says, with comments between them.
std::string file_of(Format format, int keys, int present, bool crlf, bool newline) {
    Lines lines;
    for (int i = 0; i < keys; ++i) {
        const std::string key = "k" + std::to_string(i), value = std::to_string(present + i);
        const std::string comment = format == Format::json ? "// c" : "# c";
        lines.push_back(format == Format::yaml || format == Format::toml || format == Format::json ? "  " + comment
                                                                                                   : comment);
        switch (format) {
        case Format::yaml:
            lines.push_back(key + ": " + value + " # " + key);
            break;
        case Format::redis:
            lines.push_back(key + " " + value);
            break;
        case Format::json:
            lines.push_back("  \"" + key + "\": " + value + (i + 1 < keys ? "," : ""));
            break;
        case Format::text:
            lines.push_back("let " + key + "  " + value + " -- @" + key + ":" + key + " {}@");
            break;
        default:
            lines.push_back(key + "=" + value + (i % 2 == 0 ? " # note" : ""));
        }
    }
    if (format == Format::json) {
        lines.insert(lines.begin(), "{");
        lines.emplace_back("}");
    }
    std::string text;
    for (const std::string& line : lines)
        text += line + (crlf ? "\r\n" : "\n");
    if (!newline && !text.empty())
        text.resize(text.size() - (crlf ? 2 : 1));
    return text;
}

Lines split(const std::string& text) {
    Lines lines(1);
    for (const char c : text) {
        lines.back() += c;
        if (c == '\n')
            lines.emplace_back();
    }
    return lines;
}

rc::Gen<Value> any_value() {
    const auto letter = rc::gen::elementOf(std::string("ab1 .-_/\\'\"#;:=[]{}@%,\t\n\r~!&*é"));
    return rc::gen::oneOf(
        rc::gen::map(rc::gen::arbitrary<bool>(), [](bool value) { return Value(value); }),
        rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t value) { return Value(value); }),
        rc::gen::map(rc::gen::inRange(-1000000, 1000000), [](int value) { return Value(value / 4096.0 * 1e-3); }),
        rc::gen::map(rc::gen::container<std::string>(letter),
                     [](std::string value) { return Value(std::move(value)); }),
        rc::gen::map(rc::gen::element<std::string>("auto", "8MB", "on", "null", "1.5", "two words", "é", "a#b", "x"),
                     [](std::string value) { return Value(std::move(value)); }));
}

} // namespace

TEST_CASE("a value that is set reads back, stays as it is, and changes no other line") {
    CHECK(rc::check([] {
        const Format format = *rc::gen::elementOf(formats);
        const int keys = *rc::gen::inRange(1, 6), chosen = *rc::gen::inRange(0, keys);
        const std::string before =
            file_of(format, keys, *rc::gen::inRange(2, 50), *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
        const std::string key = "k" + std::to_string(chosen);
        const Value value = *any_value();
        const auto after = set_config(format, before, key, value);
        RC_CLASSIFY(after.has_value(), "set");
        if (!after) {
            RC_ASSERT(std::holds_alternative<std::string>(value)); // numbers and truths fit every format
            RC_ASSERT(after.error().kind == Error::Kind::failed);
            return;
        }
        const auto back = get_config(format, *after, key);
        RC_ASSERT(back.has_value() && back->has_value());
        if (const auto* text = std::get_if<std::string>(&value))
            RC_ASSERT(**back == *text);
        else if (const auto* real = std::get_if<double>(&value))
            RC_ASSERT(std::stod(**back) == *real);
        RC_ASSERT(set_config(format, *after, key, value).value() == *after);
        const Lines old_lines = split(before), new_lines = split(*after);
        RC_ASSERT(old_lines.size() == new_lines.size());
        std::size_t changed = 0;
        for (std::size_t i = 0; i < old_lines.size(); ++i)
            changed += old_lines[i] == new_lines[i] ? 0 : 1;
        RC_ASSERT(changed <= 1);
    }));
}

TEST_CASE("a key that is added is one new line") {
    CHECK(rc::check([] {
        const Format format = *rc::gen::elementOf(std::vector<Format>{Format::ini, Format::conf, Format::yaml,
                                                                      Format::toml, Format::postgresql, Format::redis});
        const int keys = *rc::gen::inRange(0, 4);
        const std::string before = file_of(format, keys, 3, *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
        const auto after = set_config(format, before, "fresh", Value(*rc::gen::arbitrary<std::int64_t>()));
        RC_ASSERT(after.has_value());
        RC_ASSERT(get_config(format, *after, "fresh").value().has_value());
        for (int i = 0; i < keys; ++i)
            RC_ASSERT(get_config(format, *after, "k" + std::to_string(i)).value() == std::to_string(3 + i));
        RC_ASSERT(split(*after).size() == split(before).size() + 1);
    }));
}

TEST_CASE("no text makes an editor fail other than by an error") {
    const auto piece =
        rc::gen::element<std::string>("a", "b", "=", ": ", ":", " ", "\n", "\r\n", "\t", "#", ";", "[", "]", "[[", "]]",
                                      "{", "}", "\"", "'", "\"\"\"", "'''", "\\", "- ", "|", "---", "...", "&",
                                      "@a:", "{}", "@", "1", "é", "\xff", "/*", "//", ",", "\xef\xbb\xbf");
    CHECK(rc::check([&] {
        std::string text;
        for (const auto& each : *rc::gen::container<Lines>(piece))
            text += each;
        const Format format = *rc::gen::elementOf(formats);
        const auto after = set_config(format, text, "a", Value(std::int64_t{7}));
        if (!after) {
            RC_ASSERT(!after.error().found.empty());
            return;
        }
        RC_ASSERT(get_config(format, *after, "a").value() == "7");
        RC_ASSERT(set_config(format, *after, "a", Value(std::int64_t{7})).value() == *after);
    }));
}
