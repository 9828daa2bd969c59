// SPDX-License-Identifier: GPL-3.0-or-later
// What came from elsewhere: other machines' evidence, files of other benchmarking programs. No other table refers to
// it.
#include "db/chain.hpp"
#include "db/digest.hpp"
#include "db/rows.hpp"
#include "db/store_impl.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::db {

using namespace holdfast::study;

Result<void> SqliteStore::add_import(ImportRecord& import) {
    std::int64_t id = 0;
    const auto body = [&](SQLite::Database& database) -> Result<void> {
        id = 0;
        if (text_of(database, "SELECT digest FROM imports WHERE digest = ?", import.digest))
            return {};
        if (!import.complete && text_of(database, "SELECT digest FROM imports WHERE complete AND whole_digest = ?",
                                        import.whole_digest)) // a part of what is there says no more
            return {};
        SQLite::Statement insert(database, "INSERT INTO imports (digest, whole_digest, baseline_commit, result_tree, "
                                           "configuration_json, machine_json, isolation_level, verdict, qualifier, "
                                           "effects_json, complete, recomputed, document, time) "
                                           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        bind_all(insert, import.digest, import.whole_digest, import.baseline_commit, import.result_tree,
                 import.configuration_json, import.machine_json, import.isolation_level, import.verdict,
                 import.qualifier, import.effects_json, import.complete, import.recomputed, import.document,
                 import.time);
        insert.exec();
        id = database.getLastInsertRowid();
        ImportRecord numbered = import;
        numbered.id = id;
        log_event(database, "evidence imported", "",
                  {{"import", id}, {"evidence", import.digest}, {"record", digest_of(numbered)}});
        return {};
    };
    auto done = impl_->write("store imported evidence", body, true);
    if (done)
        import.id = id;
    return done;
}

Result<std::vector<ImportRecord>> SqliteStore::imports() const {
    return impl_->read("read imported evidence",
                       [](SQLite::Database& database) { return read_imports(database, false); });
}

Result<void> SqliteStore::add_results_file(ResultsFileRecord& file) {
    std::int64_t id = 0;
    const auto body = [&](SQLite::Database& database) -> Result<void> {
        id = 0;
        if (text_of(database, "SELECT digest FROM results_files WHERE digest = ?", file.digest))
            return {};
        SQLite::Statement insert(database, "INSERT INTO results_files (digest, format, name, benchmarks_json, "
                                           "commit_id, machine_json, time) VALUES (?, ?, ?, ?, ?, ?, ?)");
        bind_all(insert, file.digest, file.format, file.name, file.benchmarks_json, file.commit, file.machine_json,
                 file.time);
        insert.exec();
        id = database.getLastInsertRowid();
        ResultsFileRecord numbered = file;
        numbered.id = id;
        log_event(database, "results imported", "",
                  {{"file", id}, {"digest", file.digest}, {"record", digest_of(numbered)}});
        return {};
    };
    auto done = impl_->write("store a results file", body, true);
    if (done)
        file.id = id;
    return done;
}

Result<std::vector<ResultsFileRecord>> SqliteStore::results_files() const {
    return impl_->read("read the results files", read_results_files);
}

} // namespace holdfast::db
