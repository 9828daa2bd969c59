// SPDX-License-Identifier: GPL-3.0-or-later
// Histories that older Holdfasts wrote (schemas 1 to 4), read as they lie there and brought up to date.
#include "db/audit.hpp"
#include "db/lock.hpp"
#include "db/schema.hpp"
#include "tests/integration/store_fixture.hpp"
#include "tests/scratch.hpp"

#include <sqlite3.h>

using namespace holdfast;
using namespace holdfast::study;
using namespace holdfast::test;

namespace {

/// tests/data/history_vN.sql as a file: two trials, one decided, seven samples, ten events; from version 2 on a review
/// too.
void make_old(const Scratch& scratch, int version) {
    fs::create_directories(scratch.file.parent_path());
    SQLite::Database database(scratch.file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(
        read_text(fs::path(HOLDFAST_SOURCE_DIR) / "tests" / "data" / ("history_v" + std::to_string(version) + ".sql")));
}

int version_of(const Scratch& scratch) {
    SQLite::Database database(scratch.file.string(), SQLite::OPEN_READWRITE);
    return database.execAndGet("PRAGMA user_version").getInt();
}

void check_content(const Store& store, int version, std::size_t trials = 2) {
    CHECK(must(store.studies()).size() == 1);
    CHECK(must(store.trials()).size() == trials);
    CHECK(must(store.samples("study-1", "trial-1")).size() == 4);
    CHECK(must(store.samples("study-1", "")).size() == 3);
    CHECK(must(store.verdicts()).front().evidence_digest == some_verdict().evidence_digest);
    CHECK(must(store.reviews()).size() == (version == 1 ? 0 : 1));
    CHECK(must(store.imports()).empty());
    CHECK(must(store.applications()).empty());
}

/// Kills this process after so many steps of whatever SQLite does next on any connection.
long steps_left = 0;
int kill_at_last(void*) {
    if (--steps_left <= 0)
        ::kill(getpid(), SIGKILL);
    return 0;
}
int watch_connection(sqlite3* database, char**, const sqlite3_api_routines*) {
    sqlite3_progress_handler(database, 20, kill_at_last, nullptr);
    return SQLITE_OK;
}

} // namespace

TEST_CASE("an older history is shown and audited without being changed") {
    const int version = GENERATE(1, 2, 3, 4);
    Scratch scratch;
    make_old(scratch, version);
    {
        const auto store = scratch.open(Mode::read);
        check_content(*store, version);
        CHECK(must(store->events()).size() == (version == 1 ? 10 : 11));
        CHECK(must(store->verified_head()) == must(store->events()).back().hash);
    }
    const auto report = must(db::audit(scratch.file));
    CAPTURE(report.findings);
    CHECK(report.clean());
    CHECK(report.reviews == (version == 1 ? 0 : 1));
    CHECK(version_of(scratch) == version);
}

TEST_CASE("a writer brings an older history up to date and keeps everything in it") {
    const int version = GENERATE(1, 2, 3, 4);
    Scratch scratch;
    make_old(scratch, version);
    const std::string head = must(db::audit(scratch.file)).head;
    const auto reader = scratch.open(Mode::read); // opened before, reads on after
    {
        const auto store = scratch.open(GENERATE(Mode::write, Mode::append));
        check_content(*store, version);
        ReviewRecord review = some_review();
        must(store->add_review(review));
        ImportRecord import = some_import();
        must(store->add_import(import));
        ResultsFileRecord file = some_results_file();
        must(store->add_results_file(file));
    }
    CHECK(version_of(scratch) == db::schema_version);
    CHECK(must(reader->reviews()).size() == (version == 1 ? 1 : 2));
    CHECK(must(reader->imports()).size() == 1);
    CHECK(must(reader->results_files()).size() == 1);
    const auto report = must(db::audit(scratch.file, {{head, "a commit"}}));
    CAPTURE(report.findings);
    CHECK(report.clean());
    CHECK(report.samples == 7);
}

TEST_CASE("an older history is not brought up to date beside its writer, who may be an older Holdfast") {
    Scratch scratch;
    make_old(scratch, 4);
    const auto lock = must(db::WriterLock::take(scratch.file));
    SqliteStore::Options options;
    options.busy_timeout = std::chrono::milliseconds(100);
    const auto refused = SqliteStore::open(scratch.file, Mode::append, options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == Error::Kind::refused);
    CHECK_THAT(refused.error().remedy, ContainsSubstring("Wait for its end"));
    CHECK(version_of(scratch) == 4);
}

TEST_CASE("a migration killed at any step leaves the old history or the new one, complete") {
    int killed = 0;
    bool finished = false;
    for (long steps = 1; !finished; steps += 3) {
        Scratch scratch;
        make_old(scratch, 1);
        Child child([&](int, int) {
            steps_left = steps;
            sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch_connection));
            return SqliteStore::open(scratch.file, Mode::write) ? 0 : 1;
        });
        const int status = child.wait();
        finished = status == 0;
        REQUIRE((finished || status == 128 + SIGKILL));
        killed += finished ? 0 : 1;
        const int version = version_of(scratch);
        CHECK((version == 1 || version == db::schema_version));
        check_content(*scratch.open(), 1);
        CHECK(must(db::audit(scratch.file)).clean());
    }
    CHECK(killed > 5);
}

TEST_CASE("several processes bring an older history up to date at once") {
    Scratch scratch;
    make_old(scratch, 2);
    const auto open = [&](Mode mode, const std::string& name) {
        return [&scratch, mode, name](int from, int) {
            told(from);
            auto store = SqliteStore::open(scratch.file, mode);
            TrialRecord trial = some_trial(name, "");
            return store && (*store)->add_trial(trial) ? 0 : 1;
        };
    };
    Child writer(open(Mode::write, "a")), first(open(Mode::append, "b")), second(open(Mode::append, "c"));
    for (Child* child : {&writer, &first, &second})
        child->send();
    for (Child* child : {&writer, &first, &second})
        CHECK(child->wait() == 0);
    CHECK(version_of(scratch) == db::schema_version);
    check_content(*scratch.open(Mode::read), 2, 5);
    CHECK(must(db::audit(scratch.file)).clean());
}
