// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/connection.hpp"

#include "core/project/text.hpp"
#include "db/schema.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sqlite3.h>
#include <sstream>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace holdfast::db {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

enum class FileKind { missing, file, link, folder, other, unreadable };

struct FileLook {
    FileKind kind = FileKind::missing;
    int error = 0;
};

std::string words(int error) {
    return std::generic_category().message(error);
}

FileLook look_at(const fs::path& file) {
    struct stat status {};
    if (lstat(file.c_str(), &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return {FileKind::missing, 0};
        return {FileKind::unreadable, errno};
    }
    if (S_ISLNK(status.st_mode))
        return {FileKind::link, 0};
    if (S_ISDIR(status.st_mode))
        return {FileKind::folder, 0};
    return {S_ISREG(status.st_mode) ? FileKind::file : FileKind::other, 0};
}

/// Whether what is there (or is missing) can be a store.
Result<FileKind> acceptable(const fs::path& file, const std::string& attempted) {
    const FileLook look = look_at(file);
    switch (look.kind) {
    case FileKind::missing:
    case FileKind::file:
        return look.kind;
    case FileKind::link:
        return refused(attempted, "it is a symbolic link, and a history is never followed elsewhere",
                       "Put the file itself in this place.");
    case FileKind::folder:
        return failed(attempted, "it is a folder", "Move the folder away.");
    case FileKind::other:
        return failed(attempted, "it is neither a file nor missing", "Remove it.");
    case FileKind::unreadable:
        break;
    }
    return failed(attempted, words(look.error), "Make the folder readable for you.");
}

/// SQLite's own check refuses a link anywhere in the path; ours is meant for the last part only.
Result<fs::path> with_resolved_folder(const fs::path& file, const std::string& attempted) {
    std::error_code error;
    const fs::path folder = fs::canonical(file.has_parent_path() ? file.parent_path() : fs::path("."), error);
    if (error)
        return failed(attempted, fmt::format("its folder cannot be read: {}", error.message()),
                      "Make the folder readable for you.");
    return folder / file.filename();
}

void set_pragmas(SQLite::Database& database) {
    database.exec("PRAGMA foreign_keys = ON");
    database.exec("PRAGMA synchronous = FULL");
    database.exec("PRAGMA cell_size_check = ON");
}

/// Switching to WAL needs the file alone for a moment and does not ask the busy handler.
void switch_to_wal(SQLite::Database& database, std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (true) {
        try {
            if (database.execAndGet("PRAGMA journal_mode = WAL").getString() != "wal")
                throw SQLite::Exception("its file system cannot share memory between processes, which WAL needs",
                                        SQLITE_IOERR);
            return;
        } catch (const SQLite::Exception& exception) {
            if (!is_busy(exception) || std::chrono::steady_clock::now() > deadline)
                throw;
        }
        std::this_thread::sleep_for(5ms);
    }
}

std::string immutable_uri(const fs::path& file) {
    std::string uri = "file://";
    for (const char c : file.string()) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= '0' && byte <= '9') || byte == '/' || byte == '.' || byte == '-' || byte == '_';
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return uri + "?mode=ro&immutable=1";
}

std::unique_ptr<SQLite::Database> connect_reading(const fs::path& file, std::chrono::milliseconds busy_timeout,
                                                  bool traceless) {
    const int timeout = static_cast<int>(busy_timeout.count());
    // Without a WAL file nobody writes and the file holds everything, so it can be read as it lies there.
    const auto unwritten = [&] { return look_at(file.string() + "-wal").kind == FileKind::missing; };
    if (!traceless || !unwritten())
        try {
            auto database = std::make_unique<SQLite::Database>(file.string(),
                                                               SQLite::OPEN_READONLY | SQLite::OPEN_NOFOLLOW, timeout);
            set_pragmas(*database);
            database->execAndGet("SELECT count(*) FROM sqlite_schema"); // the first look opens the WAL
            return database;
        } catch (const SQLite::Exception& exception) {
            const int code = exception.getErrorCode();
            const bool wal_cannot_open = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
            if (!wal_cannot_open || !unwritten())
                throw;
        }
    auto database = std::make_unique<SQLite::Database>(
        immutable_uri(file), SQLite::OPEN_READONLY | SQLite::OPEN_NOFOLLOW | SQLite::OPEN_URI, timeout);
    set_pragmas(*database);
    return database;
}

