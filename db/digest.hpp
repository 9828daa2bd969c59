// SPDX-License-Identifier: GPL-3.0-or-later
// Digests over rows, kept in the events that announced them, so that a row altered later is found.
//
// A row is written out as one line "name=length:value" per field and hashed; the length keeps two neighbouring fields
// from being read in two ways, and no text has to be valid UTF-8. A list of rows is the hash of its rows' hashes, one
// per line. Covered is what never changes after the event, except by digest_of_changing, which the last event about a
// row has.
#pragma once

#include "core/study/store.hpp"

#include <cstdint>
#include <string>

namespace SQLite {
class Database;
}

namespace holdfast::db {

std::string digest_of(const study::StudyRecord& study);
std::string digest_of(const study::TrialRecord& trial);
std::string digest_of(const study::GateRecord& gate);
std::string digest_of(const study::SampleRecord& sample);
std::string digest_of(const study::VerdictRecord& verdict);
std::string digest_of(const study::QuestionRecord& question); ///< without the answer
std::string digest_of(const study::ReviewRecord& review);
std::string digest_of(const study::ApplicationRecord& application);
std::string digest_of(const study::ImportRecord& import);
std::string digest_of(const study::ResultsFileRecord& file);

/// What update_study and update_trial may change, but for the state and the opening, which events of their own tell.
std::string digest_of_changing(const study::StudyRecord& study);
std::string digest_of_changing(const study::TrialRecord& trial);

struct SamplesDigest {
    std::int64_t count = 0;
    std::int64_t last = 0; ///< the highest id; 0 without samples
    std::string digest;
};

/// The digest of a list of samples, fed one by one in the order of their ids.
class SampleList {
public:
    void add(std::int64_t id, const std::string& digest) {
        ++result_.count;
        result_.last = id;
        hashes_ += digest;
        hashes_ += '\n';
    }
    std::int64_t count() const { return result_.count; }
    SamplesDigest finish() const;

private:
    SamplesDigest result_;
    std::string hashes_;
};

/// Every sample of a trial. Throws SQLite::Exception.
SamplesDigest digest_of_trial_samples(SQLite::Database& database, const std::string& trial);
/// The samples of a study that belong to no trial, up to and with `last`. Throws SQLite::Exception.
SamplesDigest digest_of_opening_samples(SQLite::Database& database, const std::string& study, std::int64_t last);

} // namespace holdfast::db
