// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/dossier.hpp"

#include "core/decision/verdict.hpp"
#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/review/base.hpp"
#include "core/review/message.hpp"
#include "core/study/evidence.hpp"
#include "core/study/measure.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holdfast::review {

namespace {

template <class Record> std::vector<Record> of_trial(const std::vector<Record>& all, const std::string& trial) {
    std::vector<Record> mine;
    std::copy_if(all.begin(), all.end(), std::back_inserter(mine),
                 [&](const Record& record) { return record.trial == trial; });
    return mine;
}

/// Adds a trial of the study to what the study has tried and spent. Confirmations are numbered in the order taken.
void count(Dossier& dossier, const study::TrialRecord& each, const std::vector<study::VerdictRecord>& verdicts) {
    ++dossier.tried;
    dossier.decided += verdicts.empty() ? 0 : 1;
    dossier.confirmations = std::max(dossier.confirmations, each.confirmation);
    const bool before = each.confirmation > 0 && each.confirmation < dossier.trial.confirmation;
    if (before && !verdicts.empty() &&
        verdicts.front().verdict == decision::to_text(decision::VerdictKind::generalises))
        ++dossier.passed_before;
}

Result<void> load_trial(Dossier& dossier, const study::Store& store, const std::string& name) {
    const std::string attempted = "open trial " + printable(name);
    auto trials = store.trials();
    if (!trials)
        return tl::unexpected(trials.error());
    const auto trial = std::find_if(trials->begin(), trials->end(), [&](const study::TrialRecord& each) {
        return each.id == name || std::to_string(each.number) == name || "#" + std::to_string(each.number) == name;
    });
    if (trial == trials->end())
        return invalid(attempted, "there is no such trial", "List them with: holdfast trials");
    auto verdicts = store.verdicts();
    if (!verdicts)
        return tl::unexpected(verdicts.error());
    const auto mine = of_trial(*verdicts, trial->id);
    if (mine.empty() && trial->tuner == "measure")
        return invalid(
            attempted,
            fmt::format("it {}; only trials with a verdict have evidence, reports and reviews",
                        study::compared_revisions(*trial) ? "compared two revisions" : "was measured by hand"),
            "See it with: holdfast show; a verdict comes from: holdfast propose and run");
    if (mine.empty())
        return refused(attempted, fmt::format("it is {}, not decided", study::to_text(trial->state)),
                       "Decide it with: holdfast run");
    dossier.verdict = mine.front();
    dossier.trial = *trial;
    for (const study::TrialRecord& each : *trials)
        if (each.study == trial->study)
            count(dossier, each, of_trial(*verdicts, each.id));
    return {};
}

Result<void> load_study(Dossier& dossier, const study::Store& store) {
    auto studies = store.studies();
    if (!studies)
        return tl::unexpected(studies.error());
    const auto study = std::find_if(studies->begin(), studies->end(),
                                    [&](const study::StudyRecord& each) { return each.id == dossier.trial.study; });
    if (study == studies->end())
        return failed(fmt::format("open trial {}", dossier.trial.number), "its study is not in the history",
                      "Run `holdfast audit`.");
    dossier.study = *study;
    auto questions = store.questions(study->id);
    if (!questions)
        return tl::unexpected(questions.error());
    dossier.questions = static_cast<std::int64_t>(questions->size());
    return {};
}

Result<void> load_rows(Dossier& dossier, const study::Store& store) {
    auto gates = store.gates(dossier.trial.id);
    if (!gates)
        return tl::unexpected(gates.error());
    auto samples = store.samples(dossier.study.id, dossier.trial.id);
    if (!samples)
        return tl::unexpected(samples.error());
    auto reviews = store.reviews();
    if (!reviews)
        return tl::unexpected(reviews.error());
    auto applications = store.applications();
    if (!applications)
        return tl::unexpected(applications.error());
    dossier.gates = std::move(*gates);
    dossier.samples = std::move(*samples);
    dossier.reviews = of_trial(*reviews, dossier.trial.id);
    dossier.applications = of_trial(*applications, dossier.trial.id);
    dossier.standing = standing_of(dossier.trial.id, &dossier.verdict, dossier.reviews, dossier.applications);
    return {};
}

/// What an apply that was cut off left, or one of which a history that was put back does not know.
std::string unrecorded_commit(const Dossier& dossier, const git::Repository& repository) {
    const auto tip = repository.branch(branch_of(dossier));
    if (!tip || !*tip)
        return "";
    const auto details = repository.details(**tip);
    const auto is_tip = [&](const study::ApplicationRecord& record) { return record.commit == (*tip)->id; };
    return details && trailer(details->message, "Holdfast-Trial") == dossier.trial.id &&
                   std::none_of(dossier.applications.begin(), dossier.applications.end(), is_tip)
               ? (*tip)->id
               : "";
}

/// A comparison of two revisions has no change that its trial's patch and configuration give.
void compute_change(Dossier& dossier, const git::Repository& repository, const std::filesystem::path& folder) {
    auto project = project_from_frozen(folder, dossier.study.frozen_json);
    if (!project) {
        dossier.change_error = "the frozen project file cannot be read: " + to_error(project.error()).message();
        return;
    }
    dossier.project = std::make_shared<const Project>(std::move(*project));
    if (study::compared_revisions(dossier.trial)) {
        dossier.change_error = "it compared two revisions";
        return;
    }
    if (!dossier.base.commit) {
        dossier.change_error = fmt::format("the repository does not have the commit {} that was measured",
                                           printable(dossier.study.baseline_commit));
        return;
    }
    auto change = change_of(*dossier.project, repository, *dossier.base.commit, dossier.trial.configuration_json,
                            dossier.trial.patch);
    if (change)
        dossier.change = std::move(*change);
    else
        dossier.change_error = change.error().message();
}

} // namespace

