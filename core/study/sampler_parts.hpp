// SPDX-License-Identifier: GPL-3.0-or-later
// What the sampler's files share.
#pragma once

#include "core/study/sampler.hpp"

#include <string>
#include <utility>

namespace holdfast::study {

inline Taken& fail(Taken& taken, Taken::Outcome outcome, std::string reason, std::string log = "") {
    taken.outcome = outcome;
    taken.reason = std::move(reason);
    taken.log = std::move(log);
    taken.record.ending = taken.reason;
    return taken;
}

} // namespace holdfast::study
