// SPDX-License-Identifier: GPL-3.0-or-later
// A study in this process that is asked to stop between two trials, and goes on later.
#include "app/common/places.hpp"
#include "core/study/engine.hpp"
#include "core/study/workspace.hpp"
#include "db/audit.hpp"
#include "tests/catch.h"
#include "tests/integration/counter_project.hpp"
#include "tests/integration/written_project.hpp"
#include "tuners/tuners.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace holdfast;
using namespace holdfast::test;

namespace {

/// The engine on a real runner and history, as `holdfast run` puts it together.
class Engine {
public:
    explicit Engine(const std::filesystem::path& project) {
        auto found = app::open_project_and_repository(project);
        auto started = app::start_runner();
        auto store = app::open_history(project, db::SqliteStore::Mode::write);
        REQUIRE(found);
        REQUIRE(started);
        REQUIRE(store);
        opened_.emplace(std::move(*found));
        runner_ = std::move(*started);
        store_ = std::move(*store);
    }

    Result<study::Summary> start(const study::Watch& watch, const study::Options& options) {
        return study::start_study(environment(watch), options);
    }
    Result<study::Summary> resume() {
        const study::Watch watch;
        return study::resume_study(environment(watch));
    }
    const study::Store& store() const { return *store_; }
    /// What is left of the folders that sandboxes may write.
    std::vector<std::filesystem::path> scratch_folders() const {
        std::vector<std::filesystem::path> found;
        for (const auto& workspace : std::filesystem::directory_iterator(runner_->cache())) {
            if (study::Workspace::project_of(workspace.path()) != opened_->project.folder)
                continue;
            std::error_code code; // they may go while they are listed
            for (std::filesystem::directory_iterator folder(workspace.path() / "runs", code), end;
                 !code && folder != end; folder.increment(code))
                found.push_back(folder->path());
        }
        return found;
    }
    std::size_t decided() const { return store_->verdicts()->size(); }
    std::vector<study::TrialRecord> trials() const { return *store_->trials(); }

private:
    study::Environment environment(const study::Watch& watch) {
        return {opened_->project, opened_->repository, *runner_, *store_, watch, tuners::make};
    }

    std::optional<app::Opened> opened_;
    std::unique_ptr<study::Runner> runner_;
    std::unique_ptr<study::Store> store_;
};

study::Watch stop_at(std::stop_source& stop, const std::string& phase, std::size_t done) {
    study::Watch watch;
    watch.after_trial = stop.get_token();
    watch.progress = [&stop, phase, done](const study::Progress& progress) {
        if (progress.phase == phase && progress.done == done)
            stop.request_stop();
    };
    return watch;
}

study::Options options(int trials) {
    study::Options options;
    options.trials = trials;
    options.leaders = 1;
    options.seed = 5;
    return options;
}

void check_interrupted(const Result<study::Summary>& summary, const Engine& engine) {
    REQUIRE_FALSE(summary);
    CHECK(summary.error().kind == Error::Kind::interrupted);
    CHECK_THAT(summary.error().remedy, ContainsSubstring("--resume"));
    CHECK(engine.store().studies()->back().state == study::State::interrupted);
}

void check_resumed(Engine& engine, const std::filesystem::path& project, std::size_t decided) {
    const auto resumed = engine.resume();
    INFO((resumed ? "" : resumed.error().message()));
    REQUIRE(resumed);
    CHECK(resumed->decided == decided);
    CHECK(engine.store().studies()->back().state == study::State::done);
    CHECK(engine.store().studies()->size() == 1);
    CHECK(db::audit(app::history_file(project))->clean());
}

} // namespace

TEST_CASE("a study asked to stop after a trial decides that one, starts no other, and resumes") {
    const CounterProject files;
    REQUIRE(files.holdfast({"propose", "--set", "size=9"}).code == 0);
    REQUIRE(files.holdfast({"propose", "--set", "size=60"}).code == 0);
    Engine engine(files.path());
    std::stop_source stop;
    check_interrupted(engine.start(stop_at(stop, "screen", 2), options(0)), engine);
    CHECK(engine.decided() == 1);
    const auto trials = engine.trials();
    REQUIRE(trials.size() == 2);
    CHECK(trials[0].state == study::State::done);
    CHECK(trials[1].state == study::State::queued);
    CHECK(trials[1].study.empty());
    check_resumed(engine, files.path(), 2);
}

