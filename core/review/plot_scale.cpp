// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/plot_scale.hpp"

#include "core/decision/verdict.hpp"
#include "core/review/effect.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace holdfast::review {

namespace {

void include(PlotRange& range, double value) {
    if (!std::isfinite(value))
        return;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

std::vector<double> sorted_finite(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    std::sort(values.begin(), values.end());
    return values;
}

} // namespace

PlotRange effect_range(double band, const std::vector<EffectView>& effects,
                       const std::vector<std::vector<double>>& dots) {
    const double half = std::isfinite(band) ? std::clamp(std::abs(band), 0.0, 1.0) : 0;
    const double least = std::max(1.6 * half, 0.002); // A plot of equal values still needs a width.
    PlotRange range{-least, least};
    for (const EffectView& effect : effects)
        include(range, effect.estimate);
    for (const std::vector<double>& row : dots)
        if (const std::vector<double> sorted = sorted_finite(row); !sorted.empty()) {
            include(range, quantile(sorted, 0.05));
            include(range, quantile(sorted, 0.95));
        }
    // One interval from few rounds can be ten times wider than all others; it ends in an arrow then.
    const double width = range.high - range.low;
    const PlotRange widest{range.low - width / 2, range.high + width / 2};
    for (const EffectView& effect : effects)
        for (const double end : {effect.low, effect.high})
            if (std::isfinite(end))
                include(range, std::clamp(end, widest.low, widest.high));
    const double padding = 0.06 * (range.high - range.low);
    return {range.low - padding, range.high + padding};
}

PlotRange forest_range(const Sheet& sheet) {
    std::vector<EffectView> effects;
    std::vector<std::vector<double>> dots;
    for (const WorkloadRow& row : sheet.rows) {
        effects.push_back(row.effect);
        dots.push_back(row.dots);
    }
    return effect_range(sheet.band, effects, dots);
}

PlotRange value_range(const std::vector<std::vector<double>>& values) {
    std::vector<double> all;
    for (const std::vector<double>& some : values)
        all.insert(all.end(), some.begin(), some.end());
    all = sorted_finite(std::move(all));
    if (all.empty())
        return {0, 1};
    const double width = all.back() - all.front();
    const double room = width > 0 ? 0.06 * width : std::max(0.05 * std::abs(all.front()), 1e-9);
    return {all.front() - room, all.back() + room};
}

std::vector<double> round_ticks(const PlotRange& range, int most) {
    const double rough = (range.high - range.low) / std::max(most, 1);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough) {
            step = factor * power;
            break;
        }
    std::vector<double> ticks;
    for (double at = std::ceil(range.low / step); at * step <= range.high; ++at)
        ticks.push_back(at * step);
    return ticks;
}

std::string change_tick(double change, double step) {
    const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(100 * step) + 1e-9)), 0, 6);
    return decision::percent_text(change, decimals) + " %";
}

double jitter(std::size_t row, std::size_t dot) {
    // The bits of a multiplicative hash: even, without a generator whose state would depend on what is drawn first.
    const std::uint64_t mixed = (row * 1000003 + dot + 1) * 0x9e3779b97f4a7c15ULL;
    return 2 * static_cast<double>(mixed >> 11) / static_cast<double>(1ULL << 53) - 1;
}

bool is_known(const EffectView& effect) {
    return std::isfinite(effect.estimate) && !std::isnan(effect.low) && !std::isnan(effect.high);
}

std::string spoken(const WorkloadRow& row) {
    std::string words = fmt::format("{} {}: {}, ", row.role == Role::tuning ? "tuning" : "held-out", row.name,
                                    is_known(row.effect) && !row.effect.text.empty() ? row.effect.text : "unknown");
    if (is_known(row.effect))
        words += row.effect.direction == EffectView::Direction::no_change
                     ? "no practical change, "
                     : fmt::format("{}, ", to_text(row.effect.direction));
    words += fmt::format("{} rounds, {}", row.effect.rounds,
                         !row.checked ? "has no check"
                         : row.right  ? "every judged run passed its check"
                                      : "a judged run failed its check");
    for (const std::string& note : row.notes)
        words += "; " + note;
    if (!row.card.empty())
        words += "; " + row.card;
    return words + ".";
}

DisplayUnit display_unit(const std::string& stored, double largest) {
    if (stored == "s" && largest > 0 && largest < 1)
        return largest < 1e-3 ? DisplayUnit{1e6, "µs"} : DisplayUnit{1e3, "ms"};
    if ((stored == "bytes" || stored == "B") && largest >= 1024)
        return largest < (1 << 20) ? DisplayUnit{1.0 / 1024, "KiB"} : DisplayUnit{1.0 / (1 << 20), "MiB"};
    return {1, stored};
}

std::vector<Step> ecdf(std::vector<double> values) {
    const std::vector<double> sorted = sorted_finite(std::move(values));
    std::vector<Step> steps;
    for (std::size_t i = 0; i < sorted.size(); ++i)
        steps.push_back({sorted[i], static_cast<double>(i + 1) / static_cast<double>(sorted.size())});
    return steps;
}

} // namespace holdfast::review
