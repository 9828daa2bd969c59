// SPDX-License-Identifier: GPL-3.0-or-later
// Records from tables. All functions throw SQLite::Exception.
#pragma once

#include "core/study/store.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace SQLite {
class Database;
class Statement;
} // namespace SQLite

namespace holdfast::db {

std::vector<study::StudyRecord> read_studies(SQLite::Database& database); ///< by number
std::vector<study::TrialRecord> read_trials(SQLite::Database& database);  ///< by number
std::optional<study::StudyRecord> read_study(SQLite::Database& database, const std::string& id);
std::optional<study::TrialRecord> read_trial(SQLite::Database& database, const std::string& id);
std::vector<study::GateRecord> read_gates(SQLite::Database& database, const std::string& trial); ///< as written
std::vector<study::VerdictRecord> read_verdicts(SQLite::Database& database);                     ///< as written
std::vector<study::QuestionRecord> read_questions(SQLite::Database& database);                   ///< of all studies
/// By id; none in a file of before there were any. `trial` "": of all trials.
std::vector<study::ReviewRecord> read_reviews(SQLite::Database& database, const std::string& trial = "");
std::vector<study::ApplicationRecord> read_applications(SQLite::Database& database, const std::string& trial = "");

/// By id; none in a file of before there were any. Their documents only on request: they are large.
std::vector<study::ImportRecord> read_imports(SQLite::Database& database, bool with_documents);
std::vector<study::ResultsFileRecord> read_results_files(SQLite::Database& database);

/// The number that a seed's text begins with; 0 without one.
std::uint64_t read_seed(const std::string& text);

/// `trial` "": the rounds that belong to no trial; `phase` "": all. In the order they were taken.
std::vector<study::SampleRecord> read_samples(SQLite::Database& database, const std::string& study,
                                              const std::string& trial, const std::string& phase);

using EachSample = std::function<void(const study::SampleRecord&)>;
/// Every sample with a higher id than `after`.
void each_sample(SQLite::Database& database, std::int64_t after, const EachSample& each);
/// Every sample of a trial, whatever its study.
void each_sample_of_trial(SQLite::Database& database, const std::string& trial, const EachSample& each);
/// The samples of a study that belong to no trial, up to and with `last`.
void each_opening_sample(SQLite::Database& database, const std::string& study, std::int64_t last,
                         const EachSample& each);

using EachEvent = std::function<void(const study::EventRecord&)>;
void each_event(SQLite::Database& database, const EachEvent& each); ///< by sequence

/// The text of the statement that insert_sample() binds.
extern const char* const insert_sample_text;
void bind_sample(SQLite::Statement& statement, const study::SampleRecord& sample);

} // namespace holdfast::db
