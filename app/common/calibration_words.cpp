// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/calibration_words.hpp"

#include "core/decision/rule.hpp"
#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holdfast::app {

namespace {

constexpr const char* too_few = "too few rounds to tell";

std::string effect_words(double estimate, const stats::Interval& interval, Better better) {
    if (!std::isfinite(interval.low) && !std::isfinite(interval.high))
        return too_few;
    decision::Effect effect;
    effect.estimate = estimate;
    effect.interval = interval;
    return decision::describe(effect, better);
}

std::string slot_words(const study::WorkloadCalibration& workload) {
    const stats::SelfComparison& self = workload.self;
    // Positive: the first run is worse; as a change of the first against the second.
    const std::string text =
        effect_words(-self.slot, {-self.slot_interval.high, -self.slot_interval.low}, workload.better);
    if (text == too_few)
        return text;
    const bool shown = self.slot_interval.low > decision::rounding || self.slot_interval.high < -decision::rounding;
    return shown ? text + ": the order matters" : text + ": no effect of the order shown";
}

/// With a real minus sign.
std::string signed_text(double value) {
    return fmt::format("{}{:.2f}", value < 0 ? "\u2212" : "", std::abs(value));
}

std::string lag_words(const stats::SelfComparison& self) {
    if (std::isnan(self.lag_one))
        return "cannot be told";
    const bool related = self.lag_one_interval.low > 0 || self.lag_one_interval.high < 0;
    return fmt::format("{} [{}, {}]: {}", signed_text(self.lag_one), signed_text(self.lag_one_interval.low),
                       signed_text(self.lag_one_interval.high),
                       related ? "neighbouring rounds are related" : "none shown");
}

std::string called_words(const study::WorkloadCalibration& workload, const stats::Proportion& taken, double redrawn,
                         double threshold) {
    if (workload.session_rounds < workload.least_rounds)
        return fmt::format("{}: {} a session, of which at least {} are needed", too_few, workload.session_rounds,
                           workload.least_rounds);
    return fmt::format(
        "{} of {} segments [{:.0f} % to {:.0f} %]; {:.2f} ± {:.2f} % with redrawn coins, at most {:.2g} % "
        "by the rule",
        taken.hits, taken.of, 100 * taken.interval.low, 100 * taken.interval.high, 100 * redrawn,
        100 * workload.self.redrawn_error, 100 / threshold);
}

std::string sessions_words(const study::WorkloadCalibration& workload) {
    const stats::SelfComparison& self = workload.self;
    if (workload.sessions < 2)
        return "one only";
    if (workload.too_few())
        return too_few;
    return fmt::format("{} (p = {:.2g})", self.sessions_differ ? "they differ" : "no difference shown",
                       self.sessions_p);
}

std::string number_words(double value) {
    return std::isnan(value) ? "unknown" : fmt::format("{:.2g} %", 100 * value);
}

} // namespace

std::string size_text(double log_ratio, Better better) {
    if (std::isnan(log_ratio))
        return "unknown";
    return std::isinf(log_ratio) ? "none" : number_words(std::abs(decision::as_change(log_ratio, better)));
}

std::string taken_text(const study::WorkloadCalibration& workload) {
    return fmt::format("{} rounds in {} session{}", workload.self.rounds, workload.sessions,
                       workload.sessions == 1 ? "" : "s");
}

std::vector<std::pair<std::string, std::string>> noise_lines(const study::WorkloadCalibration& workload,
                                                             double threshold) {
    const stats::SelfComparison& self = workload.self;
    return {{"noise of a pair", number_words(self.noise)},
            {"itself against itself", effect_words(self.arms, self.arms_interval, workload.better)},
            {"first against second", slot_words(workload)},
            {"lag-1 correlation", lag_words(self)},
            {"sessions", sessions_words(workload)},
            {"called faster", called_words(workload, self.false_faster, self.redrawn_faster, threshold)},
            {"called slower", called_words(workload, self.false_slower, self.redrawn_slower, threshold)}};
}

std::string burden_text(const study::Burden& burden, Better better) {
    if (!burden.unavailable.empty())
        return "not injected: " + burden.unavailable;
    if (burden.rounds == 0)
        return fmt::format("not tried: more than {} rounds would be needed", burden.limit);
    std::string text = burden.seen_at ? fmt::format("seen after {} rounds", *burden.seen_at)
                                      : fmt::format("not seen in {} rounds", burden.rounds);
    text += burden.predicted > 0 ? fmt::format("; expected within {} (8 of 10)", burden.predicted)
                                 : fmt::format("; expected in more than {}", burden.limit);
    return text + fmt::format(". Burnt {}, measured {}", number_words(burden.injected),
                              effect_words(burden.estimate, burden.interval, better));
}

std::vector<std::pair<std::string, std::string>> burden_lines(const study::WorkloadCalibration& workload) {
    const auto& burdens = workload.burdens;
    const bool none = std::all_of(burdens.begin(), burdens.end(), [&](const study::Burden& burden) {
        return !burden.unavailable.empty() && burden.unavailable == burdens.front().unavailable;
    });
    if (none && !burdens.empty())
        return {{"slow-downs", burden_text(burdens.front(), workload.better)}};
    std::vector<std::pair<std::string, std::string>> lines;
    for (const study::Burden& burden : burdens)
        lines.emplace_back(fmt::format("{:g} % slower", 100 * burden.share), burden_text(burden, workload.better));
    return lines;
}

std::string brief_text(const study::WorkloadCalibration& workload) {
    std::string text = "noise of a pair " + number_words(workload.self.noise);
    if (workload.self.provable.empty())
        return text;
    const stats::Provable& last = workload.self.provable.back();
    return text + (std::isinf(last.effect) ? fmt::format("; nothing can be proven in {} rounds", last.rounds)
                                           : fmt::format("; smallest provable effect {} in {} rounds",
                                                         size_text(last.effect, workload.better), last.rounds));
}

std::string standing_text(const study::CalibrationStanding& standing) {
    if (!standing.calibration)
        return standing.because.empty() ? "" : "no calibration that holds: " + standing.because;
    if (!standing.faults.empty())
        return fmt::format("calibration of study {} FAILED: {}", standing.study, standing.faults.front().what);
    const std::string changed = study::changed_since(standing);
    return fmt::format("{}: {} ({})", printable(standing.metric), brief_text(*standing.calibration),
                       changed.empty() ? "calibrated " + printable(standing.ended) : changed);
}

} // namespace holdfast::app
