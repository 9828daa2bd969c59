// SPDX-License-Identifier: GPL-3.0-or-later
// The events that the store writes about studies and trials.
//
// One about a changed row carries as "row" the digest of what may change in it (see digest_of_changing), and as
// "before" that of what the change was made of: an alteration from outside stays visible when a later update covers it.
// All functions are called inside the transaction that changed the row, after the change, and throw SQLite::Exception.
#pragma once

#include "core/study/store.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace SQLite {
class Database;
}

namespace holdfast::db {

/// Adds "row" to the detail.
void log_study(SQLite::Database& database, const std::string& kind, const std::string& id, nlohmann::json detail);
void log_trial(SQLite::Database& database, const std::string& kind, const std::string& id, nlohmann::json detail);

/// What an update made of `before`: an event about a new state, or else about what changed, or none.
void log_study_change(SQLite::Database& database, const study::StudyRecord& before);
void log_trial_change(SQLite::Database& database, const study::TrialRecord& before);

void log_opening(SQLite::Database& database, const study::StudyRecord& study);

std::string gate_event(const study::GateRecord& gate); ///< the kind of the event

} // namespace holdfast::db
