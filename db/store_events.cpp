// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/store_events.hpp"

#include "core/project/hash.hpp"
#include "core/review/gates.hpp"
#include "db/chain.hpp"
#include "db/digest.hpp"
#include "db/rows.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace holdfast::db {

using namespace holdfast::study;
using nlohmann::json;

namespace {

json changed_state(State state, const std::string& before) {
    return {{"state", std::string(to_text(state))}, {"before", before}};
}

std::string study_event(State state) {
    switch (state) {
    case State::running:
        return "study resumed";
    case State::done:
        return "study ended";
    case State::interrupted:
        return "study interrupted";
    case State::queued:
        break;
    }
    return "study queued";
}

std::string trial_event(State before, State now) {
    switch (now) {
    case State::running:
        return before == State::queued ? "trial started" : "trial resumed";
    case State::done:
        return "trial ended";
    case State::interrupted:
        return "trial interrupted";
    case State::queued:
        break;
    }
    return "trial queued";
}

/// Read back, so that the digest is that of what is stored.
template <class Record> Record stored(std::optional<Record> record) {
    if (!record)
        throw SQLite::Exception("the row that was just written is missing");
    return std::move(*record);
}

} // namespace

void log_study(SQLite::Database& database, const std::string& kind, const std::string& id, json detail) {
    detail["row"] = digest_of_changing(stored(read_study(database, id)));
    log_event(database, kind, id, detail);
}

void log_trial(SQLite::Database& database, const std::string& kind, const std::string& id, json detail) {
    detail["row"] = digest_of_changing(stored(read_trial(database, id)));
    log_event(database, kind, id, detail);
}

void log_study_change(SQLite::Database& database, const StudyRecord& before) {
    const StudyRecord now = stored(read_study(database, before.id));
    if (now.state != before.state)
        log_study(database, study_event(now.state), now.id, changed_state(now.state, digest_of_changing(before)));
    else if (digest_of_changing(now) != digest_of_changing(before))
        log_study(database, "study updated", now.id, {{"before", digest_of_changing(before)}});
}

void log_trial_change(SQLite::Database& database, const TrialRecord& before) {
    const TrialRecord now = stored(read_trial(database, before.id));
    if (now.state != before.state)
        log_trial(database, trial_event(before.state, now.state), now.id,
                  changed_state(now.state, digest_of_changing(before)));
    else if (digest_of_changing(now) != digest_of_changing(before))
        log_trial(database, "trial updated", now.id, {{"before", digest_of_changing(before)}});
}

void log_opening(SQLite::Database& database, const StudyRecord& study) {
    const SamplesDigest samples =
        digest_of_opening_samples(database, study.id, std::numeric_limits<std::int64_t>::max());
    log_event(database, "opening measured", study.id,
              {{"opening", sha256(study.opening_json)},
               {"samples", samples.digest},
               {"sample_count", samples.count},
               {"last_sample", samples.last}});
}

std::string gate_event(const GateRecord& gate) {
    const std::string result = review::result_word(gate); // what only tells something stops nothing
    return result == "pass"   ? "gate passed"
           : result == "stop" ? "gate stopped"
           : result == "told" ? "gate told"
                              : "gate failed";
}

} // namespace holdfast::db
