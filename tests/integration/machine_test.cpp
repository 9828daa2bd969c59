// SPDX-License-Identifier: GPL-3.0-or-later
// Studies on a machine that is disturbed or that changes: the real engine, runner and history, with readings changed on
// their way.
#include "app/common/places.hpp"
#include "core/study/engine.hpp"
#include "core/study/evidence_file.hpp"
#include "core/study/isolation.hpp"
#include "core/study/quarantine.hpp"
#include "core/study/session.hpp"
#include "db/audit.hpp"
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tuners/tuners.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

using namespace holdfast;
using namespace holdfast::test;
using nlohmann::json;

namespace {

/// Passes everything on to a real runner but what the machine is told to be.
class ToldRunner final : public study::Runner {
public:
    explicit ToldRunner(std::unique_ptr<study::Runner> real) : real_(std::move(real)) {}

    bool disturb_next = false; ///< the next run sees ten seconds of steal
    std::string governor = "performance";
    std::optional<study::Isolation> told; ///< instead of what the canaries found

    Result<study::ExecutionResult> execute(const study::Execution& execution, std::stop_token kill) override {
        if (execution.phase == study::Phase::run && std::exchange(disturb_next, false))
            steal_ += 1000;
        return real_->execute(execution, kill);
    }
    Result<std::unique_ptr<study::KeptSandbox>> keep(const study::Execution& execution, std::stop_token kill) override {
        return real_->keep(execution, kill);
    }
    Result<study::Isolation> isolation() override { return told ? *told : real_->isolation(); }
    const std::filesystem::path& cache() const override { return real_->cache(); }
    Result<void> give(const std::filesystem::path& tree) override { return real_->give(tree); }
    study::MachineReading reading() const override {
        study::MachineReading reading = real_->reading();
        reading.steal_ticks = steal_; // nothing of this machine's own
        reading.swap_in_pages = reading.swap_out_pages = reading.throttled = 0;
        return reading;
    }
    study::Counters counters() override { return real_->counters(); }
    std::string machine() const override {
        json facts = json::parse(real_->machine());
        facts["governor"] = governor;
        return facts.dump();
    }

private:
    std::unique_ptr<study::Runner> real_;
    std::uint64_t steal_ = 1000;
};

struct Engine {
    explicit Engine(const CounterProject& files)
        : opened(std::move(*app::open_project_and_repository(files.path()))), runner(std::move(*app::start_runner())),
          store(std::move(*app::open_history(files.path(), db::SqliteStore::Mode::write))) {
        options.trials = 0;
        options.seed = 7;
    }

    study::Environment environment(const study::Watch& watch) {
        return {opened.project, opened.repository, runner, *store, watch, tuners::make};
    }
    Result<study::Summary> start(const study::Watch& watch = {}) {
        return study::start_study(environment(watch), options);
    }
    Result<study::Summary> resume(const study::Watch& watch = {}) { return study::resume_study(environment(watch)); }
    std::vector<study::SampleRecord> samples(const study::TrialRecord& trial, const char* phase) const {
        return *store->samples(trial.study, trial.id, phase);
    }
    study::TrialRecord trial() const { return store->trials()->front(); }
    study::VerdictRecord verdict() const {
        const auto verdicts = store->verdicts();
        REQUIRE(verdicts->size() == 1);
        return verdicts->front();
    }

    app::Opened opened;
    ToldRunner runner;
    std::unique_ptr<study::Store> store;
    study::Options options;
};

/// Calls `act` when a phase has so many rounds.
study::Watch at(const char* phase, std::size_t done, std::function<void()> act) {
    study::Watch watch;
    watch.progress = [=](const study::Progress& progress) {
        if (progress.phase == phase && progress.done == done)
            act();
    };
    return watch;
}

study::EvidenceFile evidence_of(const Engine& engine) {
    study::EvidenceFile file;
    file.trial = engine.trial();
    file.study = engine.store->studies()->front();
    file.gates = *engine.store->gates(file.trial.id);
    file.samples = *engine.store->samples(file.study.id, file.trial.id);
    file.verdict = engine.verdict();
    file.whole_digest = file.verdict.evidence_digest;
    return file;
}

} // namespace

