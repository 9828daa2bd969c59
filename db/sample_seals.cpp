// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/sample_seals.hpp"

#include "db/chain.hpp"
#include "db/rows.hpp"
#include "db/schema.hpp"
#include "db/statement.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::db {

using nlohmann::json;

namespace {

/// The last sample that an event announced; 0 when none did.
std::int64_t last_sealed(SQLite::Database& database) {
    SQLite::Statement query(
        database, "SELECT detail_json FROM events WHERE kind = 'samples measured' ORDER BY sequence DESC LIMIT 1");
    if (!query.executeStep())
        return 0;
    const json detail = json::parse(query.getColumn(0).getString(), nullptr, false);
    return detail.is_object() && detail.contains("last") && detail["last"].is_number_integer()
               ? detail["last"].get<std::int64_t>()
               : 0;
}

void keep(SQLite::Database& database, const SamplesDigest& waiting) {
    SQLite::Statement write(database,
                            "INSERT OR REPLACE INTO unannounced_samples (id, sample_count, digest) VALUES (1, ?, ?)");
    bind_all(write, waiting.count, waiting.digest);
    write.exec();
}

} // namespace

void SampleSeals::begin(SQLite::Database& database) {
    keep(database, SampleList().finish());
    SampleSeals left;
    left.load(database);
    left.log(database);
}

void SampleSeals::load(SQLite::Database& database) {
    clear();
    each_sample(database, last_sealed(database),
                [&](const study::SampleRecord& sample) { collect(sample.id, digest_of(sample)); });
}

SamplesDigest SampleSeals::found(SQLite::Database& database) {
    SampleSeals seals;
    seals.load(database);
    return seals.pending_.finish();
}

void SampleSeals::collect(std::int64_t id, const std::string& digest) {
    if (pending_.count() == 0)
        first_ = id;
    pending_.add(id, digest);
}

void SampleSeals::add(SQLite::Database& database, std::int64_t id, const std::string& digest) {
    collect(id, digest);
    if (pending_.count() < samples_per_seal)
        return keep(database, pending_.finish());
    log(database);
    clear();
}

void SampleSeals::log(SQLite::Database& database) const {
    if (pending_.count() == 0)
        return;
    const SamplesDigest samples = pending_.finish();
    log_event(database, "samples measured", "",
              {{"first", first_},
               {"last", samples.last},
               {"sample_count", samples.count},
               {"samples", samples.digest},
               {"schema", schema_version}});
    keep(database, SampleList().finish());
}

} // namespace holdfast::db
