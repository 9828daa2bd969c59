// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/desktop/sample_history.hpp"

#include "app/common/wording.hpp"
#include "core/decision/verdict.hpp"

#include <fmt/format.h>

#include <cmath>

namespace holdfast::test {

using app::Overview;
using app::TrialSummary;
using review::EffectView;
using review::Standing;

namespace {

std::string at_minute(int minutes) {
    return fmt::format("2026-01-31T{:02}:{:02}:00.000Z", 8 + minutes / 60, minutes % 60);
}

app::Overview empty_study() {
    Overview overview;
    study::StudyRecord study;
    study.id = "study-1";
    study.number = 1;
    study.state = study::State::done;
    study.started = at_minute(0);
    overview.studies.push_back(study);
    overview.metric = "wall";
    return overview;
}

} // namespace

EffectView effect(double estimate, double low, double high, EffectView::Direction direction) {
    EffectView view;
    view.estimate = estimate;
    view.low = low;
    view.high = high;
    view.rounds = 40;
    view.direction = direction;
    view.text = fmt::format("{} % [{}, {}]", decision::percent_text(estimate), decision::percent_text(low),
                            decision::percent_text(high));
    return view;
}

TrialSummary decided(std::int64_t number, const std::string& verdict, const std::string& change, int minutes) {
    TrialSummary trial;
    trial.id = fmt::format("trial-{}", number);
    trial.number = number;
    trial.study = 1;
    trial.kind = "knobs";
    trial.tuner = "local";
    trial.state = study::State::done;
    trial.outcome = verdict;
    trial.change = change;
    trial.created = at_minute(0);
    trial.ended = at_minute(minutes);
    return trial;
}

TrialSummary searched(std::int64_t number, double looked, int minutes) {
    TrialSummary trial =
        decided(number, "searched, not sent on", fmt::format("block_rows 512 → {}", number * 64), minutes);
    trial.looked = looked;
    return trial;
}

Overview history() {
    using enum EffectView::Direction;
    Overview overview = empty_study();
    const auto add = [&](TrialSummary trial, Standing standing) -> TrialSummary& {
        trial.standing = standing;
        trial.proposal = standing != Standing::none;
        overview.trials.push_back(std::move(trial));
        return overview.trials.back();
    };
    const auto measured = [](TrialSummary trial, double tuning, std::optional<double> held_out) {
        trial.tuning = effect(tuning, tuning - 0.009, tuning + 0.008, tuning < 0 ? better : worse);
        if (held_out)
            trial.held_out = effect(*held_out, *held_out - 0.011, *held_out + 0.009, *held_out < 0 ? better : worse);
        return trial;
    };
    add(measured(decided(1, "generalises", "block_rows 512 → 128", 12), -0.078, -0.032), Standing::waiting).flags = {
        "over-stated", "more peak-memory"};
    add(measured(decided(2, "overfits", "unroll 1 → 8, block_rows 512 → 64", 15), -0.112, 0.041), Standing::none);
    add(measured(decided(3, "generalises", "opt -O2 → -O3", 19), -0.021, -0.018), Standing::approved);
    auto& applied = add(measured(decided(4, "generalises", "patch", 24), -0.051, -0.049), Standing::applied);
    applied.commit = "3f9c2e1a0b4d5e6f708192a3b4c5d6e7f8091a2b";
    applied.branch = "holdfast/1/4";
    auto& reverted = add(measured(decided(5, "generalises", "prefetch 0 → 2", 29), -0.034, -0.022), Standing::reverted);
    reverted.commit = "9a8b7c6d5e4f30211203f4e5d6c7b8a990817263";
    reverted.branch = "holdfast/1/5";
    add(measured(decided(6, "generalises", "batch 16 → 4096", 33), -0.041, -0.012), Standing::rejected);
    add(measured(decided(7, "generalises", "patch, unroll 1 → 4", 38), -0.061, -0.057), Standing::rework);
    auto& waits = add(measured(decided(8, "inconclusive", "align 16 → 64", 41), -0.024, {}), Standing::waiting);
    waits.flags = {"not held out"};
    add(decided(9, "failed", "opt -O2 → -Ofast", 42), Standing::none);
    for (std::int64_t number = 10; number < 50; ++number)
        add(searched(number, 0.09 * std::sin(static_cast<double>(number) * 1.7), static_cast<int>(number) / 5),
            Standing::none);
    auto& queued = add(decided(50, "queued", "patch", 0), Standing::none);
    queued.state = study::State::queued;
    queued.study = 0;
    queued.ended.clear();
    overview.queued = 1;
    overview.waiting = 2;
    return overview;
}

Overview long_history(std::int64_t count) {
    Overview overview = empty_study();
    for (std::int64_t number = 1; number <= count; ++number) {
        const int minutes = static_cast<int>(number * 600 / count);
        if (number % 5 != 0) {
            overview.trials.push_back(searched(number, 0.1 * std::sin(static_cast<double>(number)), minutes));
            continue;
        }
        auto trial = decided(number, number % 25 == 0 ? "generalises" : "no-effect",
                             fmt::format("block_rows 512 → {}", number), minutes);
        const double estimate = 0.05 * std::cos(static_cast<double>(number));
        trial.tuning = effect(estimate, estimate - 0.01, estimate + 0.01, EffectView::Direction::unclear);
        if (number % 25 == 0) {
            trial.held_out = trial.tuning;
            trial.standing = Standing::waiting;
            trial.proposal = true;
        }
        overview.trials.push_back(std::move(trial));
    }
    return overview;
}

} // namespace holdfast::test