Result<void> create_file(const fs::path& file, const std::string& attempted) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) {
        if (errno == EEXIST) // another process was faster
            return {};
        return failed(attempted, words(errno), "Make the folder writable for you.");
    }
    ::close(descriptor);
    // The name must survive a power cut as surely as what SQLite syncs into the file.
    const int folder = ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        ::close(folder);
    }
    return {};
}

/// SQLite goes on with a file whose pages contradict each other until it meets one, and writing makes that worse.
Result<void> check_pages(SQLite::Database& database, const std::string& attempted) {
    std::string found;
    try {
        SQLite::Statement check(database, "PRAGMA quick_check(1)");
        while (found.empty() && check.executeStep()) {
            std::istringstream lines(check.getColumn(0).getString());
            for (std::string line; found.empty() && std::getline(lines, line);)
                if (line != "ok" && !line.starts_with("***")) // "*** in database main ***" says nothing
                    found = line;
        }
    } catch (const SQLite::Exception& exception) {
        if (exception.getErrorCode() != SQLITE_CORRUPT)
            throw;
        found = exception.what();
    }
    if (found.empty())
        return {};
    return failed(attempted, fmt::format("it is damaged: {}", printable(found)),
                  "Keep a copy, see what is wrong with it with holdfast audit, and move the file away to start a new "
                  "history, or restore it from a backup.");
}

/// The last one to close a file writes its log into it; a file that is refused stays as it is.
void write_log_on_close(SQLite::Database& database, bool wanted) {
    sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, wanted ? 0 : 1, nullptr);
}

} // namespace

Result<fs::path> prepare_folder(const fs::path& file) {
    const std::string attempted = fmt::format("open the history {}", file.string());
    if (file.has_parent_path() && look_at(file.parent_path()).kind == FileKind::missing) {
        const fs::path folder = file.parent_path();
        std::error_code error;
        if (folder.has_parent_path())
            fs::create_directories(folder.parent_path(), error);
        if (error || (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST))
            return failed(attempted,
                          fmt::format("its folder {} cannot be made: {}", folder.string(),
                                      error ? error.message() : words(errno)),
                          "Make the folder above it writable for you.");
    }
    if (auto kind = acceptable(file, attempted); !kind)
        return tl::unexpected(kind.error());
    return with_resolved_folder(file, attempted);
}

Result<std::unique_ptr<SQLite::Database>> open_for_reading(const fs::path& file, std::chrono::milliseconds busy_timeout,
                                                           bool traceless) {
    const std::string attempted = fmt::format("read the history {}", file.string());
    const auto nothing_yet = [&] { return failed(attempted, "no study has been run here yet", "Run: holdfast run"); };
    const auto kind = acceptable(file, attempted);
    if (!kind)
        return tl::unexpected(kind.error());
    if (*kind == FileKind::missing)
        return nothing_yet();
    const auto resolved = with_resolved_folder(file, attempted);
    if (!resolved)
        return tl::unexpected(resolved.error());
    try {
        auto database = connect_reading(*resolved, busy_timeout, traceless);
        const SchemaState state = schema_state(*database);
        if (auto usable = check_schema(state, file); !usable)
            return tl::unexpected(usable.error());
        if (state.version == 0 && fs::file_size(*resolved) == 0)
            return failed(attempted, "the file is empty (0 bytes): no study was stored in it, or what was is lost",
                          "Restore it from a backup, or begin anew with: holdfast run");
        if (state.version == 0)
            return nothing_yet();
        return database;
    } catch (const SQLite::Exception& exception) {
        return in_words(attempted, file, exception);
    }
}

