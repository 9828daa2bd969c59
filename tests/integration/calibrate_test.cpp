// SPDX-License-Identifier: GPL-3.0-or-later
// Calibrations of real programs in the real sandbox and history. What depends on how fast a machine is, is not
// asserted.
#include "core/study/calibrate.hpp"

#include "app/common/burden_library.hpp"
#include "app/common/calibration_words.hpp"
#include "app/common/places.hpp"
#include "core/stats/random.hpp"
#include "core/study/burden.hpp"
#include "core/study/clock.hpp"
#include "core/study/engine.hpp"
#include "core/study/files.hpp"
#include "core/study/workspace.hpp"
#include "db/audit.hpp"
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tests/integration/written_project.hpp"
#include "tuners/tuners.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <set>

using namespace holdfast;
using namespace holdfast::test;
using nlohmann::json;

namespace {

/// A project opened as the commands open it.
class Bench {
public:
    explicit Bench(const std::filesystem::path& folder) {
        auto found = app::open_project_and_repository(folder);
        auto started = app::start_runner();
        REQUIRE(found);
        REQUIRE(started);
        opened_.emplace(std::move(*found));
        runner_ = std::move(*started);
        REQUIRE(app::make_state_folder(opened_->project, opened_->repository));
        auto store = app::open_history(folder, db::SqliteStore::Mode::write);
        REQUIRE(store);
        store_ = std::move(*store);
    }

    Result<study::Calibration> calibrate(study::CalibrationRequest request, const study::Watch& watch = {}) {
        request.burden_library = app::burden_library();
        return study::calibrate(opened_->project, opened_->repository, *runner_, *store_, watch, request);
    }
    std::string caution(const std::string& now) const {
        return *study::calibration_caution(*store_, opened_->project,
                                           study::subject_at_head(opened_->project, runner_->machine(), now));
    }
    Project& project() { return opened_->project; }
    git::Repository& repository() { return opened_->repository; }
    study::Runner& runner() { return *runner_; }
    const study::Store& store() const { return *store_; }
    std::string machine() const { return runner_->machine(); }
    bool audited() const { return db::audit(app::history_file(opened_->project.folder))->clean(); }

private:
    std::optional<app::Opened> opened_;
    std::unique_ptr<study::Runner> runner_;
    std::unique_ptr<study::Store> store_;
};

study::CalibrationRequest small(std::size_t sessions = 2, std::size_t rounds = 10) {
    study::CalibrationRequest request;
    request.sessions = sessions;
    request.rounds = rounds;
    request.seed = 11;
    return request;
}

/// `time`, hours later.
std::string later(const std::string& time, int hours) {
    const auto then = study::from_utc(time);
    REQUIRE(then);
    const std::time_t seconds = std::chrono::system_clock::to_time_t(*then + std::chrono::hours(hours));
    std::tm fields{};
    gmtime_r(&seconds, &fields);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.000Z", &fields);
    return text;
}

const std::string spin_c = R"(#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    volatile double x = 0;
    for (long i = 0; i < 10000000; ++i)
        x += 1;
    puts("done");
    fflush(stdout);
    LEAVE;
}
)";

