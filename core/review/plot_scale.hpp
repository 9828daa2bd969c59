// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges, ticks and units of plots, worked out without drawing: the desktop and the reports share them.
#pragma once

#include "core/review/sheet.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::review {

/// Always finite, low < high.
struct PlotRange {
    double low = 0, high = 0;
};

/// Of changes, low < 0 < high: room for zero, the band, every estimate, the ends of intervals as far as they do not
/// squash the rest, and the middle nine tenths of each row's dots.
PlotRange effect_range(double band, const std::vector<EffectView>& effects,
                       const std::vector<std::vector<double>>& dots);
/// Of a sheet's rows.
PlotRange forest_range(const Sheet& sheet);
/// Room around all finite values, also when they are equal or none.
PlotRange value_range(const std::vector<std::vector<double>>& values);

/// Round numbers inside `range`, `most` at most.
std::vector<double> round_ticks(const PlotRange& range, int most);

/// "+2 %", "−0.5 %", "0 %": `step` says how many digits are needed.
std::string change_tick(double change, double step);

/// Where a dot of `row` lies in its row, from -1 to 1: the same at every drawing.
double jitter(std::size_t row, std::size_t dot);

/// Whether the effect has a place in a plot.
bool is_known(const EffectView& effect);

/// A row for those who do not see the plot: "tuning report-join: −3.2 % [−4.1, −2.3], better, 40 rounds, every judged
/// run passed its check."
std::string spoken(const WorkloadRow& row);

struct DisplayUnit {
    double factor = 1; ///< shown value = factor · stored value
    std::string name;
};

/// A unit for values stored in `stored` ("s", "B", "bytes", any other) in which `largest` has few digits.
DisplayUnit display_unit(const std::string& stored, double largest);

/// The steps of an empirical distribution: each value in rising order with the share of values at or below it.
/// Values that are not finite are left out.
struct Step {
    double value = 0, share = 0;
};
std::vector<Step> ecdf(std::vector<double> values);

} // namespace holdfast::review
