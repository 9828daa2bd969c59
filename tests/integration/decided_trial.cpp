// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/decided_trial.hpp"

#include "core/git/measured_changes.hpp"
#include "core/project/knobs.hpp"
#include "core/study/bench.hpp"
#include "core/study/evidence.hpp"
#include "tests/integration/store_fixture.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::test {

namespace {

constexpr int rounds = 6;

const char* const usual_knobs = R"([
    { "name": "size", "type": "integer", "min": 1, "max": 64, "default": 32, "through": { "argument": "--size={value}" } }, // rows
    { "name": "fast", "type": "boolean", "default": false, "through": { "environment": "FAST" } }
  ])";

std::string work_patch(const std::string& prefix) {
    return fmt::format("--- a/{0}work.sh\n+++ b/{0}work.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo slow\n+echo fast\n",
                       prefix);
}

study::GateRecord gate(const std::string& trial, const std::string& name, const std::string& result,
                       const std::string& reason) {
    auto row = some_gate(trial, name);
    row.result = result;
    row.reason = reason;
    return row;
}

} // namespace

DecidedTrial::DecidedTrial(const DecidedOptions& options) : prefix_(options.folder) {
    write_project(options);
    git_ = std::make_unique<git::Repository>(must(git::Repository::open(folder())));
    store_ = must(SqliteStore::open(folder() / ".holdfast/history.sqlite", Mode::write));
    add_records(options);
}

std::filesystem::path DecidedTrial::folder() const {
    return prefix_.empty() ? repository_.path() : repository_.path() / prefix_.substr(0, prefix_.size() - 1);
}

void DecidedTrial::write_project(const DecidedOptions& options) {
    repository_.write(".gitignore", ".holdfast/\n");
    repository_.write(prefix_ + "work.sh", "#!/bin/sh\necho slow\n");
    repository_.write(prefix_ + "a.txt", "1\n");
    for (const auto& [path, text] : options.files)
        repository_.write(prefix_ + path, text);
    repository_.write(prefix_ + "notes.txt", "one\ntwo\nthree\n");
    if (!options.allowed_signers.empty())
        repository_.write(prefix_ + "signers", options.allowed_signers);
    repository_.write(prefix_ + "holdfast.json",
                      fmt::format(R"({{
  // what the counter is
  "name": "counter",
  "build": {},
  "workloads": [{{ "name": "a", "inputs": ["a.txt"], "run": ["/bin/sh", "{{source}}/work.sh"], "check": {{ "stdout": "same" }} }}],
  "knobs": {},
  "code": {{ "editable": ["**"] }}{}
}}
)",
                                  options.build, options.knobs.empty() ? usual_knobs : options.knobs,
                                  options.review.empty() ? "" : ",\n  \"review\": " + options.review));
    repository_.commit("start");
}

void DecidedTrial::add_samples(const DecidedOptions& options) {
    for (int round = 1; round <= rounds; ++round)
        for (const bool candidate : {false, true}) {
            auto sample = some_sample(trial_.id, round);
            sample.study = study_.id;
            sample.workload = "a";
            sample.arm = candidate ? "candidate" : "baseline";
            sample.slot = candidate ? 1 : 0;
            sample.metrics_json = nlohmann::json({{"wall", candidate ? 0.94 : 1.0},
                                                  {"cpu", candidate ? 0.93 : 1.0},
                                                  {"peak-memory", candidate ? 1e6 * options.memory_factor : 1e6}})
                                      .dump();
            must(store_->add_sample(sample));
        }
}

void DecidedTrial::add_records(const DecidedOptions& options) {
    const auto project = load_project(folder());
    if (!project)
        throw std::runtime_error(to_error(project.error()).message());
    const git::Commit commit = must(git_->resolve());
    study_ = some_study();
    study_.baseline_commit = commit.id;
    study_.baseline_tree = commit.tree;
    study_.frozen_json = project->canonical;
    must(store_->add_study(study_));

    trial_ = some_trial();
    trial_.patch = options.patch ? work_patch(prefix_) : "";
    trial_.configuration_json =
        options.knobs.empty() ? fmt::format(R"({{"fast":false,"size":{}}})", options.size) : options.configuration;
    must(store_->add_trial(trial_));
    const auto configuration = must(configuration_from_json(*project, trial_.configuration_json));
    std::optional<git::PlacedPatch> placed;
    if (options.patch)
        placed = must(git::place_patch(*git_, commit, trial_.patch, study::patch_rules(*project, *git_)));
    trial_.result_tree = must(git_->tree_with(
        commit, must(git::measured_changes(*project, *git_, commit, configuration, placed ? &*placed : nullptr))));
    trial_.confirmation = 1;
    must(store_->update_trial(trial_));
    add_samples(options);

    must(store_->add_gate(gate(trial_.id, "admit", "pass", "every knob inside its domain")));
    must(store_->add_gate(gate(trial_.id, "correct", "pass", "1 of 1 tuning workloads give the baseline's output")));
    if (options.held_out)
        must(store_->add_gate(gate(trial_.id, "holdout", "pass", "confirmed")));
    auto verdict = some_verdict(trial_.id);
    verdict.verdict = options.verdict;
    verdict.qualifier = "";
    verdict.proposal = options.proposal;
    verdict.flags_json = nlohmann::json(options.flags).dump();
    verdict.effects_json =
        R"({"better":"lower","gap":null,"holdout":{"estimate":-0.03},"metric":"wall","tuning":{"estimate":-0.06}})";
    study::seal_evidence(verdict, study_, trial_, must(store_->gates(trial_.id)),
                         must(store_->samples(study_.id, trial_.id)), {});
    must(store_->add_verdict(verdict));
}

review::Dossier DecidedTrial::dossier() const {
    return must(review::open_dossier(*store_, *git_, folder(), std::to_string(trial_.number)));
}

void DecidedTrial::sql(const std::string& statements) const {
    SQLite::Database database((folder() / ".holdfast/history.sqlite").string(), SQLite::OPEN_READWRITE, 10000);
    database.exec(statements);
}

review::Approval DecidedTrial::approval(const review::Dossier& dossier) {
    review::Approval approval;
    for (const review::Flag& flag : review::flags_of(dossier))
        approval.answers.acknowledged.push_back(flag.name);
    approval.comment = "Looks right to me.";
    approval.presence = {review::Presence::Place::terminal, std::to_string(dossier.trial.number)};
    approval.reviewer = reviewer();
    return approval;
}

} // namespace holdfast::test