/// Spins for a while, then leaves as `leave` says. Its rule decides early: what is looked at is not how many rounds it
/// takes.
WrittenProject spinning(const std::string& leave, const std::string& link) {
    return WrittenProject({{"spin.c", replaced(spin_c, "LEAVE", leave)}, {"holdfast.json", R"({
  "name": "spin", "objective": "cpu",
  "build": [["cc", "-O1", )" + link + R"("-o", "{build}/spin", "{source}/spin.c"]],
  "workloads": [{ "name": "spin", "run": ["{build}/spin"], "check": { "stdout": "same" } }],
  "decision": { "max-confirmations": 1, "false-proposal-rate": 0.4 },
  "knobs": []
})"}});
}

struct Burnt {
    std::string marks;
    std::chrono::nanoseconds burnt{0}, wall{0};
};

/// Runs `argv` in the sandbox with the files of `folder` in /here, slowed down by a tenth.
Burnt slowed_down(Bench& bench, const std::filesystem::path& folder, const Argv& argv, bool processor = false) {
    auto workspace = study::Workspace::open(bench.project(), bench.repository(), bench.runner());
    REQUIRE(workspace);
    auto burdening = study::make_burdening(*workspace, bench.runner(), app::burden_library());
    REQUIRE(burdening);
    burdening->share = 0.1;
    burdening->processor = processor;
    const auto here = workspace->scratch();
    REQUIRE(here);
    REQUIRE(study::copy_tree(folder, *here));
    REQUIRE(bench.runner().give(*here));
    study::Execution execution;
    execution.argv = argv;
    execution.mounts.push_back({*here, "/here", false});
    study::add_burdening(*burdening, execution);
    const auto result = bench.runner().execute(execution, {});
    REQUIRE(result);
    INFO(result->reason << result->standard_error);
    REQUIRE(result->ok());
    Burnt seen;
    seen.marks = read_text(burdening->folder / "marks");
    seen.wall = result->usage.wall;
    seen.burnt = *study::take_burnt(*burdening, seen.wall);
    CHECK(study::take_burnt(*burdening, seen.wall)->count() == 0); // the next run begins with none
    return seen;
}

/// One mark, of a tenth of what the program ran.
void check_tenth(const Burnt& seen) {
    CHECK(std::count(seen.marks.begin(), seen.marks.end(), '\n') == 1);
    long long burnt = 0, ran = 0;
    REQUIRE(std::sscanf(seen.marks.c_str(), "%lld %lld", &burnt, &ran) == 2);
    CHECK(burnt == seen.burnt.count());
    CHECK(burnt >= ran / 10 - 1);
    CHECK(ran + burnt <= seen.wall.count());
    CHECK(ran > seen.wall.count() / 4); // most of the run
}

} // namespace

TEST_CASE("an exact counter has no noise, and every workload is calibrated without a question") {
    const CounterProject files;
    Bench bench(files.path());
    const auto calibration = bench.calibrate(small());
    INFO((calibration ? "" : calibration.error().message()));
    REQUIRE(calibration);
    CHECK(calibration->threshold == 40); // four confirmations at 0.1
    REQUIRE(calibration->workloads.size() == 3);
    CHECK(calibration->workloads.back().role == Role::holdout);
    for (const study::WorkloadCalibration& workload : calibration->workloads) {
        CHECK(workload.metric == "rows");
        CHECK(workload.self.rounds == 20);
        CHECK(workload.self.noise == 0);
        CHECK(workload.self.false_faster.of == 2);
        CHECK(workload.self.provable.back().rounds == 200);
        CHECK(workload.self.provable.back().effect == Approx(-std::log(0.99)).margin(1e-6));
        REQUIRE(workload.burdens.size() == 3);
        CHECK_THAT(workload.burdens[0].unavailable, ContainsSubstring("no time that is measured from outside"));
        CHECK(study::faults_of(workload, calibration->threshold, calibration->minimum_effect).empty());
    }
    const auto studies = bench.store().studies();
    REQUIRE(studies->size() == 1);
    CHECK(study::is_calibration(studies->front()));
    CHECK_FALSE(study::resumable(studies->front()));
    CHECK(studies->front().state == study::State::done);
    CHECK(bench.store().questions(studies->front().id)->empty());
    CHECK(bench.store().trials()->empty());
    const auto samples = bench.store().samples(studies->front().id, "", "calibrate");
    CHECK(samples->size() == 3 * 2 * 2 * (10 + 1)); // a warm-up round for each session
    std::set<std::int64_t> sessions;
    for (const study::SampleRecord& sample : *samples)
        sessions.insert(sample.session);
    CHECK(sessions == std::set<std::int64_t>{1, 2});
    CHECK(bench.audited());
}

