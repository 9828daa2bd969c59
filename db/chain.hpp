// SPDX-License-Identifier: GPL-3.0-or-later
// The chain of events: each hash covers the one before, so that no event can be altered, removed, added or moved
// without every later hash changing.
//
// hash = SHA-256 of {"detail":…,"kind":…,"previous":…,"sequence":…,"subject":…,"time":…} as canonical JSON. `detail` is
// in there as a string, the stored text itself: two readers of JSON can disagree about one text (a key given twice),
// and then one would accept what the other did not see.
#pragma once

#include "core/study/store.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace SQLite {
class Database;
}

namespace holdfast::db {

/// What the first event names as its predecessor.
inline constexpr const char* chain_start = "0000000000000000000000000000000000000000000000000000000000000000";

/// "" when a field is not valid UTF-8, which no event written here is.
std::string event_hash(const study::EventRecord& event);

/// Appends an event; to be called inside the transaction that makes it true. Throws SQLite::Exception.
void log_event(SQLite::Database& database, const std::string& kind, const std::string& subject,
               const nlohmann::json& detail);

} // namespace holdfast::db
