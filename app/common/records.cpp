// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/records.hpp"

#include "app/common/wording.hpp"
#include "core/project/knobs.hpp"
#include "core/review/imported.hpp"
#include "core/review/look.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::app {

const study::VerdictRecord* Records::verdict(const std::string& trial) const {
    const auto found = std::find_if(verdicts.begin(), verdicts.end(),
                                    [&](const study::VerdictRecord& verdict) { return verdict.trial == trial; });
    return found == verdicts.end() ? nullptr : &*found;
}

review::Standing Records::standing(const std::string& trial) const {
    return review::standing_of(trial, verdict(trial), reviews, applications);
}

const study::ApplicationRecord* Records::application(const std::string& trial) const {
    const auto found = std::find_if(applications.rbegin(), applications.rend(),
                                    [&](const study::ApplicationRecord& record) { return record.trial == trial; });
    return found == applications.rend() ? nullptr : &*found;
}

const Frozen& Records::frozen_of(const study::TrialRecord& trial) const {
    return frozen.at(trial.study); // "" is there too
}

std::vector<const study::ImportRecord*> Records::imported(const study::TrialRecord& trial) const {
    std::vector<const study::ImportRecord*> found;
    const auto study = std::find_if(studies.begin(), studies.end(),
                                    [&](const study::StudyRecord& each) { return each.id == trial.study; });
    for (const study::ImportRecord& import : imports)
        if (study != studies.end() && review::same_candidate(import, study->baseline_commit, trial))
            found.push_back(&import);
    return found;
}

std::string Records::danger(const study::TrialRecord& trial) const {
    const auto found = flags.find(trial.id);
    return found == flags.end() ? "" : review::danger_words(found->second);
}

std::string Records::change(const study::TrialRecord& trial) const {
    return change_text(trial, frozen_of(trial).defaults_json);
}

namespace {

Frozen frozen_by(const study::StudyRecord& study) {
    Frozen frozen{study.number, "", Better::lower, 0, "{}", nullptr, study.machine_json};
    if (auto project = project_from_frozen(".", study.frozen_json)) {
        frozen.metric = project->objective;
        frozen.better = project->metric(project->objective).better;
        frozen.band = project->decision.minimum_effect;
        frozen.defaults_json = to_json(project->defaults());
        frozen.project = std::make_shared<const Project>(std::move(*project));
    }
    return frozen;
}

Result<void> read_flags(Records& records, const study::Store& store) {
    for (const study::TrialRecord& trial : records.trials) {
        auto flags = flags_of(store, trial, records.verdict(trial.id), records.frozen_of(trial));
        if (!flags)
            return tl::unexpected(flags.error());
        for (review::Flag& flag : *flags)
            records.flags[trial.id].push_back(std::move(flag.name));
    }
    return {};
}

} // namespace

Result<std::vector<review::Flag>> flags_of(const study::Store& store, const study::TrialRecord& trial,
                                           const study::VerdictRecord* verdict, const Frozen& frozen) {
    if (verdict == nullptr)
        // Without a study there are no knobs to tell of; what the patch does is the same.
        return review::change_flags(frozen.project ? *frozen.project : Project{}, trial.configuration_json,
                                    trial.patch);
    std::vector<study::SampleRecord> samples;
    for (const char* phase : {"confirm", "holdout"}) {
        if (!verdict->proposal)
            continue;
        auto read = store.samples(trial.study, trial.id, phase);
        if (!read)
            return tl::unexpected(read.error());
        std::move(read->begin(), read->end(), std::back_inserter(samples));
    }
    return review::flags_of(trial, *verdict, samples, frozen.project.get(), frozen.machine_json);
}

Result<Records> read_records(const study::Store& store, const std::string& defaults_json) {
    Records records;
    const auto take = [](auto& into, auto read) -> Result<void> {
        if (!read)
            return tl::unexpected(read.error());
        into = std::move(*read);
        return {};
    };
    // Trials and studies last: a row read earlier always finds what it belongs to.
    if (auto taken = take(records.reviews, store.reviews()); !taken)
        return tl::unexpected(taken.error());
    if (auto taken = take(records.applications, store.applications()); !taken)
        return tl::unexpected(taken.error());
    if (auto taken = take(records.imports, store.imports()); !taken)
        return tl::unexpected(taken.error());
    records.imports = review::measurements(std::move(records.imports));
    if (auto taken = take(records.verdicts, store.verdicts()); !taken)
        return tl::unexpected(taken.error());
    if (auto taken = take(records.trials, store.trials()); !taken)
        return tl::unexpected(taken.error());
    if (auto taken = take(records.studies, store.studies()); !taken)
        return tl::unexpected(taken.error());
    Frozen newest{0, "", Better::lower, 0, defaults_json, nullptr, ""};
    for (study::StudyRecord& study : records.studies) {
        const Frozen frozen = records.frozen[study.id] = frozen_by(study);
        newest = frozen;
        newest.number = 0;
        study.frozen_json.clear();
    }
    if (defaults_json != "{}")
        newest.defaults_json = defaults_json;
    records.frozen[""] = newest;
    if (auto flagged = read_flags(records, store); !flagged)
        return tl::unexpected(flagged.error());
    return records;
}

} // namespace holdfast::app
