// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/compact.hpp"

#include "db/audit.hpp"
#include "db/connection.hpp"
#include "db/lock.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <chrono>
#include <fmt/format.h>
#include <system_error>

namespace holdfast::db {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds patience(10);

std::uint64_t bytes_of(const fs::path& file) {
    std::uint64_t bytes = 0;
    for (const char* suffix : {"", "-wal"}) {
        std::error_code code;
        const std::uintmax_t size = fs::file_size(file.string() + suffix, code);
        bytes += code ? 0 : size;
    }
    return bytes;
}

/// The hash of the last event.
Result<std::string> checked(const fs::path& file, const std::string& attempted) {
    const auto report = audit(file);
    if (!report)
        return tl::unexpected(report.error());
    if (!report->clean())
        return failed(attempted, "it is not what was written: " + report->findings.front(),
                      "See all findings with: holdfast audit");
    return report->head;
}

} // namespace

Result<Compaction> compaction(const fs::path& file) {
    auto database = open_for_reading(file, patience);
    if (!database)
        return tl::unexpected(database.error());
    try {
        const auto number = [&](const char* query) {
            return static_cast<std::uint64_t>((*database)->execAndGet(query).getInt64());
        };
        const std::uint64_t pages = number("PRAGMA page_count"), unused = number("PRAGMA freelist_count");
        return Compaction{bytes_of(file), (pages - unused) * number("PRAGMA page_size")};
    } catch (const SQLite::Exception& exception) {
        return in_words(fmt::format("read the history {}", file.string()), file, exception);
    }
}

Result<Compaction> compact(const fs::path& file) {
    const std::string attempted = fmt::format("compact the history {}", file.string());
    if (auto there = open_for_reading(file, patience); !there)
        return tl::unexpected(there.error());
    const auto resolved = prepare_folder(file);
    if (!resolved)
        return tl::unexpected(resolved.error());
    const auto lock = WriterLock::take(*resolved);
    if (!lock)
        return tl::unexpected(lock.error());
    const auto head = checked(*resolved, attempted);
    if (!head)
        return tl::unexpected(head.error());
    Compaction result{bytes_of(*resolved), 0};
    try {
        auto database = open_for_writing(*resolved, patience);
        if (!database)
            return tl::unexpected(database.error());
        (*database)->exec("VACUUM");
        (*database)->execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (const SQLite::Exception& exception) {
        return in_words(attempted, file, exception);
    }
    result.after = bytes_of(*resolved);
    const auto again = checked(*resolved, attempted);
    if (!again)
        return tl::unexpected(again.error());
    return result;
}

} // namespace holdfast::db
