// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a forest plot; its range, ticks and jitter are shared with the reports (core/review/plot_scale.hpp).
#pragma once

#include "core/review/plot_scale.hpp"

#include <QString>

namespace holdfast::desktop {

using review::forest_range;
using review::is_known;
using review::jitter;
using review::PlotRange;
using review::round_ticks;

/// review::change_tick().
QString tick_text(double change, double step);

/// "−3.2 % [−4.1, −2.3]" or "unknown".
QString effect_words(const review::EffectView& effect);
/// A row for tool tips and screen readers: "tuning report-join: −3.2 % [−4.1, −2.3], better, 40 rounds, ...".
QString row_words(const review::WorkloadRow& row);

} // namespace holdfast::desktop
