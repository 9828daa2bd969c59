// SPDX-License-Identifier: GPL-3.0-or-later
// How much of two inputs is the same, whatever order it is in. One pass over the bytes, a fixed amount of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::study {

/// Estimates the set of a stream's features by the smallest of their hashes (bottom-k sketch, Cohen and Kaplan 2007).
class SetSketch {
public:
    static constexpr std::size_t most = 2048; ///< the error of a share is about 1/sqrt(2048), 2 points

    void add(std::uint64_t hash);
    std::uint64_t seen() const { return seen_; }
    double distinct() const; ///< estimated
    const std::set<std::uint64_t>& smallest() const { return smallest_; }

private:
    std::set<std::uint64_t> smallest_;
    std::uint64_t limit_ = ~std::uint64_t{0}; ///< the largest kept, once it is full
    std::uint64_t seen_ = 0;
};

/// Share of the smaller set that the other has too, 0 to 1 (Broder's containment, 1997).
double shared(const SetSketch& a, const SetSketch& b);

/// The same for a multiset: what is kept is kept with how often it came (distinct sampling, Gibbons 2001).
class BagSketch {
public:
    void add(std::uint64_t hash);
    std::uint64_t seen() const { return seen_; }
    std::uint64_t limit() const { return limit_; } ///< up to here nothing is missing
    const std::map<std::uint64_t, std::uint64_t>& counts() const { return counts_; }

private:
    std::map<std::uint64_t, std::uint64_t> counts_; ///< of the smallest hashes
    std::uint64_t limit_ = ~std::uint64_t{0};
    std::uint64_t seen_ = 0;
};

/// What is kept of one input. Features are windows of 32 bytes, which find what was inserted, removed or cut off, and
/// lines by their fields, whatever stands between them and however numbers are padded, which find what was sorted or
/// shuffled; lines without one of their fields find a column that was added or dropped. Sums of the hashes of all lines
/// and of all records of the usual sizes tell the same records in another order. Nothing is kept of the bytes
/// themselves.
class InputSketch {
public:
    static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20; ///< what follows is not looked at

    void add(std::string_view bytes); ///< the next part
    void finish();                    ///< no more parts

    std::uint64_t bytes() const { return bytes_; }
    bool full() const { return bytes_ >= most_bytes; }

private:
    friend struct Likeness likeness(const InputSketch& a, const InputSketch& b);
    friend double shared_lines(const InputSketch& a, const InputSketch& b);

    static constexpr std::array<std::size_t, 10> record_sizes{4, 8, 12, 16, 20, 24, 32, 40, 48, 64};
    struct Records {
        std::string part; ///< of the record that is not whole yet
        std::uint64_t sum = 0, count = 0;
        std::set<std::uint64_t> some; ///< different ones, a handful at most
    };

    void add_windows(std::string_view bytes);
    void add_lines(std::string_view bytes);
    void end_line();
    void add_fields();
    void add_records(std::string_view bytes);

    std::uint64_t bytes_ = 0, whole_ = 0xcbf29ce484222325ULL; ///< whole_: order-dependent hash
    std::string tail_;                                        ///< the last 31 bytes, for windows across parts
    std::string line_;
    bool cut_ = false; ///< the line is longer than what is kept of one
    SetSketch windows_;
    BagSketch lines_, narrower_; ///< narrower_: lines without one of their fields
    std::vector<std::uint64_t> fields_;
    std::uint64_t line_sum_ = 0, line_count_ = 0, long_line_bytes_ = 0;
    std::uint64_t fields_sum_ = 0; ///< like line_sum_, by fields
    std::array<Records, record_sizes.size()> records_;
};

/// How alike two inputs are.
struct Likeness {
    double share = 0; ///< 0: nothing in common that says anything; 1: the same bytes, or the same records reordered
    std::string how;  ///< "the same bytes", "99 % of the lines of the smaller one are in both"
};
Likeness likeness(const InputSketch& a, const InputSketch& b);

} // namespace holdfast::study
