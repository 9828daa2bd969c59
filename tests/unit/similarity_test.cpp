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

namespace {

std::vector<std::string> numbers(std::uint64_t seed, std::size_t count, std::uint64_t below) {
    stats::Random random(seed);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i)
        result.push_back(std::to_string(random.below(below)));
    return result;
}

/// Rows of a table, each field by its own rule; `from` ... `to`: the columns that are written.
std::vector<std::string> table(std::uint64_t seed, std::size_t count, std::size_t from, std::size_t to,
                               const std::string& more = "") {
    stats::Random random(seed);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<std::string> fields = {std::to_string(i + 1), std::to_string(random.below(1'000'000)),
                                                 "customer-" + std::to_string(random.below(500)),
                                                 std::to_string(random.below(100)),
                                                 random.below(2) == 0 ? "open" : "closed"};
        std::string line;
        for (std::size_t f = from; f < to; ++f)
            line += (f == from ? "" : ",") + fields[f];
        result.push_back(line + more);
    }
    return result;
}

std::string replaced_all(std::string text, char from, char to) {
    std::replace(text.begin(), text.end(), from, to);
    return text;
}

template <class Change> std::vector<std::string> each(std::vector<std::string> lines, const Change& change) {
    for (std::string& line : lines)
        line = change(line);
    return lines;
}

} // namespace

TEST_CASE("short lines, reordered with a few changed, padded or ended otherwise, are near copies") {
    for (const std::uint64_t below : {1'000'000, 3000}) {
        const auto all = numbers(1, 2000, below);
        const std::string before = joined(all);
        auto reversed = all;
        std::reverse(reversed.begin(), reversed.end());
        reversed.push_back("17");
        auto fewer = all;
        stats::Random(5).shuffle(fewer);
        fewer.resize(1990);
        auto sorted = all;
        std::sort(sorted.begin(), sorted.end());
        sorted.resize(1999);
        INFO(below);
        for (const auto& copy : {reversed, fewer, sorted}) {
            CHECK(alike(before, joined(copy)).share > 0.95);
            CHECK_THAT(alike(before, joined(copy)).how, ContainsSubstring("99 % of the lines"));
        }
        for (const auto& copy :
             {each(all, [](const std::string& line) { return line + "\r"; }),
              each(all, [](const std::string& line) { return line + " "; }),
              each(all, [](const std::string& line) { return "  " + line; }),
              each(all, [](const std::string& line) { return "\"" + line + "\""; }),
              each(all, [](const std::string& line) { return std::string(8 - line.size(), '0') + line; })})
            CHECK(alike(before, joined(copy)).share == 1);
        CHECK(alike(before, before + before).share > 0.95);
    }
}

TEST_CASE("the share of the lines is told where lines are the measure") {
    auto all = numbers(1, 2000, 1'000'000);
    const std::string before = joined(all);
    for (std::size_t i = 0; i < all.size(); i += 100)
        all[i] = "x" + std::to_string(i);
    CHECK(alike(before, joined(all)).share == Approx(0.99).margin(0.005));
    for (std::size_t i = 0; i < all.size(); i += 4)
        all[i] = "x" + std::to_string(i);
    CHECK(alike(before, joined(all)).share == Approx(0.75).margin(0.03));
}

TEST_CASE("a table with a column more or less, or other separators, is a near copy") {
    const std::string before = joined(table(1, 2000, 0, 5));
    CHECK(alike(before, joined(table(1, 2000, 0, 5, ",EUR"))).share > 0.95);
    CHECK(alike(before, joined(table(1, 2000, 1, 5))).share > 0.95);
    CHECK(alike(before, joined(table(1, 2000, 0, 4))).share > 0.95);
    CHECK(alike(before, joined(table(1, 1500, 1, 5))).share > 0.95);
    CHECK(alike(before, replaced_all(before, ',', '\t')).share == 1);
    const auto ends = [](const std::string& line) { return line + "\r"; };
    CHECK(alike(before, joined(each(table(1, 2000, 0, 5), ends))).share == 1);
    const auto all = numbers(1, 2000, 1'000'000);
    std::size_t row = 0;
    CHECK(alike(joined(all),
                joined(each(all, [&](const std::string& line) { return line + "\t" + std::to_string(row++); })))
              .share > 0.95);
}

TEST_CASE("honest draws of one generator are no near copies, however few values they have") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        INFO(seed);
        for (const std::uint64_t below : {2, 10, 100, 1000, 3000, 100'000}) {
            INFO(below);
            for (const std::size_t count : {40, 2000, 30'000})
                CHECK(
                    alike(joined(numbers(2 * seed, count, below)), joined(numbers(2 * seed + 1, count, below))).share <
                    0.5);
            CHECK(alike(joined(numbers(2 * seed, 4000, below)), joined(numbers(2 * seed + 1, 400, below))).share < 0.3);
        }
        CHECK(alike(joined(table(2 * seed, 2000, 0, 5)), joined(table(2 * seed + 1, 2000, 0, 5))).share < 0.3);
        CHECK(alike(joined(table(2 * seed, 2000, 3, 5)), joined(table(2 * seed + 1, 2000, 3, 5))).share < 0.3);
        CHECK(alike(joined(table(2 * seed, 2000, 0, 5)), joined(table(2 * seed + 1, 2000, 1, 5))).share < 0.3);
        const auto log = [](const std::string& line) {
            return "2026-03-04 service INFO request of tenant acme handled in " + line + " us";
        };
        CHECK(
            alike(joined(each(numbers(2 * seed, 2000, 500), log)), joined(each(numbers(2 * seed + 1, 2000, 500), log)))
                .share < 0.3);
    }
}
