// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/self_comparison.hpp"

#include "core/stats/random.hpp"
#include "core/stats/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace holdfast::stats {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double mad_to_sigma = 1.4826; // of a normal distribution
constexpr double interval_error = 0.05, differ_below = 0.01;
constexpr double power = 0.8;              // share of redrawn studies that an effect must be accepted in
constexpr std::size_t power_redraws = 300; // a share of 0.8 to +-0.023, an effect to about 2 % of itself
constexpr double largest_effect = 10;      // ln 22,000: what is not shown of this is never shown
constexpr int bisections = 8;

using Series = std::vector<double>;

Series arms_of(const std::vector<SelfPair>& pairs) {
    Series d;
    for (const SelfPair& pair : pairs)
        d.push_back(pair.arms());
    return d;
}

Series slots_of(const std::vector<SelfPair>& pairs) {
    Series d;
    for (const SelfPair& pair : pairs)
        d.push_back(pair.first_minus_second);
    return d;
}

/// The pairs of each session, in order.
std::vector<std::vector<SelfPair>> by_session(const std::vector<SelfPair>& pairs) {
    std::vector<std::vector<SelfPair>> sessions;
    for (const SelfPair& pair : pairs) {
        if (sessions.empty() || sessions.back().front().session != pair.session)
            sessions.emplace_back();
        sessions.back().push_back(pair);
    }
    return sessions;
}

/// Neighbours of one session about its median, so that a step between sessions is none within one.
Correlation lag_one(const std::vector<std::vector<SelfPair>>& sessions) {
    Series before, after;
    for (const auto& session : sessions) {
        const Series d = slots_of(session);
        const double centre = median(d);
        for (std::size_t i = 1; i < d.size(); ++i) {
            before.push_back(d[i - 1] - centre);
            after.push_back(d[i] - centre);
        }
    }
    return spearman(before, after);
}

/// Spread of the sessions' means, weighted by their rounds; `d` lies session after session.
double between(const Series& d, const std::vector<std::size_t>& sizes) {
    double sum = 0;
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
        double total = 0;
        for (std::size_t i = 0; i < size; ++i)
            total += d[at++];
        sum += total * total / static_cast<double>(size);
    }
    return sum;
}

/// Permutes the rounds over the sessions. Far values are drawn in, so that one slow run is not a session's mark.
double sessions_p(const std::vector<std::vector<SelfPair>>& sessions, double noise, Random random,
                  std::size_t permutations) {
    if (sessions.size() < 2 || !(noise > 0))
        return 1;
    Series d;
    std::vector<std::size_t> sizes;
    for (const auto& session : sessions) {
        sizes.push_back(session.size());
        for (const double value : arms_of(session))
            d.push_back(value);
    }
    const double centre = median(d);
    for (double& value : d)
        value = std::clamp(value - centre, -3 * noise, 3 * noise);
    const double seen = between(d, sizes);
    std::size_t as_far = 1;
    for (std::size_t i = 0; i < permutations; ++i) {
        random.shuffle(d);
        as_far += between(d, sizes) >= seen ? 1 : 0;
    }
    return static_cast<double>(as_far) / static_cast<double>(permutations + 1);
}

/// The round after which E >= threshold against "at most theta0"; nothing beyond the series: its size + 1.
std::size_t shown_after(const Series& d, double shift, double theta0, LogE goal) {
    EProcess process(theta0);
    for (std::size_t i = 0; i < d.size(); ++i) {
        process.add(d[i] + shift);
        if (process.log_e() >= goal)
            return i + 1;
    }
    return d.size() + 1;
}

bool is_shown(const Series& d, double sign, LogE goal) {
    Series signed_d = d;
    for (double& value : signed_d)
        value *= sign;
    return shown_after(signed_d, 0, 0, goal) <= d.size();
}

std::vector<Series> segments_of(const std::vector<std::vector<SelfPair>>& sessions, std::size_t segment) {
    std::vector<Series> segments;
    for (const auto& session : sessions) {
        const Series d = arms_of(session);
        const std::size_t size = segment == 0 ? d.size() : std::min(segment, d.size());
        for (std::size_t at = 0; at + size <= d.size(); at += size)
            segments.emplace_back(d.begin() + static_cast<std::ptrdiff_t>(at),
                                  d.begin() + static_cast<std::ptrdiff_t>(at + size));
    }
    return segments;
}

struct Called {
    std::size_t faster = 0, slower = 0;
};

Called called(const std::vector<Series>& segments, LogE goal) {
    Called count;
    for (const Series& segment : segments) {
        count.faster += is_shown(segment, 1, goal) ? 1 : 0;
        count.slower += is_shown(segment, -1, goal) ? 1 : 0;
    }
    return count;
}

/// Mean and standard error of a share that was drawn several times.
class Share {
public:
    void add(double value) {
        ++count_;
        sum_ += value;
        squares_ += value * value;
    }
    double mean() const { return sum_ / static_cast<double>(count_); }
    double error() const {
        const double variance = std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean());
        return std::sqrt(variance / static_cast<double>(count_));
    }

private:
    std::size_t count_ = 0;
    double sum_ = 0, squares_ = 0;
};