TEST_CASE("a stored calibration is computed again from its samples, and tells the same") {
    const CounterProject files;
    Bench bench(files.path());
    const auto made = bench.calibrate(small(1, 8));
    REQUIRE(made);
    const auto read = study::last_calibration(bench.store());
    REQUIRE(read);
    REQUIRE(*read);
    CHECK((*read)->number == made->number);
    CHECK((*read)->ended == made->ended);
    CHECK((*read)->fingerprint == made->fingerprint);
    CHECK_FALSE(made->fingerprint.empty());
    REQUIRE((*read)->workloads.size() == made->workloads.size());
    for (std::size_t i = 0; i < made->workloads.size(); ++i) {
        CHECK((*read)->workloads[i].workload == made->workloads[i].workload);
        CHECK((*read)->workloads[i].self.redrawn_faster == made->workloads[i].self.redrawn_faster);
        CHECK((*read)->workloads[i].burdens[0].unavailable == made->workloads[i].burdens[0].unavailable);
    }
}

TEST_CASE("a study's caution names what is missing: a calibration, its age, its machine, its metric") {
    const CounterProject files;
    Bench bench(files.path());
    const std::string before = bench.caution("2026-01-31T08:00:00.000Z");
    CHECK_THAT(before, ContainsSubstring("no calibration tells how noisy this machine is for these workloads"));
    CHECK_THAT(before, ContainsSubstring("holdfast calibrate"));
    auto request = small(1, 8);
    request.workloads = {"a", "unseen"};
    const auto made = bench.calibrate(request);
    REQUIRE(made);
    CHECK_THAT(bench.caution(made->ended), ContainsSubstring("for b"));
    CHECK_THAT(bench.caution(made->ended), !ContainsSubstring("unseen"));
    const auto rest = bench.calibrate(small(1, 8));
    REQUIRE(rest);
    CHECK(bench.caution(rest->ended) == "");
    CHECK(bench.caution(later(rest->ended, 23)) == "");
    CHECK_THAT(bench.caution(later(rest->ended, 25)), ContainsSubstring("older than 24 h"));
    const auto elsewhere = study::calibration_caution(bench.store(), bench.project(),
                                                      study::subject_at_head(bench.project(), "{}", rest->ended));
    REQUIRE(elsewhere);
    CHECK_THAT(*elsewhere, ContainsSubstring("machine"));
    bench.project().objectives = {"wall"};
    CHECK_THAT(bench.caution(rest->ended), ContainsSubstring("the last one measured rows, the objective is wall"));
}

TEST_CASE("a calibration holds for the workload it measured: its defaults, its commands, its inputs") {
    const CounterProject files;
    Bench bench(files.path());
    const auto made = bench.calibrate(small(1, 8));
    REQUIRE(made);
    REQUIRE(bench.caution(made->ended) == "");
    auto subject = study::subject_at_head(bench.project(), bench.machine(), made->ended);
    REQUIRE(subject.inputs.size() == 3);
    const auto caution = [&] { return *study::calibration_caution(bench.store(), bench.project(), subject); };
    subject.inputs.at("a") = "other";
    CHECK_THAT(caution(), ContainsSubstring("for a: the inputs of a have changed since the last one"));
    subject = study::subject_at_head(bench.project(), bench.machine(), made->ended);
    subject.tree = "other";
    CHECK(caution() == ""); // but whoever shows it says so
    auto standings = study::calibration_standings(bench.store(), bench.project(), subject);
    REQUIRE(standings);
    CHECK_THAT(study::changed_since(standings->front()), ContainsSubstring("the program has changed since"));
    const double median = standings->front().calibration->median;
    CHECK(median > 0);
    CHECK(study::drift_of(standings->front(), median * 1.9, 0.001) == "");
    CHECK_THAT(study::drift_of(standings->front(), median / 100, std::nullopt),
               ContainsSubstring("does not foresee a"));
    CHECK_THAT(study::drift_of(standings->front(), median, 0.5), ContainsSubstring("the noise of a pair is 50 %"));
    bench.project().workloads[0].seeds = {7};
    CHECK_THAT(caution(), ContainsSubstring("a had other commands, seeds or defaults"));

    SECTION("one that failed is told beside one that is missing") {
        standings->front().faults.push_back({"it is not itself", "Mend it"});
        standings->back().calibration.reset();
        const std::string both = study::caution_of(*standings);
        CHECK_THAT(both, ContainsSubstring("failed on a: it is not itself. Mend it"));
        CHECK_THAT(both, ContainsSubstring("no calibration tells how noisy this machine is for unseen"));
        CHECK_THAT(app::standing_text(standings->front()), ContainsSubstring("FAILED: it is not itself"));
    }
}

