// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/timeline.hpp"

#include "app/common/wording.hpp"
#include "core/stats/estimate.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/fingerprint.hpp"
#include "core/study/measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace holdfast::app {

using nlohmann::json;

namespace {

constexpr double mad_to_sigma = 1.4826; // of a normal distribution

std::string subject_of(const git::Repository* repository, const study::StudyRecord& study) {
    const auto details = repository == nullptr ? Result<git::Repository::Details>()
                                               : repository->details({study.baseline_commit, study.baseline_tree});
    return details ? details->message.substr(0, details->message.find('\n')) : "";
}

void count_trials(TimelineStudy& line, const study::StudyRecord& study, const Records& records) {
    for (const study::TrialRecord& trial : records.trials) {
        if (trial.study != study.id)
            continue;
        const study::VerdictRecord* verdict = records.verdict(trial.id);
        ++line.trials;
        ++line.outcomes[verdict == nullptr ? standing(trial, verdict) : verdict->verdict];
        line.proposals += verdict != nullptr && verdict->proposal ? 1 : 0;
        line.applied += records.standing(trial.id) == review::Standing::applied ? 1 : 0;
    }
}

/// In the opening rounds both arms are the baseline.
void add_values(std::vector<double>& values, const std::vector<study::SampleRecord>& samples,
                const std::string& workload, const std::string& metric) {
    for (const study::SampleRecord& sample : samples) {
        if (sample.workload != workload || sample.round < 1 || sample.ending != "ok" ||
            (sample.arm != "baseline" && sample.phase != "opening"))
            continue;
        const json metrics = json::parse(sample.metrics_json, nullptr, false);
        if (metrics.is_object() && metrics.contains(metric) && metrics.at(metric).is_number())
            values.push_back(metrics.at(metric).get<double>());
    }
}

} // namespace

std::vector<TimelineStudy> timeline(const Records& records, const git::Repository* repository) {
    std::vector<TimelineStudy> lines;
    const study::StudyRecord* before = nullptr;
    for (const study::StudyRecord& study : records.studies) {
        TimelineStudy line;
        line.number = study.number;
        line.id = study.id;
        line.kind = study::is_calibration(study) ? "calibrate" : study::by_hand(study) ? "measure" : "study";
        line.state = to_text(study.state);
        line.started = study.started;
        line.ended = study.ended;
        line.commit = study.baseline_commit;
        line.subject = subject_of(repository, study);
        line.machine = study::make_fingerprint(study.machine_json).substr(0, 8);
        if (before != nullptr)
            line.machine_changes = study::machine_differences(before->machine_json, study.machine_json);
        before = &study;
        count_trials(line, study, records);
        lines.push_back(std::move(line));
    }
    return lines;
}

Result<std::vector<TimelinePoint>> timeline_of(const study::Store& store, const Records& records,
                                               const std::string& workload) {
    std::vector<TimelinePoint> points;
    for (const study::StudyRecord& study : records.studies) {
        TimelinePoint point;
        point.study = study.number;
        point.metric = records.frozen.at(study.id).metric;
        std::vector<std::string> of{""}; // the opening rounds
        for (const study::TrialRecord& trial : records.trials)
            if (trial.study == study.id)
                of.push_back(trial.id);
        std::vector<double> values;
        for (const std::string& trial : of) {
            const auto samples = store.samples(study.id, trial);
            if (!samples)
                return tl::unexpected(samples.error());
            add_values(values, *samples, workload, point.metric);
        }
        if (values.empty())
            continue;
        point.runs = values.size();
        point.median = stats::median(values);
        if (point.median != 0)
            point.spread = mad_to_sigma * stats::median_absolute_deviation(values) / std::fabs(point.median);
        points.push_back(std::move(point));
    }
    return points;
}

std::string sparkline(const std::vector<double>& values) {
    static constexpr std::array columns{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    if (values.empty())
        return "";
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    std::string text;
    for (const double value : values) {
        const double height = *high > *low ? (value - *low) / (*high - *low) : 0.5;
        text += columns[static_cast<std::size_t>(std::lround(height * (columns.size() - 1)))];
    }
    return text;
}

} // namespace holdfast::app
