// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/baseline_series.hpp"

#include "app/cli/render.hpp"
#include "app/common/timeline.hpp"
#include "core/decision/verdict.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

using nlohmann::json;

std::string value_text(const study::BaselineSeries& series, double value) {
    if (series.unit == "s" && value >= 0 && value < 1e9)
        return duration_text(std::chrono::nanoseconds(static_cast<std::int64_t>(value * 1e9)));
    if (series.unit == "B")
        return bytes_text(value);
    return fmt::format("{:.6g}{}{}", value, series.unit.empty() ? "" : " ", printable(series.unit));
}

/// The change point at that point; null when there is none.
const stats::ChangePoint* change_at(const study::BaselineSeries& series, std::size_t index) {
    for (const stats::ChangePoint& change : series.changes)
        if (change.at == index)
            return &change;
    return nullptr;
}

std::string change_text(const study::BaselineSeries& series, const stats::ChangePoint& change) {
    const std::string percent = change.before > 0 && change.after > 0
                                    ? fmt::format(" ({} %)", decision::percent_text(change.after / change.before - 1))
                                    : "";
    const bool better = (change.after < change.before) == (series.better == Better::lower);
    const char* what = change.after == change.before ? "changed" : better ? "better" : "worse";
    return fmt::format("==== {} from here: {} → {}{}, p = {:.3g}\n", what, value_text(series, change.before),
                       value_text(series, change.after), percent, change.p);
}

/// The medians, with │ where the baseline changed and ┊ where the machine did.
std::string plot_line(const study::BaselineSeries& series) {
    std::vector<double> medians;
    std::map<std::size_t, std::string> marks;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        medians.push_back(series.points[i].median);
        if (!series.points[i].machine_changes.empty())
            marks[i] = "┊";
        else if (change_at(series, i) != nullptr)
            marks[i] = "│";
    }
    return app::sparkline(medians, marks);
}

} // namespace

std::string machine_change_line(std::int64_t study, const std::vector<std::string>& changes) {
    return fmt::format("---- machine changed before study {}: {}\n", study, fmt::join(changes, "; "));
}

std::string series_text(const study::BaselineSeries& series) {
    std::vector<std::vector<std::string>> rows{
        {"study", "session (UTC)", "phase", "baseline", "median", "quartiles", "n"}};
    std::vector<std::pair<std::size_t, std::string>> lines;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        const study::BaselinePoint& point = series.points[i];
        if (!point.machine_changes.empty())
            lines.emplace_back(rows.size(), machine_change_line(point.study, point.machine_changes));
        if (const stats::ChangePoint* change = change_at(series, i))
            lines.emplace_back(rows.size(), change_text(series, *change));
        rows.push_back({std::to_string(point.study), printable(point.time.substr(0, 16)), point.phase,
                        point.commit.substr(0, 10), value_text(series, point.median),
                        fmt::format("{} to {}", value_text(series, point.low), value_text(series, point.high)),
                        std::to_string(point.samples)});
    }
    return fmt::format("{} of the baseline on {}, session by session ({} is better; changes are sought between "
                       "studies)\n{}medians  {}\n",
                       printable(series.metric), printable(series.workload),
                       series.better == Better::lower ? "lower" : "higher", table(rows, lines), plot_line(series));
}

json series_document(const study::BaselineSeries& series) {
    json points = json::array(), changes = json::array();
    for (const study::BaselinePoint& point : series.points)
        points.push_back({{"study", point.study},
                          {"phase", point.phase},
                          {"time", point.time},
                          {"baseline", point.commit},
                          {"median", point.median},
                          {"low", point.low},
                          {"high", point.high},
                          {"samples", point.samples},
                          {"machine-changes", point.machine_changes}});
    for (const stats::ChangePoint& change : series.changes)
        changes.push_back({{"at", change.at}, {"before", change.before}, {"after", change.after}, {"p", change.p}});
    return {{"metric", printable(series.metric)},
            {"unit", printable(series.unit)},
            {"better", series.better == Better::lower ? "lower" : "higher"},
            {"points", points},
            {"changes", changes}};
}

} // namespace holdfast::cli
