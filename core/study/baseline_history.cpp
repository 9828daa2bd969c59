// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/baseline_history.hpp"

#include "core/stats/estimate.hpp"
#include "core/stats/random.hpp"
#include "core/study/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace holdfast::study {

namespace {

constexpr std::array phases{"opening", "screen", "confirm", "holdout", "measure", "calibrate"};

/// Of the baseline, and counted.
bool wanted(const SampleRecord& sample, const std::string& workload) {
    const bool itself = sample.phase == "opening" || sample.phase == "calibrate"; // either arm is the baseline
    return sample.round > 0 && sample.ending == "ok" && (itself || sample.arm == "baseline") &&
           (workload.empty() || sample.workload == workload) &&
           std::find(phases.begin(), phases.end(), sample.phase) != phases.end();
}

struct Gathered {
    BaselinePoint point;
    std::vector<double> values;
    const StudyRecord* study = nullptr;
};

/// The value below which the share `q` of `sorted` lies, between neighbours by their distance.
double quantile(const std::vector<double>& sorted, double q) {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

/// What keeps the two studies' samples apart.
std::vector<std::string> changes_between(const StudyRecord& before, const StudyRecord& after) {
    std::vector<std::string> changes = machine_differences(before.machine_json, after.machine_json);
    if (before.isolation_level != after.isolation_level)
        changes.push_back(fmt::format("isolation: L{} → L{}", before.isolation_level, after.isolation_level));
    return changes;
}

class History {
public:
    History(std::string workload, std::string metric) : workload_(std::move(workload)), metric_(std::move(metric)) {}

    void add(const StudyRecord& study, const std::vector<SampleRecord>& samples);
    std::vector<BaselineSeries> series();

private:
    using Name = std::pair<std::string, std::string>; // workload, metric
    /// By trial, phase and session.
    using Sessions = std::map<std::tuple<std::string, std::string, std::int64_t>, Gathered>;

    BaselineSeries one(const Name& name, std::vector<Gathered> sessions);
    void describe(BaselineSeries& series, const StudyRecord& newest);

    std::string workload_, metric_;
    std::map<Name, std::vector<Gathered>> found_;
    std::map<std::string, std::vector<Metric>> metrics_; // by study
};

void History::add(const StudyRecord& study, const std::vector<SampleRecord>& samples) {
    std::map<Name, Sessions> here;
    for (const SampleRecord& sample : samples) {
        if (!wanted(sample, workload_))
            continue;
        const auto metrics = nlohmann::json::parse(sample.metrics_json, nullptr, false);
        if (!metrics.is_object())
            continue;
        for (const auto& [name, value] : metrics.items()) {
            if (name.starts_with(' ')) // none of the project's: " burnt", " background"
                continue;
            if (!value.is_number() || !std::isfinite(value.get<double>()) || (!metric_.empty() && name != metric_))
                continue;
            Gathered& session = here[{sample.workload, name}][{sample.trial, sample.phase, sample.session}];
            if (session.values.empty()) {
                session.study = &study;
                session.point.study = study.number;
                session.point.phase = sample.phase;
                session.point.time = sample.started;
                session.point.commit = study.baseline_commit;
            }
            session.values.push_back(value.get<double>());
        }
    }
    for (auto& [name, sessions] : here)
        for (auto& [key, session] : sessions)
            found_[name].push_back(std::move(session));
}

void History::describe(BaselineSeries& series, const StudyRecord& newest) {
    auto known = metrics_.find(newest.id);
    if (known == metrics_.end()) {
        const auto project = project_from_frozen(".", newest.frozen_json);
        known = metrics_.emplace(newest.id, project ? project->metrics : std::vector<Metric>{}).first;
    }
    for (const Metric& metric : known->second)
        if (metric.name == series.metric) {
            series.unit = metric.unit;
            series.better = metric.better;
        }
}

/// Between machine changes, by places in all points. A study's sessions are seconds apart and share what the machine
/// did then, so they are one value, their median.
std::vector<stats::ChangePoint> changes_within(const std::vector<BaselinePoint>& points, std::uint64_t seed) {
    std::vector<stats::ChangePoint> result;
    for (std::size_t begin = 0; begin < points.size();) {
        std::vector<double> values;      // of each study in turn
        std::vector<std::size_t> places; // of its first session
        std::size_t end = begin;
        while (end < points.size() && (end == begin || points[end].machine_changes.empty())) {
            std::vector<double> medians;
            const std::size_t first = end;
            do
                medians.push_back(points[end++].median);
            while (end < points.size() && points[end].study == points[first].study);
            values.push_back(stats::median(medians));
            places.push_back(first);
        }
        for (stats::ChangePoint change : stats::change_points(values, change_significance, seed)) {
            change.at = places.at(change.at);
            result.push_back(change);
        }
        begin = end;
    }
    return result;
}

BaselineSeries History::one(const Name& name, std::vector<Gathered> sessions) {
    BaselineSeries series;
    series.workload = name.first;
    series.metric = name.second;
    std::stable_sort(sessions.begin(), sessions.end(), [](const Gathered& a, const Gathered& b) {
        return std::tie(a.point.time, a.point.study) < std::tie(b.point.time, b.point.study);
    });
    const StudyRecord* before = nullptr;
    for (Gathered& session : sessions) {
        std::sort(session.values.begin(), session.values.end());
        session.point.median = stats::median(session.values);
        session.point.low = quantile(session.values, 0.25);
        session.point.high = quantile(session.values, 0.75);
        session.point.samples = session.values.size();
        if (before != nullptr && before != session.study)
            session.point.machine_changes = changes_between(*before, *session.study);
        before = session.study;
        series.points.push_back(std::move(session.point));
    }
    describe(series, *before);
    series.changes = changes_within(series.points, stats::derive(0, name.first + "/" + name.second));
    return series;
}

std::vector<BaselineSeries> History::series() {
    std::vector<BaselineSeries> result;
    for (auto& [name, sessions] : found_)
        result.push_back(one(name, std::move(sessions)));
    return result;
}

} // namespace

Result<std::vector<BaselineSeries>> baseline_history(const Store& store, const std::string& workload,
                                                     const std::string& metric) {
    const auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    const auto trials = store.trials();
    if (!trials)
        return tl::unexpected(trials.error());
    History history(workload, metric);
    for (const StudyRecord& study : *studies) {
        std::vector<std::string> of{""}; // the opening rounds
        for (const TrialRecord& trial : *trials)
            if (trial.study == study.id)
                of.push_back(trial.id);
        for (const std::string& trial : of) {
            const auto samples = store.samples(study.id, trial);
            if (!samples)
                return tl::unexpected(samples.error());
            history.add(study, *samples);
        }
    }
    return history.series();
}

} // namespace holdfast::study
