// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/chain.hpp"

#include "core/project/hash.hpp"
#include "core/study/clock.hpp"
#include "db/statement.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::db {

using nlohmann::json;

std::string event_hash(const study::EventRecord& event) {
    const json covered = {{"previous", event.previous}, {"sequence", event.sequence}, {"time", event.time},
                          {"kind", event.kind},         {"subject", event.subject},   {"detail", event.detail_json}};
    try {
        return sha256(covered.dump()); // nlohmann's objects are sorted and its dump has no white space: canonical
    } catch (const json::type_error&) {
        return "";
    }
}

void log_event(SQLite::Database& database, const std::string& kind, const std::string& subject, const json& detail) {
    study::EventRecord event;
    {
        SQLite::Statement head(database, "SELECT sequence, hash FROM chain_head WHERE id = 1");
        if (!head.executeStep())
            throw SQLite::Exception("the end of the event chain is missing");
        Row row(head);
        event.sequence = row.integer() + 1;
        event.previous = row.text();
    }
    event.time = study::utc_now();
    event.kind = kind;
    event.subject = subject;
    event.detail_json = detail.dump(-1, ' ', false, json::error_handler_t::replace);
    event.hash = event_hash(event);

    SQLite::Statement insert(database,
                             "INSERT INTO events (sequence, time, kind, subject, detail_json, previous, hash) "
                             "VALUES (?, ?, ?, ?, ?, ?, ?)");
    bind_all(insert, event.sequence, event.time, event.kind, event.subject, event.detail_json, event.previous,
             event.hash);
    insert.exec();
    SQLite::Statement update(database, "UPDATE chain_head SET sequence = ?, hash = ? WHERE id = 1");
    bind_all(update, event.sequence, event.hash);
    update.exec();
}

} // namespace holdfast::db
