// SPDX-License-Identifier: GPL-3.0-or-later
// Samples are too many for an event each, so the writer announces them together: an event "samples measured" names the
// first and last id of a run of samples and its digest. It is due before every other event that the writer logs, and
// after `samples_per_seal` samples at the latest, so that whatever an event rests on is in the chain before it. Until
// then the table unannounced_samples has the digest of those that wait, written with each of them, so that what a
// writer left that was killed is known too.
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
/// altered in the file meanwhile is announced as it was. Everything throws SQLite::Exception.
class SampleSeals {
public:
    /// For a history that has no row of them yet: announces what an older Holdfast left, as it is found.
    static void begin(SQLite::Database& database);

    /// What a writer that was killed had left.
    void load(SQLite::Database& database);

    /// The digest of the samples that no event announced, as the file has them.
    static SamplesDigest found(SQLite::Database& database);

    /// Inside the transaction that stores the sample, which is announced with it when that is due.
    void add(SQLite::Database& database, std::int64_t id, const std::string& digest);

    /// Inside the transaction of the event that comes next; nothing when no sample waits.
    void log(SQLite::Database& database) const;
    void clear() { *this = {}; } ///< once that transaction is committed

private:
    void collect(std::int64_t id, const std::string& digest);

    SampleList pending_;
    std::int64_t first_ = 0;
};

} // namespace holdfast::db
