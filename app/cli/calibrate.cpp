// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate.hpp"

#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "app/cli/workbench.hpp"
#include "app/common/burden_library.hpp"
#include "app/common/calibration_words.hpp"
#include "app/common/study_options.hpp"
#include "core/decision/rule.hpp"
#include "core/project/text.hpp"
#include "core/study/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

namespace {

using nlohmann::json;
using Workload = study::WorkloadCalibration;

json number(double value) {
    return std::isfinite(value) ? json(value) : json();
}

/// As changes of the metric, the lower one first.
json effect(double estimate, const stats::Interval& interval, Better better) {
    const auto [low, high] =
        std::minmax({decision::as_change(interval.low, better), decision::as_change(interval.high, better)});
    return {{"estimate", number(decision::as_change(estimate, better))}, {"low", number(low)}, {"high", number(high)}};
}

json called(const stats::Proportion& taken, double redrawn) {
    return {{"hits", taken.hits},
            {"of", taken.of},
            {"low", taken.interval.low},
            {"high", taken.interval.high},
            {"redrawn", redrawn}};
}

json burden_document(const study::Burden& burden, Better better) {
    const auto rounds = [](std::size_t count) { return count == 0 ? json() : json(count); };
    return {{"share", burden.share},
            {"injected", burden.rounds == 0 ? json() : json(burden.injected)},
            {"predicted", rounds(burden.predicted)},
            {"sure", rounds(burden.sure)},
            {"limit", burden.limit},
            {"rounds", burden.rounds},
            {"seen-at", burden.seen_at ? json(*burden.seen_at) : json()},
            {"effect", effect(burden.estimate, burden.interval, better)},
            {"unavailable", burden.unavailable.empty() ? json() : json(burden.unavailable)}};
}

json workload_document(const Workload& workload, const study::Calibration& calibration) {
    const stats::SelfComparison& self = workload.self;
    json provable = json::array(), burdens = json::array(), faults = json::array();
    for (const stats::Provable& point : self.provable)
        provable.push_back({{"rounds", point.rounds},
                            {"effect", number(std::abs(decision::as_change(point.effect, workload.better)))}});
    for (const study::Burden& burden : workload.burdens)
        burdens.push_back(burden_document(burden, workload.better));
    for (const study::CalibrationFault& fault :
         study::faults_of(workload, calibration.threshold, calibration.minimum_effect))
        faults.push_back({{"found", fault.what}, {"remedy", fault.remedy}});
    return {
        {"name", printable(workload.workload)},
        {"role", workload.role == Role::tuning ? "tuning" : "holdout"},
        {"metric", printable(workload.metric)},
        {"better", workload.better == Better::lower ? "lower" : "higher"},
        {"sessions", workload.sessions},
        {"rounds", self.rounds},
        {"noise", number(self.noise)},
        {"arms", effect(self.arms, self.arms_interval, workload.better)},
        {"slot", effect(-self.slot, {-self.slot_interval.high, -self.slot_interval.low}, workload.better)},
        {"lag-one",
         {{"value", number(self.lag_one)}, {"low", self.lag_one_interval.low}, {"high", self.lag_one_interval.high}}},
        {"sessions-differ", self.sessions_differ},
        {"sessions-p", self.sessions_p},
        {"faster", called(self.false_faster, self.redrawn_faster)},
        {"slower", called(self.false_slower, self.redrawn_slower)},
        {"redrawn-error", self.redrawn_error},
        {"provable", provable},
        {"burdens", burdens},
        {"faults", faults}};
}

json document_of(const study::Calibration& calibration) {
    json workloads = json::array();
    for (const Workload& workload : calibration.workloads)
        workloads.push_back(workload_document(workload, calibration));
    return {{"schema", "holdfast/calibrate/1"},
            {"study", calibration.number},
            {"ended", calibration.ended},
            {"baseline", calibration.baseline_commit},
            {"fingerprint", printable(calibration.fingerprint)},
            {"threshold", calibration.threshold},
            {"minimum-effect", calibration.minimum_effect},
            {"workloads", workloads}};
}

/// The smallest provable effect against rounds; bars from zero, so that twice the effect is twice as long.
std::string curve_of(const Workload& workload) {
    constexpr double columns = 30;
    double most = 0;
    for (const stats::Provable& point : workload.self.provable)
        if (std::isfinite(point.effect))
            most = std::max(most, point.effect);
    std::vector<std::vector<std::string>> rows{{"  rounds", "smallest provable", ""}};
    for (const stats::Provable& point : workload.self.provable) {
        std::string bar;
        if (std::isfinite(point.effect)) {
            const double part = most > 0 ? point.effect / most : 1;
            for (int i = 0; i < std::max(1, static_cast<int>(std::lround(part * columns))); ++i)
                bar += "▇";
        }
        rows.push_back(
            {fmt::format("  {:>6}", point.rounds), app::size_text(point.effect, workload.better), std::move(bar)});
    }
    return table(rows);
}

std::string text_of(const Workload& workload, const study::Calibration& calibration) {
    std::string text = fmt::format("\n{} ({}), {}: {}\n", printable(workload.workload),
                                   workload.role == Role::tuning ? "tuning" : "held-out", printable(workload.metric),
                                   app::taken_text(workload));
    std::vector<std::vector<std::string>> rows;
    for (const auto& [what, value] : app::noise_lines(workload, calibration.threshold))
        rows.push_back({"  " + what, value});
    for (const auto& [what, value] : app::burden_lines(workload))
        rows.push_back({"  " + what, value});
    text += table(rows) + curve_of(workload);
    for (const study::CalibrationFault& fault :
         study::faults_of(workload, calibration.threshold, calibration.minimum_effect))
        text += fmt::format("  FAILED: {}\n  -> {}\n", fault.what, fault.remedy);
    return text;
}

bool failed_any(const study::Calibration& calibration) {
    return std::any_of(calibration.workloads.begin(), calibration.workloads.end(), [&](const Workload& workload) {
        return !study::faults_of(workload, calibration.threshold, calibration.minimum_effect).empty();
    });
}

bool too_few_any(const study::Calibration& calibration) {
    return std::any_of(calibration.workloads.begin(), calibration.workloads.end(),
                       [](const Workload& workload) { return workload.too_few(); });
}

int report(const Common& common, const study::Calibration& calibration) {
    if (common.json)
        print_document(document_of(calibration));
    else {
        fmt::print("calibration of {} (study {}){}\n", printable(calibration.ended), calibration.number,
                   too_few_any(calibration)
                       ? ": too few rounds to be one; take more, or a study has none to rest on"
                       : fmt::format(", good for {} h on this machine", study::calibration_age.count()));
        for (const Workload& workload : calibration.workloads)
            fmt::print("{}", text_of(workload, calibration));
        fmt::print(
            "\nA study proves an effect of more than {:g} % at E >= {:g}; \"smallest provable\" is what it accepts "
            "in eight of ten.\n",
            100 * calibration.minimum_effect, calibration.threshold);
    }
    return failed_any(calibration) ? Exit::nothing_passed : Exit::done;
}

Result<int> show_last(const Common& common) {
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    auto last = study::last_calibration(**store);
    if (!last)
        return tl::unexpected(last.error());
    if (!*last)
        return invalid("show the last calibration", "there is none", "Make one with: holdfast calibrate");
    return report(common, **last);
}

} // namespace

Result<int> calibrate(const Common& common, const CalibrateArguments& arguments) {
    if (arguments.last)
        return show_last(common);
    auto opened = app::open_project_and_repository(common.folder);
    if (!opened)
        return tl::unexpected(opened.error());
    const auto& [project, repository] = *opened;
    study::CalibrationRequest request;
    request.workloads = arguments.workloads;
    request.sessions = static_cast<std::size_t>(arguments.sessions);
    request.rounds = static_cast<std::size_t>(arguments.rounds);
    request.burdens = !arguments.no_burdens;
    request.seed = arguments.seed.value_or(app::random_seed());
    request.burden_library = app::burden_library();
    auto bench = Workbench::open(project, repository, arguments.consent);
    if (!bench)
        return tl::unexpected(bench.error());
    const study::Watch watch = (*bench)->watch();
    auto calibration = study::calibrate(project, repository, (*bench)->runner(), (*bench)->store(), watch, request);
    (*bench)->line().finish();
    if (!calibration)
        return tl::unexpected(calibration.error());
    return report(common, *calibration);
}

} // namespace holdfast::cli
