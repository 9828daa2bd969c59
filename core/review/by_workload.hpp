// SPDX-License-Identifier: GPL-3.0-or-later
// One number of every counted run, by workload and arm.
#pragma once

#include "core/study/store.hpp"

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::review {

struct ArmValues {
    std::vector<double> baseline, candidate; ///< neither needs to be as long as the other
};

/// Of the runs of `phases` that are counted (no warm-up) and ended well. A run that gives no value is left out.
std::map<std::string, ArmValues>
by_workload(const std::vector<study::SampleRecord>& samples, std::initializer_list<std::string_view> phases,
            const std::function<std::optional<double>(const study::SampleRecord&)>& value);

} // namespace holdfast::review
