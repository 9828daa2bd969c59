// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/audit.hpp"

#include "tests/integration/store_fixture.hpp"

#include <algorithm>
#include <fstream>

using namespace holdfast;
using namespace holdfast::study;
using namespace holdfast::test;

namespace {

/// A study with a measured opening, one decided trial, one queued candidate, gates and an answered question: 12 events.
void fill(const Scratch& scratch) {
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    for (int round = 1; round <= 3; ++round) {
        SampleRecord sample = some_sample("", round);
        must(store->add_sample(sample));
    }
    study.opening_json = R"({"q50":0.01})";
    must(store->update_study(study));
    TrialRecord trial = some_trial();
    must(store->add_trial(trial));
    must(store->add_gate(some_gate()));
    must(store->add_gate(some_gate("trial-1", "confirm")));
    for (int round = 1; round <= 4; ++round) {
        SampleRecord sample = some_sample("trial-1", round);
        sample.usage.throttled = round == 2 ? 3 : 0;
        must(store->add_sample(sample));
    }
    QuestionRecord question{0, "study-1", "trial-1", 40, "2026-01-02T03:06:00.000Z", "", R"({"big":[7,8]})"};
    must(store->ask_question(question));
    question.answer = "confirmed";
    must(store->answer_question(question));
    must(store->add_verdict(some_verdict()));
    TrialRecord queued = some_trial("trial-2", "");
    must(store->add_trial(queued));
    study.state = State::done;
    must(store->update_study(study));
}

/// And a review that asked for more, an approval, and what was applied and taken back.
void fill_reviewed(const Scratch& scratch) {
    fill(scratch);
    auto store = scratch.open();
    ReviewRecord rework = some_review(), approved = some_review();
    rework.decision = "rework";
    rework.comment = "say why it is faster";
    must(store->add_review(rework));
    must(store->add_review(approved));
    ApplicationRecord application = some_application(approved.id);
    must(store->add_application(application, [] { return Result<void>(); }));
    application.action = "reverted";
    must(store->add_application(application, [] { return Result<void>(); }));
}

struct Tampering {
    std::string statement;
    std::string found; ///< part of a finding
};

/// Each on a copy of its own.
void check_found(const std::vector<Tampering>& cases, void (*prepare)(const Scratch&) = fill) {
    Scratch clean;
    prepare(clean);
    clean.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    for (const Tampering& tampering : cases) {
        Scratch scratch;
        fs::create_directories(scratch.file.parent_path());
        fs::copy_file(clean.file, scratch.file);
        REQUIRE(must(db::audit(scratch.file)).clean());
        scratch.execute(tampering.statement);
        const auto report = must(db::audit(scratch.file));
        CAPTURE(tampering.statement, report.findings);
        CHECK_FALSE(report.clean());
        CHECK(std::any_of(report.findings.begin(), report.findings.end(), [&](const std::string& finding) {
            return finding.find(tampering.found) != std::string::npos;
        }));
    }
}

} // namespace

TEST_CASE("a history that nobody touched audits clean and is counted") {
    Scratch scratch;
    fill(scratch);
    const auto report = must(db::audit(scratch.file));
    CAPTURE(report.findings);
    CHECK(report.clean());
    CHECK(report.studies == 1);
    CHECK(report.trials == 2);
    CHECK(report.gates == 2);
    CHECK(report.samples == 7);
    CHECK(report.verdicts == 1);
    CHECK(report.questions == 1);
    CHECK(report.events == 12);
    CHECK(report.head == must(scratch.open(Mode::read)->events()).back().hash);
    // samples of a study that goes on are no contradiction to its opening
    StudyRecord study = must(scratch.open(Mode::read)->studies()).front();
    auto store = scratch.open();
    study.state = State::running;
    must(store->update_study(study));
    SampleRecord later = some_sample("", 4);
    must(store->add_sample(later));
    CHECK(must(db::audit(scratch.file)).clean());
    // of one that ended they are
    scratch.execute("UPDATE samples SET study = 'study-0' WHERE id = 8");
    CHECK_FALSE(must(db::audit(scratch.file)).clean());
}

TEST_CASE("an empty store audits clean") {
    Scratch scratch;
    scratch.open();
    const auto report = must(db::audit(scratch.file));
    CHECK(report.clean());
    CHECK(report.events == 0);
    CHECK(report.head == std::string(64, '0'));
}

