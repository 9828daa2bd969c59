// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/rounds.hpp"

#include <algorithm>

namespace holdfast::study {

namespace {

constexpr int least_holdout_rounds = 40;

} // namespace

int holdout_rounds(const DecisionSettings& settings, std::size_t confirm_rounds) {
    if (settings.holdout_pairs)
        return *settings.holdout_pairs;
    const int most = std::max(settings.max_pairs, least_holdout_rounds);
    return std::clamp(2 * static_cast<int>(confirm_rounds), least_holdout_rounds, most);
}

} // namespace holdfast::study
