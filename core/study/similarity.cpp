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
constexpr std::size_t handful = 8;         ///< of different values, whose counts two honest draws may have in common
constexpr std::uint64_t enough_lines = 32; ///< short ones; fewer may be the same by chance
constexpr std::size_t most_fields = 16;    ///< of a line that may have lost one
constexpr std::uint64_t field_base = 0x9e3779b97f4a7c15ULL; ///< odd, so that no field loses its weight
constexpr std::size_t longest_line = 64 << 10;              ///< a longer one is cut, so that memory stays bounded
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

bool separates(char byte) {
    return std::string_view(" \t\r\v\f,;|\"'").find(byte) != std::string_view::npos;
}

bool digit(char byte) {
    return byte >= '0' && byte <= '9';
}

/// "007" is 7.
std::string_view without_leading_zeros(std::string_view field) {
    if (!std::all_of(field.begin(), field.end(), digit))
        return field;
    return field.substr(std::min(field.find_first_not_of('0'), field.size() - 1));
}

/// Mean and variance of what two draws of one source share of a feature, given that both together have it `count`
/// times and that one of them has a `part` of all: of min(X, count - X) with X binomial.
struct Chance {
    double mean = 0, variance = 0;
};

Chance chance_of(std::uint64_t count, double part) {
    constexpr std::uint64_t most_exact = 32;
    const auto n = static_cast<double>(count);
    if (count <= most_exact) {
        double mean = 0, square = 0, mass = std::pow(1 - part, n);
        for (std::uint64_t x = 0; x <= count; ++x) {
            const auto least = static_cast<double>(std::min(x, count - x));
            mean += mass * least;
            square += mass * least * least;
            mass *= static_cast<double>(count - x) / static_cast<double>(x + 1) * part / (1 - part);
        }
        return {mean, square - mean * mean};
    }
    const double centre = std::abs(n * (part - 0.5)), spread = std::sqrt(n * part * (1 - part)); // of X - count/2
    const double folded = spread * std::sqrt(2 / std::acos(-1.0)) * std::exp(-centre * centre / (2 * spread * spread)) +
                          centre * std::erf(centre / (spread * std::sqrt(2.0)));
    return {n / 2 - folded, std::max(0.0, centre * centre + spread * spread - folded * folded)};
}

/// Whether hardly any feature comes twice: then a source has so many that another draw has few of the same.
bool unrepeated(const BagSketch& bag) {
    double seen = 0;
    for (const auto& [hash, count] : bag.counts())
        seen += static_cast<double>(count);
    return static_cast<double>(bag.counts().size()) >= 0.8 * seen;
}

/// Whether counts that are all the same are no accident.
bool tells_by_counts(const BagSketch& bag) {
    return bag.counts().size() >= handful || (!bag.counts().empty() && unrepeated(bag));
}

