// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/store_fixture.hpp"

#include <cmath>
#include <sys/stat.h>

using namespace holdfast;
using namespace holdfast::study;
using namespace holdfast::test;

namespace {

/// NUL, terminal escapes, a bidirectional override, invalid UTF-8, and quotes that would end a statement.
std::string hostile() {
    std::string text = "'; DROP TABLE samples; --\x1b[31m\r\n\t";
    text += '\0';
    text += "\u202e\xff\xfe\xc3(\xed\xa0\x80 \"end";
    return text;
}

std::vector<std::string> kinds(const Store& store) {
    std::vector<std::string> list;
    for (const EventRecord& event : must(store.events()))
        list.push_back(event.kind);
    return list;
}

void check_same(const MachineReading& a, const MachineReading& b) {
    CHECK(a.steal_ticks == b.steal_ticks);
    CHECK(a.total_ticks == b.total_ticks);
    CHECK(a.swap_in_pages == b.swap_in_pages);
    CHECK(a.swap_out_pages == b.swap_out_pages);
    CHECK(a.psi_cpu_us == b.psi_cpu_us);
    CHECK(a.psi_memory_us == b.psi_memory_us);
    CHECK(a.psi_io_us == b.psi_io_us);
    CHECK(a.mhz == b.mhz);
    CHECK(a.celsius == b.celsius);
}

void check_same(const SampleRecord& a, const SampleRecord& b) {
    CHECK(a.id == b.id);
    CHECK(a.study == b.study);
    CHECK(a.trial == b.trial);
    CHECK(a.phase == b.phase);
    CHECK(a.session == b.session);
    CHECK(a.round == b.round);
    CHECK(a.attempt == b.attempt);
    CHECK(a.workload == b.workload);
    CHECK(a.arm == b.arm);
    CHECK(a.slot == b.slot);
    CHECK(a.coin == b.coin);
    CHECK(a.executable_hash == b.executable_hash);
    CHECK(a.ending == b.ending);
    CHECK(a.output_hash == b.output_hash);
    CHECK(a.metrics_json == b.metrics_json);
    CHECK(a.usage.wall == b.usage.wall);
    CHECK(a.usage.user == b.usage.user);
    CHECK(a.usage.system == b.usage.system);
    CHECK(a.usage.minor_faults == b.usage.minor_faults);
    CHECK(a.usage.major_faults == b.usage.major_faults);
    CHECK(a.usage.voluntary_switches == b.usage.voluntary_switches);
    CHECK(a.usage.involuntary_switches == b.usage.involuntary_switches);
    CHECK(a.usage.peak_memory_bytes == b.usage.peak_memory_bytes);
    CHECK(a.usage.memory_source == b.usage.memory_source);
    CHECK(a.usage.throttled == b.usage.throttled);
    CHECK(a.usage.queue_wait == b.usage.queue_wait);
    check_same(a.before, b.before);
    check_same(a.after, b.after);
    CHECK(a.started == b.started);
}

} // namespace

TEST_CASE("every state has a text that leads back to it") {
    for (State state : {State::queued, State::running, State::done, State::interrupted})
        CHECK(state_from_text(to_text(state)) == state);
    CHECK_FALSE(state_from_text("Running"));
    CHECK_FALSE(state_from_text(""));
}

