// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/half_measured.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/text.hpp"
#include "core/study/clock.hpp"
#include "core/study/evidence.hpp"
#include "core/study/fingerprint.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

Result<void> end_trial(const Project& project, Store& store, const StudyRecord& study, TrialRecord& trial,
                       const std::vector<SampleRecord>& samples, const std::string& reason) {
    auto gates = store.gates(trial.id);
    if (!gates)
        return tl::unexpected(gates.error());
    VerdictRecord record;
    record.trial = trial.id;
    record.verdict = decision::to_text(decision::VerdictKind::not_comparable);
    record.reasons_json = nlohmann::json::array({reason}).dump();
    record.flags_json = "[]";
    record.effects_json = effects_json(project, std::nullopt, std::nullopt);
    record.time = utc_now();
    seal_evidence(record, study, trial, *gates, samples, {});
    trial.state = State::done;
    trial.ended = record.time;
    if (auto updated = store.update_trial(trial); !updated)
        return updated;
    return store.add_verdict(record);
}

} // namespace

Result<void> end_half_measured(const Project& project, Store& store, const Watch& watch,
                               const std::string& machine_json) {
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    auto trials = store.trials();
    if (!trials)
        return tl::unexpected(trials.error());
    for (const StudyRecord& study : *studies) {
        const auto differences = machine_differences(study.machine_json, machine_json);
        if (study.state != State::interrupted || differences.empty())
            continue;
        const auto frozen = project_from_frozen(project.folder, study.frozen_json);
        for (TrialRecord& trial : *trials) {
            if (trial.study != study.id || trial.state == State::done)
                continue;
            auto samples = store.samples(study.id, trial.id);
            if (!samples)
                return tl::unexpected(samples.error());
            if (samples->empty())
                continue;
            const std::string reason = fmt::format("measured in part before the machine changed: {}; propose it again "
                                                   "to measure it here",
                                                   fmt::join(differences, "; "));
            if (auto ended = end_trial(frozen ? *frozen : project, store, study, trial, *samples, reason); !ended)
                return ended;
            watch.say(fmt::format("trial {}: not-comparable: {}", trial.number, printable(reason)));
        }
    }
    return {};
}

} // namespace holdfast::study