TEST_CASE("altered, removed, added, re-ordered and truncated events are found") {
    check_found({
        {"UPDATE events SET time = '2020-01-01T00:00:00.000Z' WHERE sequence = 3", "Event 3 "},
        {"UPDATE events SET kind = 'trial refused' WHERE sequence = 10", "Event 10 (trial refused"},
        {"UPDATE events SET subject = 'trial-2' WHERE sequence = 8", "was altered"},
        {"UPDATE events SET subject = CAST(x'ff' AS TEXT) WHERE sequence = 8", "was altered"},
        {"UPDATE events SET detail_json = detail_json || ' ' WHERE sequence = 8", "was altered"},
        {"UPDATE events SET detail_json = '{\"a\":1}' WHERE sequence = 8", "was altered"},
        {"UPDATE events SET hash = replace(hash, substr(hash, 1, 1), 'g') WHERE sequence = 4",
         "does not follow event 4"},
        {"DELETE FROM events WHERE sequence = 5", "Event 5 was removed."},
        {"DELETE FROM events WHERE sequence IN (5, 6)", "Events 5 to 6 were removed."},
        {"DELETE FROM events WHERE sequence = 1", "Event 1 was removed."},
        {"DELETE FROM events WHERE sequence = 12", "shortened: event 12 at the end is missing"},
        {"DELETE FROM events WHERE sequence >= 8", "shortened: events 8 to 12 at the end are missing"},
        {"DELETE FROM events", "shortened: events 1 to 12"},
        {"DELETE FROM chain_head", "record of the chain's end is missing"},
        {"UPDATE chain_head SET sequence = 11", "Events after 11 were added"},
        {"UPDATE chain_head SET hash = (SELECT hash FROM events WHERE sequence = 11)",
         "not the one that was written last"},
        // cut off the end, and the record of the end adapted: the rows still tell
        {"DELETE FROM events WHERE sequence >= 12;"
         "UPDATE chain_head SET sequence = 11, hash = (SELECT hash FROM events WHERE sequence = 11)",
         "Study 1 is done, but the last event about it says running"},
        {"INSERT INTO events SELECT 13, time, kind, subject, detail_json, hash, hash FROM events WHERE sequence = 12",
         "Event 13 "},
        // two events swapped
        {"UPDATE events SET sequence = 99 WHERE sequence = 4; UPDATE events SET sequence = 4 WHERE sequence = 6;"
         "UPDATE events SET sequence = 6 WHERE sequence = 99",
         "re-ordered: event 4 was written as event 6"},
        // one removed and the rest closed up
        {"DELETE FROM events WHERE sequence = 5; UPDATE events SET sequence = -sequence + 1000 WHERE sequence > 5;"
         "UPDATE events SET sequence = 1000 - sequence - 1 WHERE sequence > 500;"
         "UPDATE chain_head SET sequence = 11",
         "does not follow event 4"},
    });
}

TEST_CASE("verdicts and evidence that no longer match what was announced are found") {
    check_found({
        {"UPDATE verdicts SET evidence_json = '{}'", "does not hash to its digest"},
        {"UPDATE verdicts SET evidence_json = evidence_json || ' '", "does not hash to its digest"},
        {"UPDATE verdicts SET evidence_digest = '" + sha256("{}") + "', evidence_json = '{}'",
         "digest of trial 1 is not the one that was announced"},
        {"UPDATE verdicts SET verdict = 'generalises strongly'", "verdict on trial 1 was altered"},
        {"UPDATE verdicts SET proposal = 0", "verdict on trial 1 was altered"},
        {"UPDATE verdicts SET reasons_json = '[]'", "verdict on trial 1 was altered"},
        {"DELETE FROM verdicts", "verdict on trial trial-1 was removed"},
        {"INSERT INTO verdicts SELECT 'trial-2', verdict, qualifier, proposal, reasons_json, flags_json, "
         "effects_json, evidence_json, evidence_digest, time FROM verdicts",
         "verdict on trial 2 has no event"},
        {"UPDATE trials SET result_tree = 'x' WHERE id = 'trial-1'", "result tree or confirmation of trial 1"},
    });
}

