// SPDX-License-Identifier: GPL-3.0-or-later
// What a calibration means for the studies after it.
#include "core/study/calibration.hpp"

#include "core/decision/rule.hpp"
#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"
#include "core/study/clock.hpp"
#include "core/study/fingerprint.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>

namespace holdfast::study {

namespace {

constexpr double surprising = 0.05;

/// The probability of `hits` or more of `of` at a share of `share` each.
double as_many(std::size_t hits, std::size_t of, double share) {
    double below = 0, term = std::pow(1 - share, static_cast<double>(of));
    for (std::size_t k = 0; k < hits; ++k) {
        below += term;
        term *= static_cast<double>(of - k) / static_cast<double>(k + 1) * share / (1 - share);
    }
    return 1 - below;
}

std::string change(double estimate, const stats::Interval& interval, Better better) {
    decision::Effect effect;
    effect.estimate = estimate;
    effect.interval = interval;
    return decision::describe(effect, better);
}

void false_calls(std::vector<CalibrationFault>& faults, const stats::Proportion& calls, const char* called,
                 double threshold) {
    if (calls.hits == 0 || as_many(calls.hits, calls.of, 1 / threshold) >= surprising)
        return;
    faults.push_back(
        {fmt::format("the program was called {} than itself in {} of {} segments, where at most {:.2g} % "
                     "are expected",
                     called, calls.hits, calls.of, 100 / threshold),
         "Trust no verdict of this workload; find what differs between the two arms: what `prepare` writes, "
         "a kept server, a cache that the first one fills"});
}

/// Beyond doubt larger than what a study is to prove.
bool is_large(const stats::Interval& interval, double minimum) {
    return interval.low > minimum + decision::rounding || interval.high < -minimum - decision::rounding;
}

} // namespace

std::vector<CalibrationFault> faults_of(const WorkloadCalibration& workload, double threshold, double minimum_effect) {
    std::vector<CalibrationFault> faults;
    const stats::SelfComparison& self = workload.self;
    const Better better = workload.better;
    false_calls(faults, self.false_faster, "faster", threshold);
    false_calls(faults, self.false_slower, "slower", threshold);
    if (is_large(self.arms_interval, 0))
        faults.push_back({fmt::format("the two arms differ by {}, though they are the same program",
                                      change(self.arms, self.arms_interval, better)),
                          "Find what differs between them: what `prepare` writes, a kept server, a cache that one of "
                          "them fills"});
    if (is_large(self.slot_interval, decision::improvement_by(minimum_effect, better)))
        // A slot is the first run against the second, so its change is that of a baseline that came first.
        faults.push_back(
            {fmt::format("whichever run of a pair comes first changes {} by {}", printable(workload.metric),
                         change(-self.slot, {-self.slot_interval.high, -self.slot_interval.low}, better)),
             "The coin keeps this from being called a change, but it is noise that costs rounds: let the "
             "program warm itself up before what is timed, or give it longer to run"});
    if (self.sessions_differ)
        faults.push_back({fmt::format("its {} sessions differ by more than their rounds do (p = {:.2g})",
                                      workload.sessions, self.sessions_p),
                          "Something that a session keeps moves results, such as a kept server or what `prepare` made: "
                          "make it anew for each run, or trust only what several sessions agree on"});
    for (const Burden& burden : workload.burdens)
        if (burden.missed())
            faults.push_back(
                {fmt::format("a slow-down of {:g} % was not seen in {} rounds, in which 39 of 40 studies should see it",
                             100 * burden.share, burden.rounds),
                 "The noise has grown since the comparison with itself, or it is not of the kind that was foreseen: "
                 "calibrate again on a quiet machine"});
    return faults;
}

namespace {

constexpr const char* remedy = "Run: holdfast calibrate";

/// Of workloads that the project names, those still without a usable calibration, and why.
struct Search {
    std::set<std::string> missing;
    std::string because; ///< of the newest calibration that did not do
};

std::string unusable(const StudyRecord& study, const Project& project, const std::string& machine_json,
                     const std::string& now) {
    const auto frozen = project_from_frozen(".", study.frozen_json);
    if (!frozen)
        return "the last one froze a project file that cannot be read any more";
    if (frozen->objective != project.objective)
        return fmt::format("the last one measured {}, the objective is {}", printable(frozen->objective),
                           printable(project.objective));
    if (fingerprint_of(study.machine_json) != fingerprint_of(machine_json)) {
        const auto differences = machine_differences(study.machine_json, machine_json);
        return differences.empty() ? "the last one is of another machine"
                                   : fmt::format("this machine was another one then ({})", differences.front());
    }
    const auto ended = from_utc(study.ended), today = from_utc(now);
    if (!ended || !today || *today - *ended > calibration_age || *ended - *today > calibration_age)
        return fmt::format("the last one, study {} of {}, is older than {} h", study.number, printable(study.ended),
                           calibration_age.count());
    return "";
}

std::string list(const std::set<std::string>& names) {
    std::vector<std::string> shown;
    for (const std::string& name : names)
        shown.push_back(printable(name));
    return fmt::format("{}", fmt::join(shown, ", "));
}

std::string missing_text(const Search& search, const Project& project) {
    const bool all = search.missing.size() == project.workloads.size();
    std::string text = all ? "no calibration tells how noisy this machine is for these workloads"
                           : "no calibration tells how noisy this machine is for " + list(search.missing);
    if (!search.because.empty())
        text += ": " + search.because;
    return text + ". Small effects may stay unproven. " + remedy;
}

} // namespace

Result<std::string> calibration_caution(const Store& store, const Project& project, const std::string& machine_json,
                                        const std::string& now) {
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    Search search;
    for (const Workload& workload : project.workloads)
        search.missing.insert(workload.name);
    std::string failing;
    for (auto study = studies->rbegin(); study != studies->rend() && !search.missing.empty(); ++study) {
        if (!is_calibration(*study) || study->state != State::done)
            continue;
        if (const std::string why = unusable(*study, project, machine_json, now); !why.empty()) {
            search.because = search.because.empty() ? why : search.because;
            continue;
        }
        auto calibration = read_calibration(store, *study);
        if (!calibration)
            return tl::unexpected(calibration.error());
        for (const WorkloadCalibration& workload : calibration->workloads) {
            if (search.missing.erase(workload.workload) == 0)
                continue; // a newer one tells of it
            const auto faults = faults_of(workload, calibration->threshold, calibration->minimum_effect);
            if (!faults.empty() && failing.empty())
                failing = fmt::format("the calibration of study {} failed on {}: {}. {}", study->number,
                                      printable(workload.workload), faults.front().what, faults.front().remedy);
        }
    }
    return search.missing.empty() ? failing : missing_text(search, project);
}

} // namespace holdfast::study
