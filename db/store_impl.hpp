// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of SqliteStore, for the files that implement it. Every write is one IMMEDIATE transaction that holds the
// rows and the event about them, taken again when another process kept the file busy. Impl::write announces the samples
// that wait for it first; a sample, which has no event of its own, goes through Impl::transact.
#pragma once

#include "db/connection.hpp"
#include "db/lock.hpp"
#include "db/sample_seals.hpp"
#include "db/sqlite_store.hpp"
#include "db/statement.hpp"

#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>

namespace holdfast::db {

struct SqliteStore::Impl {
    std::filesystem::path file;
    Mode mode = Mode::read;
    Options options;
    std::optional<WriterLock> lock; // declared before the database: dropped after it has been closed
    std::unique_ptr<SQLite::Database> database;
    std::unique_ptr<SQLite::Statement> insert_sample;
    SampleSeals seals; ///< of the writer
    std::string told;  ///< Options::witness, last
    mutable std::mutex mutex;

    template <class Body> Result<void> write(const std::string& what, const Body& body, bool appending = false);
    template <class Body> Result<void> transact(const std::string& what, const Body& body, bool appending);
    template <class Body> auto read(const std::string& what, const Body& body) const;
    Result<void> permit(const std::string& attempted, bool appending) const;
    void tell_head();
    std::string attempted(const std::string& what) const { return fmt::format("{} in {}", what, file.string()); }
};

inline Result<void> SqliteStore::Impl::permit(const std::string& attempted, bool appending) const {
    if (mode == Mode::write || (mode == Mode::append && appending))
        return {};
    return refused(attempted,
                   mode == Mode::read ? "the history is open for reading only"
                                      : "the history is open for adding queued candidates, reviews and imports only",
                   "Use a command that writes, such as holdfast run.");
}

inline void SqliteStore::Impl::tell_head() {
    if (!options.witness)
        return;
    try {
        std::string head = database->execAndGet("SELECT hash FROM chain_head WHERE id = 1").getString();
        if (head != told)
            options.witness(head);
        told = std::move(head);
    } catch (const SQLite::Exception&) { // what was written stands; the next write tells it
    }
}

/// `body` runs inside the transaction, returns Result<void>, and may run more than once.
template <class Body> Result<void> SqliteStore::Impl::write(const std::string& what, const Body& body, bool appending) {
    const std::scoped_lock guard(mutex);
    auto done = transact(
        what,
        [&](SQLite::Database& open) -> Result<void> {
            seals.log(open);
            return body(open);
        },
        appending);
    if (done)
        seals.clear();
    return done;
}

/// The caller holds the mutex.
template <class Body>
Result<void> SqliteStore::Impl::transact(const std::string& what, const Body& body, bool appending) {
    if (auto permitted = permit(attempted(what), appending); !permitted)
        return permitted;
    const auto start = std::chrono::steady_clock::now();
    auto told = start;
    while (true) {
        try {
            SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
            if (auto done = body(*database); !done)
                return done;
            transaction.commit();
            tell_head();
            return {};
        } catch (const SQLite::Exception& exception) {
            if (!is_busy(exception) || mode != Mode::write)
                return in_words(attempted(what), file, exception);
        }
        const auto now = std::chrono::steady_clock::now();
        if (now - told < options.busy_timeout) {
            // SQLite answers "busy" at once where it sees a deadlock or a recovery in progress.
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            continue;
        }
        told = now;
        if (options.waiting)
            options.waiting(fmt::format("Another process has kept {} busy for {} s; waiting to {}, nothing is lost.",
                                        file.string(),
                                        std::chrono::duration_cast<std::chrono::seconds>(now - start).count(), what));
    }
}

template <class Body> auto SqliteStore::Impl::read(const std::string& what, const Body& body) const {
    using Value = decltype(body(*database));
    const std::scoped_lock guard(mutex);
    try {
        return Result<Value>(body(*database));
    } catch (const SQLite::Exception& exception) {
        return Result<Value>(in_words(attempted(what), file, exception));
    }
}

inline std::optional<std::string> text_of(SQLite::Database& database, const char* query, const std::string& id) {
    SQLite::Statement statement(database, query);
    bind_all(statement, id);
    if (!statement.executeStep())
        return std::nullopt;
    return statement.getColumn(0).getString();
}

inline constexpr const char* report_defect = "Please report this as a defect: nothing was stored.";

inline bool is_decided(SQLite::Database& database, const std::string& trial) {
    return text_of(database, "SELECT trial FROM verdicts WHERE trial = ?", trial).has_value();
}

} // namespace holdfast::db