TEST_CASE("samples altered, removed or added after the verdict are found") {
    const std::string found = "samples of trial 1 were altered after its verdict";
    check_found({
        {"UPDATE samples SET wall_ns = wall_ns - 1 WHERE id = 5", found},
        {"UPDATE samples SET metrics_json = '{\"wall\":0.4}' WHERE id = 5", found},
        {"UPDATE samples SET after_celsius = NULL WHERE id = 5", found},
        {"UPDATE samples SET arm = 'baseline' WHERE id = 5", found},
        {"UPDATE samples SET attempt = 9 WHERE id = 7", found},
        {"UPDATE throttled_samples SET events = 1", found},
        {"DELETE FROM throttled_samples", found},
        {"DELETE FROM samples WHERE id = 7", "4 then, 3 now"},
        {"UPDATE samples SET trial = 'trial-2' WHERE id = 7", found},
        {"UPDATE samples SET id = 100 WHERE id = 4", found},
        {"CREATE TEMP TABLE t AS SELECT * FROM samples WHERE id = 7; UPDATE t SET id = 8;"
         "INSERT INTO samples SELECT * FROM t",
         "4 then, 5 now"},
        {"UPDATE samples SET wall_ns = 1 WHERE id = 2", "opening samples of study 1 were altered"},
        {"DELETE FROM samples WHERE id = 3", "opening samples of study 1 were altered"},
    });
}

TEST_CASE("studies, candidates, gates and questions that were altered are found") {
    check_found({
        {"UPDATE studies SET seed = '1'", "Study 1 was altered"},
        {"UPDATE studies SET seed = seed || 'x'", "Study 1 has the seed 18364758544493064720x"},
        {"UPDATE studies SET seed = '0' || seed", "Study 1 has the seed 0"},
        {"UPDATE studies SET ended = '2026-01-02T04:00:00.000Z'", "end of study 1 was altered"},
        {"UPDATE trials SET search_json = '{\"order\":1}' WHERE id = 'trial-1'",
         "search or end of trial 1 was altered"},
        {"UPDATE trials SET search_json = '{\"order\":1}' WHERE id = 'trial-2'",
         "search or end of trial 2 was altered"},
        {"UPDATE trials SET ended = '' WHERE id = 'trial-1'", "search or end of trial 1 was altered"},
        {"UPDATE trials SET study = 'study-1' WHERE id = 'trial-2'", "search or end of trial 2 was altered"},
        {"UPDATE studies SET frozen_json = '{}'", "Study 1 was altered"},
        {"UPDATE studies SET opening_json = '{}'", "opening of study 1 was altered"},
        {"UPDATE studies SET state = 'running'", "Study 1 is running, but"},
        {"UPDATE trials SET patch = 'another' WHERE id = 'trial-1'", "candidate of trial 1 was altered"},
        {"UPDATE trials SET number = 7 WHERE id = 'trial-2'", "candidate of trial 7 was altered"},
        {"UPDATE trials SET state = 'done' WHERE id = 'trial-2'", "Trial 2 is done, but"},
        {"DELETE FROM trials WHERE id = 'trial-2'", "Trial trial-2 was removed"},
        {"UPDATE gates SET result = 'fail' WHERE gate = 'confirm'", "gate confirm of trial 1 was altered"},
        {"UPDATE gates SET log = '' WHERE gate = 'build'", "gate build of trial 1 was altered"},
        {"DELETE FROM gates WHERE gate = 'build'", "gate build of trial 1 was removed"},
        {"UPDATE gates SET gate = 'admit' WHERE gate = 'build'", "Gate admit of trial 1 has no event"},
        {"UPDATE questions SET rounds = 12", "question 1 was altered"},
        {"UPDATE questions SET answer = 'not confirmed'", "answer to held-out question 1 was altered"},
        {"UPDATE question_seeds SET seeds_json = '{}'", "question 1 was altered"},
        {"DELETE FROM question_seeds", "question 1 was altered"},
        {"DELETE FROM question_seeds; DELETE FROM questions", "question 1 was removed"},
    });
}

