// SPDX-License-Identifier: GPL-3.0-or-later
#include "tuners/sampler.hpp"

#include <numeric>

namespace holdfast::tuners {
namespace {

// A constraint costs about a microsecond: 2,000 rejections are two milliseconds, nothing beside a measurement, and
// a million points take a second or two, once.
constexpr int few_tries = 2'000;
constexpr int many_tries = 200'000;
constexpr std::uint64_t enumerable = 1 << 20;

} // namespace

Sampler::Sampler(const Lattice& lattice, std::uint64_t seed) : lattice_(lattice), random_(seed) {}

bool Sampler::take(const Configuration& point) {
    if (!seat_)
        seat_ = point;
    return given_.insert(point).second;
}

std::optional<Configuration> Sampler::next() {
    if (lattice_.empty())
        return std::nullopt;
    if (list_)
        return from_list();
    if (auto point = reject(few_tries))
        return point;
    if (const auto count = lattice_.count(enumerable)) {
        list_.emplace();
        for (std::uint64_t number = 0; number < *count; ++number)
            if (lattice_.feasible(lattice_.at(number)))
                list_->push_back(number);
        random_.shuffle(*list_);
        return from_list();
    }
    if (auto point = walk(64))
        return point;
    return reject(many_tries);
}

std::optional<Configuration> Sampler::reject(int tries) {
    for (int i = 0; i < tries; ++i) {
        Configuration point = lattice_.draw(random_);
        if (lattice_.feasible(point) && take(point))
            return point;
    }
    return std::nullopt;
}

std::optional<Configuration> Sampler::from_list() {
    while (!list_->empty()) {
        Configuration point = lattice_.at(list_->back());
        list_->pop_back();
        if (take(point))
            return point;
    }
    return std::nullopt;
}

/// Changes one knob after another while the others keep their values, so three knobs that must each be a multiple of 64
/// cost 3 * 64 draws and not 64^3. Steps to neighbours help where a draw of one knob hardly ever fits.
std::optional<Configuration> Sampler::walk(int sweeps) {
    if (!seat_)
        seat_ = lattice_.defaults();
    if (!seat_)
        return std::nullopt;
    std::vector<std::size_t> order(lattice_.knobs().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        random_.shuffle(order);
        for (const std::size_t index : order) {
            Configuration moved = *seat_;
            constexpr int draws = 128;
            for (int i = 0; i < draws; ++i) {
                moved[lattice_.knobs()[index].name] = lattice_.draw(index, random_);
                if (moved != *seat_ && lattice_.feasible(moved)) {
                    seat_ = moved;
                    break;
                }
            }
        }
        if (take(*seat_))
            return seat_;
        if (auto near = lattice_.neighbours(*seat_); !near.empty())
            seat_ = near[random_.below(near.size())];
        if (take(*seat_))
            return seat_;
    }
    return std::nullopt;
}

} // namespace holdfast::tuners
