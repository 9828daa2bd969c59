// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/rounds.hpp"

#include <algorithm>

namespace holdfast::study {

namespace {

constexpr int least_holdout_rounds = 40;

} // namespace

int holdout_rounds(const DecisionSettings& settings, std::size_t decided, std::size_t pairs, std::size_t workloads) {
    if (settings.holdout_pairs)
        return *settings.holdout_pairs;
    const std::size_t lacking = tail_pairs - std::min(pairs, tail_pairs), each = std::max<std::size_t>(workloads, 1);
    const auto wanted = static_cast<int>(std::max(2 * decided, (lacking + each - 1) / each));
    return std::clamp(wanted, least_holdout_rounds, std::max(settings.max_pairs, least_holdout_rounds));
}

} // namespace holdfast::study
