// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/decision/dominance.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::decision {

bool beats(const Gains& one, const Gains& other) {
    bool better = false;
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (std::isnan(one[i]) || std::isnan(other[i]) || one[i] < other[i])
            return false;
        better = better || one[i] > other[i];
    }
    return better;
}

std::vector<bool> non_dominated(const std::vector<Gains>& all) {
    std::vector<bool> result;
    for (const Gains& each : all)
        result.push_back(std::none_of(all.begin(), all.end(), [&](const Gains& other) { return beats(other, each); }));
    return result;
}

} // namespace holdfast::decision
