// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/sample_seals.hpp"

#include "db/chain.hpp"
#include "db/rows.hpp"
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

} // namespace

void SampleSeals::load(SQLite::Database& database) {
    clear();
    each_sample(database, last_sealed(database),
                [&](const study::SampleRecord& sample) { add(sample.id, digest_of(sample)); });
}

void SampleSeals::add(std::int64_t id, const std::string& digest) {
    if (pending_.count() == 0)
        first_ = id;
    pending_.add(id, digest);
}

void SampleSeals::log(SQLite::Database& database) const {
    if (pending_.count() == 0)
        return;
    const SamplesDigest samples = pending_.finish();
    log_event(
        database, "samples measured", "",
        {{"first", first_}, {"last", samples.last}, {"sample_count", samples.count}, {"samples", samples.digest}});
}

} // namespace holdfast::db
