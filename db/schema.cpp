// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/schema.hpp"

#include "db/sample_seals.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <array>
#include <fmt/format.h>
#include <sqlite3.h>

namespace holdfast::db {

namespace {

// A text that stands for "none" in the records ("" for a trial, a study) is NULL where it is a foreign key. Seeds use
// all 64 bits, so they are text; counters are kept in SQLite's signed 64 bits. Words that grow with the program
// (phases, gates, tuners) have no CHECK: widening one would mean to rebuild the table.
constexpr const char* version_1 = R"sql(
CREATE TABLE projects (
    name        TEXT NOT NULL PRIMARY KEY,
    first_study TEXT NOT NULL
) STRICT;

CREATE TABLE studies (
    id              TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
    number          INTEGER NOT NULL UNIQUE CHECK (number >= 1),
    state           TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'interrupted')),
    project         TEXT NOT NULL REFERENCES projects (name),
    baseline_commit TEXT NOT NULL,
    baseline_tree   TEXT NOT NULL,
    seed            TEXT NOT NULL CHECK (seed <> ''),
    frozen_json     TEXT NOT NULL CHECK (frozen_json = '' OR json_valid(frozen_json)),
    options_json    TEXT NOT NULL CHECK (options_json = '' OR json_valid(options_json)),
    machine_json    TEXT NOT NULL CHECK (machine_json = '' OR json_valid(machine_json)),
    isolation_level INTEGER NOT NULL,
    opening_json    TEXT NOT NULL CHECK (opening_json = '' OR json_valid(opening_json)),
    started         TEXT NOT NULL,
    ended           TEXT NOT NULL
) STRICT;
CREATE INDEX studies_by_state ON studies (state);
CREATE INDEX studies_by_project ON studies (project);

CREATE TABLE trials (
    id                 TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
    number             INTEGER NOT NULL UNIQUE CHECK (number >= 1),
    study              TEXT REFERENCES studies (id),
    kind               TEXT NOT NULL CHECK (kind IN ('knobs', 'patch', 'both')),
    tuner              TEXT NOT NULL,
    state              TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'interrupted')),
    configuration_json TEXT NOT NULL CHECK (configuration_json = '' OR json_valid(configuration_json)),
    patch              TEXT NOT NULL,
    result_tree        TEXT NOT NULL,
    confirmation       INTEGER NOT NULL CHECK (confirmation >= 0),
    search_json        TEXT NOT NULL CHECK (search_json = '' OR json_valid(search_json)),
    created            TEXT NOT NULL,
    ended              TEXT NOT NULL
) STRICT;
CREATE INDEX trials_by_study ON trials (study);
CREATE INDEX trials_by_state ON trials (state);

CREATE TABLE gates (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    trial       TEXT NOT NULL REFERENCES trials (id),
    gate        TEXT NOT NULL CHECK (gate <> ''),
    result      TEXT NOT NULL CHECK (result IN ('pass', 'fail', 'stop')),
    reason      TEXT NOT NULL,
    log         TEXT NOT NULL,
    detail_json TEXT NOT NULL CHECK (detail_json = '' OR json_valid(detail_json)),
    started     TEXT NOT NULL,
    seconds     REAL,
    UNIQUE (trial, gate)
) STRICT;

CREATE TABLE samples (
    id                     INTEGER PRIMARY KEY AUTOINCREMENT,
    study                  TEXT REFERENCES studies (id),
    trial                  TEXT REFERENCES trials (id),
    phase                  TEXT NOT NULL CHECK (phase <> ''),
    session                INTEGER NOT NULL CHECK (session >= 0),
    round                  INTEGER NOT NULL CHECK (round >= 0),
    attempt                INTEGER NOT NULL CHECK (attempt >= 0),
    workload               TEXT NOT NULL,
    arm                    TEXT NOT NULL CHECK (arm IN ('baseline', 'candidate')),
    slot                   INTEGER NOT NULL CHECK (slot IN (0, 1)),
    coin                   INTEGER NOT NULL CHECK (coin IN (0, 1)),
    executable_hash        TEXT NOT NULL,
    ending                 TEXT NOT NULL,
    output_hash            TEXT NOT NULL,
    metrics_json           TEXT NOT NULL CHECK (metrics_json = '' OR json_valid(metrics_json)),
    wall_ns                INTEGER NOT NULL,
    user_ns                INTEGER NOT NULL,
    system_ns              INTEGER NOT NULL,
    minor_faults           INTEGER NOT NULL,
    major_faults           INTEGER NOT NULL,
    voluntary_switches     INTEGER NOT NULL,
    involuntary_switches   INTEGER NOT NULL,
    peak_memory_bytes      INTEGER NOT NULL,
    memory_source          TEXT NOT NULL,
    queue_wait_ns          INTEGER NOT NULL,
    before_steal_ticks     INTEGER NOT NULL,
    before_total_ticks     INTEGER NOT NULL,
    before_swap_in_pages   INTEGER NOT NULL,
    before_swap_out_pages  INTEGER NOT NULL,
    before_psi_cpu_us      INTEGER NOT NULL,
    before_psi_memory_us   INTEGER NOT NULL,
    before_psi_io_us       INTEGER NOT NULL,
    before_mhz             REAL,
    before_celsius         REAL,
    after_steal_ticks      INTEGER NOT NULL,
    after_total_ticks      INTEGER NOT NULL,
    after_swap_in_pages    INTEGER NOT NULL,
    after_swap_out_pages   INTEGER NOT NULL,
    after_psi_cpu_us       INTEGER NOT NULL,
    after_psi_memory_us    INTEGER NOT NULL,
    after_psi_io_us        INTEGER NOT NULL,
    after_mhz              REAL,
    after_celsius          REAL,
    started                TEXT NOT NULL
) STRICT;
CREATE INDEX samples_by_study ON samples (study, trial, phase);
CREATE INDEX samples_by_trial ON samples (trial);

