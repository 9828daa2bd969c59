// SPDX-License-Identifier: GPL-3.0-or-later
// Histories as app::load_overview gives them, for screens.
#pragma once

#include "app/common/overview.hpp"

#include <string>

namespace holdfast::test {

review::EffectView effect(double estimate, double low, double high, review::EffectView::Direction direction);

/// A decided trial of study 1 that ended `minutes` after it started, without effects.
app::TrialSummary decided(std::int64_t number, const std::string& verdict, const std::string& change, int minutes);
/// One that the search looked at and did not send on.
app::TrialSummary searched(std::int64_t number, double looked, int minutes);

/// Study 1 with one trial of every kind: proposal waiting, approved, applied, reverted, rejected, sent back, overfit,
/// failed, queued, and 40 that were only searched.
app::Overview history();
/// `count` trials, most of them searched only.
app::Overview long_history(std::int64_t count);

} // namespace holdfast::test
