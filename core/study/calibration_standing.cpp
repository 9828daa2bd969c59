// SPDX-License-Identifier: GPL-3.0-or-later
// What the calibrations that are stored mean for a study of the workloads as they are now.
#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/calibration.hpp"
#include "core/study/clock.hpp"
#include "core/study/fingerprint.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

using nlohmann::json;

constexpr const char* remedy = "Run: holdfast calibrate";

/// Nothing when one cannot be read: then nothing is known of them.
std::optional<std::string> digest_of_inputs(const Project& project, const Workload& workload,
                                            const git::Repository& repository, const git::Commit& commit) {
    std::string all;
    for (const std::string& input : workload.inputs) {
        const auto tracked = repository.read(commit, repository.prefix() + input);
        if (!tracked)
            return std::nullopt;
        const auto digest =
            *tracked ? Result<std::string>(sha256((*tracked)->content)) : sha256_file(project.folder / input);
        if (!digest)
            return std::nullopt;
        all += *digest + " " + input + "\n";
    }
    return sha256(all);
}

/// All that decides what a run of the workload does, beside the program and the bytes of its inputs.
std::string definition_of(const Project& project, const Workload& workload, const std::string& metric) {
    json server;
    if (workload.server)
        server = {{"start", workload.server->start},
                  {"ready", workload.server->ready},
                  {"stop", workload.server->stop},
                  {"keep", workload.server->keep}};
    const Metric& measured = project.metric(metric);
    return json{{"inputs", workload.inputs},
                {"generate", workload.generate},
                {"seeds", workload.seeds},
                {"prepare", workload.prepare},
                {"server", std::move(server)},
                {"run", workload.run},
                {"defaults", holdfast::to_json(project.defaults())},
                {"metric",
                 {static_cast<int>(measured.source), measured.pattern, measured.file, measured.path, measured.tool,
                  measured.benchmark, measured.value}}}
        .dump();
}

const Workload* workload_of(const Project& project, const std::string& name) {
    const auto found = std::find_if(project.workloads.begin(), project.workloads.end(),
                                    [&](const Workload& workload) { return workload.name == name; });
    return found == project.workloads.end() ? nullptr : &*found;
}

/// Of all its workloads.
std::string unusable(const StudyRecord& study, const CalibrationSubject& subject) {
    if (fingerprint_of(study.machine_json) != fingerprint_of(subject.machine_json)) {
        const auto differences = machine_differences(study.machine_json, subject.machine_json);
        return differences.empty() ? "the last one is of another machine"
                                   : fmt::format("this machine was another one then ({})", differences.front());
    }
    const auto ended = from_utc(study.ended), today = from_utc(subject.now);
    if (!ended || !today || *today - *ended > calibration_age || *ended - *today > calibration_age)
        return fmt::format("the last one, study {} of {}, is older than {} h", study.number, printable(study.ended),
                           calibration_age.count());
    return "";
}

/// Of one of them. `frozen` is what was calibrated.
std::string other_workload(const CalibrationStanding& standing, const Project& project, const Project& frozen,
                           const CalibrationSubject& subject, const InputDigests& inputs) {
    const std::string name = printable(standing.workload);
    const auto& measured = frozen.objectives;
    if (std::find(measured.begin(), measured.end(), standing.metric) == measured.end())
        return fmt::format("the last one measured {}, the objective is {}",
                           printable(fmt::format("{}", fmt::join(measured, ", "))), printable(standing.metric));
    const Workload *then = workload_of(frozen, standing.workload), *today = workload_of(project, standing.workload);
    if (then == nullptr ||
        definition_of(frozen, *then, standing.metric) != definition_of(project, *today, standing.metric))
        return fmt::format("{} had other commands, seeds or defaults at the last one", name);
    const auto before = inputs.find(standing.workload), now = subject.inputs.find(standing.workload);
    if (before != inputs.end() && now != subject.inputs.end() && before->second != now->second)
        return fmt::format("the inputs of {} have changed since the last one", name);
    return "";
}

std::string too_few_text(const WorkloadCalibration& seen) {
    return fmt::format("the last one took too few rounds to tell: {} of {} in sessions of {}, where at least {} a "
                       "session are needed",
                       seen.self.rounds, printable(seen.workload), seen.session_rounds, seen.least_rounds);
}

/// One study's answer to the standings that have none yet.
Result<void> look_at(const Store& store, const StudyRecord& study, const Project& project,
                     const CalibrationSubject& subject, std::vector<CalibrationStanding>& standings) {
    const auto refuse = [](CalibrationStanding& standing, const std::string& why) {
        if (standing.because.empty())
            standing.because = why;
    };
    const auto frozen = project_from_frozen(".", study.frozen_json);
    const std::string why =
        frozen ? unusable(study, subject) : "the last one froze a project file that cannot be read any more";
    std::optional<Calibration> calibration;
    if (why.empty()) {
        auto read = read_calibration(store, study);
        if (!read)
            return tl::unexpected(read.error());
        calibration = std::move(*read);
    }
    const InputDigests inputs = inputs_of(study);
    for (CalibrationStanding& standing : standings) {
        if (standing.calibration)
            continue; // a newer one tells of it
        std::string against = why;
        if (against.empty())
            against = other_workload(standing, project, *frozen, subject, inputs);
        if (!against.empty()) {
            refuse(standing, against);
            continue;
        }
        const auto seen =
            std::find_if(calibration->workloads.begin(), calibration->workloads.end(), [&](const auto& one) {
                return one.workload == standing.workload && one.metric == standing.metric;
            });
        if (seen == calibration->workloads.end())
            continue; // it was not asked for
        if (seen->too_few()) {
            refuse(standing, too_few_text(*seen));
            continue;
        }
        standing.faults = faults_of(*seen, calibration->threshold, calibration->minimum_effect);
        standing.calibration = std::move(*seen);
        standing.minimum_effect = calibration->minimum_effect;
        standing.study = study.number;
        standing.ended = study.ended;
        standing.commit = study.baseline_commit;
        standing.program_changed =
            (!subject.tree.empty() && subject.tree != study.baseline_tree) || frozen->build != project.build;
    }
    return {};
}

