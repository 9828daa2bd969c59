// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "app/common/timeline.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace holdfast::cli {

namespace {

using nlohmann::json;

std::string minute(const std::string& time) {
    return printable(time.substr(0, 16)); // 2026-11-30T12:45
}

std::string outcomes_text(const app::TimelineStudy& study) {
    std::string text;
    for (const auto& [outcome, count] : study.outcomes)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, printable(outcome));
    return text.empty() ? "no trial" : text;
}

std::string changes_text(const app::TimelineStudy& study) {
    return fmt::format("machine changed before {}: {}\n", study.number, fmt::join(study.machine_changes, "; "));
}

/// A table whose rows are parted by a line where the machine changed.
void print_parted(const std::vector<std::string>& head,
                  const std::vector<std::pair<const app::TimelineStudy*, std::vector<std::string>>>& rows) {
    std::vector<std::vector<std::string>> all{head};
    for (const auto& [study, row] : rows)
        all.push_back(row);
    std::string text = table(all);
    std::size_t at = text.find('\n') + 1;
    fmt::print("{}", text.substr(0, at));
    for (const auto& [study, row] : rows) {
        if (!study->machine_changes.empty())
            fmt::print("---- {}", changes_text(*study));
        const std::size_t end = text.find('\n', at) + 1;
        fmt::print("{}", text.substr(at, end - at));
        at = end;
    }
}

void print_studies(const std::vector<app::TimelineStudy>& studies) {
    std::vector<std::pair<const app::TimelineStudy*, std::vector<std::string>>> rows;
    for (const app::TimelineStudy& study : studies)
        rows.push_back({&study,
                        {fmt::format("{}", study.number), study.kind, minute(study.started), study.state,
                         study.commit.substr(0, 10), study.machine, std::to_string(study.proposals),
                         std::to_string(study.applied), outcomes_text(study), printable(study.subject)}});
    print_parted(
        {"study", "kind", "started (UTC)", "state", "baseline", "machine", "proposals", "applied", "trials", "subject"},
        rows);
}

/// The unit of a metric of one's own is its project's affair.
std::string value_text(const std::string& metric, double value) {
    if (metric == "wall" || metric == "cpu")
        return duration_text(std::chrono::nanoseconds(static_cast<std::int64_t>(value * 1e9)));
    return metric == "peak-memory" ? bytes_text(value) : fmt::format("{:.6g}", value);
}

void print_workload(const std::string& workload, const std::vector<app::TimelineStudy>& studies,
                    const std::vector<app::TimelinePoint>& points) {
    std::vector<std::pair<const app::TimelineStudy*, std::vector<std::string>>> rows;
    std::vector<double> medians;
    std::set<std::string> metrics;
    for (const app::TimelinePoint& point : points) {
        const auto study = std::find_if(studies.begin(), studies.end(),
                                        [&](const app::TimelineStudy& each) { return each.number == point.study; });
        rows.push_back({&*study,
                        {std::to_string(point.study), minute(study->started), study->commit.substr(0, 10),
                         study->machine, printable(point.metric), value_text(point.metric, point.median),
                         fmt::format("{:.1f} %", point.spread * 100), std::to_string(point.runs)}});
        medians.push_back(point.median);
        metrics.insert(point.metric);
    }
    fmt::print("the baseline on {}, as each study measured it\n", printable(workload));
    print_parted({"study", "started (UTC)", "baseline", "machine", "metric", "median", "spread", "n"}, rows);
    if (metrics.size() == 1)
        fmt::print("medians  {}\n", app::sparkline(medians));
}

json document_of(const std::vector<app::TimelineStudy>& studies) {
    json list = json::array();
    for (const app::TimelineStudy& study : studies) {
        json changes = json::array();
        for (const std::string& change : study.machine_changes)
            changes.push_back(change);
        list.push_back({{"number", study.number},
                        {"id", study.id},
                        {"kind", study.kind},
                        {"state", study.state},
                        {"started", study.started},
                        {"ended", study.ended.empty() ? json() : json(study.ended)},
                        {"baseline", study.commit},
                        {"subject", study.subject.empty() ? json() : json(printable(study.subject))},
                        {"machine", study.machine},
                        {"machine-changes", changes},
                        {"trials", study.trials},
                        {"outcomes", study.outcomes},
                        {"proposals", study.proposals},
                        {"applied", study.applied}});
    }
    return list;
}

json document_of(const std::string& workload, const std::vector<app::TimelinePoint>& points) {
    json list = json::array();
    for (const app::TimelinePoint& point : points)
        list.push_back({{"study", point.study},
                        {"metric", point.metric},
                        {"runs", point.runs},
                        {"median", point.median},
                        {"spread", point.spread}});
    return {{"name", printable(workload)}, {"baselines", list}};
}

Error unknown(const Common& common, const std::string& workload) {
    std::vector<std::string> names;
    if (const auto project = load_project(common.folder))
        for (const Workload& known : project->workloads)
            names.push_back(known.name);
    const bool named = std::find(names.begin(), names.end(), workload) != names.end();
    const std::string near = named ? "" : nearest(workload, names);
    return {Error::Kind::invalid, "show the history of workload " + printable(workload), "no study ran it",
            named          ? "Measure it with: holdfast run"
            : near.empty() ? "See the names with: holdfast validate"
                           : "Did you mean " + printable(near) + "?"};
}

} // namespace

Result<int> history(const Common& common, const std::string& workload) {
    const auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    const auto records = app::read_records(**store, "{}");
    if (!records)
        return tl::unexpected(records.error());
    const auto repository = git::Repository::open(common.folder);
    const std::vector<app::TimelineStudy> studies = app::timeline(*records, repository ? &*repository : nullptr);
    std::vector<app::TimelinePoint> points;
    if (!workload.empty()) {
        auto found = app::timeline_of(**store, *records, workload);
        if (!found)
            return tl::unexpected(found.error());
        if (found->empty())
            return tl::unexpected(unknown(common, workload));
        points = std::move(*found);
    }
    if (common.json)
        print_document({{"schema", "holdfast/history/1"},
                        {"studies", document_of(studies)},
                        {"workload", workload.empty() ? json() : document_of(workload, points)}});
    else if (studies.empty())
        fmt::print("no study yet; start one with: holdfast run\n");
    else if (workload.empty())
        print_studies(studies);
    else
        print_workload(workload, studies, points);
    return Exit::done;
}

} // namespace holdfast::cli
