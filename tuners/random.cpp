// SPDX-License-Identifier: GPL-3.0-or-later
#include "tuners/random.hpp"

#include "tuners/sampler.hpp"

namespace holdfast::tuners {
namespace {

class RandomSearch final : public study::Tuner {
public:
    RandomSearch(study::SearchSpace space, std::uint64_t seed)
        : lattice_(std::move(space)), sampler_(lattice_, stats::derive(seed, "random")) {}

    std::optional<Configuration> propose() override { return sampler_.next(); }

    void tell(std::optional<double> /*log_ratio*/) override {}

private:
    Lattice lattice_;
    Sampler sampler_;
};

} // namespace

std::unique_ptr<study::Tuner> make_random(study::SearchSpace space, std::uint64_t seed) {
    return std::make_unique<RandomSearch>(std::move(space), seed);
}

} // namespace holdfast::tuners
