// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/measure.hpp"

#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/clock.hpp"
#include "core/study/evidence.hpp"
#include "core/study/trial.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

Result<void> log_questions(Store& store, const StudyRecord& study, const TrialRecord& trial,
                           const std::vector<const Workload*>& workloads, std::size_t rounds) {
    const bool asks = std::any_of(workloads.begin(), workloads.end(),
                                  [](const Workload* workload) { return workload->role == Role::holdout; });
    if (!asks)
        return {};
    QuestionRecord question;
    question.study = study.id;
    question.trial = trial.id;
    question.rounds = static_cast<int>(rounds);
    question.asked = utc_now();
    return store.ask_question(question);
}

/// The comparison itself; a stop is filled into `measured`.
Result<void> compare(Bench& bench, const StudyRecord& study, TrialRecord& trial,
                     const std::vector<const Workload*>& workloads, const MeasureRequest& request, Measured& measured) {
    const auto stop = [&](const GateStop& why) -> Result<void> {
        measured.verdict = decision::to_text(verdict_of(why));
        measured.stopped = why.reason;
        measured.log = why.log;
        return end_at_gate(bench, {study, 0, 0}, trial, nullptr, why);
    };
    auto made = request.candidate ? make_arm(bench, trial, *request.candidate) : make_arm(bench, trial);
    if (!made)
        return tl::unexpected(made.error());
    if (!*made)
        return stop(made->error());
    if (auto logged = log_questions(*bench.store, study, trial, workloads, request.rounds); !logged)
        return logged;
    Session session(*bench.project, *bench.sampler, *bench.store, *bench.watch,
                    {study.id, trial.id, 1, "measure", study.seed}, bench.baseline, **made, workloads);
    std::vector<decision::Round> rounds;
    while (rounds.size() < request.rounds) {
        bench.watch->progress({"measure", trial.number, rounds.size(), request.rounds, session.round_time()});
        auto next = session.next();
        if (!next)
            return tl::unexpected(next.error());
        if (!*next)
            return stop({"measure", next->error().outcome, false, next->error().reason, next->error().log});
        rounds.push_back(std::move(**next));
    }
    measured.assessment = decision::assess(rule_for(*bench.project, workloads, ""), rounds);
    measured.regresses = std::any_of(measured.assessment.guards.begin(), measured.assessment.guards.end(),
                                     [](const decision::Guard& guard) { return guard.worse; });
    trial.state = State::done;
    trial.ended = utc_now();
    return bench.store->update_trial(trial);
}

/// The verdict of a comparison that came to no end: it says nothing about the candidate.
Result<void> end_without_answer(const Bench& bench, const StudyRecord& study, TrialRecord& trial, const Error& error) {
    decision::Verdict verdict;
    verdict.kind = error.kind == Error::Kind::interrupted ? decision::VerdictKind::interrupted
                                                          : decision::VerdictKind::not_comparable;
    verdict.reasons = {error.message()};
    auto record = make_verdict(bench, study, trial, nullptr, verdict, std::nullopt, std::nullopt);
    if (!record)
        return tl::unexpected(record.error());
    trial.state = State::done;
    trial.ended = utc_now();
    if (auto updated = bench.store->update_trial(trial); !updated)
        return updated;
    return bench.store->add_verdict(*record);
}

Result<void> end_study(Store& store, StudyRecord& study) {
    study.state = State::done;
    study.ended = utc_now();
    return store.update_study(study);
}

} // namespace

bool by_hand(const StudyRecord& study) {
    const auto options = nlohmann::json::parse(study.options_json, nullptr, false);
    return options.is_object() && options.value("kind", nlohmann::json()) == "measure";
}

bool compared_revisions(const TrialRecord& trial) {
    return trial.kind == "patch" && trial.patch.empty();
}

Result<std::vector<const Workload*>> choose_workloads(const Project& project, const std::vector<std::string>& names) {
    if (names.empty())
        return project.with_role(Role::tuning);
    std::vector<const Workload*> result;
    std::vector<std::string> known;
    for (const Workload& workload : project.workloads)
        known.push_back(workload.name);
    for (const std::string& name : names) {
        const auto found = std::find_if(project.workloads.begin(), project.workloads.end(),
                                        [&](const Workload& workload) { return workload.name == name; });
        if (found == project.workloads.end()) {
            const std::string near = nearest(name, known);
            return invalid("measure workload " + printable(name), "the project has no workload of that name",
                           near.empty() ? "See the names with: holdfast validate" : "Did you mean " + near + "?");
        }
        result.push_back(&*found);
    }
    return result;
}

Result<Measured> measure(const Project& project, const git::Repository& repository, Runner& runner, Store& store,
                         const Watch& watch, const MeasureRequest& request) {
    auto workloads = choose_workloads(project, request.workloads);
    if (!workloads)
        return tl::unexpected(workloads.error());
    auto commit = request.base ? Result<git::Commit>(*request.base) : repository.resolve();
    if (!commit)
        return tl::unexpected(commit.error());
    auto bench = prepare_bench(project, repository, runner, store, watch, *commit, *workloads,
                               request.candidate ? Trees::as_committed : Trees::with_knobs);
    if (!bench)
        return tl::unexpected(bench.error());

    StudyRecord study;
    study.id = uuid_v7();
    study.project = project.name;
    study.baseline_commit = commit->id;
    study.baseline_tree = commit->tree;
    study.seed = request.seed;
    study.frozen_json = project.canonical;
    nlohmann::json options = {{"kind", "measure"}, {"rounds", request.rounds}};
    if (request.candidate)
        options["candidate"] = request.candidate->id;
    study.options_json = options.dump();
    study.machine_json = runner.machine();
    study.isolation_level = bench->isolation.level;
    study.started = utc_now();
    if (auto added = store.add_study(study); !added)
        return tl::unexpected(added.error());

    TrialRecord trial;
    trial.id = uuid_v7();
    trial.study = study.id;
    const Configuration defaults = project.defaults();
    const Configuration& configuration = request.candidate ? defaults : request.configuration;
    trial.kind = request.patch.empty() && !request.candidate ? "knobs" : configuration == defaults ? "patch" : "both";
    trial.tuner = "measure";
    trial.state = State::running;
    trial.configuration_json = to_json(configuration);
    trial.patch = request.patch;
    trial.created = utc_now();
    if (auto added = store.add_trial(trial); !added)
        return tl::unexpected(added.error());

    Measured measured;
    measured.number = trial.number;
    measured.machine_json = study.machine_json;
    measured.isolation_level = study.isolation_level;
    for (const Workload* workload : *workloads)
        measured.workloads.push_back(workload->name);
    auto compared = compare(*bench, study, trial, *workloads, request, measured);
    if (!compared) {
        Error error = compared.error();
        if (error.kind == Error::Kind::interrupted)
            error.remedy = "Measure again; what was stopped is not resumed";
        // The first error is the one to report.
        if (!end_without_answer(*bench, study, trial, error) || !end_study(store, study))
            (void)store.mark_interrupted();
        return tl::unexpected(error);
    }
    if (auto ended = end_study(store, study); !ended)
        return tl::unexpected(ended.error());
    return measured;
}

} // namespace holdfast::study