TEST_CASE("a disturbed round is taken again, shown with and without, and replays the same on another machine") {
    const CounterProject files;
    REQUIRE(files.holdfast({"propose", "--set", "size=9"}).code == 0);
    Engine engine(files);
    std::vector<std::string> said;
    study::Watch watch = at("confirm", 12, [&] { engine.runner.disturb_next = true; });
    watch.say = [&](const std::string& line) { said.push_back(line); };
    const auto summary = engine.start(watch);
    INFO((summary ? "" : summary.error().message()));
    REQUIRE(summary);
    CHECK(std::any_of(said.begin(), said.end(), [](const std::string& line) {
        return line.find("round 13 is taken again") != std::string::npos && line.find("steal") != std::string::npos;
    }));
    std::int64_t attempts = 0, coins = 0;
    for (const study::SampleRecord& sample : engine.samples(engine.trial(), "confirm"))
        if (sample.round == 13) {
            attempts = std::max(attempts, sample.attempt);
            ++coins;
        }
    CHECK(attempts == 2);
    CHECK(coins == 8); // two workloads, two arms, twice
    const json effects = json::parse(engine.verdict().effects_json);
    CHECK(effects.at("tuning").at("quarantine").at("dropped") == 1);
    CHECK(effects.at("tuning").at("quarantine").at("without").at("rounds") > effects.at("tuning").at("rounds"));
    CHECK_FALSE(effects.at("holdout").contains("quarantine"));
    CHECK(engine.verdict().verdict == "generalises");

    const auto text = study::write_evidence_file(evidence_of(engine));
    INFO((text ? "" : text.error().message()));
    REQUIRE(text);
    const auto read = study::read_evidence_file(*text);
    REQUIRE(read);
    const study::Recomputed again = study::recompute(*read);
    CHECK(again.done);
    CHECK(again.fault == "");
    study::EvidenceFile calm = *read; // as if nothing had been disturbed
    for (study::SampleRecord& sample : calm.samples)
        sample.after.steal_ticks = sample.before.steal_ticks;
    CHECK_FALSE(study::recompute(calm).fault.empty());
    CHECK(db::audit(app::history_file(files.path()))->clean());
}

TEST_CASE("a study that is stopped after a dropped round goes on with the same rounds") {
    const CounterProject files;
    REQUIRE(files.holdfast({"propose", "--set", "size=9"}).code == 0);
    Engine engine(files);
    std::stop_source stop;
    study::Watch watch;
    watch.after_sample = stop.get_token();
    watch.progress = [&](const study::Progress& progress) {
        if (progress.phase == "confirm" && progress.done == 12)
            engine.runner.disturb_next = true;
        if (progress.phase == "confirm" && progress.done == 15)
            stop.request_stop();
    };
    REQUIRE_FALSE(engine.start(watch));
    REQUIRE(engine.resume());
    const json effects = json::parse(engine.verdict().effects_json);
    CHECK(effects.at("tuning").at("quarantine").at("dropped") == 1);
    CHECK(engine.verdict().verdict == "generalises");
}

TEST_CASE("without quarantine a disturbed round counts") {
    CounterOptions off;
    off.extra_decision = R"("max-confirmations": 4, "holdout-pairs": 20, "quarantine": false)";
    const CounterProject files(off);
    REQUIRE(files.holdfast({"propose", "--set", "size=9"}).code == 0);
    Engine engine(files);
    REQUIRE(engine.start(at("confirm", 12, [&] { engine.runner.disturb_next = true; })));
    CHECK_FALSE(json::parse(engine.verdict().effects_json).at("tuning").contains("quarantine"));
    CHECK_FALSE(json::parse(engine.store->studies()->front().opening_json).at("a").contains("quarantine"));
}

TEST_CASE("a machine that changes during a study ends the trial as not-comparable and the study until it is back") {
    const CounterProject files;
    REQUIRE(files.holdfast({"propose", "--set", "size=9"}).code == 0);
    REQUIRE(files.holdfast({"propose", "--set", "size=10"}).code == 0);
    Engine engine(files);
    const auto started = engine.start(at("confirm", 3, [&] { engine.runner.governor = "powersave"; }));
    REQUIRE_FALSE(started);
    CHECK(started.error().kind == Error::Kind::refused);
    CHECK_THAT(started.error().found, ContainsSubstring("governor: performance → powersave"));
    CHECK(engine.verdict().verdict == "not-comparable");
    CHECK_THAT(engine.verdict().reasons_json, ContainsSubstring("governor: performance → powersave"));

    const auto elsewhere = engine.resume();
    REQUIRE_FALSE(elsewhere);
    CHECK(elsewhere.error().kind == Error::Kind::refused);
    CHECK_THAT(elsewhere.error().found, ContainsSubstring("governor: performance → powersave"));
    engine.runner.governor = "performance";
    const auto back = engine.resume();
    INFO((back ? "" : back.error().message()));
    REQUIRE(back);
    CHECK(back->decided == 2);
    CHECK(db::audit(app::history_file(files.path()))->clean());
}