std::string_view to_text(Standing standing) {
    switch (standing) {
    case Standing::none:
        return "none";
    case Standing::waiting:
        return "waiting";
    case Standing::approved:
        return "approved";
    case Standing::rejected:
        return "rejected";
    case Standing::rework:
        return "rework";
    case Standing::applied:
        return "applied";
    case Standing::reverted:
        return "reverted";
    }
    return "";
}

Standing standing_of(const std::string& trial, const study::VerdictRecord* verdict,
                     const std::vector<study::ReviewRecord>& reviews,
                     const std::vector<study::ApplicationRecord>& applications) {
    if (verdict == nullptr)
        return Standing::none;
    const auto reviewed = of_trial(reviews, trial);
    const auto applied = of_trial(applications, trial);
    if (!applied.empty() && applied.back().action == "applied")
        return Standing::applied;
    // What was taken back stays so until a person decides again.
    if (!applied.empty() && (reviewed.empty() || reviewed.back().id <= applied.back().review))
        return Standing::reverted;
    if (reviewed.empty())
        return verdict->proposal ? Standing::waiting : Standing::none;
    const std::string& decision = reviewed.back().decision;
    return decision == to_text(Decision::approved)   ? Standing::approved
           : decision == to_text(Decision::rejected) ? Standing::rejected
                                                     : Standing::rework;
}

const study::ReviewRecord* Dossier::approval() const {
    const bool in_force = standing == Standing::approved || standing == Standing::applied;
    return in_force && !reviews.empty() && reviews.back().decision == to_text(Decision::approved) ? &reviews.back()
                                                                                                  : nullptr;
}

const study::ApplicationRecord* Dossier::application() const {
    return applications.empty() ? nullptr : &applications.back();
}

Result<Binding> Dossier::binding() const {
    const std::string attempted = fmt::format("bind a decision to what trial {} measured", trial.number);
    if (!evidence_fault.empty())
        return refused(attempted, printable(evidence_fault), "Run `holdfast audit`, then a new study.");
    if (!change)
        return refused(attempted, printable(change_error), "Run a new study.");
    return Binding{study.baseline_commit, change->tree, canonical_json(trial.configuration_json),
                   sha256(verdict.evidence_json)};
}

Result<Dossier> open_dossier(const study::Store& store, const git::Repository& repository,
                             const std::filesystem::path& folder, const std::string& trial) {
    Dossier dossier;
    if (auto loaded = load_trial(dossier, store, trial); !loaded)
        return tl::unexpected(loaded.error());
    if (auto loaded = load_study(dossier, store); !loaded)
        return tl::unexpected(loaded.error());
    if (auto loaded = load_rows(dossier, store); !loaded)
        return tl::unexpected(loaded.error());
    auto head = repository.head();
    if (!head)
        return tl::unexpected(head.error());
    dossier.head = std::move(*head);
    dossier.base = find_base(dossier.study, repository, dossier.head);
    dossier.unrecorded = unrecorded_commit(dossier, repository);
    compute_change(dossier, repository, folder);
    if (dossier.change)
        try_merge(dossier.base, repository, dossier.head, *dossier.change);
    dossier.signature = signature_demand(dossier.project.get(), dossier.base, repository, dossier.head);
    dossier.evidence_fault =
        study::evidence_fault(dossier.verdict, dossier.study, dossier.trial, dossier.gates, dossier.samples);
    if (dossier.evidence_fault.empty() && dossier.change && dossier.change->measured_tree != dossier.trial.result_tree)
        dossier.evidence_fault = fmt::format("the candidate is the tree {} now, {} was measured",
                                             dossier.change->measured_tree, printable(dossier.trial.result_tree));
    return dossier;
}

} // namespace holdfast::review
