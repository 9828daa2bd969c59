// SPDX-License-Identifier: GPL-3.0-or-later
// Knowing nothing of a constraint but whether a full assignment meets it, the lattice snaps by trying: values near the
// level first, then round ones, since constraints mostly ask for multiples of something.
#include "tuners/lattice.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::tuners {
namespace {

bool numeric(const Knob& knob) {
    return knob.type == Knob::Type::integer || knob.type == Knob::Type::real;
}

bool logarithmic(const Knob& knob) {
    return knob.log_scale && knob.min > 0;
}

// A double holds every integer up to here, and any conversion to 64 bits stays in range.
constexpr double integer_limit = 9007199254740992.0; // 2^53

double low_end(const Knob& knob) {
    return knob.type == Knob::Type::integer ? std::ceil(std::max(knob.min, -integer_limit)) : knob.min;
}

double high_end(const Knob& knob) {
    return knob.type == Knob::Type::integer ? std::floor(std::min(knob.max, integer_limit)) : knob.max;
}

/// How many values the knob may take; nothing when it is real and they cannot be counted.
std::optional<std::uint64_t> domain_size(const Knob& knob) {
    switch (knob.type) {
    case Knob::Type::boolean:
        return 2;
    case Knob::Type::categorical:
        return knob.values.size();
    case Knob::Type::integer:
    case Knob::Type::real:
        break;
    }
    const double low = low_end(knob);
    const double high = high_end(knob);
    if (!(low <= high))
        return 0;
    if (low == high)
        return 1;
    if (knob.type == Knob::Type::real)
        return std::nullopt;
    return static_cast<std::uint64_t>(high - low) + 1;
}

Value as_value(const Knob& knob, double number) {
    if (knob.type == Knob::Type::integer)
        return static_cast<std::int64_t>(number);
    return number;
}

/// The number in a numeric knob's value; a project file may write a real knob's default as an integer.
std::optional<double> as_number(const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    return std::nullopt;
}

/// The default as a number of the domain.
std::optional<double> default_number(const Knob& knob) {
    const auto number = as_number(knob.default_value);
    if (!number || !(*number >= low_end(knob) && *number <= high_end(knob)))
        return std::nullopt;
    if (knob.type == Knob::Type::integer && *number != std::round(*number))
        return std::nullopt;
    return number;
}

double to_scale(const Knob& knob, double number) {
    return logarithmic(knob) ? std::log(number) : number;
}

/// Back from the scale into the domain. Clamped: exp(log(x)) may miss x by a rounding.
double from_scale(const Knob& knob, double position) {
    double number = logarithmic(knob) ? std::exp(position) : position;
    if (knob.type == Knob::Type::integer)
        number = std::round(number);
    return std::clamp(number, low_end(knob), high_end(knob));
}

/// A point between `a` and `b`; written so that it cannot overflow.
double between(double a, double b, double share) {
    return a * (1 - share) + b * share;
}

/// Integers of [low, high] to try instead of the infeasible `level`, best first: by distance up to 64 steps, then the
/// multiples of powers of two and of ten next to the level.
std::vector<double> integers_near(double level, double low, double high) {
    std::vector<double> near;
    const auto offer = [&](double number) {
        if (number >= low && number <= high && number != level)
            near.push_back(number);
    };
    constexpr int reach = 64;
    for (int distance = 1; distance <= reach; ++distance) {
        offer(level - distance);
        offer(level + distance);
    }
    for (const std::int64_t base : {2, 10})
        for (std::int64_t unit = base; static_cast<double>(unit) <= high - low; unit *= base) {
            const auto step = static_cast<double>(unit);
            offer(std::floor(level / step) * step);
            offer(std::ceil(level / step) * step);
        }
    return near;
}

std::vector<double> reals_near(double level, double low, double high) {
    std::vector<double> near;
    constexpr int steps = 16;
    for (int step = 1; step <= steps; ++step) {
        const double share = static_cast<double>(step) / steps;
        near.push_back(between(level, low, share));
        near.push_back(between(level, high, share));
    }
    return near;
}

} // namespace

std::vector<double> levels(const Knob& knob) {
    const double low = low_end(knob);
    const double high = high_end(knob);
    std::vector<double> result;
    if (!numeric(knob) || !(low <= high))
        return result;
    const bool all = knob.type == Knob::Type::integer && high - low < max_levels;
    const std::size_t steps = all ? static_cast<std::size_t>(high - low) : max_levels - 1;
    result.push_back(low);
    for (std::size_t i = 1; i < steps; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(steps);
        result.push_back(all ? low + static_cast<double>(i)
                             : from_scale(knob, between(to_scale(knob, low), to_scale(knob, high), share)));
    }
    result.push_back(high);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());

    const auto wanted = default_number(knob);
    if (!wanted || std::binary_search(result.begin(), result.end(), *wanted))
        return result;
    if (result.size() == max_levels) {
        // Full: the default takes the place of the nearest level that is not an end.
        const auto nearer = [&](double a, double b) {
            const double at = to_scale(knob, *wanted);
            return std::abs(to_scale(knob, a) - at) < std::abs(to_scale(knob, b) - at);
        };
        result.erase(std::min_element(result.begin() + 1, result.end() - 1, nearer));
    }
    result.insert(std::lower_bound(result.begin(), result.end(), *wanted), *wanted);
    return result;
}

Lattice::Lattice(study::SearchSpace space) : space_(std::move(space)) {
    for (const Knob& knob : space_.knobs)
        levels_.push_back(levels(knob));
}

