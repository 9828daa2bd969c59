// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a history is what was written: the chain of events, the rows against the events that announced them, and
// SQLite's own checks.
//
// What it cannot see: someone who rewrites rows, events, hashes and head together leaves a consistent file. The heads
// that apply wrote into commits (`known`) are outside such a hand's reach as long as the commits are.
#pragma once

#include "core/project/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace holdfast::db {

struct AuditReport {
    std::vector<std::string> findings; ///< in words, one line each, safe to print; empty: nothing wrong
    std::int64_t unlisted = 0;         ///< findings beyond the first 1000
    std::int64_t studies = 0, trials = 0, gates = 0, samples = 0, verdicts = 0, questions = 0, reviews = 0,
                 applications = 0, imports = 0, results_files = 0, events = 0;
    std::string head = std::string(64, '0'); ///< hash of the last event; zeros without events and when unreadable

    bool clean() const { return findings.empty(); }
};

/// The hash of an event, known from outside the file.
struct KnownEvent {
    std::string hash;
    std::string where; ///< who knows it: "commit 1a2b3c"
};

enum class AuditDepth {
    whole, ///< everything: what is read before something is measured
    trail, ///< every event and every row but announced samples and SQLite's pages: what is read before a decision
};

/// Reads only, in one snapshot; a writer may work meanwhile. `known`: events that must be in the chain. An error means
/// that the file could not be opened or read; a damaged file that SQLite still opens is a finding.
Result<AuditReport> audit(const std::filesystem::path& file, const std::vector<KnownEvent>& known = {});

/// The same over an open connection that is in no transaction. Throws SQLite::Exception where the file cannot be read.
AuditReport audit(SQLite::Database& database, const std::vector<KnownEvent>& known = {},
                  AuditDepth depth = AuditDepth::whole);

} // namespace holdfast::db
