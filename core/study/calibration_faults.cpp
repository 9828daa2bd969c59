// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a workload that was calibrated.
#include "core/study/calibration.hpp"

#include "core/decision/rule.hpp"
#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"

#include <cmath>
#include <fmt/format.h>

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

/// What the two arms have each of their own.
std::string differs_between_arms(const WorkloadCalibration& workload) {
    std::string places = "a cache that the first one fills";
    if (workload.keeps_server)
        places = "the kept server, " + places;
    if (workload.prepares)
        places = "what `prepare` writes, " + places;
    return places + ", where the files lie";
}

/// What a session has of its own, the likeliest first.
std::string session_remedy(const WorkloadCalibration& workload) {
    std::string text = "Most often it is what else the machine does: calibrate again while nothing else runs";
    if (!workload.prepares && !workload.keeps_server)
        return text + "; until then trust only what several sessions agree on";
    return text + fmt::format(". If they differ again, {}{}{} may move results: make it anew for each run",
                              workload.keeps_server ? "the kept server" : "",
                              workload.keeps_server && workload.prepares ? " or " : "",
                              workload.prepares ? "what `prepare` made" : "");
}

void false_calls(std::vector<CalibrationFault>& faults, const WorkloadCalibration& workload,
                 const stats::Proportion& calls, const char* called, double threshold) {
    if (calls.hits == 0 || as_many(calls.hits, calls.of, 1 / threshold) >= surprising)
        return;
    faults.push_back({fmt::format("the program was called {} than itself in {} of {} segments, where at most {:.2g} % "
                                  "are expected",
                                  called, calls.hits, calls.of, 100 / threshold),
                      "Trust no verdict of this workload; find what differs between the two arms: " +
                          differs_between_arms(workload)});
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
    false_calls(faults, workload, self.false_faster, "faster", threshold);
    false_calls(faults, workload, self.false_slower, "slower", threshold);
    if (is_large(self.arms_interval, 0))
        faults.push_back({fmt::format("the two arms differ by {}, though they are the same program",
                                      change(self.arms, self.arms_interval, better)),
                          "Find what differs between them: " + differs_between_arms(workload)});
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
                          session_remedy(workload)});
    for (const Burden& burden : workload.burdens)
        if (burden.missed())
            faults.push_back(
                {fmt::format("a slow-down of {:g} % was not seen in {} rounds, in which 39 of 40 studies should see it",
                             100 * burden.share, burden.rounds),
                 "The noise has grown since the comparison with itself, or it is not of the kind that was foreseen: "
                 "calibrate again on a quiet machine"});
    return faults;
}

} // namespace holdfast::study