std::optional<Configuration> Lattice::defaults() const {
    Configuration point;
    for (const Knob& knob : space_.knobs) {
        if (numeric(knob)) {
            const auto number = default_number(knob);
            if (!number)
                return std::nullopt;
            point[knob.name] = as_value(knob, *number);
            continue;
        }
        const auto* word = std::get_if<std::string>(&knob.default_value);
        const bool known = word && std::find(knob.values.begin(), knob.values.end(), *word) != knob.values.end();
        if (knob.type == Knob::Type::categorical ? !known : !std::holds_alternative<bool>(knob.default_value))
            return std::nullopt;
        point[knob.name] = knob.default_value;
    }
    if (!feasible(point))
        return std::nullopt;
    return point;
}

bool Lattice::empty() const {
    return std::any_of(space_.knobs.begin(), space_.knobs.end(),
                       [](const Knob& knob) { return domain_size(knob) == std::uint64_t{0}; });
}

std::optional<std::uint64_t> Lattice::count(std::uint64_t limit) const {
    std::uint64_t product = 1;
    for (const Knob& knob : space_.knobs) {
        const auto size = domain_size(knob);
        if (!size || (*size > 0 && product > limit / *size))
            return std::nullopt;
        product *= *size;
    }
    return product;
}

std::optional<double> Lattice::snap(Configuration& point, std::size_t index, std::size_t level) const {
    const Knob& knob = space_.knobs[index];
    const auto& all = levels_[index];
    const double number = all[level];
    Value& value = point[knob.name];
    value = as_value(knob, number);
    if (feasible(point))
        return number;
    // A level stands for its cell, which ends half way to the next levels: no value belongs to two levels.
    const auto middle = [&](double a, double b) {
        const double at = between(to_scale(knob, a), to_scale(knob, b), 0.5);
        return logarithmic(knob) ? std::exp(at) : at;
    };
    const double low = level == 0 ? number : middle(all[level - 1], number);
    const double high = level + 1 == all.size() ? number : middle(number, all[level + 1]);
    const bool whole = knob.type == Knob::Type::integer;
    for (const double other : whole ? integers_near(number, low, high) : reals_near(number, low, high)) {
        value = as_value(knob, other);
        if (feasible(point))
            return other;
    }
    return std::nullopt;
}

std::optional<Configuration> Lattice::step(const Configuration& point, std::size_t index, bool upwards) const {
    const auto& all = levels_[index];
    const double here = as_number(point.at(space_.knobs[index].name)).value_or(0);
    Configuration moved = point;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t level = upwards ? i : all.size() - 1 - i;
        // A level on the wrong side may still snap to the right one, when `here` is no level itself.
        const bool behind =
            upwards ? level + 1 < all.size() && all[level + 1] <= here : level > 0 && all[level - 1] >= here;
        if (behind || all[level] == here)
            continue;
        const auto number = snap(moved, index, level);
        if (number && (upwards ? *number > here : *number < here))
            return moved;
    }
    return std::nullopt;
}

std::vector<Configuration> Lattice::neighbours(const Configuration& point) const {
    std::vector<Configuration> result;
    const auto offer = [&](Configuration moved) {
        if (feasible(moved))
            result.push_back(std::move(moved));
    };
    for (std::size_t index = 0; index < space_.knobs.size(); ++index) {
        const Knob& knob = space_.knobs[index];
        const Value& here = point.at(knob.name);
        if (numeric(knob)) {
            for (const bool upwards : {false, true})
                if (auto moved = step(point, index, upwards))
                    result.push_back(std::move(*moved));
        } else if (knob.type == Knob::Type::boolean) {
            Configuration moved = point;
            moved[knob.name] = here == Value(false);
            offer(std::move(moved));
        } else {
            for (const std::string& word : knob.values) {
                Configuration moved = point;
                moved[knob.name] = word;
                if (here != Value(word))
                    offer(std::move(moved));
            }
        }
    }
    return result;
}

Value Lattice::draw(std::size_t index, stats::Random& random) const {
    const Knob& knob = space_.knobs[index];
    switch (knob.type) {
    case Knob::Type::boolean:
        return random.coin();
    case Knob::Type::categorical:
        return knob.values[random.below(knob.values.size())];
    case Knob::Type::real:
        return from_scale(knob, between(to_scale(knob, knob.min), to_scale(knob, knob.max), random.uniform()));
    case Knob::Type::integer:
        break;
    }
    const double low = low_end(knob);
    const double high = high_end(knob);
    if (logarithmic(knob)) // half a step wider, or the ends would come up half as often
        return as_value(knob, from_scale(knob, between(std::log(low - 0.5), std::log(high + 0.5), random.uniform())));
    const auto first = static_cast<std::int64_t>(low);
    const auto width = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - first) + 1;
    return first + static_cast<std::int64_t>(random.below(width));
}

Configuration Lattice::draw(stats::Random& random) const {
    Configuration point;
    for (std::size_t index = 0; index < space_.knobs.size(); ++index)
        point[space_.knobs[index].name] = draw(index, random);
    return point;
}

Configuration Lattice::at(std::uint64_t number) const {
    Configuration point;
    for (const Knob& knob : space_.knobs) {
        const std::uint64_t size = std::max<std::uint64_t>(domain_size(knob).value_or(1), 1);
        const std::uint64_t digit = number % size;
        number /= size;
        Value& value = point[knob.name];
        if (numeric(knob))
            value = as_value(knob, low_end(knob) + static_cast<double>(digit));
        else if (knob.type == Knob::Type::boolean)
            value = digit == 1;
        else
            value = knob.values[digit];
    }
    return point;
}

} // namespace holdfast::tuners