CREATE TABLE verdicts (
    trial           TEXT NOT NULL PRIMARY KEY REFERENCES trials (id),
    verdict         TEXT NOT NULL CHECK (verdict <> ''),
    qualifier       TEXT NOT NULL,
    proposal        INTEGER NOT NULL CHECK (proposal IN (0, 1)),
    reasons_json    TEXT NOT NULL CHECK (reasons_json = '' OR json_valid(reasons_json)),
    flags_json      TEXT NOT NULL CHECK (flags_json = '' OR json_valid(flags_json)),
    effects_json    TEXT NOT NULL CHECK (effects_json = '' OR json_valid(effects_json)),
    evidence_json   TEXT NOT NULL CHECK (json_valid(evidence_json)),
    evidence_digest TEXT NOT NULL CHECK (length(evidence_digest) = 64),
    time            TEXT NOT NULL
) STRICT;

CREATE TABLE questions (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    study  TEXT REFERENCES studies (id),
    trial  TEXT REFERENCES trials (id),
    rounds INTEGER NOT NULL CHECK (rounds >= 0),
    asked  TEXT NOT NULL,
    answer TEXT NOT NULL CHECK (answer IN ('', 'confirmed', 'not confirmed'))
) STRICT;
CREATE INDEX questions_by_study ON questions (study);
CREATE INDEX questions_by_trial ON questions (trial);

CREATE TABLE events (
    sequence    INTEGER NOT NULL PRIMARY KEY CHECK (sequence >= 1),
    time        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    detail_json TEXT NOT NULL CHECK (json_valid(detail_json)),
    previous    TEXT NOT NULL CHECK (length(previous) = 64),
    hash        TEXT NOT NULL CHECK (length(hash) = 64)
) STRICT;

-- The end of the chain a second time, so that events cut off the end are missed.
CREATE TABLE chain_head (
    id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    hash     TEXT NOT NULL CHECK (length(hash) = 64)
) STRICT;
INSERT INTO chain_head (id, sequence, hash)
VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

PRAGMA application_id = 0x484f4c44;
PRAGMA user_version = 1;
)sql";

constexpr const char* version_2 = R"sql(
CREATE TABLE reviews (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    trial          TEXT NOT NULL REFERENCES verdicts (trial),
    decision       TEXT NOT NULL CHECK (decision IN ('approved', 'rejected', 'rework')),
    reviewer_name  TEXT NOT NULL,
    reviewer_email TEXT NOT NULL,
    comment        TEXT NOT NULL,
    shared         INTEGER NOT NULL CHECK (shared IN (0, 1)),
    statement_json TEXT NOT NULL CHECK (json_valid(statement_json)),
    signature      TEXT NOT NULL,
    time           TEXT NOT NULL,
    CHECK (decision = 'approved' OR trim(comment) <> '')
) STRICT;
CREATE INDEX reviews_by_trial ON reviews (trial);

CREATE TABLE applications (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    trial     TEXT NOT NULL REFERENCES verdicts (trial),
    action    TEXT NOT NULL CHECK (action IN ('applied', 'reverted')),
    review    INTEGER NOT NULL REFERENCES reviews (id),
    commit_id TEXT NOT NULL CHECK (commit_id <> ''),
    parent_id TEXT NOT NULL,
    branch    TEXT NOT NULL,
    evidence  TEXT NOT NULL,
    who       TEXT NOT NULL,
    time      TEXT NOT NULL
) STRICT;
CREATE INDEX applications_by_trial ON applications (trial);
CREATE INDEX applications_by_review ON applications (review);

PRAGMA user_version = 2;
)sql";

constexpr const char* version_3 = R"sql(
CREATE TABLE imports (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    digest             TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
    whole_digest       TEXT NOT NULL CHECK (length(whole_digest) = 64),
    baseline_commit    TEXT NOT NULL,
    result_tree        TEXT NOT NULL,
    configuration_json TEXT NOT NULL CHECK (json_valid(configuration_json)),
    machine_json       TEXT NOT NULL CHECK (json_valid(machine_json)),
    isolation_level    INTEGER NOT NULL,
    verdict            TEXT NOT NULL CHECK (verdict <> ''),
    qualifier          TEXT NOT NULL,
    effects_json       TEXT NOT NULL CHECK (json_valid(effects_json)),
    complete           INTEGER NOT NULL CHECK (complete IN (0, 1)),
    recomputed         INTEGER NOT NULL CHECK (recomputed IN (0, 1)),
    document           TEXT NOT NULL,
    time               TEXT NOT NULL
) STRICT;
CREATE INDEX imports_by_candidate ON imports (baseline_commit, result_tree);

