// SPDX-License-Identifier: GPL-3.0-or-later
// The tables, and the numbered steps from any older version of them to this one.
//
// PRAGMA user_version holds the number of the last step taken; 0 is a file without tables. A step is never edited once
// released: a change of the tables is a new step at the end, and a test that starts from a file of the step before. An
// older Holdfast that is at work would not fill what a step adds, so no step is taken beside a writer: see
// SqliteStore::open.
#pragma once

#include "core/project/error.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SQLite {
class Database;
}

namespace holdfast::db {

inline constexpr int schema_version = 5;
inline constexpr int first_with_unannounced = 5; ///< that has the table unannounced_samples

/// Names and versions of the libraries behind the store: SQLite as loaded, SQLiteCpp as compiled.
std::vector<std::pair<std::string, std::string>> library_versions();
inline constexpr int application_id = 0x484f4c44; ///< "HOLD": tells a history from any other SQLite file

struct SchemaState {
    int version = 0;
    bool ours = false;  ///< carries our application_id
    bool empty = false; ///< has no table at all
};

/// Throws SQLite::Exception.
SchemaState schema_state(SQLite::Database& database);

/// What a file of that version has, by "table trials" and the like: the text that makes it. Empty for a version that is
/// none. Throws SQLite::Exception.
std::map<std::string, std::string> schema_objects(int version);

/// Whether this program may use a file in that state; a newer or foreign file is an error that leaves it untouched.
Result<void> check_schema(const SchemaState& state, const std::filesystem::path& file);

/// The newest schema that an event names, when it is newer than the file says it is: somebody took it back, so that
/// what that schema keeps would be forgotten. Throws SQLite::Exception.
std::optional<int> taken_back(SQLite::Database& database);

/// Takes every missing step in one transaction, so that a kill leaves the old version or the new one. Two processes may
/// call it at once. Throws SQLite::Exception; the caller has checked the state.
void migrate(SQLite::Database& database);

} // namespace holdfast::db
