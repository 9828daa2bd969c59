// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/study_points.hpp"

#include "app/desktop/words.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::desktop {

namespace {

using app::TrialSummary;
using review::EffectView;

const study::StudyRecord* find_study(const app::Overview& overview, std::int64_t number) {
    const auto found = std::find_if(overview.studies.begin(), overview.studies.end(),
                                    [number](const study::StudyRecord& study) { return study.number == number; });
    return found == overview.studies.end() ? nullptr : &*found;
}

bool is_better(const app::Overview& overview, double a, double b) {
    return overview.better == Better::lower ? a < b : a > b;
}

/// Asks or asked for a person's word and was not turned down.
bool stands(const TrialSummary& trial) {
    return trial.proposal && trial.standing != review::Standing::rejected && trial.standing != review::Standing::rework;
}

/// Adds one effect of a trial. False when it has no place in the plot.
bool add_decided(StudyPoints& points, double time, const EffectView& effect, bool held_out, std::int64_t number) {
    if (!std::isfinite(effect.estimate))
        return false;
    // An end that is not known is as good as open.
    const auto end = [](double value, double open) { return std::isnan(value) ? open : value * 100; };
    points.decided.push_back(
        {time, effect.estimate * 100, end(effect.low, -HUGE_VAL), end(effect.high, HUGE_VAL), held_out, number});
    return true;
}

void add_trial(StudyPoints& points, const app::Overview& overview, const TrialSummary& trial, double time) {
    const bool timed = std::isfinite(time);
    if (trial.tuning && !(timed && add_decided(points, time, *trial.tuning, false, trial.number)))
        ++points.left_out;
    if (trial.held_out && !(timed && add_decided(points, time, *trial.held_out, true, trial.number)))
        ++points.left_out;
    if (timed && trial.looked && std::isfinite(*trial.looked))
        points.looked.emplace_back(time, *trial.looked * 100);
    const EffectView* leading = stands(trial) ? leading_effect(trial) : nullptr;
    if (!timed || !leading || !std::isfinite(leading->estimate))
        return;
    const double value = leading->estimate * 100;
    if (points.best.empty() || is_better(overview, value, points.best.back().second))
        points.best.emplace_back(time, value);
}

/// The value below which a `share` of them lies.
double quantile(std::vector<double> values, double share) {
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

} // namespace

const EffectView* leading_effect(const TrialSummary& trial) {
    return trial.held_out ? &*trial.held_out : trial.tuning ? &*trial.tuning : nullptr;
}

const TrialSummary* best_proposal(const app::Overview& overview, std::int64_t study) {
    const TrialSummary* best = nullptr;
    for (const TrialSummary& trial : overview.trials) {
        const EffectView* effect = trial.study == study && stands(trial) ? leading_effect(trial) : nullptr;
        if (effect && std::isfinite(effect->estimate) &&
            (!best || is_better(overview, effect->estimate, leading_effect(*best)->estimate)))
            best = &trial;
    }
    return best;
}

StudyPoints study_points(const app::Overview& overview, std::int64_t number) {
    StudyPoints points;
    const study::StudyRecord* study = find_study(overview, number);
    if (study == nullptr)
        return points;
    const QDateTime start = stored_time(study->started);
    std::vector<std::pair<double, const TrialSummary*>> trials;
    for (const TrialSummary& trial : overview.trials) {
        if (trial.study != number)
            continue;
        const QDateTime end = stored_time(trial.ended);
        const bool known = start.isValid() && end.isValid();
        trials.emplace_back(known ? static_cast<double>(start.msecsTo(end)) / 1000 : HUGE_VAL, &trial);
    }
    std::stable_sort(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [time, trial] : trials)
        add_trial(points, overview, *trial, time);
    return points;
}

std::pair<double, double> value_range(const StudyPoints& points) {
    double low = 0, high = 0;
    for (const StudyPoints::Decided& point : points.decided) {
        low = std::min(low, point.estimate);
        high = std::max(high, point.estimate);
    }
    if (!points.looked.empty()) {
        std::vector<double> values;
        for (const auto& [time, value] : points.looked)
            values.push_back(value);
        low = std::min(low, quantile(values, 0.05));
        high = std::max(high, quantile(values, 0.95));
    }
    const double span = std::max(high - low, 1.0);
    const double room = span; // an interval may be as long again as all estimates together
    double longest_low = low, longest_high = high;
    for (const StudyPoints::Decided& point : points.decided) {
        if (std::isfinite(point.low))
            longest_low = std::min(longest_low, std::max(point.low, low - room));
        if (std::isfinite(point.high))
            longest_high = std::max(longest_high, std::min(point.high, high + room));
    }
    const double margin = std::max((longest_high - longest_low) * 0.08, 0.5);
    return {longest_low - margin, longest_high + margin};
}

} // namespace holdfast::desktop