void redraw_segments(SelfComparison& result, std::vector<Series> segments, LogE goal, Random random,
                     std::size_t redraws) {
    if (segments.empty() || redraws == 0)
        return;
    Share faster, slower;
    const auto all = static_cast<double>(segments.size());
    for (std::size_t i = 0; i < redraws; ++i) {
        for (Series& segment : segments)
            for (double& value : segment)
                value = random.coin() ? value : -value;
        const Called count = called(segments, goal);
        faster.add(static_cast<double>(count.faster) / all);
        slower.add(static_cast<double>(count.slower) / all);
    }
    result.redrawn_faster = faster.mean();
    result.redrawn_slower = slower.mean();
    result.redrawn_error = std::max(faster.error(), slower.error());
}

/// A study's noise: the pairs in their order, so that what neighbours share stays.
Series redraw(const std::vector<SelfPair>& pairs, std::size_t rounds, Random& random) {
    Series d;
    d.reserve(rounds);
    const std::size_t start = random.below(pairs.size());
    for (std::size_t i = 0; i < rounds; ++i) {
        const double value = pairs[(start + i) % pairs.size()].first_minus_second;
        d.push_back(random.coin() ? value : -value);
    }
    return d;
}

std::vector<Series> redraw_studies(const std::vector<SelfPair>& pairs, std::size_t rounds, std::uint64_t seed,
                                   std::size_t redraws) {
    std::vector<Series> studies;
    if (pairs.empty())
        return studies;
    Random random(derive(seed, "studies"));
    for (std::size_t i = 0; i < redraws; ++i)
        studies.push_back(redraw(pairs, rounds, random));
    return studies;
}

/// E never falls when every pair moves up, so an effect that suffices makes every larger one suffice.
double smallest_provable(const std::vector<Series>& studies, double minimum_effect, double noise, LogE goal) {
    const auto suffices = [&](double effect) {
        std::size_t shown = 0;
        for (const Series& d : studies)
            shown += shown_after(d, effect, minimum_effect, goal) <= d.size() ? 1 : 0;
        return static_cast<double>(shown) >= power * static_cast<double>(studies.size());
    };
    if (studies.empty() || !suffices(minimum_effect + largest_effect))
        return infinity;
    double low = minimum_effect, step = std::max(noise, 1e-9);
    while (step < largest_effect && !suffices(minimum_effect + step)) {
        low = minimum_effect + step;
        step *= 2;
    }
    double high = minimum_effect + std::min(step, largest_effect);
    for (int i = 0; i < bisections; ++i) {
        const double middle = (low + high) / 2;
        (suffices(middle) ? high : low) = middle;
    }
    return high;
}

} // namespace

std::size_t least_pairs(double threshold) {
    EProcess best(0);
    while (best.log_e() < std::log(threshold))
        best.add(1); // the highest score of both families each time
    return best.size();
}

SelfComparison compare_with_itself(const std::vector<SelfPair>& given, double threshold, double minimum_effect,
                                   std::size_t segment, const std::vector<std::size_t>& provable_at, std::uint64_t seed,
                                   std::size_t redraws) {
    std::vector<SelfPair> pairs;
    std::copy_if(given.begin(), given.end(), std::back_inserter(pairs),
                 [](const SelfPair& pair) { return std::isfinite(pair.first_minus_second); });
    const auto sessions = by_session(pairs);
    const LogE goal = std::log(threshold);
    const Series arms = arms_of(pairs), slots = slots_of(pairs);

    SelfComparison result;
    result.rounds = pairs.size();
    result.noise = mad_to_sigma * median_absolute_deviation(arms);
    result.arms = hodges_lehmann(arms);
    result.arms_interval = confidence_sequence(arms, interval_error);
    const Correlation lag = lag_one(sessions);
    result.lag_one = lag.value;
    result.lag_one_interval = lag.interval;
    result.slot = hodges_lehmann(slots);
    result.slot_interval = confidence_sequence(slots, interval_error);
    result.sessions_p = sessions_p(sessions, result.noise, Random(derive(seed, "sessions")), redraws);
    result.sessions_differ = result.sessions_p < differ_below;
    std::vector<Series> segments = segments_of(sessions, segment);
    const Called taken = called(segments, goal);
    result.false_faster = proportion(taken.faster, segments.size());
    result.false_slower = proportion(taken.slower, segments.size());
    redraw_segments(result, std::move(segments), goal, Random(derive(seed, "coins")), redraws);
    for (const std::size_t rounds : provable_at)
        result.provable.push_back({rounds, smallest_provable(redraw_studies(pairs, rounds, seed, power_redraws),
                                                             minimum_effect, result.noise, goal)});
    return result;
}

std::vector<std::size_t> rounds_to_show(const std::vector<SelfPair>& pairs, double effect, double threshold,
                                        double minimum_effect, std::size_t cap, std::uint64_t seed,
                                        std::size_t redraws) {
    std::vector<std::size_t> rounds;
    for (const Series& d : redraw_studies(pairs, cap, seed, redraws))
        rounds.push_back(shown_after(d, effect, minimum_effect, std::log(threshold)));
    std::sort(rounds.begin(), rounds.end());
    return rounds;
}

} // namespace holdfast::stats
