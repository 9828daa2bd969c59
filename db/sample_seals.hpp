// SPDX-License-Identifier: GPL-3.0-or-later
// Samples are too many for an event each, so the writer announces them together: an event "samples measured" names the
// first and last id of a run of samples and its digest. It is due before every other event that the writer logs, and
// after `samples_per_seal` samples at the latest, so that whatever an event rests on is in the chain before it.
#pragma once

#include "db/digest.hpp"

#include <cstdint>
#include <string>

namespace SQLite {
class Database;
}

namespace holdfast::db {

inline constexpr std::int64_t samples_per_seal = 32;

/// What the one writer has measured and not announced yet. The digests are taken when a sample is written, so that one
/// altered in the file meanwhile is announced as it was.
class SampleSeals {
public:
    /// What a writer that was killed had left, or one of before there were seals. Throws SQLite::Exception.
    void load(SQLite::Database& database);

    void add(std::int64_t id, const std::string& digest);
    bool due() const { return pending_.count() >= samples_per_seal; }

    /// Inside the transaction of the event that comes next; nothing when no sample waits. Throws SQLite::Exception.
    void log(SQLite::Database& database) const;
    void clear() { *this = {}; } ///< once that transaction is committed

private:
    SampleList pending_;
    std::int64_t first_ = 0;
};

} // namespace holdfast::db
