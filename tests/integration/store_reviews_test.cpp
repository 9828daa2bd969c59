// SPDX-License-Identifier: GPL-3.0-or-later
// What people decided, what was applied, and the check of the history before either.
#include "db/audit.hpp"
#include "tests/integration/store_fixture.hpp"

using namespace holdfast;
using namespace holdfast::study;
using namespace holdfast::test;

namespace {

/// A decided trial and one that is not.
std::unique_ptr<Store> decided(const Scratch& scratch) {
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    TrialRecord trial = some_trial(), open = some_trial("trial-2");
    must(store->add_trial(trial));
    must(store->add_trial(open));
    must(store->add_verdict(some_verdict()));
    return store;
}

void check_refused(const Result<void>& result, const std::string& found) {
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == Error::Kind::refused);
    CHECK_THAT(result.error().found, ContainsSubstring(found));
    CHECK_FALSE(result.error().remedy.empty());
}

} // namespace

TEST_CASE("a review comes back as it was written and is told by an event") {
    Scratch scratch;
    const auto store = decided(scratch);
    ReviewRecord review = some_review();
    review.decision = "rework";
    review.shared = true;
    review.reviewer_name = "Zo\xc3\xab '; DROP TABLE reviews; --";
    review.comment = "\x1b[31m not\n enough \xe2\x80\xae";
    review.signature = "-----BEGIN SSH SIGNATURE-----\n";
    must(store->add_review(review));
    CHECK(review.id == 1);
    ReviewRecord second = some_review();
    must(store->add_review(second));
    CHECK(second.id == 2);
    const auto reviews = must(store->reviews());
    REQUIRE(reviews.size() == 2);
    const ReviewRecord& back = reviews.front();
    CHECK(back.id == review.id);
    CHECK(back.trial == review.trial);
    CHECK(back.decision == review.decision);
    CHECK(back.reviewer_name == review.reviewer_name);
    CHECK(back.reviewer_email == review.reviewer_email);
    CHECK(back.comment == review.comment);
    CHECK(back.shared);
    CHECK(back.statement_json == review.statement_json);
    CHECK(back.signature == review.signature);
    CHECK(back.time == review.time);
    const auto events = must(store->events());
    CHECK(events[events.size() - 2].kind == "rework asked");
    CHECK(events.back().kind == "change approved");
    CHECK(events.back().subject == "trial-1");
    CHECK_THAT(events.back().detail_json, ContainsSubstring("\"review\":2"));
    CHECK(must(db::audit(scratch.file)).clean());
}

TEST_CASE("a review of an undecided trial, without a reason or of no known kind leaves nothing behind") {
    Scratch scratch;
    const auto store = decided(scratch);
    const std::size_t events = must(store->events()).size();
    ReviewRecord review = some_review();
    review.trial = GENERATE("trial-2", "no such trial");
    check_refused(store->add_review(review), "has no verdict");
    review = some_review();
    review.decision = GENERATE("rejected", "rework");
    review.comment = " \t\n";
    CHECK_FALSE(store->add_review(review));
    review.decision = "postponed";
    review.comment = "later";
    CHECK_FALSE(store->add_review(review));
    review = some_review();
    review.statement_json = "{\"a\":";
    CHECK_FALSE(store->add_review(review));
    CHECK(review.id == 0);
    CHECK(must(store->reviews()).empty());
    CHECK(must(store->events()).size() == events);
}

TEST_CASE("a change is applied once, on the last approval, and taken back once") {
    Scratch scratch;
    const auto store = decided(scratch);
    ReviewRecord rejected = some_review();
    rejected.decision = "rejected";
    rejected.comment = "too clever";
    must(store->add_review(rejected));
    ApplicationRecord application = some_application(rejected.id);
    check_refused(store->add_application(application, [] { return Result<void>(); }), "is no approval");
    ReviewRecord approved = some_review();
    must(store->add_review(approved));
    application.review = approved.id + 1;
    check_refused(store->add_application(application, [] { return Result<void>(); }), "is no approval");
    application.review = approved.id;
    application.trial = "trial-2";
    check_refused(store->add_application(application, [] { return Result<void>(); }), "is no approval");

    application = some_application(approved.id);
    application.action = "reverted";
    check_refused(store->add_application(application, [] { return Result<void>(); }), "is not applied");
    application.action = "applied";
    must(store->add_application(application, [] { return Result<void>(); }));
    CHECK(application.id == 1);
    check_refused(store->add_application(application, [] { return Result<void>(); }),
                  "is applied already, as commit " + application.commit);
    must(store->add_review(rejected)); // thinks better of it
    application.action = "reverted";
    must(store->add_application(application, [] { return Result<void>(); }));
    check_refused(store->add_application(application, [] { return Result<void>(); }), "is not applied");
    application.action = "applied";
    check_refused(store->add_application(application, [] { return Result<void>(); }),
                  "was followed by another, rejected");

    const auto applications = must(store->applications());
    REQUIRE(applications.size() == 2);
    const ApplicationRecord expected = some_application(approved.id);
    CHECK(applications[0].action == "applied");
    CHECK(applications[0].commit == expected.commit);
    CHECK(applications[0].parent == expected.parent);
    CHECK(applications[0].branch == expected.branch);
    CHECK(applications[0].evidence == expected.evidence);
    CHECK(applications[0].who == expected.who);
    CHECK(applications[0].time == expected.time);
    CHECK(applications[0].review == approved.id);
    CHECK(must(store->events()).back().kind == "change reverted");
    const auto report = must(db::audit(scratch.file));
    CHECK(report.clean());
    CHECK(report.reviews == 3);
    CHECK(report.applications == 2);
}