PRAGMA user_version = 3;
)sql";

constexpr const char* version_4 = R"sql(
CREATE TABLE results_files (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    digest          TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
    format          TEXT NOT NULL CHECK (format <> ''),
    name            TEXT NOT NULL,
    benchmarks_json TEXT NOT NULL CHECK (json_valid(benchmarks_json)),
    commit_id       TEXT NOT NULL,
    machine_json    TEXT NOT NULL CHECK (json_valid(machine_json)),
    time            TEXT NOT NULL
) STRICT;

-- Of questions with fresh seeds only.
CREATE TABLE question_seeds (
    question   INTEGER NOT NULL PRIMARY KEY REFERENCES questions (id),
    seeds_json TEXT NOT NULL CHECK (json_valid(seeds_json))
) STRICT;

-- Of samples during which the machine was throttled only.
CREATE TABLE throttled_samples (
    sample INTEGER NOT NULL PRIMARY KEY REFERENCES samples (id),
    events INTEGER NOT NULL CHECK (events > 0)
) STRICT;

PRAGMA user_version = 4;
)sql";

constexpr const char* version_5 = R"sql(
-- The samples at the end that no event announced yet, as their writer knew them: an event "samples measured" empties it.
CREATE TABLE unannounced_samples (
    id           INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    sample_count INTEGER NOT NULL CHECK (sample_count >= 0),
    digest       TEXT NOT NULL CHECK (length(digest) = 64)
) STRICT;

PRAGMA user_version = 5;
)sql";

// The step at index n leads from version n to n + 1 and sets user_version itself.
constexpr std::array steps{version_1, version_2, version_3, version_4, version_5};
static_assert(steps.size() == schema_version);

} // namespace

SchemaState schema_state(SQLite::Database& database) {
    SQLite::Transaction snapshot(database); // of one moment, while another process takes its steps
    SchemaState state;
    state.version = database.execAndGet("PRAGMA user_version").getInt();
    state.ours = database.execAndGet("PRAGMA application_id").getInt() == application_id;
    state.empty = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
    return state;
}

Result<void> check_schema(const SchemaState& state, const std::filesystem::path& file) {
    const std::string attempted = fmt::format("open the history {}", file.string());
    if (state.version == 0 && state.empty)
        return {};
    if (!state.ours)
        return failed(attempted, "the file is a database of another program",
                      "Move it elsewhere; Holdfast does not write into files it did not create.");
    if (state.version > schema_version)
        return failed(attempted,
                      fmt::format("it was written by a newer Holdfast (schema {}; this one knows {})", state.version,
                                  schema_version),
                      "Update Holdfast; the file was not touched.");
    if (state.version < 1)
        return failed(attempted, fmt::format("its schema number is {}, which no Holdfast wrote", state.version),
                      "Restore the file from a backup, or move it away to start a new history.");
    return {};
}

namespace {

std::map<std::string, std::string> make_schema_objects(int version) {
    SQLite::Database model(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    for (int step = 0; step < version && step < schema_version; ++step)
        model.exec(steps.at(static_cast<std::size_t>(step)));
    std::map<std::string, std::string> objects;
    SQLite::Statement query(model, "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema "
                                   "WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
    while (query.executeStep())
        objects.emplace(query.getColumn(0).getString(), query.getColumn(1).getString());
    return objects;
}

} // namespace

std::map<std::string, std::string> schema_objects(int version) {
    static const std::map<std::string, std::string> current = make_schema_objects(schema_version);
    return version == schema_version ? current : make_schema_objects(version);
}

std::optional<int> taken_back(SQLite::Database& database) {
    const int version = database.execAndGet("PRAGMA user_version").getInt();
    if (!database.tableExists("events"))
        return std::nullopt;
    const int named = database
                          .execAndGet("SELECT coalesce(max(CASE WHEN json_valid(detail_json) THEN json_extract("
                                      "detail_json, '$.schema') END), 0) FROM events WHERE kind = 'samples measured'")
                          .getInt();
    return named > version ? std::optional(named) : std::nullopt;
}

void migrate(SQLite::Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    // Read again under the lock: another process may have taken the steps meanwhile.
    const int version = database.execAndGet("PRAGMA user_version").getInt();
    for (int step = version; step >= 0 && step < schema_version; ++step)
        database.exec(steps.at(static_cast<std::size_t>(step)));
    if (version < first_with_unannounced)
        SampleSeals::begin(database);
    transaction.commit();
}

std::vector<std::pair<std::string, std::string>> library_versions() {
    return {{"SQLite", sqlite3_libversion()}, {"SQLiteCpp", SQLITECPP_VERSION}};
}

} // namespace holdfast::db