TEST_CASE("reviews and applications that are not what was announced are found") {
    check_found(
        {
            {"UPDATE reviews SET decision = 'approved' WHERE id = 1", "Review 1 of trial 1 was altered"},
            {"UPDATE reviews SET comment = 'do as you like' WHERE id = 1", "Review 1 of trial 1 was altered"},
            {"UPDATE reviews SET shared = 1 WHERE id = 1", "Review 1 of trial 1 was altered"},
            {"UPDATE reviews SET reviewer_name = 'Eve' WHERE id = 2", "Review 2 of trial 1 was altered"},
            {"UPDATE reviews SET reviewer_email = 'eve@example.org' WHERE id = 2", "Review 2 of trial 1 was altered"},
            {"UPDATE reviews SET statement_json = '{}' WHERE id = 2", "Review 2 of trial 1 was altered"},
            {"UPDATE reviews SET signature = 'x' WHERE id = 2", "Review 2 of trial 1 was altered"},
            {"UPDATE reviews SET time = '' WHERE id = 2", "Review 2 of trial 1 was altered"},
            {"UPDATE reviews SET trial = 'trial-2' WHERE id = 2", "Review 2 of trial 2 was altered"},
            {"DELETE FROM reviews WHERE id = 1", "Review 1 was removed"},
            {"DROP TABLE applications; DROP TABLE reviews", "Review 2 was removed"},
            {"INSERT INTO reviews SELECT 3, trial, 'approved', reviewer_name, reviewer_email, comment, shared, "
             "statement_json, signature, time FROM reviews WHERE id = 2",
             "Review 3 of trial 1 has no event"},
            // the order in which they were given decides which one counts
            {"UPDATE reviews SET id = 9 WHERE id = 1; UPDATE reviews SET id = 1 WHERE id = 2;"
             "UPDATE reviews SET id = 2 WHERE id = 9",
             "Review 1 of trial 1 was altered"},
            {"UPDATE applications SET action = 'applied' WHERE id = 2", "Application 2 of trial 1 was altered"},
            {"UPDATE applications SET commit_id = 'x' WHERE id = 1", "Application 1 of trial 1 was altered"},
            {"UPDATE applications SET parent_id = 'x' WHERE id = 1", "Application 1 of trial 1 was altered"},
            {"UPDATE applications SET branch = 'main' WHERE id = 1", "Application 1 of trial 1 was altered"},
            {"UPDATE applications SET evidence = '' WHERE id = 1", "Application 1 of trial 1 was altered"},
            {"UPDATE applications SET who = 'Eve' WHERE id = 1", "Application 1 of trial 1 was altered"},
            {"UPDATE applications SET review = 1 WHERE id = 1", "Application 1 of trial 1 was altered"},
            {"DELETE FROM applications WHERE id = 2", "Application 2 was removed"},
            {"INSERT INTO applications SELECT 3, trial, 'applied', review, commit_id, parent_id, branch, evidence, "
             "who, time FROM applications WHERE id = 1",
             "Application 3 of trial 1 has no event"},
            {"UPDATE events SET kind = 'change approved' WHERE kind = 'rework asked'", "was altered"},
        },
        fill_reviewed);
}

TEST_CASE("results files that are not what was announced are found") {
    check_found(
        {
            {"UPDATE results_files SET benchmarks_json = '[]'", "Results file 1 was altered"},
            {"UPDATE results_files SET machine_json = '{}'", "Results file 1 was altered"},
            {"DELETE FROM results_files", "Results file 1 was removed"},
            {"INSERT INTO results_files SELECT 2, '" + std::string(64, 'f') +
                 "', format, name, benchmarks_json, commit_id, machine_json, time FROM results_files",
             "Results file 2 has no event"},
        },
        [](const Scratch& scratch) {
            fill(scratch);
            ResultsFileRecord file = some_results_file();
            must(scratch.open()->add_results_file(file));
        });
}

TEST_CASE("what the search saw and when something ended is bound to the last event about it") {
    Scratch scratch;
    {
        auto store = scratch.open();
        StudyRecord study = some_study();
        must(store->add_study(study));
        TrialRecord trial = some_trial();
        must(store->add_trial(trial));
        trial.search_json = R"({"estimate":-0.02,"order":1,"rounds":6})";
        must(store->update_trial(trial));
        must(store->update_trial(trial)); // no change, no event
        CHECK(must(store->events()).size() == 3);
        trial.search_json = R"({"estimate":-0.03,"order":1,"rounds":12})";
        must(store->update_trial(trial));
        study.ended = "2026-01-02T05:00:00.000Z";
        must(store->update_study(study));
        CHECK(must(store->events()).back().kind == "study updated");
        CHECK(must(store->mark_interrupted()) == 2);
        trial.state = State::done;
        trial.ended = "2026-01-02T04:00:00.000Z";
        must(store->update_trial(trial));
        CHECK(must(store->studies()).front().seed == study.seed);
    }
    REQUIRE(must(db::audit(scratch.file)).clean());
    std::string found = "end of trial 1 was altered";
    SECTION("an earlier look put back") {
        scratch.execute(R"(UPDATE trials SET search_json = '{"estimate":-0.02,"order":1,"rounds":6}')");
    }
    SECTION("a trial's end") {
        scratch.execute("UPDATE trials SET ended = '2026-01-02T04:00:00.001Z'");
    }
    SECTION("a study's end") {
        scratch.execute("UPDATE studies SET ended = ''");
        found = "end of study 1 was altered";
    }
    const auto report = must(db::audit(scratch.file));
    REQUIRE(report.findings.size() == 1);
    CHECK_THAT(report.findings.front(), ContainsSubstring(found));
}

