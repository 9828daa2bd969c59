// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/json_source.hpp"
#include "tests/catch.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

using namespace holdfast;
using namespace std::string_literals;

TEST_CASE("every value and key knows its line and column") {
    const auto document = parse_json("// a comment, with \"quotes\" { [\n"
                                     "{ \"a\": 1, /* two\n lines */ \"b\": [\"\xc3\xa9\", true ,-2.5e3],\r\n"
                                     "  \"c\\\"d\" : { \"e\":null }}");
    REQUIRE(document);
    const JsonNode& root = document->root;
    const auto at = [](const JsonNode& node) { return std::pair(node.line, node.column); };
    CHECK(at(root) == std::pair(2, 1));
    const JsonNode* a = root.member("a");
    REQUIRE(a != nullptr);
    CHECK(at(*a) == std::pair(2, 8));
    CHECK(std::pair(a->key_line, a->key_column) == std::pair(2, 3));
    const JsonNode* b = root.member("b");
    REQUIRE(b != nullptr);
    CHECK(std::pair(b->key_line, b->key_column) == std::pair(3, 11));
    CHECK(at(*b) == std::pair(3, 16));
    REQUIRE(b->children.size() == 3);
    CHECK(at(b->children[0]) == std::pair(3, 17));
    CHECK(at(b->children[1]) == std::pair(3, 22)); // the accented letter is one column
    CHECK(at(b->children[2]) == std::pair(3, 28));
    CHECK(b->children[2].text == "-2.5e3");
    const JsonNode* c = root.member("c\"d");
    REQUIRE(c != nullptr);
    CHECK(at(*c) == std::pair(4, 12));
    CHECK(at(*c->member("e")) == std::pair(4, 18));
}

TEST_CASE("integers are exact and others keep their spelling") {
    const auto document = parse_json("[9223372036854775807, -9223372036854775808, 9223372036854775808, 2.9, 1e2, "
                                     "99999999999999999999]");
    REQUIRE(document);
    const auto& items = document->root.children;
    CHECK(items[0].kind == JsonNode::Kind::integer);
    CHECK(items[0].integer == INT64_MAX);
    CHECK(items[1].kind == JsonNode::Kind::integer);
    CHECK(items[1].integer == INT64_MIN);
    for (std::size_t i = 2; i < items.size(); ++i)
        CHECK(items[i].kind == JsonNode::Kind::real);
    CHECK(items[5].description() == "the number 99999999999999999999");
}

TEST_CASE("a key written twice is told at its second place, and the first one counts") {
    const auto document = parse_json("{\"a\": 1,\n \"b\": [{\"x\": 1, \"x\": {\"y\": 2}}],\n \"a\": 3}");
    REQUIRE(document);
    REQUIRE(document->duplicates.size() == 2);
    CHECK(document->duplicates[0].pointer == "/b/0/x");
    CHECK(document->duplicates[0].line == 2);
    CHECK(document->duplicates[1].pointer == "/a");
    CHECK(std::pair(document->duplicates[1].line, document->duplicates[1].column) == std::pair(3, 2));
    CHECK(document->root.member("a")->integer == 1);
    CHECK(document->root.children.size() == 2);
}

