// SPDX-License-Identifier: GPL-3.0-or-later
// The energy distance needs the sums of |x - y| within and across two parts. With the values' ranks known, a Fenwick
// tree gives the sum of distances from one value to all before it in O(log n), so one pass from each end scores every
// split without a matrix of distances.
#include "core/stats/change_points.hpp"

#include "core/stats/estimate.hpp"
#include "core/stats/random.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace holdfast::stats {

namespace {

/// A value and its place among its segment's values in order.
struct Ranked {
    double value = 0;
    std::size_t rank = 0;
};
using Series = std::vector<Ranked>;

/// Values seen so far, by rank: how many and their sum up to any rank.
class Seen {
public:
    explicit Seen(std::size_t size) : count_(size + 1), sum_(size + 1) {}

    /// The sum of |x - y| over all y seen; then x is seen too.
    double distance_then_add(const Ranked& x) {
        double below = 0, below_sum = 0;
        for (std::size_t i = x.rank + 1; i > 0; i -= i & (0 - i)) {
            below += count_[i];
            below_sum += sum_[i];
        }
        const double above = all_ - below, above_sum = all_sum_ - below_sum;
        for (std::size_t i = x.rank + 1; i < count_.size(); i += i & (0 - i)) {
            count_[i] += 1;
            sum_[i] += x.value;
        }
        all_ += 1;
        all_sum_ += x.value;
        return std::max(0.0, x.value * below - below_sum + above_sum - x.value * above);
    }

private:
    std::vector<double> count_, sum_;
    double all_ = 0, all_sum_ = 0;
};

struct Split {
    std::size_t at = 0; ///< within its segment; 0: none
    double q = 0;       ///< energy distance times m k / (m + k)
};

double pairs(std::size_t n) {
    return static_cast<double>(n) * static_cast<double>(n - 1) / 2;
}

/// The split of a segment with the largest energy distance, at least `shortest` values on each side.
Split best_split(const Series& segment, std::size_t shortest) {
    const std::size_t n = segment.size();
    if (n < 2 * shortest)
        return {};
    std::vector<double> after(n + 1); // after[i]: sum of the distances among the values from i on
    Seen from_end(n), from_start(n);
    for (std::size_t i = n; i-- > 0;)
        after[i] = after[i + 1] + from_end.distance_then_add(segment[i]);
    Split best;
    double before = 0;
    for (std::size_t at = 1; at + shortest <= n; ++at) {
        before += from_start.distance_then_add(segment[at - 1]);
        if (at < shortest)
            continue;
        const auto m = static_cast<double>(at), k = static_cast<double>(n - at);
        const double across = after[0] - before - after[at];
        const double energy = 2 * across / (m * k) - before / pairs(at) - after[at] / pairs(n - at);
        if (const double q = m * k / (m + k) * energy; best.at == 0 || q > best.q)
            best = {at, q};
    }
    return best;
}

Series ranked(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    Series result(values.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank)
        result[order[rank]] = {values[order[rank]], rank};
    return result;
}

struct Segment {
    std::size_t begin = 0;
    Series values;
    Split split;
};

Segment segment_of(const std::vector<double>& values, std::size_t begin, std::size_t end, std::size_t shortest) {
    Segment segment{begin,
                    ranked({values.begin() + static_cast<std::ptrdiff_t>(begin),
                            values.begin() + static_cast<std::ptrdiff_t>(end)}),
                    {}};
    segment.split = best_split(segment.values, shortest);
    return segment;
}

/// How often shuffling within the segments gives a split as good as `q`, itself counted.
double permutation_p(const std::vector<Segment>& segments, double q, std::size_t shortest, std::size_t permutations,
                     Random random) {
    std::size_t as_good = 1;
    for (std::size_t i = 0; i < permutations; ++i) {
        bool reached = false;
        for (const Segment& segment : segments) {
            if (reached || segment.values.size() < 2 * shortest)
                continue;
            Series shuffled = segment.values;
            random.shuffle(shuffled);
            // A hair of rounding must not make equal splits look worse than they are.
            reached = best_split(shuffled, shortest).q >= q * (1 - 1e-9);
        }
        as_good += reached ? 1 : 0;
    }
    return static_cast<double>(as_good) / static_cast<double>(permutations + 1);
}

/// The values that are numbers, their places, brought to [-1, 1] around their median: sums lose nothing to a common
/// offset and cannot overflow.
struct Usable {
    std::vector<double> values;
    std::vector<std::size_t> places;

    explicit Usable(const std::vector<double>& all) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (std::isfinite(all[i])) {
                values.push_back(all[i] / 2);
                places.push_back(i);
            }
        const double centre = values.empty() ? 0 : median(values);
        double largest = 0;
        for (double& value : values)
            largest = std::max(largest, std::abs(value -= centre));
        if (largest > 0)
            for (double& value : values)
                value /= largest;
    }
};

} // namespace

std::vector<ChangePoint> change_points(const std::vector<double>& values, double significance, std::uint64_t seed,
                                       std::size_t shortest, std::size_t permutations) {
    shortest = std::max<std::size_t>(shortest, 2); // of one value there is no distance within
    const Usable usable(values);
    std::vector<Segment> segments{segment_of(usable.values, 0, usable.values.size(), shortest)};
    std::vector<ChangePoint> found;
    for (;;) {
        const auto best = std::max_element(segments.begin(), segments.end(),
                                           [](const Segment& a, const Segment& b) { return a.split.q < b.split.q; });
        if (best->split.at == 0 || !(best->split.q > 0))
            break;
        const double p = permutation_p(segments, best->split.q, shortest, permutations,
                                       Random(derive(seed, fmt::format("split/{}", found.size()))));
        if (p > significance)
            break;
        const std::size_t at = best->begin + best->split.at, end = best->begin + best->values.size();
        found.push_back({at, 0, 0, p});
        *best = segment_of(usable.values, best->begin, at, shortest);
        segments.insert(best + 1, segment_of(usable.values, at, end, shortest));
    }
    std::sort(found.begin(), found.end(), [](const ChangePoint& a, const ChangePoint& b) { return a.at < b.at; });
    const auto median_between = [&](std::size_t begin, std::size_t end) {
        std::vector<double> part;
        for (std::size_t i = begin; i < end; ++i)
            part.push_back(values[usable.places[i]]);
        return median(std::move(part));
    };
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i].before = median_between(i == 0 ? 0 : found[i - 1].at, found[i].at);
        found[i].after = median_between(found[i].at, i + 1 < found.size() ? found[i + 1].at : usable.places.size());
    }
    for (ChangePoint& change : found)
        change.at = usable.places[change.at];
    return found;
}

} // namespace holdfast::stats
