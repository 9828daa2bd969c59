// SPDX-License-Identifier: GPL-3.0-or-later
// What an audit sees of the file itself: pages, tables, counters, words that Holdfast never writes.
#include "db/auditor.hpp"
#include "db/rows.hpp"
#include "db/schema.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace holdfast::db {

namespace {

constexpr std::array<std::pair<const char*, const char*>, 7> numbered_tables{{
    {"samples", "SELECT coalesce(max(id), 0) FROM samples"},
    {"gates", "SELECT coalesce(max(id), 0) FROM gates"},
    {"questions", "SELECT coalesce(max(id), 0) FROM questions"},
    {"reviews", "SELECT coalesce(max(id), 0) FROM reviews"},
    {"applications", "SELECT coalesce(max(id), 0) FROM applications"},
    {"imports", "SELECT coalesce(max(id), 0) FROM imports"},
    {"results_files", "SELECT coalesce(max(id), 0) FROM results_files"},
}};

} // namespace

void Auditor::check_file() {
    SQLite::Statement integrity(database_, "PRAGMA integrity_check(100)");
    while (integrity.executeStep())
        if (const std::string line = integrity.getColumn(0).getString(); line != "ok")
            find(fmt::format("The file is damaged: {}.", line));
    SQLite::Statement keys(database_, "PRAGMA foreign_key_check");
    while (keys.executeStep())
        find(fmt::format("Row {} of table {} names a row of table {} that does not exist.",
                         keys.getColumn(1).getString(), keys.getColumn(0).getString(), keys.getColumn(2).getString()));
}

/// A trigger, a view or another table that somebody added can change what is written and read.
void Auditor::check_schema() {
    const int version = database_.execAndGet("PRAGMA user_version").getInt();
    if (const auto named = taken_back(database_))
        find(fmt::format("The schema was taken back from {} to {}.", *named, version));
    std::map<std::string, std::string> wanted = schema_objects(version);
    SQLite::Statement query(database_, "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema "
                                       "WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1");
    while (query.executeStep()) {
        const std::string object = query.getColumn(0).getString();
        const auto found = wanted.find(object);
        if (found == wanted.end())
            find(fmt::format("The file has a {} that Holdfast does not make.", object));
        else if (found->second != query.getColumn(1).getString())
            find(fmt::format("The {} is not as Holdfast makes it.", object));
        if (found != wanted.end())
            wanted.erase(found);
    }
    for (const auto& [object, text] : wanted)
        find(fmt::format("The {} is missing.", object));
}

/// SQLite keeps the last id that it gave in each of the tables that number their rows themselves; no row is ever taken
/// out of them.
void Auditor::check_counters() {
    std::map<std::string, std::int64_t> counters;
    SQLite::Statement query(database_, "SELECT name, seq FROM sqlite_sequence");
    while (query.executeStep())
        if (!counters.emplace(query.getColumn(0).getString(), query.getColumn(1).getInt64()).second)
            find(fmt::format("Table {} has two counters.", query.getColumn(0).getString()));
    for (const auto& [table, last_id] : numbered_tables) {
        const std::int64_t last = database_.tableExists(table) ? database_.execAndGet(last_id).getInt64() : 0;
        const std::int64_t given = counters[table];
        if (given > last)
            find(fmt::format("Table {} was shortened: row {} was written last, and the last is {} now.", table, given,
                             last));
        else if (given < last)
            find(fmt::format("Row {} of table {} was added outside Holdfast, or the table's counter was altered.", last,
                             table));
        counters.erase(table);
    }
    for (const auto& [table, given] : counters)
        find(fmt::format("There is a counter of a table {} that Holdfast does not number.", table));
}

/// The table says nothing that the studies do not say too.
void Auditor::check_projects() {
    SQLite::Statement query(database_, "SELECT name, first_study, (SELECT started FROM studies WHERE project = name "
                                       "ORDER BY number LIMIT 1) FROM projects");
    while (query.executeStep())
        if (query.getColumn(2).isNull())
            find(fmt::format("Project {} has no study.", query.getColumn(0).getString()));
        else if (query.getColumn(1).getString() != query.getColumn(2).getString())
            find(fmt::format("The beginning of project {} was altered.", query.getColumn(0).getString()));
}

/// A word the CHECK constraints forbid; integrity_check (SQLite 3.40) skips them on a connection that only reads.
void Auditor::check_words() {
    SQLite::Statement query(database_, "SELECT 'Study ' || number, state FROM studies "
                                       "WHERE state NOT IN ('queued', 'running', 'done', 'interrupted') UNION ALL "
                                       "SELECT 'Trial ' || number, state FROM trials "
                                       "WHERE state NOT IN ('queued', 'running', 'done', 'interrupted')");
    while (query.executeStep())
        find(fmt::format("{} has the state {}, which Holdfast never writes.", query.getColumn(0).getString(),
                         query.getColumn(1).getString()));
    // The digest covers the number: a text that is no number, or another spelling of it, would pass.
    SQLite::Statement seeds(database_, "SELECT number, seed FROM studies");
    while (seeds.executeStep())
        if (const std::string seed = seeds.getColumn(1).getString(); std::to_string(read_seed(seed)) != seed)
            find(fmt::format("Study {} has the seed {}, which Holdfast never writes.", seeds.getColumn(0).getInt64(),
                             seed));
}

} // namespace holdfast::db
