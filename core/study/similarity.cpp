// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace holdfast::study {

namespace {

constexpr std::size_t window = 32;
constexpr std::size_t long_line = 16;
constexpr std::size_t longest_line = 64 << 10; ///< a longer one is cut, so that memory stays bounded
/// An input of fewer bytes is a parameter rather than data: of two that differ in one digit nothing is shared.
constexpr std::uint64_t least_bytes = 64;
/// Below this share of distinct features the same few repeat, and sharing them says nothing about the data.
constexpr double least_variety = 0.25;
/// What is only estimated may be all but never all.
constexpr double most_estimated = 0.99;

std::uint64_t mix(std::uint64_t x) { // the finaliser of splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

std::uint64_t word_at(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

std::uint64_t hash_of(std::string_view bytes) {
    std::uint64_t hash = mix(bytes.size() + 0x9e3779b97f4a7c15ULL);
    while (bytes.size() >= 8) {
        hash = mix(hash ^ word_at(bytes.data())) + 0x9e3779b97f4a7c15ULL;
        bytes.remove_prefix(8);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes.data(), bytes.size());
    return mix(hash ^ rest);
}

bool varied(const SetSketch& sketch) {
    return sketch.seen() > 0 && sketch.distinct() >= least_variety * static_cast<double>(sketch.seen());
}

} // namespace

void SetSketch::add(std::uint64_t hash) {
    ++seen_;
    if (hash >= limit_)
        return;
    smallest_.insert(hash);
    if (smallest_.size() > most)
        smallest_.erase(std::prev(smallest_.end()));
    if (smallest_.size() == most)
        limit_ = *smallest_.rbegin();
}

double SetSketch::distinct() const {
    if (smallest_.size() < most)
        return static_cast<double>(smallest_.size());
    const double largest = std::ldexp(static_cast<double>(*smallest_.rbegin()), -64); // as a share of all hashes
    return static_cast<double>(most - 1) / largest;
}

double shared(const SetSketch& a, const SetSketch& b) {
    if (a.smallest().empty() || b.smallest().empty())
        return 0;
    // Up to where both are complete, what is in one and not in the other is known to be missing there.
    std::uint64_t limit = ~std::uint64_t{0};
    for (const SetSketch* sketch : {&a, &b})
        if (sketch->smallest().size() == SetSketch::most)
            limit = std::min(limit, *sketch->smallest().rbegin());
    std::size_t in_a = 0, in_b = 0, both = 0;
    for (const std::uint64_t hash : a.smallest())
        if (hash <= limit) {
            ++in_a;
            both += b.smallest().contains(hash) ? 1 : 0;
        }
    for (const std::uint64_t hash : b.smallest())
        in_b += hash <= limit ? 1 : 0;
    const std::size_t smaller = std::min(in_a, in_b);
    return smaller == 0 ? 0 : static_cast<double>(both) / static_cast<double>(smaller);
}

void InputSketch::add(std::string_view bytes) {
    bytes = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), most_bytes - bytes_)));
    if (bytes.empty())
        return;
    bytes_ += bytes.size();
    for (const char byte : bytes)
        whole_ = (whole_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL; // FNV-1a
    add_windows(bytes);
    add_lines(bytes);
    add_records(bytes);
}

void InputSketch::add_windows(std::string_view bytes) {
    const auto each = [&](std::string_view text) {
        for (std::size_t i = 0; i + window <= text.size(); ++i)
            windows_.add(mix(word_at(&text[i]) ^
                             mix(word_at(&text[i + 8]) ^ mix(word_at(&text[i + 16]) ^ mix(word_at(&text[i + 24]))))));
    };
    tail_.append(bytes.substr(0, window - 1)); // the windows that begin in an earlier part
    each(tail_);
    each(bytes);
    if (bytes.size() >= window - 1)
        tail_ = bytes.substr(bytes.size() - (window - 1));
    else if (tail_.size() > window - 1)
        tail_.erase(0, tail_.size() - (window - 1));
}

void InputSketch::end_line() {
    const std::uint64_t hash = hash_of(line_);
    line_sum_ += hash;
    ++line_count_;
    if (line_.size() >= long_line && !cut_) {
        lines_.add(hash);
        long_line_bytes_ += line_.size();
    }
    line_.clear();
}

void InputSketch::add_lines(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const bool cut = end == std::string_view::npos;
        const std::size_t take = std::min(cut ? bytes.size() : end, longest_line - line_.size());
        line_.append(bytes.substr(0, take));
        const bool ends = !cut && take == end;
        if (!ends && line_.size() == longest_line)
            cut_ = true; // no line of a text: nothing is known by its parts
        if (ends || line_.size() == longest_line)
            end_line();
        cut_ = cut_ && !ends;
        bytes.remove_prefix(take + (ends ? 1 : 0));
    }
}

void InputSketch::add_records(std::string_view bytes) {
    for (std::size_t s = 0; s < record_sizes.size(); ++s) {
        Records& records = records_[s];
        std::string_view rest = bytes;
        const auto count = [&](std::string_view record) {
            records.sum += hash_of(record);
            ++records.count;
        };
        if (!records.part.empty()) {
            const std::size_t missing = std::min(record_sizes[s] - records.part.size(), rest.size());
            records.part.append(rest.substr(0, missing));
            rest.remove_prefix(missing);
            if (records.part.size() < record_sizes[s])
                continue;
            count(records.part);
            records.part.clear();
        }
        for (; rest.size() >= record_sizes[s]; rest.remove_prefix(record_sizes[s]))
            count(rest.substr(0, record_sizes[s]));
        records.part.assign(rest);
    }
}

void InputSketch::finish() {
    if (!line_.empty())
        end_line();
}

Likeness likeness(const InputSketch& a, const InputSketch& b) {
    if (a.bytes_ == 0 || b.bytes_ == 0)
        return {};
    if (a.bytes_ == b.bytes_ && a.whole_ == b.whole_)
        return {1, "the same bytes"};
    if (std::min(a.bytes_, b.bytes_) < least_bytes)
        return {};
    if (a.line_count_ > 1 && a.line_count_ == b.line_count_ && a.line_sum_ == b.line_sum_)
        return {1, "the same lines in another order"};
    if (a.bytes_ == b.bytes_)
        for (std::size_t s = 0; s < InputSketch::record_sizes.size(); ++s)
            if (a.bytes_ % InputSketch::record_sizes[s] == 0 && a.records_[s].sum == b.records_[s].sum)
                return {1, fmt::format("the same records of {} bytes in another order", InputSketch::record_sizes[s])};
    double share = 0;
    if (varied(a.windows_) && varied(b.windows_))
        share = shared(a.windows_, b.windows_);
    const auto of_lines = [](const InputSketch& sketch) {
        return varied(sketch.lines_) && 2 * sketch.long_line_bytes_ >= sketch.bytes_;
    };
    if (of_lines(a) && of_lines(b))
        share = std::max(share, shared(a.lines_, b.lines_));
    share = std::min(share, most_estimated);
    return {share, fmt::format("{:.0f} % of the smaller one is in both", 100 * share)};
}

} // namespace holdfast::study
