// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/baseline_series.hpp"
#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "app/common/timeline.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

void print_studies(const std::vector<app::TimelineStudy>& studies) {
    std::vector<std::vector<std::string>> rows{{"study", "kind", "started (UTC)", "state", "baseline", "machine",
                                                "proposals", "applied", "trials", "subject"}};
    std::vector<std::pair<std::size_t, std::string>> lines;
    for (const app::TimelineStudy& study : studies) {
        if (!study.machine_changes.empty())
            lines.emplace_back(rows.size(), machine_change_line(study.number, study.machine_changes));
        rows.push_back({fmt::format("{}", study.number), study.kind, minute(study.started), study.state,
                        study.commit.substr(0, 10), study.machine, std::to_string(study.proposals),
                        std::to_string(study.applied), outcomes_text(study), printable(study.subject)});
    }
    fmt::print("{}", table(rows, lines));
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

json document_of(const std::string& workload, const std::vector<study::BaselineSeries>& all) {
    json list = json::array();
    for (const study::BaselineSeries& series : all)
        list.push_back(series_document(series));
    return {{"name", printable(workload)}, {"series", list}};
}

/// The objective's series of the newest study that has one; of the others only the names, unless one was asked for.
void print_workload(const std::string& workload, const std::vector<study::BaselineSeries>& all,
                    const app::Records& records) {
    const study::BaselineSeries* shown = &all.front();
    for (const study::StudyRecord& study : records.studies)
        for (const study::BaselineSeries& series : all)
            if (series.metric == records.frozen.at(study.id).metric)
                shown = &series;
    fmt::print("{}", series_text(*shown));
    std::vector<std::string> others;
    for (const study::BaselineSeries& series : all)
        if (&series != shown)
            others.push_back(printable(series.metric));
    if (!others.empty())
        fmt::print("also measured: {} (holdfast history {} --metric NAME)\n", fmt::join(others, ", "),
                   printable(workload));
}

Error unknown_workload(const Common& common, const std::string& workload) {
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

/// Why there is no series: nobody ran the workload, or it has no such metric.
Error nothing_found(const Common& common, const study::Store& store, const HistoryArguments& arguments) {
    const auto all = study::baseline_history(store, arguments.workload, "");
    if (!all || all->empty())
        return all ? unknown_workload(common, arguments.workload) : all.error();
    std::vector<std::string> names;
    for (const study::BaselineSeries& series : *all)
        names.push_back(printable(series.metric));
    return {Error::Kind::invalid,
            fmt::format("show the history of {} on workload {}", printable(arguments.metric),
                        printable(arguments.workload)),
            "no study measured that metric on it", fmt::format("There are: {}", fmt::join(names, ", "))};
}

} // namespace

Result<int> history(const Common& common, const HistoryArguments& arguments) {
    const std::string& workload = arguments.workload;
    if (workload.empty() && !arguments.metric.empty())
        return invalid("show the history of one metric", "no workload is named",
                       "Name one: holdfast history WORKLOAD --metric " + printable(arguments.metric));
    const auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    const auto records = app::read_records(**store, "{}");
    if (!records)
        return tl::unexpected(records.error());
    const auto repository = git::Repository::open(common.folder);
    const std::vector<app::TimelineStudy> studies = app::timeline(*records, repository ? &*repository : nullptr);
    std::vector<study::BaselineSeries> series;
    if (!workload.empty()) {
        auto found = study::baseline_history(**store, workload, arguments.metric);
        if (!found)
            return tl::unexpected(found.error());
        if (found->empty())
            return tl::unexpected(nothing_found(common, **store, arguments));
        series = std::move(*found);
    }
    if (common.json)
        print_document({{"schema", "holdfast/history/1"},
                        {"studies", document_of(studies)},
                        {"workload", workload.empty() ? json() : document_of(workload, series)}});
    else if (studies.empty())
        fmt::print("no study yet; start one with: holdfast run\n");
    else if (workload.empty())
        print_studies(studies);
    else
        print_workload(workload, series, *records);
    return Exit::done;
}

} // namespace holdfast::cli
