// SPDX-License-Identifier: GPL-3.0-or-later
// What was written stays what was written: every row of every table is altered, removed, copied, moved and cut off, and
// the audit has to notice. The tables are those that the file has, so one that is added later cannot be forgotten: it
// has to be filled here and covered, or stand in the list of exceptions with its reason.
#include "db/audit.hpp"
#include "tests/integration/store_fixture.hpp"

#include <SQLiteCpp/Backup.h>
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::study;
using namespace holdfast::test;

namespace {

/// Rows whose order says nothing; they are read by another column, which a digest covers.
const std::set<std::string> unordered = {
    "projects",        // read by name
    "studies",         // read by number
    "trials",          // read by number
    "sqlite_sequence", // SQLite looks its rows up by name
};

void fill_study(Store& store, const std::string& name, const std::string& project) {
    StudyRecord study = some_study(name);
    study.project = project;
    study.started = name == "study-1" ? "2026-01-02T03:04:05.678Z" : "2026-01-03T03:04:05.678Z";
    must(store.add_study(study));
    for (int round = 1; round <= 3; ++round) {
        SampleRecord sample = some_sample("", round);
        sample.study = name;
        must(store.add_sample(sample));
    }
    study.opening_json = R"({"q50":0.01})";
    must(store.update_study(study));
    for (const char* suffix : {"a", "b"}) {
        TrialRecord trial = some_trial(name + suffix, name);
        must(store.add_trial(trial));
        must(store.add_gate(some_gate(trial.id)));
        must(store.add_gate(some_gate(trial.id, "confirm")));
        for (int round = 1; round <= 2; ++round) {
            SampleRecord sample = some_sample(trial.id, round);
            sample.study = name;
            sample.usage.throttled = static_cast<std::uint64_t>(round) + (suffix[0] == 'a' ? 0 : 10);
            must(store.add_sample(sample));
        }
        QuestionRecord question{0,
                                name,
                                trial.id,
                                suffix[0] == 'a' ? 40 : 41,
                                "2026-01-02T03:06:00.000Z",
                                "",
                                R"({"seeds of )" + trial.id + R"(":[7,8]})"};
        must(store.ask_question(question));
        question.answer = "confirmed";
        must(store.answer_question(question));
        must(store.add_verdict(some_verdict(trial.id)));
    }
    study.state = State::done;
    must(store.update_study(study));
}

void fill_decisions(Store& store) {
    for (const char* trial : {"study-1a", "study-1b"}) {
        ReviewRecord approved = some_review(trial);
        must(store.add_review(approved));
        ApplicationRecord application = some_application(approved.id, trial);
        must(store.add_application(application, [] { return Result<void>(); }));
    }
    for (const char letter : {'1', '2'}) {
        ImportRecord import = some_import();
        import.digest = import.whole_digest = std::string(64, letter);
        must(store.add_import(import));
        ResultsFileRecord file = some_results_file();
        file.digest = std::string(64, letter);
        must(store.add_results_file(file));
    }
}

/// Two rows and more in every table, the samples of a trial that never got its verdict among them.
void fill_everything(const Scratch& scratch) {
    auto store = scratch.open();
    fill_study(*store, "study-1", "zorder");
    fill_study(*store, "study-2", "other");
    TrialRecord undecided = some_trial("undecided", "study-2");
    must(store->add_trial(undecided));
    SampleRecord sample = some_sample("undecided", 1);
    sample.study = "study-2";
    must(store->add_sample(sample));
    fill_decisions(*store);
}

class History {
public:
    History() {
        fill_everything(scratch_);
        source_ = std::make_unique<SQLite::Database>(scratch_.file.string(), SQLite::OPEN_READWRITE);
    }

    SQLite::Database& source() const { return *source_; }

