// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/auditor.hpp"
#include "db/rows.hpp"
#include "db/sample_seals.hpp"
#include "db/schema.hpp"
#include "db/statement.hpp"

#include <fmt/format.h>
#include <limits>

namespace holdfast::db {

using namespace holdfast::study;

void Auditor::check_seal(const Seal& seal, const SamplesDigest& samples) {
    if (samples.digest != seal.digest)
        find(fmt::format("The samples up to {} that event {} announced were altered: {} then, {} now.", seal.last,
                         seal.sequence, seal.count, samples.count));
}

/// At most samples_per_seal - 1 of them, and none in a history of before there was such a table.
void Auditor::check_unannounced() {
    if (database_.execAndGet("PRAGMA user_version").getInt() < first_with_unannounced)
        return;
    if (database_.execAndGet("SELECT count(*) FROM unannounced_samples").getInt64() > 1)
        find("There is more than one record of the samples that no event announced yet.");
    const SamplesDigest found = SampleSeals::found(database_);
    SQLite::Statement query(database_, "SELECT sample_count, digest FROM unannounced_samples WHERE id = 1");
    if (!query.executeStep())
        return find("The record of the samples that no event announced yet is missing.");
    Row row(query);
    const std::int64_t count = row.integer();
    if (row.text() != found.digest || count != found.count)
        find(fmt::format("The last samples, those that no event announced yet, were altered: {} then, {} now.", count,
                         found.count));
}

/// One pass over all samples, each hashed once: for the event that announced it, for its trial or its study's opening.
void Auditor::read_all_samples() {
    auto seal = seals_.begin();
    SampleList sealed;
    const bool has_seals = !seals_.empty(); // a history of before there were any has none
    const auto goes_on = [&](const std::string& study) {
        const auto told = told_.find(study);
        return told != told_.end() && text_in(told->second.at("state"), "state") == to_text(State::running);
    };
    const auto finish_seals_before = [&](std::int64_t id) {
        while (seal != seals_.end() && seal->second.last < id) {
            check_seal(seal->second, sealed.finish());
            sealed = {};
            ++seal;
        }
    };
    each_sample(database_, std::numeric_limits<std::int64_t>::min(), [&](const SampleRecord& sample) {
        ++report_.samples;
        const std::string digest = digest_of(sample);
        finish_seals_before(sample.id);
        // What comes after the last event is a session that goes on, or went on until it was killed.
        if (seal != seals_.end() && sample.id >= seal->first)
            sealed.add(sample.id, digest);
        else if (has_seals && (seal != seals_.end() || !goes_on(sample.study)))
            find(fmt::format("Sample {} has no event that announced it.", sample.id));
        if (!sample.trial.empty())
            trial_samples_[sample.trial].add(sample.id, digest);
        else if (sample.id <= number_in(told_[sample.study].at("opening"), "last_sample"))
            opening_samples_[sample.study].add(sample.id, digest);
    });
    finish_seals_before(std::numeric_limits<std::int64_t>::max());
}

SamplesDigest Auditor::samples_of(const std::string& trial) const {
    const auto found = trial_samples_.find(trial);
    return found == trial_samples_.end() ? SampleList().finish() : found->second.finish();
}

SamplesDigest Auditor::opening_samples_of(const std::string& study) const {
    const auto found = opening_samples_.find(study);
    return found == opening_samples_.end() ? SampleList().finish() : found->second.finish();
}

} // namespace holdfast::db