TEST_CASE("a new store is private to its owner") {
    Scratch scratch;
    const auto store = scratch.open();
    struct stat status {};
    REQUIRE(stat(scratch.file.parent_path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    for (const char* suffix : {"", "-wal", "-shm"}) {
        REQUIRE(stat((scratch.file.string() + suffix).c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0600);
    }
    REQUIRE(stat((scratch.file.parent_path() / "history.lock").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a study comes back as it was stored, with its 64-bit seed") {
    Scratch scratch;
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        StudyRecord study = some_study(uuid_v7());
        study.seed = seed;
        study.project = hostile();
        {
            auto store = scratch.open();
            must(store->add_study(study));
            study.state = State::done;
            study.opening_json = R"({"q50":0.01})";
            study.ended = "2026-01-02T04:00:00.000Z";
            must(store->update_study(study));
        }
        const StudyRecord back = must(scratch.open(Mode::read)->studies()).back();
        CHECK(back.id == study.id);
        CHECK(back.number == study.number);
        CHECK(back.state == State::done);
        CHECK(back.project == study.project);
        CHECK(back.baseline_commit == study.baseline_commit);
        CHECK(back.baseline_tree == study.baseline_tree);
        CHECK(back.seed == seed);
        CHECK(back.frozen_json == study.frozen_json);
        CHECK(back.options_json == study.options_json);
        CHECK(back.machine_json == study.machine_json);
        CHECK(back.isolation_level == study.isolation_level);
        CHECK(back.opening_json == study.opening_json);
        CHECK(back.started == study.started);
        CHECK(back.ended == study.ended);
    }
    const auto all = must(scratch.open(Mode::read)->studies());
    REQUIRE(all.size() == 3);
    for (std::size_t i = 0; i < all.size(); ++i)
        CHECK(all[i].number == static_cast<std::int64_t>(i) + 1);
}

TEST_CASE("a trial with a hostile patch comes back byte for byte") {
    Scratch scratch;
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    TrialRecord trial = some_trial("trial-1", "");
    trial.patch = hostile();
    trial.tuner = hostile();
    must(store->add_trial(trial));
    CHECK(trial.number == 1);
    CHECK(must(store->trials()).front().study.empty());
    trial.study = study.id;
    trial.state = State::running;
    trial.result_tree = std::string(40, 'c');
    trial.confirmation = 3;
    trial.search_json = R"({"estimate":-0.02,"rank":1,"rounds":6})";
    trial.ended = "2026-01-02T05:00:00.000Z";
    must(store->update_trial(trial));
    const auto trials = must(store->trials());
    REQUIRE(trials.size() == 1);
    const TrialRecord& back = trials.front();
    CHECK(back.id == trial.id);
    CHECK(back.number == trial.number);
    CHECK(back.study == trial.study);
    CHECK(back.kind == trial.kind);
    CHECK(back.tuner == trial.tuner);
    CHECK(back.state == trial.state);
    CHECK(back.configuration_json == trial.configuration_json);
    CHECK(back.patch == trial.patch);
    CHECK(back.result_tree == trial.result_tree);
    CHECK(back.confirmation == trial.confirmation);
    CHECK(back.search_json == trial.search_json);
    CHECK(back.created == trial.created);
    CHECK(back.ended == trial.ended);
}

TEST_CASE("a gate keeps a 10 MB log of any bytes and is replaced by its repetition") {
    Scratch scratch;
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    TrialRecord trial = some_trial();
    must(store->add_trial(trial));
    GateRecord gate = some_gate();
    must(store->add_gate(gate));
    must(store->add_gate(some_gate("trial-1", "correct")));
    gate.result = "fail";
    gate.reason = hostile();
    gate.seconds = std::nan("");
    while (gate.log.size() < 10'000'000)
        gate.log += hostile();
    must(store->add_gate(gate));
    const auto gates = must(store->gates("trial-1"));
    REQUIRE(gates.size() == 2);
    CHECK(gates[0].gate == "correct");
    CHECK(gates[1].gate == "build");
    CHECK(gates[1].trial == "trial-1");
    CHECK(gates[1].result == "fail");
    CHECK(gates[1].reason == gate.reason);
    CHECK((gates[1].log == gate.log));
    CHECK(gates[1].detail_json == gate.detail_json);
    CHECK(gates[1].started == gate.started);
    CHECK(std::isnan(gates[1].seconds));
    CHECK(gates[0].seconds == 1.5);
    CHECK(must(store->gates("trial-2")).empty());
}

TEST_CASE("a sample comes back with every reading, in the order it was taken") {
    Scratch scratch;
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    TrialRecord trial = some_trial();
    must(store->add_trial(trial));
    SampleRecord opening = some_sample(""), first = some_sample(), second = some_sample("trial-1", 2);
    second.phase = "holdout";
    second.ending = hostile();
    second.workload = hostile();
    for (SampleRecord* sample : {&opening, &first, &second})
        must(store->add_sample(*sample));
    CHECK(opening.id < first.id);
    CHECK(first.id < second.id);
    const auto all = must(store->samples("study-1", "trial-1"));
    REQUIRE(all.size() == 2);
    check_same(all[0], first);
    check_same(all[1], second);
    const auto opened = must(store->samples("study-1", ""));
    REQUIRE(opened.size() == 1);
    check_same(opened[0], opening);
    CHECK(must(store->samples("study-1", "trial-1", "holdout")).size() == 1);
    CHECK(must(store->samples("study-1", "trial-1", "screen")).empty());
    CHECK(must(store->samples("study-2", "trial-1")).empty());
}

TEST_CASE("a verdict decides its trial once, and its samples are final from then on") {
    Scratch scratch;
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    TrialRecord trial = some_trial();
    must(store->add_trial(trial));
    SampleRecord sample = some_sample();
    must(store->add_sample(sample));
    VerdictRecord wrong = some_verdict();
    wrong.evidence_digest = std::string(64, '0');
    CHECK_FALSE(store->add_verdict(wrong));
    CHECK(must(store->verdicts()).empty());
    const VerdictRecord verdict = some_verdict();
    must(store->add_verdict(verdict));
    const auto verdicts = must(store->verdicts());
    REQUIRE(verdicts.size() == 1);
    const VerdictRecord& back = verdicts.front();
    CHECK(back.trial == verdict.trial);
    CHECK(back.verdict == verdict.verdict);
    CHECK(back.qualifier == verdict.qualifier);
    CHECK(back.proposal == verdict.proposal);
    CHECK(back.reasons_json == verdict.reasons_json);
    CHECK(back.flags_json == verdict.flags_json);
    CHECK(back.effects_json == verdict.effects_json);
    CHECK(back.evidence_json == verdict.evidence_json);
    CHECK(back.evidence_digest == verdict.evidence_digest);
    CHECK(back.time == verdict.time);
    trial = must(store->trials()).front();
    CHECK(trial.state == State::done);
    CHECK(trial.ended == verdict.time);

    const auto again = store->add_verdict(verdict);
    REQUIRE_FALSE(again);
    CHECK(again.error().kind == Error::Kind::refused);
    const auto late = store->add_sample(sample);
    REQUIRE_FALSE(late);
    CHECK(late.error().kind == Error::Kind::refused);
    TrialRecord swapped = trial;
    swapped.result_tree = "another";
    CHECK_FALSE(store->update_trial(swapped));
    trial.search_json = R"({"rank":1})";
    must(store->update_trial(trial));
    CHECK(must(store->samples("study-1", "trial-1")).size() == 1);
}

TEST_CASE("a held-out question is asked before it is answered, and answered once") {
    Scratch scratch;
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    TrialRecord trial = some_trial();
    must(store->add_trial(trial));
    QuestionRecord question{0, "study-1", "trial-1", 40, "2026-01-02T03:06:00.000Z", "", R"({"big":[7,8]})"};
    must(store->ask_question(question));
    CHECK(question.id > 0);
    CHECK(must(store->questions("study-1")).front().answer.empty());
    question.answer = "not confirmed";
    must(store->answer_question(question));
    must(store->answer_question(question));
    question.answer = "confirmed";
    CHECK_FALSE(store->answer_question(question));
    const auto questions = must(store->questions("study-1"));
    REQUIRE(questions.size() == 1);
    CHECK(questions.front().id == question.id);
    CHECK(questions.front().trial == "trial-1");
    CHECK(questions.front().rounds == 40);
    CHECK(questions.front().asked == question.asked);
    CHECK(questions.front().answer == "not confirmed");
    CHECK(questions.front().seeds_json == question.seeds_json);
    CHECK(must(store->questions("study-2")).empty());
    CHECK(must(store->questions("")).empty());
}

TEST_CASE("what happens to a study and its trials is told by events, in a chain") {
    Scratch scratch;
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    TrialRecord trial = some_trial();
    must(store->add_trial(trial));
    CHECK(must(store->mark_interrupted()) == 2);
    CHECK(must(store->mark_interrupted()) == 0);
    CHECK(must(store->studies()).front().state == State::interrupted);
    CHECK(must(store->trials()).front().state == State::interrupted);
    must(store->update_study(study));
    must(store->update_trial(trial));
    must(store->add_gate(some_gate()));
    QuestionRecord question{0, "study-1", "trial-1", 40, "now", "", ""};
    must(store->ask_question(question));
    question.answer = "confirmed";
    must(store->answer_question(question));
    must(store->add_verdict(some_verdict()));
    study.state = State::done;
    must(store->update_study(study));
    must(store->update_study(study));
    CHECK(kinds(*store) == std::vector<std::string>{"study started", "candidate queued", "trial interrupted",
                                                    "study interrupted", "study resumed", "trial resumed",
                                                    "gate passed", "question asked", "question answered",
                                                    "trial decided", "study ended"});
    std::string previous(64, '0');
    std::int64_t sequence = 0;
    for (const EventRecord& event : must(store->events())) {
        CHECK(event.sequence == ++sequence);
        CHECK(event.previous == previous);
        CHECK(event.time.size() == 24);
        const std::string covered = R"({"detail":")" +
                                    [&] {
                                        std::string escaped;
                                        for (const char c : event.detail_json)
                                            escaped += c == '"' ? std::string("\\\"") : std::string(1, c);
                                        return escaped;
                                    }() +
                                    R"(","kind":")" + event.kind + R"(","previous":")" + previous + R"(","sequence":)" +
                                    std::to_string(sequence) + R"(,"subject":")" + event.subject + R"(","time":")" +
                                    event.time + "\"}";
        CHECK(event.hash == sha256(covered));
        previous = event.hash;
    }
}

TEST_CASE("a refused record leaves neither a row nor an event") {
    Scratch scratch;
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    CHECK_FALSE(store->add_study(study)); // the same id twice
    TrialRecord orphan = some_trial("trial-1", "no such study");
    CHECK_FALSE(store->add_trial(orphan));
    CHECK(orphan.number == 0);
    TrialRecord odd = some_trial();
    odd.kind = "something";
    CHECK_FALSE(store->add_trial(odd));
    CHECK_FALSE(store->add_gate(some_gate("no such trial")));
    SampleRecord lost = some_sample("no such trial");
    CHECK_FALSE(store->add_sample(lost));
    CHECK_FALSE(store->add_verdict(some_verdict("no such trial")));
    TrialRecord unknown = some_trial("unknown");
    CHECK_FALSE(store->update_trial(unknown));
    CHECK_FALSE(store->update_study(some_study("unknown")));
    CHECK(kinds(*store) == std::vector<std::string>{"study started"});
    CHECK(must(store->studies()).size() == 1);
    CHECK(must(store->trials()).empty());
}