TEST_CASE("a trial half measured on a machine that has changed is not-comparable and can be proposed again") {
    const CounterProject files;
    REQUIRE(files.holdfast({"propose", "--set", "size=9"}).code == 0);
    Engine engine(files);
    std::stop_source stop;
    study::Watch watch = at("confirm", 3, [&] { stop.request_stop(); });
    watch.after_sample = stop.get_token();
    REQUIRE_FALSE(engine.start(watch));
    engine.runner.governor = "powersave";
    REQUIRE_FALSE(engine.resume());
    CHECK(engine.store->verdicts()->empty()); // it may be resumed yet
    REQUIRE(engine.start());
    const auto verdict = engine.verdict();
    CHECK(verdict.verdict == "not-comparable");
    CHECK_THAT(verdict.reasons_json, ContainsSubstring("propose it again"));
    CHECK(db::audit(app::history_file(files.path()))->clean());
    engine.store.reset();
    CHECK(files.holdfast({"propose", "--set", "size=9"}).code == 0);
}

TEST_CASE("a study below L3 starts once that is accepted, keeps what got through and flags its verdicts") {
    const CounterProject files;
    REQUIRE(files.holdfast({"propose", "--set", "size=9"}).code == 0);
    Engine engine(files);
    engine.runner.told = study::Isolation{
        2,
        {{"reads a secret of the host", true, ""}, {"sees processes of the host", false, "12 besides its own"}},
        "there are no user namespaces",
        "Boot a kernel with CONFIG_USER_NS",
        ""};
    const auto refusal = engine.start();
    REQUIRE_FALSE(refusal);
    CHECK(refusal.error().kind == Error::Kind::refused);
    CHECK_THAT(refusal.error().found, ContainsSubstring("sees processes of the host"));
    CHECK_THAT(refusal.error().remedy, ContainsSubstring("--accept-isolation L2"));
    CHECK(engine.store->studies()->empty());

    study::Watch watch;
    watch.accepted_isolation = 2;
    const auto summary = engine.start(watch);
    INFO((summary ? "" : summary.error().message()));
    REQUIRE(summary);
    const study::StudyRecord study = engine.store->studies()->front();
    CHECK(study.isolation_level == 2);
    const auto kept = study::isolation_of(study.opening_json);
    REQUIRE(kept);
    CHECK(study::gaps_of(*kept) == std::vector<std::string>{"sees processes of the host"});
    CHECK(kept->canaries.size() == 2);
    const study::VerdictRecord verdict = engine.verdict();
    CHECK_THAT(verdict.flags_json, ContainsSubstring("\"isolation L2\""));
    CHECK(json::parse(verdict.evidence_json).at("opening").at(study::isolation_key).at("canaries").size() == 2);
    CHECK(study::read_evidence_file(*study::write_evidence_file(evidence_of(engine))));
    CHECK(db::audit(app::history_file(files.path()))->clean());
    engine.store.reset();
    const Ran shown = files.holdfast({"show", "1"});
    CHECK_THAT(shown.out, ContainsSubstring("isolation  L2; a program inside sees processes of the host"));
    CHECK_THAT(shown.out, ContainsSubstring("isolation L2"));
}

TEST_CASE("instructions are counted on request and say what counted them") {
    CounterOptions options;
    options.holdout = false;
    CounterProject files(options);
    const std::string text = read_text(files.path() / "holdfast.json");
    const std::string before = R"("objective": "rows")", after = R"("objective": "instructions")";
    std::string changed = text;
    changed.replace(changed.find(before), before.size(), after);
    files.repository().write("holdfast.json", changed);
    files.repository().commit("count instructions");
    const Ran ran = files.holdfast({"measure", "--set", "size=9", "--rounds", "6"});
    const study::Counters counters = (*app::start_runner())->counters();
    INFO(ran.err);
    if (!counters.instructions && counters.instructions_fallback.empty()) {
        CHECK(ran.code == 4);
        CHECK_THAT(ran.err, ContainsSubstring("apt-get install valgrind"));
        return;
    }
    REQUIRE(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring(counters.instructions ? "instructions" : "instructions (cachegrind)"));
    const Engine engine(files);
    std::set<double> counts;
    for (const study::SampleRecord& sample : engine.samples(engine.trial(), "measure")) {
        const json metrics = json::parse(sample.metrics_json);
        CHECK(metrics.at("instructions").get<double>() > 10'000);
        if (sample.arm == "baseline" && sample.workload == "a")
            counts.insert(metrics.at("instructions").get<double>());
    }
    REQUIRE_FALSE(counts.empty());
    CHECK(*counts.rbegin() / *counts.begin() < 1.01);
}
