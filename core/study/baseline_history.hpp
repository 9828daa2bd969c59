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
    std::string phase;      ///< opening, screen, confirm, holdout, measure or calibrate
    std::string time;       ///< of its first sample
    std::string commit;
    double median = 0, low = 0, high = 0; ///< and quartiles, in the metric's unit
    std::size_t samples = 0;
    std::vector<std::string> machine_changes; ///< since the point before; empty: the same machine
};

struct BaselineSeries {
    std::string workload, metric, unit;
    Better better = Better::lower;
    std::vector<BaselinePoint> points;       ///< oldest first
    std::vector<stats::ChangePoint> changes; ///< indices into `points`, each the first of a study
};

/// p of the permutation test that a change point must reach.
constexpr double change_significance = 0.01;

/// Of every workload and metric that was measured, in the order of their names; `workload`, `metric` "": all. Timed
/// runs that ended well, warm-ups left out; in A/A phases (opening, calibrate) both arms are the baseline. Of a
/// held-out workload too, the baseline's values alone. Change points are searched between studies, of the medians of
/// each one's sessions, which are not independent of each other; and between machine changes only: what moves with the
/// machine says nothing of the program. Unit and direction are those of the newest study that measured
/// the metric.
Result<std::vector<BaselineSeries>> baseline_history(const Store& store, const std::string& workload,
                                                     const std::string& metric);

} // namespace holdfast::study
