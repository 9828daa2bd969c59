// SPDX-License-Identifier: GPL-3.0-or-later
// Changed inputs.
#include "core/study/probes/mutate_text.hpp"

#include "tests/catch.h"

#include <algorithm>
#include <set>

using namespace holdfast::study::probes;

namespace {

const std::string text = "3 apples\n14 pears\n15 plums\n";

/// A thousand lines, each a number of its own.
std::string numbers() {
    std::string all;
    for (int i = 0; i < 1000; ++i)
        all += std::to_string(1000 + i) + "\n";
    return all;
}

std::string bytes_of(const std::optional<Mutation>& mutation) {
    REQUIRE(mutation);
    CHECK_FALSE(mutation->what.empty());
    return mutation->bytes;
}

/// The first line, from 0, in which two texts of as many lines differ.
std::size_t first_difference(const std::string& one, const std::string& other) {
    const auto [at, ignored] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
    return static_cast<std::size_t>(std::count(one.begin(), at, '\n'));
}

} // namespace

TEST_CASE("changed inputs differ in kind, are the same for the same seed, and never the input itself") {
    const std::string all = numbers();
    std::set<std::string> made;
    for (std::size_t number = 0; number < mutation_kinds; ++number) {
        std::mt19937_64 one(7), other(7);
        const Mutation first = mutate(all, {number, number}, one), second = mutate(all, {number, number}, other);
        CHECK(first.bytes == second.bytes);
        CHECK_FALSE(first.what.empty());
        made.insert(first.bytes);
    }
    CHECK(made.size() == mutation_kinds);
    std::mt19937_64 random(1);
    for (std::size_t round = 0; round < 400; ++round)
        for (const std::string& bytes : {std::string(), std::string("x"), std::string("\n"), std::string("7"),
                                         std::string("\0\1\2", 3), std::string(9, '\0'), text, std::string("a\n\n")}) {
            const Mutation mutation = mutate(bytes, {round, round / 3}, random);
            CHECK(mutation.bytes != bytes);
            CHECK(mutation.bytes.size() <= 1002 * (bytes.size() + 20));
        }
}

TEST_CASE("what one place of a text makes of it is changed late as well as early") {
    const std::string all = numbers();
    for (const std::size_t number : {0U, 2U, 3U, 5U, 8U, 9U}) // a word, a field more, negative, a bit, less, a number
        for (std::size_t third = 0; third < 3; ++third) {
            std::mt19937_64 random(5);
            const Mutation mutation = mutate(all, {number, third}, random);
            INFO(mutation.what);
            CHECK(first_difference(all, mutation.bytes) * 3 / 1000 == third);
        }
}

TEST_CASE("fields and numbers of a text are changed as such") {
    CHECK(bytes_of(number_to_word("a,12,b\n", 0)) == "a,word,b\n");
    CHECK(bytes_of(number_to_word("a,12,b\n", 4)) == "a,word,b\n"); // not half of it
    CHECK(bytes_of(number_to_word("1\nb\n", 2)) == "word\nb\n");    // there is none behind
    CHECK_FALSE(number_to_word("none\n", 0));
    CHECK(bytes_of(turn_sign("5\n", 0)) == "-5\n");
    CHECK(bytes_of(turn_sign("1\n-52\n", 3)) == "1\n52\n");
    CHECK(bytes_of(enlarge_largest("007 12 99\n100\n", 10)) == "007 12 99\n1000\n");
    CHECK(bytes_of(enlarge_largest("0950 12\n", 2)) == "1900 12\n");
    CHECK(bytes_of(enlarge_largest("95 12\n", 2)) == "190 12\n");
    CHECK(bytes_of(add_field("1,2\n3,4\n", 5)) == "1,2\n3,4,4\n");
    CHECK(bytes_of(add_field("7\n", 0)) == "7 7\n");
    CHECK(bytes_of(drop_field("1;2;3\n4\n", 0)) == "1;2\n4\n");
    CHECK(bytes_of(drop_field("1\n22\n3\n", 2)) == "1\n3\n");
    CHECK(bytes_of(drop_field("1\n22", 3)) == "1\n");
    CHECK(bytes_of(swap_lines("1\n22\n333\n", 0, 6)) == "333\n22\n1\n");
    CHECK_FALSE(swap_lines("1\n22\n", 2, 3));
}