TEST_CASE("too few rounds are no calibration, and nothing is told of what they cannot show") {
    const CounterProject files; // 7 rounds reach E = 40 at the earliest
    Bench bench(files.path());
    const auto made = bench.calibrate(small(2, 6));
    REQUIRE(made);
    CHECK(made->workloads.front().too_few());
    CHECK_THAT(bench.caution(made->ended), ContainsSubstring("too few rounds to tell"));
    for (const auto& [what, value] : app::noise_lines(made->workloads.front(), made->threshold))
        if (what == "called faster" || what == "sessions")
            CHECK_THAT(value, StartsWith("too few rounds to tell"));
}

TEST_CASE("a share of processor time is burnt where that is the objective: waiting has no part in it") {
    const CounterProject files;
    Bench bench(files.path());
    const ScratchFolder folder;
    write_text(folder.path() / "spin.c", replaced(spin_c, "LEAVE", "usleep(400000)"));
    REQUIRE(run_command({"cc", "-O1", "-D_DEFAULT_SOURCE", "-o", "spin", "spin.c"}, folder.path()).code == 0);
    for (const Argv& argv : {Argv{"/here/spin"}, Argv{"/bin/sh", "-c", "/here/spin; exit 0"}}) {
        const Burnt seen = slowed_down(bench, folder.path(), argv, true);
        long long burnt = 0, ran = 0;
        REQUIRE(std::sscanf(seen.marks.c_str(), "%lld %lld", &burnt, &ran) == 2);
        CHECK(burnt >= ran / 10 - 1);
        CHECK(ran > 5'000'000); // the child's too
        CHECK(ran <= seen.wall.count() - 400'000'000);
    }
}

TEST_CASE("every objective is calibrated, and one that this machine has no meter for is a warning") {
    const auto project = [](const std::string& objectives) {
        return WrittenProject({{"run.sh", "echo 1\n"}, {"holdfast.json", R"({
  "name": "two", "objective": )" + objectives + R"(,
  "workloads": [{ "name": "one", "run": ["sh", "{source}/run.sh"], "check": { "stdout": "same" } }],
  "knobs": []
})"}});
    };
    const WrittenProject two = project(R"(["cpu", "wall"])");
    Bench bench(two.path());
    auto request = small(1, 10);
    request.burdens = false;
    const auto made = bench.calibrate(request);
    REQUIRE(made);
    REQUIRE(made->workloads.size() == 2);
    CHECK(made->workloads[0].metric == "cpu");
    CHECK(made->workloads[1].metric == "wall");
    CHECK(made->threshold == 200); // of a study of two
    const WrittenProject energy = project(R"("energy")");
    const std::string out = energy.holdfast({"validate"}).out;
    if (bench.runner().counters().energy)
        CHECK_THAT(out, !ContainsSubstring("nothing can be measured"));
    else
        CHECK_THAT(out, ContainsSubstring("nothing can be measured on this machine") &&
                            ContainsSubstring("the metric energy"));
}

TEST_CASE("a calibration that is stopped is over: not used, not resumed, and the history stays whole") {
    const CounterProject files;
    Bench bench(files.path());
    std::stop_source stop;
    study::Watch watch;
    watch.after_sample = stop.get_token();
    watch.progress = [&](const study::Progress& progress) {
        if (progress.phase == "calibrate" && progress.done == 3)
            stop.request_stop();
    };
    const auto stopped = bench.calibrate(small(), watch);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().kind == Error::Kind::interrupted);
    CHECK_THAT(stopped.error().remedy, ContainsSubstring("Calibrate again"));
    const auto studies = bench.store().studies();
    CHECK(studies->front().state == study::State::interrupted);
    CHECK_FALSE(study::resumable(studies->front()));
    CHECK(study::calibrations(bench.store())->empty());
    CHECK_FALSE(bench.caution(studies->front().ended).empty());
    CHECK(bench.audited());
    REQUIRE(bench.calibrate(small(1, 6)));
    CHECK(study::calibrations(bench.store())->size() == 1);
}

