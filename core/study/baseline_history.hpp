// SPDX-License-Identifier: GPL-3.0-or-later
// The baseline's own samples over time: where it became faster or slower, and where the machine changed.
#pragma once

#include "core/project/project.hpp"
#include "core/stats/change_points.hpp"
#include "core/study/store.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::study {

/// One session of one study's baseline.
struct BaselinePoint {
    std::int64_t study = 0; ///< its number
    std::string time, commit;
    double median = 0, low = 0, high = 0; ///< and quartiles, in the metric's unit
    std::size_t samples = 0;
    std::vector<std::string> machine_changes; ///< since the point before; empty: the same machine
};

struct BaselineSeries {
    std::string workload, metric, unit;
    Better better = Better::lower;
    std::vector<BaselinePoint> points;       ///< oldest first
    std::vector<stats::ChangePoint> changes; ///< indices into `points`; never across a machine change
};

/// Of every workload and metric that was measured; `workload`, `metric` "": all. A held-out workload's are the
/// baseline's alone.
Result<std::vector<BaselineSeries>> baseline_history(const Store& store, const std::string& workload,
                                                     const std::string& metric);

} // namespace holdfast::study