TEST_CASE("what was altered is found although an update, a resumption or a verdict went on from it") {
    Scratch scratch;
    TrialRecord trial = some_trial();
    {
        auto store = scratch.open();
        StudyRecord study = some_study();
        must(store->add_study(study));
        must(store->add_trial(trial));
        trial.search_json = R"({"order":1})";
        must(store->update_trial(trial));
    }
    auto store = scratch.open(); // later it would not be opened for writing
    scratch.execute(R"(UPDATE trials SET search_json = '{"order":2}')");
    SECTION("interrupted") {
        must(store->mark_interrupted());
    }
    SECTION("updated") {
        trial = must(store->trials()).front();
        trial.result_tree = "x";
        must(store->update_trial(trial));
    }
    SECTION("put right again") {
        must(store->mark_interrupted());
        must(store->update_trial(trial));
    }
    SECTION("decided") {
        must(store->add_verdict(some_verdict()));
    }
    const auto report = must(db::audit(scratch.file));
    REQUIRE(report.findings.size() == 1);
    CHECK_THAT(report.findings.front(), ContainsSubstring("altered"));
}

TEST_CASE("broken references and broken pages are found") {
    check_found({
        {"PRAGMA foreign_keys = OFF; UPDATE gates SET trial = 'nobody' WHERE gate = 'build'",
         "table gates names a row of table trials that does not exist"},
        {"PRAGMA ignore_check_constraints = ON; UPDATE trials SET state = 'lost' WHERE id = 'trial-2'",
         "Trial 2 has the state lost"},
        {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX trials_by_state ON trials "
         "(tuner)' WHERE name = 'trials_by_state'",
         "The file is damaged"},
    });
}

TEST_CASE("a store with pages overwritten by noise is not clean") {
    Scratch scratch;
    fill(scratch);
    scratch.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    const auto pages = fs::file_size(scratch.file) / 4096;
    REQUIRE(pages > 10);
    const std::string head = must(db::audit(scratch.file)).head;
    int unreadable = 0;
    for (std::uintmax_t page = 1; page < pages; ++page) {
        Scratch copy;
        fs::create_directories(copy.file.parent_path());
        fs::copy_file(scratch.file, copy.file);
        {
            std::fstream stream(copy.file, std::ios::binary | std::ios::in | std::ios::out);
            stream.seekp(static_cast<std::streamoff>(page * 4096));
            stream << std::string(4096, '\xa5');
        }
        const auto report = db::audit(copy.file);
        CAPTURE(page);
        CHECK((!report || !report->clean()));
        CHECK((!report || report->head == head || report->head == std::string(64, '0')));
        if (report && report->head == std::string(64, '0'))
            ++unreadable;
    }
    CHECK(unreadable > 0);
}

TEST_CASE("a history rewritten with all its hashes is found by a hash kept elsewhere") {
    Scratch scratch;
    fill(scratch);
    const std::string head = must(db::audit(scratch.file)).head;
    CHECK(must(db::audit(scratch.file, {{head, "a commit"}})).clean());
    must(scratch.open()->mark_interrupted());
    CHECK(must(db::audit(scratch.file, {{head, "a commit"}})).clean());
    Scratch rewritten;
    {
        auto store = rewritten.open();
        StudyRecord study = some_study();
        must(store->add_study(study));
    }
    CHECK(must(db::audit(rewritten.file)).clean());
    const auto report = must(db::audit(rewritten.file, {{head, "a commit"}}));
    REQUIRE(report.findings.size() == 1);
    CHECK_THAT(report.findings.front(), ContainsSubstring(head.substr(0, 12)) && ContainsSubstring("a commit"));
}

TEST_CASE("findings carry no control characters of an altered file") {
    Scratch scratch;
    fill(scratch);
    scratch.execute("UPDATE events SET kind = 'x' || char(27) || '[31m' WHERE sequence = 2");
    const auto report = must(db::audit(scratch.file));
    CHECK_FALSE(report.clean());
    for (const std::string& finding : report.findings)
        CHECK(finding.find('\x1b') == std::string::npos);
}
