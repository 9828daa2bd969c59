// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/similarity.hpp"

#include "core/stats/random.hpp"
#include "tests/catch.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace holdfast;
using study::InputSketch;
using study::Likeness;

namespace {

InputSketch sketch(const std::string& bytes, std::size_t part = std::string::npos) {
    InputSketch result;
    for (std::size_t at = 0; at < bytes.size(); at += std::min(part, bytes.size() - at))
        result.add(std::string_view(bytes).substr(at, part));
    result.finish();
    return result;
}

Likeness alike(const std::string& a, const std::string& b) {
    return study::likeness(sketch(a), sketch(b));
}

std::vector<std::string> lines(std::uint64_t seed, std::size_t count) {
    stats::Random random(seed);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i)
        result.push_back("order " + std::to_string(random.below(1'000'000'000)) + " of customer " +
                         std::to_string(random.below(100'000)));
    return result;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

std::string records(std::uint64_t seed, std::size_t count, std::size_t size, bool reversed = false) {
    stats::Random random(seed);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) {
        std::string record;
        while (record.size() < size)
            record += static_cast<char>(random.below(200));
        all.push_back(record);
    }
    if (reversed)
        std::reverse(all.begin(), all.end());
    std::string bytes;
    for (const std::string& record : all)
        bytes += record;
    return bytes;
}

} // namespace

TEST_CASE("the same bytes are a copy, however they come") {
    const std::string text = joined(lines(1, 5000));
    CHECK(alike(text, text).share == 1);
    CHECK(alike(text, text).how == "the same bytes");
    for (const std::size_t part : {1, 7, 31, 32, 33, 4096}) {
        const Likeness same = study::likeness(sketch(text), sketch(text, part));
        CHECK(same.share == 1);
    }
    // The parts must not show in windows, lines or records either.
    std::string changed = text;
    changed[text.size() / 2] ^= 1;
    for (const std::size_t part : {1, 7, 31, 32, 33, 4096})
        CHECK(study::likeness(sketch(changed), sketch(text, part)).share ==
              Approx(study::likeness(sketch(changed), sketch(text)).share));
}

TEST_CASE("one line changed is a near copy") {
    for (const std::size_t count : {8, 100, 20000}) {
        auto all = lines(1, count);
        const std::string before = joined(all);
        all[count / 3] = "something else altogether, and longer than what was there";
        INFO(count);
        CHECK(alike(before, joined(all)).share > 0.7);
        CHECK(alike(before, joined(all)).share < 1);
    }
}

TEST_CASE("a part of an input is a copy of a part") {
    const auto all = lines(1, 20000);
    const std::vector<std::string> part(all.begin() + 3000, all.begin() + 8000);
    CHECK(alike(joined(all), joined(part)).share > 0.95);
}

TEST_CASE("the same lines in another order are a copy, also with one changed") {
    auto all = lines(1, 3000);
    const std::string before = joined(all);
    stats::Random(7).shuffle(all);
    CHECK(alike(before, joined(all)).share == 1);
    CHECK_THAT(alike(before, joined(all)).how, ContainsSubstring("another order"));
    all[5] = "a line that was in neither of them";
    CHECK(alike(before, joined(all)).share > 0.9);
}

TEST_CASE("the same records in another order are a copy") {
    for (const std::size_t size : {4, 8, 12, 16, 24, 64}) {
        INFO(size);
        CHECK(alike(records(1, 4000, size), records(1, 4000, size, true)).share == 1);
        CHECK(alike(records(1, 4000, size), records(2, 4000, size)).share < 0.05);
    }
}

TEST_CASE("the same generator with another seed is no copy, even of few different values") {
    CHECK(alike(joined(lines(1, 20000)), joined(lines(2, 20000))).share < 0.1);
    const auto small = [](std::uint64_t seed, bool text) {
        stats::Random random(seed);
        std::string bytes;
        for (int i = 0; i < 100'000; ++i) {
            const std::uint64_t value = random.below(1000);
            if (text)
                bytes += std::to_string(value) + "\n";
            else
                bytes.append({static_cast<char>(value), static_cast<char>(value >> 8), 0, 0});
        }
        return bytes;
    };
    CHECK(alike(small(1, true), small(2, true)).share < 0.1);
    CHECK(alike(small(1, false), small(2, false)).share < 0.1);
}

TEST_CASE("tiny inputs are copies only when they are the same") {
    CHECK(alike("8\n", "8\n").share == 1);
    CHECK(alike("8\n", "10\n").share == 0);
    CHECK(alike("threads 4\nsize 100\n", "threads 4\nsize 101\n").share == 0);
    CHECK(alike("12\n", "21\n").share == 0);
    CHECK(alike("", "").share == 0);
    CHECK(alike("", joined(lines(1, 100))).share == 0);
}

TEST_CASE("what repeats itself says nothing") {
    CHECK(alike(std::string(100'000, '\0'), std::string(90'000, '\0')).share == 0);
    CHECK(alike(std::string(100'000, '\0'), std::string(100'000, '\0')).share == 1);
}

TEST_CASE("how many different features there are is told to within a few percent") {
    study::SetSketch sketch;
    stats::Random random(3);
    for (int i = 0; i < 300'000; ++i)
        sketch.add(random.next());
    CHECK(sketch.distinct() == Approx(300'000).epsilon(0.1));
    CHECK(sketch.seen() == 300'000);
}
