// SPDX-License-Identifier: GPL-3.0-or-later
// Measures a calibration: sessions of the baseline under two arms, then the same with one arm slowed down.
#include "core/study/calibration.hpp"

#include "core/project/hash.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "core/stats/random.hpp"
#include "core/stats/sequential.hpp"
#include "core/study/bench.hpp"
#include "core/study/clock.hpp"
#include "core/study/files.hpp"
#include "core/study/isolation.hpp"
#include "core/study/measure.hpp"
#include "core/study/session.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holdfast::study {

namespace {

constexpr const char* attempted = "calibrate";
using Workloads = std::vector<const Workload*>;

Result<void> check(const CalibrationRequest& request) {
    if (request.sessions < 1 || request.sessions > 100)
        return invalid(attempted, fmt::format("{} sessions cannot be taken", request.sessions),
                       "Take 1 to 100 sessions");
    if (request.rounds < 6 || request.rounds > 10'000)
        return invalid(attempted, fmt::format("sessions of {} rounds cannot be taken", request.rounds),
                       "Take 6 to 10000 rounds a session");
    return {};
}

/// The baseline as a candidate would be: the same programs in other files, with a `prepare` and a server of its own.
Result<Arm> second_arm(const Bench& bench) {
    Arm arm = bench.baseline;
    arm.hash += " again";
    for (auto* place : {&arm.artifact.source, &arm.artifact.build}) {
        if (place->empty())
            continue;
        auto copy = bench.workspace->scratch();
        if (!copy)
            return tl::unexpected(copy.error());
        auto done = copy_tree(*place, *copy);
        if (done)
            done = bench.runner->give(*copy);
        if (!done)
            return tl::unexpected(done.error());
        *place = *copy;
    }
    return arm;
}

class Calibrating {
public:
    Calibrating(Bench& bench, StudyRecord& study, const CalibrationPlan& plan, Workloads workloads, InputDigests inputs)
        : bench_(&bench), study_(&study), plan_(plan), workloads_(std::move(workloads)), inputs_(std::move(inputs)) {}

    Result<Calibration> run(const std::filesystem::path& burden_library);

private:
    Result<void> with_itself();
    Result<void> prepare_burdens(const std::filesystem::path& library);
    Result<std::string> why_not(const Workload& workload);
    Result<void> with_burden(const BurdenKind& kind);
    Result<void> round(Session& session, const std::string& phase, std::size_t done, std::size_t total);
    Result<std::vector<stats::SelfPair>> pairs(const Workload& workload, const char* phase) const;
    Result<std::size_t> rounds_for(const Workload& workload, const BurdenKind& kind) const;
    Result<bool> all_seen(const Workloads& workloads, const char* phase) const;

    Bench* bench_;
    StudyRecord* study_;
    CalibrationPlan plan_;
    Workloads workloads_;
    Arm second_;
    InputDigests inputs_;
    Unavailable unavailable_;
};

Result<void> Calibrating::round(Session& session, const std::string& phase, std::size_t done, std::size_t total) {
    bench_->watch->progress({phase, 0, done, total, session.round_time()});
    auto next = session.next();
    if (!next)
        return tl::unexpected(next.error());
    if (!*next)
        return failed("measure the baseline against itself", printable(next->error().reason),
                      "Make the baseline pass its own workloads every time");
    return {};
}

Result<void> Calibrating::with_itself() {
    const std::size_t total = plan_.sessions * plan_.rounds;
    for (std::size_t done = 0; done < total;) {
        Session session(*bench_->project, *bench_->sampler, *bench_->store, *bench_->watch,
                        {study_->id, "", 0, "calibrate", study_->seed}, bench_->baseline, second_, workloads_);
        if (auto before = session.resume(); !before) // the rounds of the sessions before
            return tl::unexpected(before.error());
        for (std::size_t i = 0; i < plan_.rounds; ++i, ++done)
            if (auto taken = round(session, "calibrate", done, total); !taken)
                return taken;
    }
    return {};
}

/// Whether a burden reaches the workload's metric, found out by one run that is not kept; else why not.
Result<std::string> Calibrating::why_not(const Workload& workload) {
    const Metric& metric = bench_->project->metric(bench_->project->objective);
    if (metric.source != Metric::Source::wall && metric.source != Metric::Source::cpu)
        return metric.source == Metric::Source::instructions || metric.source == Metric::Source::energy
                   ? fmt::format("what is burnt is a known share of time, but of {} the share is not known",
                                 printable(metric.name))
                   : fmt::format(
                         "{} is no time that is measured from outside, so what is burnt at the end does not reach it",
                         printable(metric.name));
    if (workload.server)
        return std::string("its server is in the same sandbox and would be slowed down too");
    Arm probe = second_;
    probe.burdening->share = burden_kinds[std::size(burden_kinds) - 1].share;
    auto stopped = bench_->sampler->prepare(probe, workload);
    if (!stopped)
        return tl::unexpected(stopped.error());
    if (*stopped)
        return (*stopped)->reason;
    auto taken = bench_->sampler->take(probe, workload, workload.seeds.front());
    if (!taken)
        return tl::unexpected(taken.error());
    if (taken->outcome != Taken::Outcome::ok)
        return "with the library loaded it fails: " + taken->reason;
    if (taken->metrics[burnt_metric] <= 0)
        return std::string("nothing was burnt: its program is static, or ends without leaving main or calling exit");
    return std::string();
}

Result<void> Calibrating::prepare_burdens(const std::filesystem::path& library) {
    auto burdening = make_burdening(*bench_->workspace, *bench_->runner, library);
    if (!burdening)
        return tl::unexpected(burdening.error());
    second_.burdening = std::move(*burdening);
    second_.burdening->processor = bench_->project->metric(bench_->project->objective).source == Metric::Source::cpu;
    for (const Workload* workload : workloads_) {
        if (bench_->watch->after_sample.stop_requested())
            return tl::unexpected(stopped_on_request(attempted));
        auto why = why_not(*workload);
        if (!why)
            return tl::unexpected(why.error());
        if (why->empty())
            continue;
        unavailable_[workload->name] = *why;
        bench_->watch->say(
            fmt::format("note: workload {} is not slowed down: {}", printable(workload->name), printable(*why)));
    }
    return {};
}

Result<std::vector<stats::SelfPair>> Calibrating::pairs(const Workload& workload, const char* phase) const {
    auto samples = bench_->store->samples(study_->id, "", phase);
    if (!samples)
        return tl::unexpected(samples.error());
    return self_pairs(bench_->project->metric(bench_->project->objective), workload.name, *samples);
}

/// Rounds that nearly every study would see the burden in; 0: more than are taken.
Result<std::size_t> Calibrating::rounds_for(const Workload& workload, const BurdenKind& kind) const {
    auto alone = pairs(workload, "calibrate");
    if (!alone)
        return tl::unexpected(alone.error());
    Burden burden;
    burden.share = kind.share;
    burden.limit = burden_limit(*bench_->project, plan_);
    predict(burden, *alone, calibration_threshold(*bench_->project),
            stats::derive(study_->seed, "calibration/" + workload.name));
    return burden.sure;
}

Result<bool> Calibrating::all_seen(const Workloads& workloads, const char* phase) const {
    const double goal = std::log(calibration_threshold(*bench_->project));
    for (const Workload* workload : workloads) {
        auto taken = pairs(*workload, phase);
        if (!taken)
            return tl::unexpected(taken.error());
        stats::EProcess slower(0);
        bool seen = false;
        for (const stats::SelfPair& pair : *taken) {
            slower.add(-pair.arms());
            seen = seen || slower.log_e() >= goal;
        }
        if (!seen)
            return false;
    }
    return true;
}

Result<void> Calibrating::with_burden(const BurdenKind& kind) {
    Workloads reached;
    std::size_t most = 0;
    for (const Workload* workload : workloads_) {
        if (unavailable_.contains(workload->name))
            continue;
        auto rounds = rounds_for(*workload, kind);
        if (!rounds)
            return tl::unexpected(rounds.error());
        if (*rounds == 0)
            continue;
        reached.push_back(workload);
        most = std::max(most, *rounds);
    }
    if (reached.empty())
        return {};
    Arm slowed = second_;
    slowed.burdening->share = kind.share;
    Session session(*bench_->project, *bench_->sampler, *bench_->store, *bench_->watch,
                    {study_->id, "", 0, kind.phase, study_->seed}, bench_->baseline, slowed, reached);
    for (std::size_t done = 0; done < most; ++done) {
        if (auto taken = round(session, kind.phase, done, most); !taken)
            return taken;
        auto seen = all_seen(reached, kind.phase);
        if (!seen)
            return tl::unexpected(seen.error());
        if (*seen)
            break;
    }
    return {};
}

Result<Calibration> Calibrating::run(const std::filesystem::path& burden_library) {
    auto second = second_arm(*bench_);
    if (!second)
        return tl::unexpected(second.error());
    second_ = std::move(*second);
    auto done = with_itself();
    if (done && plan_.burdens)
        done = prepare_burdens(burden_library);
    for (const BurdenKind& kind : burden_kinds)
        if (done && plan_.burdens)
            done = with_burden(kind);
    if (!done)
        return tl::unexpected(done.error());
    study_->ended = utc_now();
    auto calibration = compute_calibration(*bench_->store, *study_, *bench_->project, plan_, unavailable_);
    if (!calibration)
        return calibration;
    study_->opening_json = with_isolation(opening_of(*calibration, unavailable_, inputs_), bench_->isolation);
    study_->state = State::done;
    if (auto updated = bench_->store->update_study(*study_); !updated)
        return tl::unexpected(updated.error());
    return calibration;
}

Result<Workloads> chosen(const Project& project, const std::vector<std::string>& names) {
    if (!names.empty())
        return choose_workloads(project, names);
    Workloads all;
    for (const Workload& workload : project.workloads)
        all.push_back(&workload);
    return all;
}

StudyRecord study_of(const Project& project, const Bench& bench, const CalibrationPlan& plan, std::uint64_t seed) {
    StudyRecord study;
    study.id = uuid_v7();
    study.project = project.name;
    study.baseline_commit = bench.commit.id;
    study.baseline_tree = bench.commit.tree;
    study.seed = seed;
    study.frozen_json = project.canonical;
    study.options_json = to_json(plan);
    study.machine_json = bench.runner->machine();
    study.isolation_level = bench.isolation.level;
    study.started = utc_now();
    return study;
}

void say_what_comes(const Bench& bench, const CalibrationPlan& plan, const Workloads& workloads) {
    std::chrono::nanoseconds once{0};
    for (const Taken& pinned : bench.pinned)
        once += pinned.record.usage.wall;
    const auto runs = static_cast<std::int64_t>(2 * plan.sessions * (plan.rounds + 1));
    bench.watch->say(fmt::format("{} workload(s) against themselves, {} sessions of {} rounds: about {}{}",
                                 workloads.size(), plan.sessions, plan.rounds, duration_text(once * runs),
                                 plan.burdens ? ", then at most as long for each of three slow-downs" : ""));
    if (std::any_of(workloads.begin(), workloads.end(), [](const Workload* w) { return w->role == Role::holdout; }))
        bench.watch->say("held-out workloads are run with the baseline alone: that costs no question");
}

/// What was stopped is not gone on with.
Error final_words(Error error) {
    if (error.kind == Error::Kind::interrupted)
        error.remedy = "Calibrate again; what was stopped is not used";
    return error;
}

} // namespace

Result<Calibration> calibrate(const Project& project, const git::Repository& repository, Runner& runner, Store& store,
                              const Watch& watch, const CalibrationRequest& request) {
    if (auto checked = check(request); !checked)
        return tl::unexpected(checked.error());
    auto workloads = chosen(project, request.workloads);
    if (!workloads)
        return tl::unexpected(workloads.error());
    auto commit = repository.resolve();
    if (!commit)
        return tl::unexpected(commit.error());
    // As they are before anything is measured.
    InputDigests inputs = subject_of(project, repository, *commit, "", "").inputs;
    auto bench = prepare_bench(project, repository, runner, store, watch, *commit, *workloads);
    if (!bench)
        return tl::unexpected(final_words(bench.error()));
    CalibrationPlan plan{request.sessions, request.rounds, request.burdens, {}};
    for (const Workload* workload : *workloads)
        plan.workloads.push_back(workload->name);
    StudyRecord study = study_of(project, *bench, plan, request.seed);
    if (auto added = store.add_study(study); !added)
        return tl::unexpected(added.error());
    say_what_comes(*bench, plan, *workloads);
    auto calibration = Calibrating(*bench, study, plan, *workloads, std::move(inputs)).run(request.burden_library);
    if (calibration)
        return calibration;
    study.state = State::interrupted;
    study.opening_json.clear();
    study.ended = utc_now();
    if (!store.update_study(study))
        (void)store.mark_interrupted(); // the first error is the one to report
    return tl::unexpected(final_words(calibration.error()));
}

} // namespace holdfast::study