/// "a", or "a (cpu)" where there are several objectives.
std::string name_of(const CalibrationStanding& standing, bool several) {
    return several ? fmt::format("{} ({})", printable(standing.workload), printable(standing.metric))
                   : printable(standing.workload);
}

bool has_several(const std::vector<CalibrationStanding>& standings) {
    return std::any_of(standings.begin(), standings.end(), [&](const CalibrationStanding& standing) {
        return standing.metric != standings.front().metric;
    });
}

std::string failing_text(const std::vector<CalibrationStanding>& standings) {
    std::string text;
    for (const CalibrationStanding& standing : standings)
        if (!standing.faults.empty())
            text += fmt::format("{}the calibration of study {} failed on {}: {}. {}", text.empty() ? "" : ". ",
                                standing.study, name_of(standing, has_several(standings)), standing.faults.front().what,
                                standing.faults.front().remedy);
    return text;
}

std::string missing_text(const std::vector<CalibrationStanding>& standings) {
    std::vector<std::string> names, reasons;
    for (const CalibrationStanding& standing : standings) {
        if (standing.calibration)
            continue;
        names.push_back(name_of(standing, has_several(standings)));
        if (!standing.because.empty() && std::find(reasons.begin(), reasons.end(), standing.because) == reasons.end())
            reasons.push_back(standing.because);
    }
    if (names.empty())
        return "";
    return fmt::format("no calibration tells how noisy this machine is for {}{}{}. Small effects may stay unproven. {}",
                       names.size() == standings.size() ? "these workloads" : fmt::format("{}", fmt::join(names, ", ")),
                       reasons.empty() ? "" : ": ", fmt::join(reasons, "; "), remedy);
}

} // namespace

CalibrationSubject subject_of(const Project& project, const git::Repository& repository, const git::Commit& commit,
                              const std::string& machine_json, const std::string& now) {
    CalibrationSubject subject{commit.tree, {}, machine_json, now};
    for (const Workload& workload : project.workloads)
        if (auto digest = digest_of_inputs(project, workload, repository, commit))
            subject.inputs.emplace(workload.name, std::move(*digest));
    return subject;
}

CalibrationSubject subject_at_head(const Project& project, const std::string& machine_json, const std::string& now) {
    const auto repository = git::Repository::open(project.folder);
    const auto commit = repository ? repository->resolve() : Result<git::Commit>(tl::unexpected(repository.error()));
    return commit ? subject_of(project, *repository, *commit, machine_json, now)
                  : CalibrationSubject{"", {}, machine_json, now};
}

Result<std::vector<CalibrationStanding>> calibration_standings(const Store& store, const Project& project,
                                                               const CalibrationSubject& subject) {
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    std::vector<CalibrationStanding> standings;
    for (const Workload& workload : project.workloads)
        for (const std::string& objective : project.objectives) {
            CalibrationStanding& standing = standings.emplace_back();
            standing.workload = workload.name;
            standing.metric = objective;
        }
    for (auto study = studies->rbegin(); study != studies->rend(); ++study) {
        if (std::all_of(standings.begin(), standings.end(),
                        [](const auto& one) { return one.calibration.has_value(); }))
            break;
        if (!is_finished(*study))
            continue;
        if (auto looked = look_at(store, *study, project, subject, standings); !looked)
            return tl::unexpected(looked.error());
    }
    return standings;
}

std::string changed_since(const CalibrationStanding& standing) {
    return standing.program_changed
               ? fmt::format("calibrated at commit {}; the program has changed since", standing.commit.substr(0, 8))
               : "";
}

std::string drift_of(const CalibrationStanding& standing, double median, std::optional<double> spread) {
    if (!standing.calibration)
        return "";
    const auto apart = [](double before, double now, double factor) {
        return now > factor * before || before > factor * now;
    };
    const WorkloadCalibration& seen = *standing.calibration;
    std::string what;
    if (std::isfinite(median) && std::isfinite(seen.median) && apart(seen.median, median, median_drift))
        what = fmt::format("a run's {} is {:.3g}, and was {:.3g} then", printable(seen.metric), median, seen.median);
    // Spreads below what is to be proven cost no rounds, however far apart they are.
    else if (spread && std::isfinite(*spread) && apart(seen.self.noise, *spread, spread_drift) &&
             std::max(seen.self.noise, *spread) > standing.minimum_effect)
        what =
            fmt::format("the noise of a pair is {:.2g} %, and was {:.2g} % then", 100 * *spread, 100 * seen.self.noise);
    if (what.empty())
        return "";
    return fmt::format("the calibration of study {} does not foresee {} any more: {}. {}", standing.study,
                       printable(standing.workload), what, remedy);
}

std::string caution_of(const std::vector<CalibrationStanding>& standings) {
    const std::string failing = failing_text(standings), missing = missing_text(standings);
    return failing + (failing.empty() || missing.empty() ? "" : ". ") + missing;
}

Result<std::string> calibration_caution(const Store& store, const Project& project, const CalibrationSubject& subject) {
    const auto standings = calibration_standings(store, project, subject);
    if (!standings)
        return tl::unexpected(standings.error());
    return caution_of(*standings);
}

} // namespace holdfast::study
