// SPDX-License-Identifier: GPL-3.0-or-later
#include "tuners/local.hpp"

#include "tuners/sampler.hpp"

#include <cstdlib>

namespace holdfast::tuners {
namespace {

class LocalSearch final : public study::Tuner {
  public:
    LocalSearch(study::SearchSpace space, std::uint64_t seed)
        : lattice_(std::move(space)), sampler_(lattice_, stats::derive(seed, "local")) {}

    std::optional<Configuration> propose() override {
        if (proposed_)
            tell(std::nullopt); // an answer that never came counts as a failure
        if (!started_) {
            started_ = true;
            if (auto point = lattice_.defaults()) {
                sampler_.take(*point);
                return remember(std::move(*point));
            }
        }
        if (std::getenv("BEST") && waiting_.empty() && best_) { move_to(std::move(*best_)); best_.reset(); }
        while (!waiting_.empty()) {
            Configuration point = std::move(waiting_.back());
            waiting_.pop_back();
            if (sampler_.take(point))
                return remember(std::move(point));
        }
        if (std::getenv("BEST") && best_) return propose();
        here_.reset();
        static int K = std::getenv("K") ? atoi(std::getenv("K")) : 0;
        auto point = sampler_.next();
        if (!point)
            return std::nullopt;
        return remember(std::move(*point));
    }

    void tell(std::optional<double> log_ratio) override {
        if (!proposed_)
            return;
        Configuration point = std::move(*proposed_);
        proposed_.reset();
        if (!log_ratio || (here_ && *log_ratio <= *here_))
            return;
        here_ = log_ratio;
        if (std::getenv("BEST")) { if (waiting_.empty() && !best_) move_to(point); else best_ = point; }
        else move_to(point);
    }

  private:
    Configuration remember(Configuration point) {
        proposed_ = point;
        return point;
    }

    void move_to(const Configuration& point) {
        waiting_ = lattice_.neighbours(point);
        sampler_.random().shuffle(waiting_);
    }

    Lattice lattice_;
    Sampler sampler_;
    bool started_ = false;
    std::optional<Configuration> proposed_;
    std::optional<Configuration> best_;
    std::optional<double> here_;         ///< what the point that the search stands on gave; nothing before a start
    std::vector<Configuration> waiting_; ///< its neighbours, shuffled, the next one last
};

} // namespace

std::unique_ptr<study::Tuner> make_local(study::SearchSpace space, std::uint64_t seed) {
    return std::make_unique<LocalSearch>(std::move(space), seed);
}

} // namespace holdfast::tuners