TEST_CASE("a change is reviewed and applied beside a running writer, not through a reader") {
    Scratch scratch;
    const auto writer = decided(scratch);
    const auto beside = scratch.open(Mode::append);
    ReviewRecord review = some_review();
    check_refused(scratch.open(Mode::read)->add_review(review), "open for reading only");
    must(beside->add_review(review));
    SampleRecord sample = some_sample("trial-2");
    must(writer->add_sample(sample));
    ApplicationRecord application = some_application(review.id);
    check_refused(scratch.open(Mode::read)->add_application(application, [] { return Result<void>(); }),
                  "open for reading only");
    must(beside->add_application(application, [] { return Result<void>(); }));
    CHECK(must(writer->reviews()).size() == 1);
    CHECK(must(writer->applications()).size() == 1);
    CHECK(must(db::audit(scratch.file)).clean());
}

TEST_CASE("the head is given in every mode as long as the history is what was written") {
    Scratch scratch;
    const auto writer = decided(scratch);
    for (const Mode mode : {Mode::append, Mode::read})
        CHECK(must(scratch.open(mode)->verified_head()) == must(writer->events()).back().hash);
    const std::string head = must(writer->verified_head());
    ReviewRecord review = some_review();
    must(writer->add_review(review)); // the look before holds nothing up
    CHECK(must(writer->verified_head()) != head);
    const auto appender = scratch.open(Mode::append); // afterwards it would not be opened for more than reading
    scratch.execute("UPDATE verdicts SET verdict = 'generalises strongly'");
    const auto check_altered = [](const Store& store) {
        const auto refused = store.verified_head();
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == Error::Kind::refused);
        CHECK_THAT(refused.error().found, ContainsSubstring("verdict on trial 1 was altered"));
        CHECK(refused.error().remedy == "Run: holdfast audit");
    };
    check_altered(*writer);
    check_altered(*appender);
    check_altered(*scratch.open(Mode::read));
}

TEST_CASE("a results file is kept once, beside a writer") {
    Scratch scratch;
    const auto writer = scratch.open(Mode::write);
    const auto beside = scratch.open(Mode::append);
    ResultsFileRecord file = some_results_file(), again = some_results_file();
    must(beside->add_results_file(file));
    must(beside->add_results_file(again));
    CHECK(file.id == 1);
    CHECK(again.id == 0);
    const auto files = must(writer->results_files());
    REQUIRE(files.size() == 1);
    CHECK(files[0].name == file.name);
    CHECK(files[0].benchmarks_json == file.benchmarks_json);
    CHECK(must(writer->trials()).empty());
}

TEST_CASE("imported evidence is kept once, beside a writer, and a part of what is there adds nothing") {
    Scratch scratch;
    const auto writer = scratch.open(Mode::write);
    const auto beside = scratch.open(Mode::append);
    ImportRecord import = some_import();
    must(beside->add_import(import));
    CHECK(import.id == 1);
    ImportRecord again = some_import();
    must(beside->add_import(again));
    CHECK(again.id == 0);
    ImportRecord part = some_import();
    part.digest = std::string(64, 'e');
    part.complete = false;
    must(beside->add_import(part));
    CHECK(part.id == 0);
    const auto imports = must(writer->imports());
    REQUIRE(imports.size() == 1);
    CHECK(imports[0].machine_json == import.machine_json);
    CHECK(imports[0].document.empty());
    CHECK(must(writer->trials()).empty());
    CHECK(must(writer->events()).back().kind == "evidence imported");
    const auto report = must(db::audit(scratch.file));
    CHECK(report.clean());
    CHECK(report.imports == 1);
}