Result<std::unique_ptr<SQLite::Database>> open_for_writing(const fs::path& file,
                                                           std::chrono::milliseconds busy_timeout) {
    const std::string attempted = fmt::format("open the history {}", file.string());
    try {
        if (look_at(file).kind == FileKind::missing)
            if (auto created = create_file(file, attempted); !created)
                return tl::unexpected(created.error());
        auto database = std::make_unique<SQLite::Database>(
            file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_NOFOLLOW, static_cast<int>(busy_timeout.count()));
        // SQLite opens a file it may not write for reading, without a word.
        if (sqlite3_db_readonly(database->getHandle(), "main") == 1)
            throw SQLite::Exception("attempt to write a readonly database", SQLITE_READONLY);
        write_log_on_close(*database, false);
        set_pragmas(*database);
        // Before anything is changed: a newer, foreign or damaged file stays as it is, down to its journal mode.
        if (auto usable = check_schema(schema_state(*database), file); !usable)
            return tl::unexpected(usable.error());
        if (auto sound = check_pages(*database, attempted); !sound)
            return tl::unexpected(sound.error());
        write_log_on_close(*database, true);
        switch_to_wal(*database, busy_timeout);
        const SchemaState state = schema_state(*database);
        if (auto usable = check_schema(state, file); !usable) // another process may have migrated it meanwhile
            return tl::unexpected(usable.error());
        if (state.version < schema_version) {
            if (const auto named = taken_back(*database))
                return refused(
                    attempted,
                    fmt::format("its schema was taken back from {} to {} by somebody else", *named, state.version),
                    "See all findings with: holdfast audit. Restore it from a backup, or move it away.");
            migrate(*database);
        }
        return database;
    } catch (const SQLite::Exception& exception) {
        return in_words(attempted, file, exception);
    }
}

bool is_of_older_schema(const fs::path& file) {
    try {
        SQLite::Database database(file.string(), SQLite::OPEN_READONLY | SQLite::OPEN_NOFOLLOW, 1000);
        const SchemaState state = schema_state(database);
        return state.ours && state.version > 0 && state.version < schema_version;
    } catch (const SQLite::Exception&) {
        return false;
    }
}

bool is_busy(const SQLite::Exception& exception) {
    return exception.getErrorCode() == SQLITE_BUSY || exception.getErrorCode() == SQLITE_LOCKED;
}

tl::unexpected<Error> in_words(const std::string& attempted, const fs::path& file, const SQLite::Exception& exception) {
    const std::string text = printable(exception.what());
    switch (exception.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return failed(attempted, "another process keeps the history busy",
                      "Try again when it has finished; `fuser` on the file names it.");
    case SQLITE_FULL:
        return failed(attempted, "the disk is full; everything stored before is intact",
                      fmt::format("Free some space where {} lies.", file.string()));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return failed(attempted, fmt::format("the file or its folder is read-only ({})", text),
                      "Make the folder and the files in it writable for you.");
    case SQLITE_CANTOPEN:
        return failed(attempted, fmt::format("the file or its write-ahead log cannot be opened ({})", text),
                      "Make the folder and the files in it accessible to you, or copy them all to a place that is.");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return failed(attempted, fmt::format("the file is damaged or not a history at all ({})", text),
                      fmt::format("Keep a copy, then restore {} from a backup, or save what is readable with "
                                  "`sqlite3 {} .recover`.",
                                  file.filename().string(), file.filename().string()));
    case SQLITE_CONSTRAINT:
        return failed(attempted, fmt::format("the record contradicts the history ({})", text),
                      "Report this as a defect: nothing was stored.");
    default:
        return failed(attempted, text, "Check the disk and the free space; what was stored before is intact.");
    }
}

} // namespace holdfast::db
