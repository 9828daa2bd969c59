// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/forest_layout.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/words.hpp"
#include "core/decision/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace holdfast::desktop {

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

} // namespace

PlotRange forest_range(const review::Sheet& sheet) {
    const double band = std::isfinite(sheet.band) ? std::clamp(std::abs(sheet.band), 0.0, 1.0) : 0;
    const double least = std::max(1.6 * band, 0.002); // A plot of equal values still needs a width.
    PlotRange range{-least, least};
    for (const review::WorkloadRow& row : sheet.rows) {
        include(range, row.effect.estimate);
        std::vector<double> dots;
        std::copy_if(row.dots.begin(), row.dots.end(), std::back_inserter(dots),
                     [](double dot) { return std::isfinite(dot); });
        std::sort(dots.begin(), dots.end());
        if (!dots.empty()) {
            include(range, quantile(dots, 0.05));
            include(range, quantile(dots, 0.95));
        }
    }
    // One interval from few rounds can be ten times wider than all others; it ends in an arrow then.
    const double width = range.high - range.low;
    const PlotRange widest{range.low - width / 2, range.high + width / 2};
    for (const review::WorkloadRow& row : sheet.rows)
        for (const double end : {row.effect.low, row.effect.high})
            if (std::isfinite(end))
                include(range, std::clamp(end, widest.low, widest.high));
    const double padding = 0.06 * (range.high - range.low);
    return {range.low - padding, range.high + padding};
}

std::vector<double> forest_ticks(const PlotRange& range, int most) {
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

QString tick_text(double change, double step) {
    const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(100 * step) + 1e-9)), 0, 6);
    return QString::fromStdString(decision::percent_text(change, decimals)) + " %";
}

double jitter(std::size_t row, std::size_t dot) {
    // The bits of a multiplicative hash: even, without a generator whose state would depend on what is drawn first.
    const std::uint64_t mixed = (row * 1000003 + dot + 1) * 0x9e3779b97f4a7c15ULL;
    return 2 * static_cast<double>(mixed >> 11) / static_cast<double>(1ULL << 53) - 1;
}

bool is_known(const review::EffectView& effect) {
    return std::isfinite(effect.estimate) && !std::isnan(effect.low) && !std::isnan(effect.high);
}

QString effect_words(const review::EffectView& effect) {
    return is_known(effect) && !effect.text.empty() ? shown(effect.text) : QStringLiteral("unknown");
}

QString check_words(const review::WorkloadRow& row) {
    return !row.checked ? "has no check"
           : row.right  ? "every judged run passed its check"
                        : "a judged run failed its check";
}

QString row_words(const review::WorkloadRow& row) {
    QString words =
        QString("%1 %2: %3, ")
            .arg(row.role == Role::tuning ? "tuning" : "held-out", shown(row.name), effect_words(row.effect));
    if (is_known(row.effect))
        words += direction_words(row.effect.direction) + ", ";
    words += QString("%1 rounds, %2").arg(row.effect.rounds).arg(check_words(row));
    for (const std::string& note : row.notes)
        words += "; " + shown(note);
    if (!row.card.empty())
        words += "; " + shown(row.card);
    return words + ".";
}

} // namespace holdfast::desktop
