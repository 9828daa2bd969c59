// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/hash.hpp"
#include "tests/catch.h"
#include "tests/unit/folder.hpp"

#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <vector>

using namespace holdfast;

TEST_CASE("SHA-256 gives the published digests") { // FIPS 180-4 examples
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("a file hashes as its bytes do") {
    const Folder folder;
    const std::string bytes(200'000, '\x5a');
    CHECK(sha256_file(folder.write("big", bytes)) == sha256(bytes));
    CHECK(sha256_file(folder.write("empty", "")) == sha256(""));
}

TEST_CASE("only a regular file is hashed, and nothing waits on a pipe") {
    const Folder folder;
    const auto target = folder.write("target", "x");
    const auto link = folder.path() / "link";
    std::filesystem::create_symlink(target, link);
    const auto pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THAT(sha256_file(link).error().message(), ContainsSubstring("symbolic link"));
    CHECK_THAT(sha256_file(folder.path()).error().message(), ContainsSubstring("not a regular file"));
    CHECK_THAT(sha256_file(pipe).error().message(), ContainsSubstring("not a regular file"));
    CHECK_THAT(sha256_file(folder.path() / "none").error().message(), ContainsSubstring("No such file"));
}

TEST_CASE("canonical JSON has one spelling for one value") {
    struct Row {
        std::string json, canonical;
    };
    const Row rows[] = {
        {R"( { "b" : 1 , "a" : [ 1 , 2.50 , "x" ] } )", R"({"a":[1,2.5,"x"],"b":1})"},
        {"[]", "[]"},
        {"{}", "{}"},
        {"[[],{}]", "[[],{}]"},
        {"1.0", "1"},
        {"-0.0", "0"},
        {"-0", "0"},
        {"0.1", "0.1"},
        {"1e2", "100"},
        {"123456789012345678", "123456789012345678"},
        {"18446744073709551615", "18446744073709551615"},
        {R"("\u0041\n\u00e9")", "\"A\\n\xc3\xa9\""},
        {"[true,false,null]", "[true,false,null]"},
    };
    for (const Row& row : rows) {
        CHECK(canonical_json(row.json) == row.canonical);
        CHECK(canonical_json(row.canonical) == row.canonical);
    }
    CHECK(rc::check([](const std::map<std::string, double>& values) {
        nlohmann::json json = nlohmann::json::object();
        int i = 0;
        for (const auto& entry : values)
            json["key" + std::to_string(++i)] = entry.second;
        const std::string canonical = canonical_json(json.dump(4));
        RC_ASSERT(canonical_json(canonical) == canonical);
        RC_ASSERT(nlohmann::json::parse(canonical) == json);
    }));
}

TEST_CASE("text that is not JSON, or nests without end, becomes a JSON string and harms nobody") {
    CHECK(canonical_json("{\"a\":") == "\"{\\\"a\\\":\"");
    CHECK(canonical_json("").size() == 2);
    CHECK(canonical_json("\xff").size() > 2);
    const std::string deep(1'000'000, '[');
    CHECK(canonical_json(deep).front() == '"');
    CHECK(canonical_json(std::string(900, '[') + std::string(900, ']')) ==
          std::string(900, '[') + std::string(900, ']'));
}

TEST_CASE("a UUIDv7 has its version and variant and sorts after every earlier one") {
    std::string previous;
    for (int i = 0; i < 20'000; ++i) {
        const std::string id = uuid_v7();
        REQUIRE(id.size() == 36);
        REQUIRE(id[14] == '7');
        REQUIRE(std::string("89ab").find(id[19]) != std::string::npos);
        REQUIRE(id > previous);
        previous = id;
    }
}

TEST_CASE("UUIDs made on several threads differ") {
    std::vector<std::vector<std::string>> made(4);
    {
        std::vector<std::jthread> threads;
        for (auto& ids : made)
            threads.emplace_back([&ids] {
                for (int i = 0; i < 2'000; ++i)
                    ids.push_back(uuid_v7());
            });
    }
    std::set<std::string> all;
    for (const auto& ids : made)
        all.insert(ids.begin(), ids.end());
    CHECK(all.size() == 8'000);
}
