// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/measure.hpp"

#include "core/project/hash.hpp"
#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/asked.hpp"
#include "core/study/calibrate.hpp"
#include "core/study/clock.hpp"
#include "core/study/evidence.hpp"
#include "core/study/isolation.hpp"
#include "core/study/metric_trust.hpp"
#include "core/study/questions.hpp"
#include "core/study/session.hpp"
#include "core/study/trial.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace {

bool is_held_out(const Workload* workload) {
    return workload->role == Role::holdout;
}

/// Refused when the questions of comparisons by hand are spent.
Error spent(const Project& project) {
    return {Error::Kind::refused, "ask held-out workloads", spent_text(project, "of comparisons by hand"),
            "Measure with tuning workloads, or bring held-out workloads with other inputs or seeds (another name asks "
            "nothing new); \"holdout-questions\" in \"decision\" says how many are allowed"};
}

/// Logs the question and pins its fresh seeds; nothing to do without held-out workloads.
Result<void> ask(Bench& bench, const StudyRecord& study, const TrialRecord& trial,
                 const std::vector<const Workload*>& workloads, std::size_t rounds, QuestionSeeds& seeds) {
    if (std::none_of(workloads.begin(), workloads.end(), is_held_out))
        return {};
    auto question = ask_question(*bench.store, *bench.project, study, trial.id, static_cast<int>(rounds), workloads);
    if (!question)
        return tl::unexpected(question.error());
    if (!*question)
        return tl::unexpected(spent(*bench.project));
    return seeds.pin(**question);
}

/// The first variant whose answer is not the original's.
Result<std::optional<Taken>> try_variants(Bench& bench, const Arm& arm, const std::vector<const Workload*>& workloads,
                                          const QuestionSeeds& seeds) {
    for (const Workload* workload : workloads)
        for (const std::int64_t seed : seeds.of(*workload)) {
            auto disagrees = bench.sampler->try_variants(arm, *workload, seed);
            if (!disagrees || *disagrees)
                return disagrees;
        }
    return std::optional<Taken>();
}

/// Every objective is told, so the first that is the program's own word asks for the caution.
const std::string& doubtful_objective(const Project& project) {
    const auto own = std::find_if(project.objectives.begin(), project.objectives.end(),
                                  [&](const std::string& name) { return project.metric(name).self_reported(); });
    return own == project.objectives.end() ? project.objective : *own;
}

