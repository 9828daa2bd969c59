// SPDX-License-Identifier: GPL-3.0-or-later
// Opening a history file, and SQLite's failures in words.
#pragma once

#include "core/project/error.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace SQLite {
class Database;
class Exception;
} // namespace SQLite

namespace holdfast::db {

/// An existing store for reading, beside a writer and on a read-only medium. Its schema may be an older one, which
/// reading does not change: tables may be missing.
/// `traceless`: see SqliteStore::Options.
Result<std::unique_ptr<SQLite::Database>>
open_for_reading(const std::filesystem::path& file, std::chrono::milliseconds busy_timeout, bool traceless = false);

/// For writing, made with its folder when missing, migrated when older.
Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::filesystem::path& file,
                                                           std::chrono::milliseconds busy_timeout);

/// Makes the folder (mode 0700) when it is missing, and says no to a store that is a link, a folder or a device.
/// Returns the store's path with the folder's links resolved.
Result<std::filesystem::path> prepare_folder(const std::filesystem::path& file);

/// Whether the file is there and a Holdfast of an older schema wrote it. False where it cannot be read: opening it says
/// why.
bool is_of_older_schema(const std::filesystem::path& file);

bool is_busy(const SQLite::Exception& exception);

/// `attempted` as in Error.
tl::unexpected<Error> in_words(const std::string& attempted, const std::filesystem::path& file,
                               const SQLite::Exception& exception);

} // namespace holdfast::db