TEST_CASE("a search asked to stop finishes the look it takes, and goes on from there when resumed") {
    const CounterProject files;
    Engine engine(files.path());
    std::stop_source stop;
    check_interrupted(engine.start(stop_at(stop, "search", 2), options(6)), engine);
    const auto looked = engine.trials();
    CHECK(looked.size() == 3);
    CHECK(std::all_of(looked.begin(), looked.end(),
                      [](const study::TrialRecord& trial) { return trial.state == study::State::done; }));
    check_resumed(engine, files.path(), 1);
    CHECK(engine.trials().size() == 6);
}

TEST_CASE("a study asked to stop during its last trial has nothing left to start and ends") {
    const CounterProject files;
    REQUIRE(files.holdfast({"propose", "--set", "size=60"}).code == 0);
    Engine engine(files.path());
    std::stop_source stop;
    const auto summary = engine.start(stop_at(stop, "screen", 2), options(0));
    REQUIRE(summary);
    CHECK(stop.stop_requested());
    CHECK(summary->decided == 1);
}

TEST_CASE("a study stopped within a probe probes that candidate again when it is resumed, and leaves nothing behind") {
    const std::string program = R"c(#include <stdio.h>
int main(int argc, char **argv) {
    FILE *input = fopen(argv[argc - 1], "r");
    long number = 0;
    if (input == NULL || fscanf(input, "%ld", &number) != 1)
        return 1;
    printf("%ld\n", 2 * number);
    return fputs("{\"steps\": 100}", fopen("steps.json", "w")) < 0;
}
)c";
    const WrittenProject files(
        {{"program.c", program},
         {"number.txt", "21\n"},
         {"holdfast.json",
          R"({ "name": "stopped", "build": [["gcc", "-O1", "{source}/program.c", "-o", "{build}/program"]],
  "metrics": { "steps": { "from": "json", "file": "steps.json", "path": "/steps", "accept-self-reported": true } },
  "objective": "steps", "timeouts": { "run": "5s" },
  "workloads": [ { "name": "one", "inputs": ["number.txt"], "run": ["{build}/program", "{inputs}/number.txt"],
                   "check": { "stdout": "same" } } ],
  "code": { "editable": ["program.c"] }, "probe": { "sanitizers": ["address", "undefined"], "inputs": 20 } })"}});
    REQUIRE(files.holdfast({"propose", "--patch", files.patch("program.c", "100", "60")}).code == 0);
    Engine engine(files.path());
    std::stop_source stop;
    std::jthread stopper;
    study::Watch watch;
    watch.after_trial = stop.get_token();
    watch.after_sample = stop.get_token();
    // When the compilers' wrappers are there the first sanitizer's build begins.
    watch.progress = [&](const study::Progress& progress) {
        if (progress.phase == "probe")
            stopper = std::jthread([&](const std::stop_token& ended) {
                const auto building = [&] {
                    const auto folders = engine.scratch_folders();
                    return std::any_of(folders.begin(), folders.end(), [](const std::filesystem::path& folder) {
                        std::error_code ignored;
                        return std::filesystem::exists(folder / "gcc", ignored);
                    });
                };
                while (!ended.stop_requested() && !building())
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                stop.request_stop();
            });
    };
    const auto summary = engine.start(watch, options(0));
    stopper = {};
    check_interrupted(summary, engine);
    CHECK(engine.decided() == 0);
    CHECK(engine.scratch_folders().empty());
    check_resumed(engine, files.path(), 1);
    CHECK(engine.scratch_folders().empty());
    const auto shown = files.trial("1");
    CHECK_THAT(shown.dump(), ContainsSubstring("address sanitizer: nothing that the baseline lacks") &&
                                 ContainsSubstring("23 changed inputs: the same answers"));
}