/// Nothing when none of the workloads has the role.
std::optional<decision::Assessment> assess_role(const Project& project, const std::vector<const Workload*>& workloads,
                                                const std::vector<decision::Round>& rounds, Role role) {
    std::vector<const Workload*> chosen;
    std::vector<decision::Round> parts(rounds.size());
    for (std::size_t w = 0; w < workloads.size(); ++w) {
        if (workloads[w]->role != role)
            continue;
        chosen.push_back(workloads[w]);
        for (std::size_t r = 0; r < rounds.size(); ++r)
            parts[r].workloads.push_back(rounds[r].workloads[w]);
    }
    if (chosen.empty())
        return std::nullopt;
    return decision::assess(rule_for(project, chosen, ""), parts);
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
    auto made = request.candidate ? make_arm(bench, trial, *request.candidate,
                                             request.candidate_knobs.value_or(bench.project->defaults()))
                                  : make_arm(bench, trial);
    if (!made)
        return tl::unexpected(made.error());
    if (!*made)
        return stop(made->error());
    QuestionSeeds seeds(*bench.sampler, workloads);
    if (auto asked = ask(bench, study, trial, workloads, request.rounds, seeds); !asked)
        return asked;
    auto disagrees = try_variants(bench, **made, workloads, seeds);
    if (!disagrees)
        return tl::unexpected(disagrees.error());
    if (*disagrees)
        return stop({"measure", (*disagrees)->outcome, false, (*disagrees)->reason, (*disagrees)->log});
    Session session(*bench.project, *bench.sampler, *bench.store, *bench.watch,
                    {study.id, trial.id, 1, request.stack ? "stack" : "measure", study.seed, seeds.seeds()},
                    bench.baseline, **made, workloads);
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
    measured.tuning = assess_role(*bench.project, workloads, rounds, Role::tuning);
    measured.holdout = assess_role(*bench.project, workloads, rounds, Role::holdout);
    auto samples = bench.store->samples(study.id, trial.id);
    if (!samples)
        return tl::unexpected(samples.error());
    measured.quality = all_quality(*bench.project, *samples);
    auto proofs = proxy_proofs(*bench.project, *bench.store);
    if (!proofs)
        return tl::unexpected(proofs.error());
    add_metric_trust(*bench.project, doubtful_objective(*bench.project), *samples, *proofs, measured.trust);
    const auto& objectives = measured.assessment.objectives;
    measured.regresses =
        measured.assessment.any_worse() ||
        std::any_of(objectives.begin(), objectives.end(), [](const auto& seen) { return seen.shown_worse(); }) ||
        std::any_of(measured.quality.begin(), measured.quality.end(), [](const auto& seen) { return seen.lost; });
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

/// What there is to say of the calibration that the comparison rests on; the pinning runs show what the baseline takes.
Result<void> tell_calibration(const Bench& bench, const std::vector<const Workload*>& workloads,
                              const StudyRecord& study) {
    const auto standings = calibration_standings(
        *bench.store, *bench.project,
        subject_of(*bench.project, *bench.repository, bench.commit, study.machine_json, study.started));
    if (!standings)
        return tl::unexpected(standings.error());
    if (const std::string caution = caution_of(*standings); !caution.empty())
        bench.watch->say("note: " + caution);
    for (const CalibrationStanding& standing : *standings)
        for (const Workload* workload : workloads) {
            const Taken* run = workload->name == standing.workload
                                   ? bench.sampler->pinned(*workload, workload->seeds.front())
                                   : nullptr;
            if (run == nullptr || !run->metrics.contains(standing.metric))
                continue;
            const std::string drift = drift_of(standing, run->metrics.at(standing.metric), std::nullopt);
            if (!drift.empty())
                bench.watch->say("note: " + drift);
        }
    return {};
}

Result<void> end_study(Store& store, StudyRecord& study) {
    study.state = State::done;
    study.ended = utc_now();
    return store.update_study(study);
}

} // namespace

bool by_hand(const StudyRecord& study) {
    const auto options = nlohmann::json::parse(study.options_json, nullptr, false);
    const auto kind = options.is_object() ? options.value("kind", nlohmann::json()) : nlohmann::json();
    return kind == "measure" || kind == "calibrate";
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
    auto digests = asked_digests(project, repository, *commit, *workloads);
    if (!digests)
        return tl::unexpected(digests.error());
    // Now, not after a build. Asked again when the question is logged.
    if (!digests->empty()) {
        auto asked = questions_by_hand(store, project.canonical, *digests);
        if (!asked)
            return tl::unexpected(asked.error());
        if (*asked >= project.decision.holdout_questions)
            return tl::unexpected(spent(project));
    }
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
    if (request.stack)
        options["stack"] = true;
    if (!digests->empty())
        options[asked_key] = *digests;
    study.options_json = options.dump();
    study.machine_json = runner.machine();
    study.isolation_level = bench->isolation.level;
    study.opening_json = with_isolation(nlohmann::json{{rule_key, decision::rule_revision}}.dump(), bench->isolation);
    study.started = utc_now();
    if (auto told = tell_calibration(*bench, *workloads, study); !told)
        return tl::unexpected(told.error());
    if (auto added = store.add_study(study); !added)
        return tl::unexpected(added.error());

    TrialRecord trial;
    trial.id = uuid_v7();
    trial.study = study.id;
    const Configuration defaults = project.defaults();
    const Configuration configuration =
        request.candidate ? request.candidate_knobs.value_or(defaults) : request.configuration;
    trial.kind = request.candidate           ? "patch"
                 : request.patch.empty()     ? "knobs"
                 : configuration == defaults ? "patch"
                                             : "both";
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
    measured.isolation_gaps = gaps_text(bench->isolation);
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