    /// A copy of its own that guards nothing: whoever alters a file is not held off by its constraints.
    std::unique_ptr<SQLite::Database> copy() const {
        auto memory = std::make_unique<SQLite::Database>(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        SQLite::Backup(*memory, *source_).executeStep(-1);
        memory->exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
        return memory;
    }

    std::vector<std::string> texts(const std::string& query) const {
        std::vector<std::string> found;
        SQLite::Statement statement(*source_, query);
        while (statement.executeStep())
            found.push_back(statement.getColumn(0).getString());
        return found;
    }
    std::vector<std::string> tables() const {
        return texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    }
    std::vector<std::string> columns(const std::string& table) const {
        return texts("SELECT name FROM pragma_table_info('" + table + "')");
    }
    std::vector<std::string> rows(const std::string& table) const {
        return texts("SELECT rowid FROM " + table + " ORDER BY rowid");
    }

private:
    Scratch scratch_;
    std::unique_ptr<SQLite::Database> source_;
};

/// `statements` on a copy; false when the file does not allow them (a key given twice).
bool noticed(const History& history, const std::string& statements, bool& done) {
    const auto copy = history.copy();
    try {
        copy->exec(statements);
        done = true;
    } catch (const SQLite::Exception&) {
        done = false;
        return false;
    }
    return !db::audit(*copy).clean();
}

void expect_noticed(const History& history, const std::string& statements, int& done_count) {
    bool done = false;
    const bool found = noticed(history, statements, done);
    CAPTURE(statements);
    if (done)
        CHECK(found);
    done_count += done ? 1 : 0;
}

/// Another value of the same type; of what is true or false the other one.
std::string altered(const std::string& column) {
    return "CASE WHEN " + column + " IN (0, 1) THEN 1 - " + column + " WHEN typeof(" + column + ") = 'integer' THEN " +
           column + " + 1000 WHEN typeof(" + column + ") = 'real' THEN " + column + " + 1 WHEN " + column +
           " IS NULL THEN 1 ELSE " + column + " || ' ' END";
}

} // namespace

TEST_CASE("a history with rows in every table audits clean") {
    const History history;
    const auto report = db::audit(*history.copy());
    CAPTURE(report.findings);
    CHECK(report.clean());
    for (const std::string& table : history.tables()) {
        CAPTURE(table); // a new table: fill it in fill_everything
        const bool of_one_row = table == "chain_head" || table == "unannounced_samples";
        CHECK(history.rows(table).size() >= (of_one_row ? 1 : 2));
    }
}

TEST_CASE("any column of any row that was altered is noticed") {
    const History history;
    for (const std::string& table : history.tables()) {
        int done = 0;
        const auto rows = history.rows(table);
        for (const std::string& row : std::set<std::string>{rows.front(), rows[rows.size() / 2], rows.back()})
            for (const std::string& column : history.columns(table))
                expect_noticed(history,
                               "UPDATE " + table + " SET " + column + " = " + altered(column) + " WHERE rowid = " + row,
                               done);
        CAPTURE(table);
        CHECK(done >= static_cast<int>(history.columns(table).size()));
    }
}

TEST_CASE("any row that was removed is noticed, also when SQLite's counter was set back") {
    const History history;
    for (const std::string& table : history.tables()) {
        int done = 0;
        for (const std::string& row : history.rows(table)) {
            const std::string removal = "DELETE FROM " + table + " WHERE rowid = " + row;
            expect_noticed(history, removal, done);
            expect_noticed(history,
                           removal + "; UPDATE sqlite_sequence SET seq = (SELECT max(rowid) FROM " + table +
                               ") WHERE name = '" + table + "'",
                           done);
        }
        expect_noticed(history, "DELETE FROM " + table, done);
        CAPTURE(table);
        CHECK(done > static_cast<int>(history.rows(table).size()));
    }
}

TEST_CASE("rows cut off the end of any table are noticed") {
    const History history;
    for (const std::string& table : history.tables()) {
        int done = 0;
        const auto rows = history.rows(table);
        for (std::size_t keep = 0; keep < rows.size(); ++keep)
            expect_noticed(history, "DELETE FROM " + table + " WHERE rowid >= " + rows[keep], done);
        CAPTURE(table);
        CHECK(done == static_cast<int>(rows.size()));
    }
}

TEST_CASE("two rows of any table that changed places are noticed") {
    const History history;
    for (const std::string& table : history.tables()) {
        if (unordered.count(table) == 1)
            continue;
        const auto rows = history.rows(table);
        int done = 0;
        for (std::size_t i = 1; i < rows.size(); ++i) {
            const auto move = [&](const std::string& from, const std::string& to) {
                return "UPDATE " + table + " SET rowid = " + to + " WHERE rowid = " + from + ";";
            };
            expect_noticed(history, move(rows[i - 1], "987654") + move(rows[i], rows[i - 1]) + move("987654", rows[i]),
                           done);
        }
        CAPTURE(table);
        CHECK(done + 1 == static_cast<int>(rows.size()));
    }
}

TEST_CASE("a copy of any row under another key is noticed") {
    const History history;
    for (const std::string& table : history.tables()) {
        // Columns that may not hold a value twice get another one.
        std::string names, values;
        const auto keys = history.texts("SELECT name FROM pragma_table_info('" + table +
                                        "') WHERE pk > 0 OR name IN ('number', 'digest', 'gate')");
        for (const std::string& column : history.columns(table)) {
            names += (names.empty() ? "" : ", ") + column;
            const bool key = std::find(keys.begin(), keys.end(), column) != keys.end();
            values += (values.empty() ? "" : ", ") + (key ? altered(column) : column);
        }
        int done = 0;
        for (const std::string& row : history.rows(table))
            expect_noticed(history,
                           "INSERT INTO " + table + " (" + names + ") SELECT " + values + " FROM " + table +
                               " WHERE rowid = " + row,
                           done);
        CAPTURE(table);
        CHECK(done == static_cast<int>(history.rows(table).size()));
    }
}

TEST_CASE("tables, triggers and views that somebody added, and tables made anew without their rules, are noticed") {
    const History history;
    int done = 0;
    for (const char* statement :
         {"CREATE TABLE more (a)", "CREATE VIEW v AS SELECT * FROM samples", "CREATE INDEX i ON samples (arm)",
          "CREATE TRIGGER t AFTER INSERT ON samples BEGIN UPDATE samples SET wall_ns = 1 WHERE id = new.id; END",
          "DROP INDEX samples_by_trial",
          "ALTER TABLE chain_head RENAME TO old; CREATE TABLE chain_head (id, sequence, hash);"
          "INSERT INTO chain_head SELECT * FROM old; DROP TABLE old"})
        expect_noticed(history, statement, done);
    CHECK(done == 6);
}

TEST_CASE("samples are announced together, at the latest before the next event or when there are 32 of them") {
    Scratch scratch;
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    const auto measure = [&](int count) {
        for (int i = 0; i < count; ++i) {
            SampleRecord sample = some_sample("", i);
            must(store->add_sample(sample));
        }
    };
    const auto kinds = [&] {
        std::vector<std::string> result;
        for (const EventRecord& event : must(store->events()))
            result.push_back(event.kind);
        return result;
    };
    measure(31);
    CHECK(kinds() == std::vector<std::string>{"study started"});
    measure(1);
    CHECK(kinds() == std::vector<std::string>{"study started", "samples measured"});
    measure(3);
    study.ended = "2026-01-02T05:00:00.000Z";
    must(store->update_study(study));
    CHECK(kinds() ==
          std::vector<std::string>{"study started", "samples measured", "samples measured", "study updated"});
    measure(2);
    CHECK(must(db::audit(scratch.file)).clean());
    SECTION("what waits is announced as it was measured, whatever happened to the file meanwhile") {
        scratch.execute("UPDATE samples SET wall_ns = 1 WHERE id = 36");
        CHECK_THAT(must(db::audit(scratch.file)).findings.front(), ContainsSubstring("The last samples"));
        must(store->mark_interrupted());
        const auto report = must(db::audit(scratch.file));
        REQUIRE(report.findings.size() == 1);
        CHECK_THAT(report.findings.front(), ContainsSubstring("The samples up to 37 that event"));
    }
    SECTION("what a killed writer had not announced is announced by the next one") {
        store.reset();
        store = scratch.open();
        must(store->mark_interrupted());
        CHECK(kinds().at(4) == "samples measured");
        CHECK(kinds().at(5) == "study interrupted");
        CHECK(must(db::audit(scratch.file)).clean());
    }
    SECTION("what a killed writer had not announced is not gone on with when it was altered") {
        store.reset();
        scratch.execute(GENERATE(as<std::string>{}, "UPDATE samples SET wall_ns = 1 WHERE id = 37",
                                 "UPDATE samples SET wall_ns = 1 WHERE id = 3", // announced long ago
                                 "DELETE FROM unannounced_samples", "UPDATE unannounced_samples SET sample_count = 0"));
        const auto opened = SqliteStore::open(scratch.file, Mode::write);
        REQUIRE_FALSE(opened);
        CHECK(opened.error().kind == Error::Kind::refused);
        CHECK_THAT(opened.error().found, ContainsSubstring("not what was written") && ContainsSubstring("amples"));
    }
    SECTION("a schema that was taken back, to forget what had been kept of them, is noticed and not brought up again") {
        store.reset();
        scratch.execute("UPDATE samples SET wall_ns = 1 WHERE id = 37; DROP TABLE unannounced_samples; "
                        "PRAGMA user_version = 4");
        CHECK_THAT(must(db::audit(scratch.file)).findings.front(), ContainsSubstring("taken back from 5 to 4"));
        const auto opened = SqliteStore::open(scratch.file, GENERATE(Mode::write, Mode::append));
        REQUIRE_FALSE(opened);
        CHECK_THAT(opened.error().found, ContainsSubstring("taken back from 5 to 4"));
    }
    SECTION("what was cut off before it was announced is missed") {
        scratch.execute("DELETE FROM samples WHERE id = 37");
        CHECK_THAT(must(db::audit(scratch.file)).findings.front(),
                   ContainsSubstring("Table samples was shortened: row 37 was written last, and the last is 36 now."));
    }
}

TEST_CASE("nothing is added to a history that is not what was written") {
    Scratch scratch;
    fill_everything(scratch);
    const std::string statement =
        GENERATE(as<std::string>{}, "UPDATE events SET time = '2020-01-01T00:00:00.000Z' WHERE sequence = 3",
                 "DELETE FROM events WHERE sequence = (SELECT max(sequence) FROM events)",
                 "UPDATE reviews SET reviewer_name = 'Eve' WHERE id = 1", "UPDATE verdicts SET proposal = 0",
                 "UPDATE gates SET result = 'fail' WHERE id = 1", "UPDATE projects SET first_study = ''",
                 "CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM gates; END");
    scratch.execute(statement);
    for (const Mode mode : {Mode::write, Mode::append}) {
        const auto store = SqliteStore::open(scratch.file, mode);
        CAPTURE(statement);
        REQUIRE_FALSE(store);
        CHECK(store.error().kind == Error::Kind::refused);
        CHECK_THAT(store.error().found, ContainsSubstring("not what was written"));
        CHECK_THAT(store.error().remedy, ContainsSubstring("holdfast audit"));
    }
    CHECK(SqliteStore::open(scratch.file, Mode::read)); // to look at it
}

TEST_CASE("a gate that only tells something is logged as such") {
    Scratch scratch;
    auto store = scratch.open();
    StudyRecord study = some_study();
    must(store->add_study(study));
    TrialRecord trial = some_trial();
    must(store->add_trial(trial));
    GateRecord coverage = some_gate("trial-1", "coverage"), screen = some_gate("trial-1", "screen");
    coverage.result = screen.result = "stop";
    must(store->add_gate(coverage));
    CHECK(must(store->events()).back().kind == "gate told");
    must(store->add_gate(screen));
    CHECK(must(store->events()).back().kind == "gate stopped");
    CHECK(must(db::audit(scratch.file)).clean());
}