TEST_CASE("a program burns the share of its time however it leaves") {
    const std::string leave =
        GENERATE(as<std::string>(), "return 0", "exit(0)", "_exit(0)", "_Exit(0)", "quick_exit(0)");
    CAPTURE(leave);
    const CounterProject files;
    Bench bench(files.path());
    const ScratchFolder folder;
    write_text(folder.path() / "spin.c", replaced(spin_c, "LEAVE", leave));
    REQUIRE(run_command({"cc", "-O1", "-o", "spin", "spin.c"}, folder.path()).code == 0);
    check_tenth(slowed_down(bench, folder.path(), {"/here/spin"}));
}

TEST_CASE("what a program starts, or becomes, is not slowed down a second time") {
    const CounterProject files;
    Bench bench(files.path());
    const ScratchFolder folder;
    write_text(folder.path() / "inner.sh", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done\n");
    write_text(folder.path() / "outer.sh",
               "/bin/sh /here/inner.sh\n(/bin/sh /here/inner.sh)\nexec /bin/sh /here/inner.sh\n");
    check_tenth(slowed_down(bench, folder.path(), {"/bin/bash", "/here/outer.sh"}));
    check_tenth(slowed_down(bench, folder.path(), {"/bin/sh", "/here/outer.sh"}));
}

TEST_CASE("a slow-down is measured as what it is, under the project's own rule") {
    const WrittenProject files = spinning("return 0", "");
    Bench bench(files.path());
    const auto calibration = bench.calibrate(small(1, 12));
    INFO((calibration ? "" : calibration.error().message()));
    REQUIRE(calibration);
    CHECK(calibration->threshold == Approx(2.5));
    const auto& burdens = calibration->workloads.front().burdens;
    REQUIRE(burdens.size() == 3);
    for (const study::Burden& burden : burdens) {
        CHECK(burden.unavailable == "");
        CHECK(burden.limit == 12);
        CHECK(burden.rounds <= 12);
        if (burden.rounds == 0)
            continue;                                // too small for this machine's noise
        CHECK(burden.injected > 0.4 * burden.share); // starting the program is not slowed down
        CHECK(burden.injected < 2 * burden.share);
    }
    CHECK(bench.audited());
}

TEST_CASE("a program that burns nothing is told, not counted as one that was slowed down") {
    const auto [leave, link] = GENERATE(table<std::string, std::string>(
        {{"return 0", "\"-static\", "}, {"syscall(SYS_exit_group, 0)", "\"-D_GNU_SOURCE\", "}}));
    CAPTURE(leave, link);
    const WrittenProject files = spinning(leave, link);
    Bench bench(files.path());
    const auto calibration = bench.calibrate(small(1, 6));
    INFO((calibration ? "" : calibration.error().message()));
    REQUIRE(calibration);
    for (const study::Burden& burden : calibration->workloads.front().burdens) {
        CHECK_THAT(burden.unavailable, ContainsSubstring("nothing was burnt"));
        CHECK(burden.rounds == 0);
        CHECK_FALSE(burden.missed());
    }
    const auto read = study::last_calibration(bench.store());
    REQUIRE(*read);
    CHECK_THAT((*read)->workloads.front().burdens[0].unavailable, ContainsSubstring("nothing was burnt"));
}

TEST_CASE("a program that is not itself is told in words, with what to do") {
    stats::Random random(4);
    const auto workload = [&](double arms, double slot, double by_session) {
        std::vector<stats::SelfPair> pairs;
        for (std::size_t i = 0; i < 100; ++i) {
            const bool candidate_first = random.coin();
            const double better = arms + (i / 25 % 2 == 0 ? by_session : -by_session);
            pairs.push_back(
                {slot + 0.01 * random.normal() + (candidate_first ? -better : better), candidate_first, i / 25});
        }
        study::WorkloadCalibration one;
        one.metric = "wall";
        one.sessions = 4;
        one.self = stats::compare_with_itself(pairs, 100, 0.01, 25, {}, 3, 200);
        return one;
    };
    const auto told = [](const study::WorkloadCalibration& one) {
        std::string text;
        for (const study::CalibrationFault& fault : study::faults_of(one, 100, 0.01)) {
            CHECK_FALSE(fault.remedy.empty());
            text += fault.what + "\n";
        }
        return text;
    };
    CHECK(told(workload(0, 0, 0)) == "");
    CHECK(told(workload(0, 0.005, 0)) == ""); // shown, but smaller than what a study is to prove
    const std::string differ = told(workload(0.03, 0, 0));
    CHECK_THAT(differ,
               ContainsSubstring("called faster than itself in 4 of 4 segments, where at most 1 % are expected"));
    CHECK_THAT(differ, ContainsSubstring("the two arms differ by \u2212"));
    CHECK_THAT(told(workload(0, 0.05, 0)), StartsWith("whichever run of a pair comes first changes wall by +"));
    CHECK_THAT(told(workload(0, 0, 0.02)), ContainsSubstring("sessions differ by more than their rounds do"));
    // What a project does not have is not blamed.
    study::WorkloadCalibration apart = workload(0, 0, 0.02);
    const auto remedy = [&] { return study::faults_of(apart, 100, 0.01).back().remedy; };
    CHECK_THAT(remedy(), StartsWith("Most often it is what else the machine does"));
    CHECK_THAT(remedy(), !ContainsSubstring("prepare"));
    CHECK_THAT(remedy(), !ContainsSubstring("server"));
    apart.prepares = true;
    CHECK_THAT(remedy(), ContainsSubstring("what `prepare` made"));
    study::WorkloadCalibration missed = workload(0, 0, 0);
    missed.burdens.push_back({0.1, 0.1, 10, 14, 100, std::nullopt, 14, 0, {}, ""});
    CHECK_THAT(told(missed), StartsWith("a slow-down of 10 % was not seen in 14 rounds"));
}

TEST_CASE("a study says that it has no calibration to rest on, keeps it, and is quiet after one") {
    const CounterProject project;
    REQUIRE(project.holdfast({"propose", "--set", "size=9"}).code == 0);
    Ran ran = project.holdfast({"run", "--trials", "0"});
    CHECK(ran.code == 0);
    CHECK_THAT(ran.err, ContainsSubstring("note: no calibration tells"));
    CHECK_THAT(project.holdfast({"export", "1", "--format", "markdown"}).out,
               ContainsSubstring("how small an effect this machine can prove"));
    ran = project.holdfast({"calibrate", "--sessions", "2", "--rounds", "10"});
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("smallest provable"));
    CHECK_THAT(ran.err, ContainsSubstring("that costs no question"));
    CHECK_THAT(project.holdfast({"validate"}).out, ContainsSubstring("smallest provable effect 1 % in 200 rounds"));
    ran = project.holdfast({"measure", "--set", "size=9", "--rounds", "6"});
    CHECK_THAT(ran.err, !ContainsSubstring("calibration"));
    CHECK(project.holdfast({"run", "--resume"}).code == 2);
    CHECK(project.holdfast({"audit"}).code == 0);
}
