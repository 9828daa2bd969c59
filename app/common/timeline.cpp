// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/timeline.hpp"

#include "app/common/wording.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/fingerprint.hpp"
#include "core/study/measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace holdfast::app {

namespace {

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

std::string sparkline(const std::vector<double>& values, const std::map<std::size_t, std::string>& marks) {
    static constexpr std::array columns{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    if (values.empty())
        return "";
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (const auto mark = marks.find(i); mark != marks.end())
            text += mark->second;
        const double height = *high > *low ? (values[i] - *low) / (*high - *low) : 0.5;
        text += columns[static_cast<std::size_t>(std::lround(height * (columns.size() - 1)))];
    }
    return text;
}

} // namespace holdfast::app