TEST_CASE("each field of a line is changed in each way, and no other") {
    const std::string lines = "id,name,qty\n12,plum,-3\n13,pear,4\n";
    const std::size_t second = lines.find("plum"), first = 0;
    CHECK(fields_at(lines, second) == 3);
    CHECK(fields_at("word\n", 0) == 1);
    CHECK(fields_at("  1   2 \n", 3) == 2);
    CHECK(bytes_of(change_field(lines, second, 0, 0)) == "id,name,qty\n-12,plum,-3\n13,pear,4\n");
    CHECK(bytes_of(change_field(lines, second, 0, 1)) == "id,name,qty\n99999999999,plum,-3\n13,pear,4\n");
    CHECK(bytes_of(change_field(lines, second, 0, 2)) == "id,name,qty\nword,plum,-3\n13,pear,4\n");
    CHECK(bytes_of(change_field(lines, second, 1, 0)) == "id,name,qty\n12,,-3\n13,pear,4\n");
    CHECK(bytes_of(change_field(lines, second, 1, 1)).size() == lines.size() + 99 * 4);
    CHECK(bytes_of(change_field(lines, second, 1, 2)) == "id,name,qty\n12,7,-3\n13,pear,4\n");
    CHECK(bytes_of(change_field(lines, second, 2, 0)) == "id,name,qty\n12,plum,3\n13,pear,4\n");
    CHECK(bytes_of(change_field(lines, first, 3, 0)) == ",name,qty\n12,plum,-3\n13,pear,4\n"); // of three
    CHECK(bytes_of(change_field(" 1  22 \n", 1, 1, 0)) == " 1  -22 \n");
    CHECK_FALSE(change_field("word\n\n", 5, 0, 0));
    std::mt19937_64 random(3);
    CHECK(mutate(numbers(), {2, 0, 16, 0}, random).what.find("made a word") != std::string::npos);
}

TEST_CASE("what needs a text is told, and gives another change of what is none") {
    const std::string bytes("3 apples\n\0 4 pears\n5 plums\n", 27);
    CHECK_FALSE(is_text(bytes));
    for (std::size_t number = 0; number < mutation_kinds; ++number) {
        std::mt19937_64 one(4), other(4);
        const std::string of_text = mutate(text, {number, 1}, one).what,
                          of_bytes = mutate(bytes, {number, 1}, other).what;
        INFO(of_text << " / " << of_bytes);
        CHECK(about_texts({number, 1}) == (of_bytes.find("made zeros") != std::string::npos ||
                                           of_bytes.find("the largest there are") != std::string::npos));
    }
}

TEST_CASE("inputs grow by whole lines, as far as there is room") {
    CHECK(bytes_of(repeat_whole("1\n2\n", 4, 1000)) == "1\n2\n1\n2\n1\n2\n1\n2\n");
    CHECK(bytes_of(repeat_whole("1\n2", 2, 1000)) == "1\n2\n1\n2");
    CHECK(bytes_of(repeat_whole(std::string_view("\0\1", 2), 2, 1000)) == std::string("\0\1\0\1", 4));
    CHECK(bytes_of(repeat_whole("1\n2\n", 16, 9)) == "1\n2\n1\n2\n");
    CHECK_FALSE(repeat_whole("1\n2\n", 16, 7));
    CHECK(bytes_of(repeat_below_first("head\n1\n2\n", 2, 1000)) == "head\n1\n2\n1\n2\n");
    CHECK_FALSE(repeat_below_first("head\n", 2, 1000));
    CHECK(bytes_of(repeat_line("1\n2\n3\n", 2, 2, 1 << 20)).size() == 6 + 200);
    CHECK(bytes_of(repeat_line("1\n2", 2, 16, 7)) == "1\n2\n2\n2");
    CHECK(bytes_of(repeat_line(numbers(), 0, 16, 1 << 20)).size() == 2 * numbers().size());
    CHECK_FALSE(repeat_line("1\n2\n", 0, 16, 4));

    std::mt19937_64 random(3);
    const std::size_t grow = 1; // the second kind
    CHECK(mutate(text, {grow, 0}, random).bytes.size() == 16 * text.size());
    CHECK(mutate(text, {grow + mutation_kinds, 0}, random).bytes.size() == 2 * text.size());
    CHECK(mutate(text, {grow, 0, 3}, random).bytes.size() == 3 * text.size());
    const std::string large(largest_input - 1, '1');
    for (std::size_t number = 0; number < mutation_kinds; ++number)
        CHECK(mutate(large, {number, 2}, random).bytes.size() <= largest_input);
}
