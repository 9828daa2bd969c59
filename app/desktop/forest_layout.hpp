// SPDX-License-Identifier: GPL-3.0-or-later
// What a forest plot shows, worked out without drawing: range, ticks, jitter and the words of a row.
#pragma once

#include "core/review/sheet.hpp"

#include <QString>

#include <cstddef>
#include <vector>

namespace holdfast::desktop {

/// Changes as fractions; always finite, low < 0 < high.
struct PlotRange {
    double low = 0, high = 0;
};

/// Room for zero, the band, every estimate, the ends of intervals as far as they do not squash the rest, and the middle
/// nine tenths of the dots.
PlotRange forest_range(const review::Sheet& sheet);

/// Round numbers inside `range`, zero among them, `most` at most.
std::vector<double> forest_ticks(const PlotRange& range, int most);

/// "+2 %", "−0.5 %", "0 %": `step` says how many digits are needed.
QString tick_text(double change, double step);

/// Where a dot of `row` lies in its row, from -1 to 1: the same at every drawing.
double jitter(std::size_t row, std::size_t dot);

bool is_known(const review::EffectView& effect);

/// "−3.2 % [−4.1, −2.3]" or "unknown".
QString effect_words(const review::EffectView& effect);
/// "every judged run passed its check", "a judged run failed its check", "has no check".
QString check_words(const review::WorkloadRow& row);

/// A row for tool tips and screen readers: "tuning report-join: −3.2 % [−4.1, −2.3], better, 40 rounds, ...".
QString row_words(const review::WorkloadRow& row);

} // namespace holdfast::desktop