TEST_CASE("text that is not JSON is refused with its place") {
    struct Row {
        std::string text;
        int line, column;
        std::string found;
    };
    const Row rows[] = {
        {"", 1, 1, "end of input"},
        {"{\"a\": 1,\n}", 2, 1, "a comma before }"},
        {"[1,]", 1, 4, "a comma before ]"},
        {"{\"a\" 1}", 1, 6, "number literal"},
        {"{a: 1}", 1, 2, "invalid literal"},
        {"{'a': 1}", 1, 2, "invalid literal"},
        {"[1 2]", 1, 4, "number literal"},
        {"[tru]", 1, 2, "invalid literal"},
        {"\n\n  [01]", 3, 6, ""},
        {"[1e999]", 1, 2, "does not fit a double"},
        {"{\"a\": 1} x", 1, 10, "invalid literal"},
        {"{\"a\": \"b", 1, 7, "missing closing quote"},
        {"\"a\nb\"", 1, 1, "control character"},
        {"/* open", 1, 8, "comment"},
        {"[1,,2]", 1, 4, "','"},
        {"[,1]", 1, 2, "','"},
        {"{:1}", 1, 2, "':'"},
        {"[1]]", 1, 4, "']'"},
        {"[\n[1, // x\n}", 3, 1, "'}'"},
        {"[\"\xff\"]", 1, 3, "0xff"},
        {"[\n\"\xc3\xa9\xed\xa0\x80\"]", 2, 3, "0xed"},
        {"[1]\n// \xc3", 2, 4, "0xc3"},
        {"[1]//\0 [2]"s, 1, 6, "NUL"},
        {"\0"s, 1, 1, "NUL"},
        {"[NaN]", 1, 2, "invalid literal"},
        {"\xff\xfe[\0]\0"s, 1, 1, "0xff"},
        {"[\"\\ud800\"]", 1, 2, "surrogate"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const auto document = parse_json(row.text);
        REQUIRE_FALSE(document);
        INFO(document.error().found << " / " << document.error().allowed);
        CHECK(document.error().line == row.line);
        CHECK(document.error().column == row.column);
        CHECK_THAT(document.error().found, ContainsSubstring(row.found));
        CHECK_FALSE(document.error().allowed.empty());
    }
}

TEST_CASE("depth and size are bounded before they hurt") {
    const std::string deep(100'000, '[');
    CHECK_THAT(parse_json(deep).error().found, ContainsSubstring("64 levels"));
    CHECK(parse_json(std::string(64, '[') + std::string(64, ']')));
    CHECK_FALSE(parse_json(std::string(65, '[') + std::string(65, ']')));
    std::string long_array = "[0";
    for (int i = 0; i < 100'000; ++i)
        long_array += ",0";
    CHECK_THAT(parse_json(long_array + "]").error().found, ContainsSubstring("100000 values"));
    CHECK(parse_json("\xef\xbb\xbf[1]"));
    CHECK(parse_json("\xef\xbb\xbf[1]")->root.column == 1);
}

TEST_CASE("pointers escape what RFC 6901 says") {
    CHECK(pointer_to("", "a") == "/a");
    CHECK(pointer_to("/a", "b/c~d") == "/a/b~1c~0d");
}

namespace {

nlohmann::json random_json(int depth) {
    switch (depth == 0 ? *rc::gen::inRange(0, 4) : *rc::gen::inRange(0, 6)) {
    case 0:
        return *rc::gen::arbitrary<std::int64_t>();
    case 1:
        return *rc::gen::arbitrary<bool>();
    case 2:
        return *rc::gen::container<std::string>(
            rc::gen::element('a', '"', '\\', '/', '*', '{', ']', ',', ':', '\n', ' '));
    case 3:
        return *rc::gen::element(0.5, -1e-7, 3e200);
    case 4: {
        auto array = nlohmann::json::array();
        for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
            array.push_back(random_json(depth - 1));
        return array;
    }
    default: {
        auto object = nlohmann::json::object();
        for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
            object["k" + std::to_string(i) + "\"/"] = random_json(depth - 1);
        return object;
    }
    }
}

void same(const JsonNode& node, const nlohmann::json& json, const std::vector<std::string>& lines) {
    using Kind = JsonNode::Kind;
    const std::string& line = lines.at(static_cast<std::size_t>(node.line) - 1);
    const std::string rest = line.substr(static_cast<std::size_t>(node.column) - 1);
    if (json.is_object() || json.is_array()) {
        RC_ASSERT(rest.front() == (json.is_object() ? '{' : '['));
        RC_ASSERT(node.children.size() == json.size());
        for (const JsonNode& child : node.children)
            same(child,
                 json.is_object() ? json.at(child.key)
                                  : json.at(static_cast<std::size_t>(&child - node.children.data())),
                 lines);
    } else {
        RC_ASSERT(rest.starts_with(json.dump()));
        if (node.kind == Kind::text)
            RC_ASSERT(node.text == json.get<std::string>());
        if (node.kind == Kind::integer)
            RC_ASSERT(node.integer == json.get<std::int64_t>());
    }
}

} // namespace

TEST_CASE("each value of any document is found at the place it says") {
    CHECK(rc::check([] {
        const nlohmann::json json = random_json(3);
        const std::string text = json.dump(*rc::gen::inRange(-1, 3));
        std::vector<std::string> lines(1);
        for (const char c : text) {
            if (c == '\n')
                lines.emplace_back();
            else
                lines.back() += c;
        }
        const auto document = parse_json(text);
        RC_ASSERT(document);
        same(document->root, json, lines);
    }));
}

TEST_CASE("no bytes make the reader do worse than give a fault") {
    CHECK(rc::check([](const std::string& bytes) { (void)parse_json(bytes); }));
    CHECK(rc::check([] {
        const auto pieces = *rc::gen::container<std::vector<std::string>>(
            rc::gen::element("{"s, "}"s, "["s, "]"s, "\"a\""s, ":"s, ","s, "1"s, "-"s, "//"s, "/*"s, "*/"s, "\n"s,
                             "\r"s, "\""s, "\\"s, "true"s, " "s));
        std::string text;
        for (const auto& piece : pieces)
            text += piece;
        const auto document = parse_json(text);
        RC_ASSERT(bool(document) == nlohmann::json::accept(text, true));
    }));
}