/// What of `whole`, which has a feature for each of its `whole_lines`, is in `other` beyond what two draws of one
/// source share by chance; as a share of the smaller one. `same_kind`: each of `other`'s features is a line as well,
/// else there are more of them and only those that `whole` has are looked at.
double shared_beyond_chance(const BagSketch& whole, const BagSketch& other, std::uint64_t other_lines, bool same_kind) {
    const std::uint64_t limit = std::min(whole.limit(), other.limit());
    const double part = static_cast<double>(other_lines) / static_cast<double>(whole.seen() + other_lines);
    double in_whole = 0, in_other = 0, both = 0, expected = 0, variance = 0;
    const auto add = [&](std::uint64_t mine, std::uint64_t theirs) {
        in_whole += static_cast<double>(mine);
        in_other += static_cast<double>(theirs);
        both += static_cast<double>(std::min(mine, theirs));
        const Chance chance = chance_of(mine + theirs, part);
        expected += chance.mean;
        variance += chance.variance;
    };
    for (auto each = whole.counts().begin(); each != whole.counts().end() && each->first <= limit; ++each) {
        const auto found = other.counts().find(each->first);
        add(each->second, found == other.counts().end() ? 0 : found->second);
    }
    if (same_kind)
        for (auto each = other.counts().begin(); each != other.counts().end() && each->first <= limit; ++each)
            if (!whole.counts().contains(each->first))
                add(0, each->second);
    const double most = same_kind ? std::min(in_whole, in_other) : in_whole * std::min(1.0, part / (1 - part));
    const double needed = unrepeated(whole) && unrepeated(other) ? 2 : 6; // standard deviations
    if (most <= expected || both - expected <= needed * std::sqrt(variance))
        return 0;
    // Chance-corrected agreement (Cohen's kappa), then back to the share of lines: where none repeats, exactly that.
    const double agreement = (both - expected) / (most - expected), by_chance = 2 * part * (1 - part);
    return std::min(1.0, agreement / (1 - by_chance + agreement * by_chance));
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

void BagSketch::add(std::uint64_t hash) {
    ++seen_;
    if (hash > limit_)
        return;
    ++counts_[hash];
    if (counts_.size() > SetSketch::most)
        counts_.erase(std::prev(counts_.end()));
    if (counts_.size() == SetSketch::most)
        limit_ = counts_.rbegin()->first;
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
    if (!cut_) {
        add_fields();
        long_line_bytes_ += line_.size() >= long_line ? line_.size() : 0;
    }
    line_.clear();
}

/// Lines are hashed as polynomials of their fields, so that one without a field takes no second pass.
void InputSketch::add_fields() {
    fields_.clear();
    const std::string_view line = line_;
    for (std::size_t at = 0; at < line.size();) {
        std::size_t end = at;
        while (end < line.size() && !separates(line[end]))
            ++end;
        if (end > at)
            fields_.push_back(hash_of(without_leading_zeros(line.substr(at, end - at))));
        at = end + 1;
    }
    std::uint64_t all = 0;
    for (const std::uint64_t field : fields_)
        all = all * field_base + field;
    all = mix(all);
    fields_sum_ += all;
    if (fields_.empty())
        return;
    lines_.add(all);
    if (fields_.size() < 2 || fields_.size() > most_fields)
        return;
    std::array<std::uint64_t, most_fields + 1> after{}, weights{}; // of the fields that follow
    std::uint64_t weight = 1, before = 0;
    for (std::size_t i = fields_.size(); i-- > 0; weight *= field_base) {
        weights[i] = weight;
        after[i] = after[i + 1] + fields_[i] * weight;
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        narrower_.add(mix(before * weights[i] + after[i + 1]));
        before = before * field_base + fields_[i];
    }
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
            const std::uint64_t hash = hash_of(record);
            records.sum += hash;
            ++records.count;
            if (records.some.size() < handful)
                records.some.insert(hash);
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

/// The share of the smaller one's lines that the other has too, also with one column more or less.
double shared_lines(const InputSketch& a, const InputSketch& b) {
    const auto tell = [](const InputSketch& sketch) {
        return sketch.lines_.seen() >= enough_lines || 2 * sketch.long_line_bytes_ >= sketch.bytes_;
    };
    if (!tell(a) || !tell(b) || a.lines_.seen() == 0 || b.lines_.seen() == 0)
        return 0;
    return std::max({shared_beyond_chance(a.lines_, b.lines_, b.lines_.seen(), true),
                     shared_beyond_chance(a.lines_, b.narrower_, b.lines_.seen(), false),
                     shared_beyond_chance(b.lines_, a.narrower_, a.lines_.seen(), false)});
}

Likeness likeness(const InputSketch& a, const InputSketch& b) {
    if (a.bytes_ == 0 || b.bytes_ == 0)
        return {};
    if (a.bytes_ == b.bytes_ && a.whole_ == b.whole_)
        return {1, "the same bytes"};
    if (std::min(a.bytes_, b.bytes_) < least_bytes)
        return {};
    const bool same_count = a.line_count_ > 1 && a.line_count_ == b.line_count_ && tells_by_counts(a.lines_);
    if (same_count && a.line_sum_ == b.line_sum_)
        return {1, "the same lines in another order"};
    if (a.bytes_ == b.bytes_)
        for (std::size_t s = 0; s < InputSketch::record_sizes.size(); ++s)
            if (a.bytes_ % InputSketch::record_sizes[s] == 0 && a.records_[s].sum == b.records_[s].sum &&
                a.records_[s].some.size() >= std::min<std::uint64_t>(handful, a.records_[s].count))
                return {1, fmt::format("the same records of {} bytes in another order", InputSketch::record_sizes[s])};
    if (same_count && a.fields_sum_ == b.fields_sum_)
        return {1, "the same lines but for their order and what stands between fields"};
    const double windows = varied(a.windows_) && varied(b.windows_) ? shared(a.windows_, b.windows_) : 0;
    const double lines = shared_lines(a, b);
    const double share = std::min(std::max(windows, lines), most_estimated);
    return {share, fmt::format("{:.0f} % of the {}smaller one {} in both", 100 * share,
                               lines >= windows ? "lines of the " : "", lines >= windows ? "are" : "is")};
}

} // namespace holdfast::study
